"""FED as its authors published it: labelled lines of context, a response or a whole dialog."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import msgspec

from simpatico.judgements import Judgement
from simpatico.readers.file_formats._benchmark import (
    Judged,
    Line,
    Rating,
    Scale,
    judgements,
    person,
    utterances,
)
from simpatico.readers.input.record import Ledger, Utterance
from simpatico.readers.input.source import Head, Source, decode

SCALES: dict[str, Scale] = {
    "Understandable": (0.0, 1.0),
    "Consistent": (0.0, 1.0),
    "Overall": (0.0, 4.0),
    "*": (0.0, 2.0),
}
"""FED's questions: yes or no for two qualities, five points overall, three points otherwise."""

LABEL = re.compile(r"(User|System): ?")


class Row(msgspec.Struct):
    """A response to a context, or without `response` a dialog as a whole."""

    context: str
    annotations: dict[str, list[Rating]]
    response: str | None = None
    system: str | None = None


@dataclass(frozen=True)
class FED:
    """A row with a response has one judged turn; in a row without, all the system says is judged.

    The system's side speaks under the system's name, the user's side is context. Ratings such as
    "N/A (not applicable)" or an empty text are null.
    """

    name: ClassVar[str] = "fed"
    about: ClassVar[str] = "FED: User/System context with ratings of a response or of the dialog"
    suffixes: ClassVar[tuple[str, ...]] = (".json",)

    system: str | None = None

    def matches(self, head: Head) -> bool:
        if "dialogue_id" in head.keys or not {"context", "annotations"} <= head.keys:
            return False
        return isinstance(head.item["context"], str) and labelled(head.item["context"])

    def dialogs(self, source: Source, ledger: Ledger) -> Iterator[list[Utterance]]:
        return map(utterances, self.rows(source, ledger))

    def judgements(self, source: Source, ledger: Ledger) -> Iterator[Judgement]:
        for row in self.rows(source, ledger):
            yield from judgements(row, SCALES, ledger)

    def rows(self, source: Source, ledger: Ledger) -> Iterator[Judged]:
        """The rows that can be read."""
        for number, (place, raw) in enumerate(source.records(ledger)):
            row: Row | None = decode(raw, ROW, place, ledger)
            if row is not None:
                dialog, whole = f"{source.stem}:{number}", row.response is None
                system = person(row.system or self.system or "system")
                lines = spoken(row.context, row.response, system)
                yield Judged(dialog, place, lines, system, row.annotations, whole)


def labelled(context: str) -> bool:
    """Whether a context tells who speaks."""
    return LABEL.match(context) is not None


def spoken(context: str, response: str | None, system: str) -> list[Line]:
    """Speakers and texts of labelled lines; a line without a label continues the one before."""
    lines: list[Line] = []
    for line in filter(None, map(str.strip, context.split("\n"))):
        label = LABEL.match(line)
        if label or not lines:
            speaker = system if label and label[1] == "System" else "user"
            lines.append(Line(speaker, unlabelled(line)))
        else:
            lines[-1] = Line(lines[-1].speaker, f"{lines[-1].text}\n{line}")
    if response is None:
        return lines
    if lines and lines[-1].speaker == system:
        # under one name the response would be merged into the context that it follows
        lines = [Line("context" if s == system else s, text) for s, text in lines]
    return [*lines, Line(system, unlabelled(response))]


def unlabelled(line: str) -> str:
    """The line without the label at its start."""
    label = LABEL.match(line)
    return line[label.end() :] if label else line


ROW = msgspec.json.Decoder(Row)
