"""HUMOD: movie dialogs with two replies each, and how relevant people found them on average."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import msgspec

from simpatico.judgements import Judgement
from simpatico.readers.file_formats._benchmark import (
    Judged,
    Line,
    Rating,
    alternating,
    judgements,
    utterances,
)
from simpatico.readers.input.decode import decoded, once_each
from simpatico.readers.input.record import Ledger, Place, Utterance
from simpatico.readers.input.source import Head, Source

NEEDED = frozenset({"dialogue_id", "context", "response", "human_mean_relevance"})
SCALE = {"relevance": (1.0, 5.0)}
LONGEST = 100_000
"""No list of references is longer; it is Python code, which takes memory to read."""


class Row(msgspec.Struct):
    """A reply to a context; `reference` is a Python list in text form, or a list."""

    dialogue_id: str
    context: str
    response: str
    human_mean_relevance: Rating
    reference: str | list[str] | None = None
    am: float | None = None
    fm: float | None = None


@dataclass(frozen=True)
class HUMOD:
    """Each row is a dialog whose last turn is judged; the rating is a mean over three outsiders.

    The file does not say whether a reply is the film's own or a random one, so all have one
    system. The scores of others, `am` and `fm`, are in the reply's extras.
    """

    name: ClassVar[str] = "humod"
    about: ClassVar[str] = "HUMOD: film dialogs, replies with their mean relevance"
    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".json")

    system: str | None = None

    def matches(self, head: Head) -> bool:
        return head.keys >= NEEDED

    def dialogs(self, source: Source, ledger: Ledger) -> Iterator[list[Utterance]]:
        return map(utterances, self.rows(source, ledger))

    def judgements(self, source: Source, ledger: Ledger) -> Iterator[Judgement]:
        for row in self.rows(source, ledger):
            for judgement in judgements(row, SCALE, ledger):
                yield judgement._replace(judge=None)

    def rows(self, source: Source, ledger: Ledger) -> Iterator[Judged]:
        """The rows that can be read; a dialogue_id that comes again is refused."""
        found = decoded(source.records(ledger), ROW.decode, ledger)
        for place, row in once_each(found, lambda row: row.dialogue_id, ledger):
            yield self.judged(row, place, ledger)

    def judged(self, row: Row, place: Place, ledger: Ledger) -> Judged:
        """The row in the words of this package."""
        system = self.system or "system"
        texts = [line.strip() for line in row.context.split("\n") if line.strip()]
        others = {"am": row.am, "fm": row.fm}
        told = {name: score for name, score in others.items() if score is not None}
        return Judged(
            row.dialogue_id,
            place,
            [*alternating(texts), Line(system, row.response)],
            system,
            {"relevance": [row.human_mean_relevance]},
            references=references(row.reference, ledger),
            extras=msgspec.json.encode(told).decode() if told else None,
        )


def references(written: str | list[str] | None, ledger: Ledger) -> list[str] | None:
    """The replies that people wrote; null where they cannot be read, which is counted."""
    if not isinstance(written, str):
        return written
    try:
        with warnings.catch_warnings():  # they would show the text
            warnings.simplefilter("ignore")
            found = ast.literal_eval(written) if len(written) <= LONGEST else None
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        found = None
    if isinstance(found, list) and all(isinstance(text, str) for text in found):
        return found
    ledger.set_aside("references that cannot be read")
    return None


ROW = msgspec.json.Decoder(Row)
