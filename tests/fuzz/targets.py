"""What is fuzzed: every parser and the tokenisers, each a function of bytes.

A target may raise errors of ours, which are what a user sees as one sentence; anything else is a
bug. `make fuzz` runs them on atheris; the tests run them on the corpus alone.
"""

import io
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import polars as pl

from simpatico.errors import SimpaticoError
from simpatico.features.lexicon import parse_lexicon
from simpatico.features.sentences import sentences
from simpatico.features.word_positions import word_positions
from simpatico.readers import Conversations, Source
from simpatico.readers.conversations import Chunk
from simpatico.readers.detect import format_names, matching_readers
from simpatico.readers.input.record import Reject
from simpatico.readers.judgement_files import read_judgements, read_preferences
from simpatico.run import Run

SUFFIXES = (".jsonl", ".csv", ".tsv", ".json", ".parquet", ".txt")


def read_format(name: str, data: bytes) -> None:
    """The dialogs of a format: the same in small parts and at once; byte one chooses the suffix."""
    suffix = SUFFIXES[data[0] % len(SUFFIXES)] if data else ".jsonl"
    source = Source.from_stream(f"a{suffix}", Path(f"a{suffix}"), io.BytesIO(data[1:]))
    matching_readers(source, None, system=None)
    conversations = Conversations((source,), format=name, on_error="skip")
    parts, whole = (list(conversations.chunks(size)) for size in (2, 10**6))
    if read_rows(parts) != read_rows(whole):
        raise AssertionError(read_rows(parts), read_rows(whole))


def read_rows(chunks: list[Chunk]) -> tuple[list[tuple[object, ...]], list[Reject]]:
    """All turns and all that was rejected."""
    rows = pl.concat(chunk.turns.frame for chunk in chunks).rows()
    return rows, [reject for chunk in chunks for reject in chunk.rejects]


def read_file(read: Callable[[Path], object], suffixes: tuple[str, ...], data: bytes) -> None:
    """A parser that takes a path."""
    suffix = suffixes[data[0] % len(suffixes)] if data else suffixes[0]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"a{suffix}")
        path.write_bytes(data[1:])
        read(path)


def read_run(data: bytes) -> None:
    """The description of a run."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "run.json").write_bytes(data)
        list(Run(Path(folder)).facts.items())


def cut_text(data: bytes) -> None:
    """Words and sentences; every word stands where it is said to."""
    text = data.decode("utf-8", "ignore")
    sentences(text)
    for position in word_positions(text):
        if not 0 <= position.start < position.end <= len(text):
            raise AssertionError(position)


TARGETS: dict[str, Callable[[bytes], None]] = {
    **{f"read-{name}": partial(read_format, name) for name in format_names()},
    "judgements": partial(read_file, read_judgements, SUFFIXES),
    "preferences": partial(read_file, read_preferences, SUFFIXES),
    "lexicon": partial(
        read_file, lambda p: parse_lexicon(p, (0, 0)), (".csv", ".tsv", ".dic", ".dicx", ".db")
    ),
    "run": read_run,
    "text": cut_text,
}


def check(target: Callable[[bytes], None], data: bytes) -> None:
    """Run a target; errors of ours are no bugs."""
    with suppress(SimpaticoError):
        target(data)
