"""A study's results as files that `score`, `validate` and `report` read as they are."""

from __future__ import annotations

import io
import zipfile
from contextlib import suppress
from pathlib import Path

import msgspec
import polars as pl

from simpatico.errors import BadValue
from simpatico.files import make_folder, write_atomically
from simpatico.judgements import PREFERENCE_SCHEMA
from simpatico.study.design import Design
from simpatico.study.results import Results

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The time of every file in an archive, so that equal results give equal bytes."""


def export_files(results: Results) -> dict[str, bytes]:
    """The files of an export, by name; a file that would be empty is left out."""
    encoder = msgspec.json.Encoder()
    files = {"dialogs.jsonl": encoder.encode_lines(list(results.dialogs()))}
    if len(results.judgements):
        files["judgements.csv"] = results.judgements.frame.write_csv().encode()
    if preferences := list(results.preferences()):
        frame = pl.DataFrame(preferences, schema=PREFERENCE_SCHEMA, orient="row")
        files["preferences.csv"] = frame.write_csv().encode()
    if answers := list(results.answer_rows()):
        files["answers.csv"] = pl.DataFrame(answers, infer_schema_length=None).write_csv().encode()
    design = msgspec.json.format(msgspec.json.encode(results.design), indent=1)
    return {name: data for name, data in files.items() if data} | {"study.json": design + b"\n"}


def export_folder(results: Results, folder: Path, *, force: bool = False) -> list[str]:
    """Write the files into a folder, private to its owner; their names.

    A folder with files of another origin is refused, unless it is forced: some would be replaced.
    """
    names = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    with suppress(OSError, msgspec.DecodeError):
        earlier = msgspec.json.decode((folder / "study.json").read_bytes(), type=Design)
        names = [] if earlier.name == results.design.name else names
    if names and not force:
        raise BadValue(
            f"--out {folder} holds {names[0]!r}, which this study did not write there; name "
            "another folder, or add --force to write into this one"
        )
    make_folder(folder)
    files = export_files(results)
    for name, data in files.items():
        write_atomically(folder / name, data)
    return list(files)


def export_archive(results: Results) -> bytes:
    """The same files as a ZIP archive."""
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in export_files(results).items():
            archive.writestr(zipfile.ZipInfo(name, EPOCH), data, zipfile.ZIP_DEFLATED)
    return memory.getvalue()
