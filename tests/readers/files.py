"""Small inputs that the tests of the readers write, and what comes back from them."""

import gzip
import io
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from simpatico.readers import Alignment, Conversations
from simpatico.readers.input.record import Reject
from simpatico.turns import Turns


def json_lines(rows: Iterable[Any]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def write_file(path: Path, content: bytes | str | list[Any] | Mapping[str, Any]) -> Path:
    """A file with these bytes, this text, or this value as JSON (lines if the suffix says so)."""
    if isinstance(content, list) and path.suffix == ".jsonl":
        content = json_lines(content)
    elif isinstance(content, list | Mapping):
        content = json.dumps(content, indent=1)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def gzip_copy(path: Path) -> Path:
    """The same file as .gz beside it."""
    target = path.with_name(path.name + ".gz")
    target.write_bytes(gzip.compress(path.read_bytes()))
    return target


def pipe_to_stdin(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    """Let these bytes be standard input."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))


def align_files(
    *paths: Path | str, size: int = 32_768, **options: Any
) -> tuple[list[Any], Alignment]:
    """Every turn as (dialog, speaker, system, text, answers), and the alignment."""
    turns, alignment, _ = everything(*paths, size=size, **options)
    return [(t.dialog, t.speaker, t.system, t.text, t.answers) for t in turns], alignment


def everything(
    *paths: Path | str, size: int = 32_768, **options: Any
) -> tuple[list[Any], Alignment, list[Reject]]:
    """All turns, the sum of the alignments, and all rejects."""
    turns: list[Any] = []
    total, rejects = Alignment(), list[Reject]()
    for chunk in Conversations(tuple(paths), **options).chunks(size):
        assert isinstance(chunk.turns, Turns)
        turns.extend(chunk.turns)
        total += chunk.alignment
        rejects.extend(chunk.rejects)
    return turns, total, rejects
