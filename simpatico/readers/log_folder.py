"""A folder of logs: which of its files hold conversations, and why the others do not."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from glob import glob, has_magic
from pathlib import Path

from simpatico.errors import DataError
from simpatico.readers.file_formats._table_fields import Fields
from simpatico.readers.input.object_store import is_remote
from simpatico.readers.input.record import Ledger, Reader
from simpatico.readers.input.source import Source


def expand_patterns(paths: Sequence[str | Path | Source]) -> Iterator[str | Path | Source]:
    """The inputs, patterns such as `logs/*.jsonl` as what they match, in the order of the names.

    What is there under the very name is no pattern.
    """
    for path in paths:
        if isinstance(path, Source) or not has_magic(str(path)) or os.path.lexists(path):
            yield path
        elif is_remote(path):
            raise DataError(f"{path}: patterns are for local files; name the objects one by one")
        elif names := sorted(glob(str(path), recursive=True)):
            yield from names
        else:
            raise DataError(f"{path}: no file matches this pattern; check folder and ending")


def log_files(
    folder: Source, readers_of: Callable[[Source], Sequence[Reader]]
) -> tuple[list[Source], dict[str, str]]:
    """The files of a folder that hold conversations, by name, and why each other one does not.

    Not those of its subfolders: a run that is written into the folder would be read as well.
    """
    sources, ignored = list[Source](), dict[str, str]()
    for path in sorted(Path(folder.name).iterdir()):
        if path.name.startswith(".") or not path.is_file():
            if path.is_dir():
                ignored[f"{path.name}/"] = "folder"
            continue
        source = Source.of(path)
        if problem := why_no_conversations(source, readers_of):
            ignored[path.name] = problem
        else:
            sources.append(source)
    if not sources:
        reasons = ", ".join(f"{name} ({why})" for name, why in list(ignored.items())[:3])
        raise DataError(
            f"{folder.name}: no file in this folder holds conversations"
            + (f": {reasons}" if ignored else "")
            + "; name the files, or their format with --format"
        )
    return sources, ignored


def why_no_conversations(
    source: Source, readers_of: Callable[[Source], Sequence[Reader]]
) -> str | None:
    """Why a file of a folder is left out; null if it may hold conversations."""
    ledger = Ledger(on_error="skip")
    if source.is_rejected(ledger):
        return ledger.rejects[0].code.replace("_", " ")
    readers = readers_of(source)
    if not readers:
        return "unrecognised format"
    if [reader.name for reader in readers] == ["table"] and source.head.columns:
        # one column is enough to call a file a broken table, but not to read all of a folder's
        missing = Fields.of(source.head, dict(readers[0].mapping)).missing(source.head)
        if missing:
            return f"no column {missing[0]!r}"
    return None
