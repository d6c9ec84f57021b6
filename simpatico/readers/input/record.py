"""A reader, and what it yields: dialogs of utterances, what it skipped and could not read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import polars as pl

from simpatico.errors import RecordError
from simpatico.turns import SCHEMA

if TYPE_CHECKING:
    from simpatico.readers.input.source import Head, Source

OnError = Literal["fail", "skip"]


class Utterance(NamedTuple):
    """One message as it stands in the input; the names are those of `turns.SCHEMA`.

    `system` is null for context that is not under evaluation, `time` is seconds since 1970,
    `extras` is a JSON object in text form. `gap` says that what stood before it could not be read.
    """

    dialog: str
    speaker: str
    text: str
    system: str | None = None
    id: str | None = None
    reply_to: str | None = None
    time: float | None = None
    references: Sequence[str] | None = None
    interlocutor: str | None = None
    profile: str | None = None
    prompt: str | None = None
    extras: str | None = None
    gap: bool = False


class Place(NamedTuple):
    """Where in the input something stands: file, line counted from 1, byte offset from 0."""

    file: str
    line: int
    byte: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Span(NamedTuple):
    """A range of bytes of a file of lines, from the start of one to the end of another.

    `line` is how many lines stand before it.
    """

    start: int
    stop: int
    line: int


class Dialog(list[Utterance]):
    """The utterances of one dialog, and where the records stand that they come from."""

    def __init__(self, utterances: Iterable[Utterance], places: list[Place]) -> None:
        super().__init__(utterances)
        self.places = places


class Reject(NamedTuple):
    """Something that could not be read. `reason` never contains text of the input."""

    place: Place
    code: str
    reason: str


@dataclass
class Ledger:
    """What happens to bad input: fail at once, or note it and go on up to `max_errors`."""

    on_error: OnError = "fail"
    max_errors: int | None = None
    rejects: list[Reject] = field(default_factory=list)
    skip_counts: Counter[str] = field(default_factory=Counter)
    errors: int = 0

    def reject(self, place: Place, code: str, reason: str) -> None:
        """Note a bad record; raises when errors are not to be skipped, or there are too many."""
        if self.on_error == "fail":
            raise RecordError(f"{place}: {reason}")
        self.rejects.append(Reject(place, code, reason))
        self.errors += 1
        if self.max_errors is not None and self.errors > self.max_errors:
            raise RecordError(f"{place}: {reason} (more than {self.max_errors} bad records)")

    def skip(self, why: str, n: int = 1) -> None:
        """Count good input that is not conversation, such as "system message"."""
        self.skip_counts[why] += n

    def take(self) -> tuple[list[Reject], dict[str, int]]:
        """Rejects and skips noted since the last call; the ledger keeps only their sum."""
        notes = self.rejects, dict(self.skip_counts)
        self.rejects, self.skip_counts = [], Counter()
        return notes


@dataclass(frozen=True)
class Reader:
    """A format; its evaluated side is called `system` where the file does not say.

    `about` is for people. With `rows_are_utterances` the rows of a dialog need not stand together.
    """

    name: ClassVar[str]
    about: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]]
    rows_are_utterances: ClassVar[bool] = False
    divisible: ClassVar[bool] = False
    """Whether a part of a file of lines can be read by itself, from `next_dialog` on."""
    system: str | None = None
    mapping: tuple[tuple[str, str], ...] = ()
    """Our field and the column that holds it, where the user says so; of tables only."""

    def matches(self, head: Head) -> bool:
        """Whether the first bytes of a file are of this format."""
        raise NotImplementedError

    def dialogs(self, source: Source, ledger: Ledger) -> Iterator[list[Utterance]]:
        """The dialogs of a file; what cannot be read is noted in the ledger."""
        raise NotImplementedError

    def next_dialog(self, source: Source) -> int | None:
        """The first byte of this part of a file at which it can be cut, so that dialogs stay whole.

        Null where there is none. Here each line is a dialog of its own.
        """
        return source.span.start if source.span else None

    def frame(self, source: Source) -> pl.DataFrame | None:
        """The utterances of a part of a file at once, as columns of `turns.SCHEMA`; times in
        seconds.

        Null unless each record is as simple as most are: `dialogs` reads, and complains of, others.
        """
        return None

    def columns(self, head: Head) -> dict[str, str]:
        """Which of our fields are read from a column of another name."""
        return {}


def utterance_frame(columns: Mapping[str, Sequence[Any]]) -> pl.DataFrame:
    """Utterances as a table with all columns of `turns.SCHEMA`, but times as seconds."""
    types = {**SCHEMA, "time": pl.Float64()}
    own = pl.DataFrame({n: pl.Series(n, columns[n], types[n]) for n in types if n in columns})
    return own.select(n if n in own.columns else pl.lit(None, t).alias(n) for n, t in types.items())
