"""DSTC10 track 5, development sets: a list of responses or dialogs with one rating per judge.

    [{"dialogue_id": "topical-usr_0", "context": "…\\n…", "response": "…", "model": "bot",
      "annotations": {"Overall": [3, 4, 4]}}]

Zhang et al. (2021), DSTC10 track 5, which gathers FED, USR, DailyDialog and others in one shape.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from simpatico.judgements import Judgement
from simpatico.readers.file_formats import _benchmark as benchmark
from simpatico.readers.file_formats import fed
from simpatico.readers.input.decode import unique_records
from simpatico.readers.input.record import Ledger, Reader, Utterance
from simpatico.readers.input.source import Head, Source

FIVE: dict[str, tuple[float, float]] = {"*": (1.0, 5.0)}
USR: dict[str, tuple[float, float]] = {
    "Understandable": (0.0, 1.0),
    "Uses Knowledge": (0.0, 1.0),
    "Overall": (1.0, 5.0),
    "*": (1.0, 3.0),
}
SCALES: dict[str, dict[str, tuple[float, float]]] = {
    "dailydialog-zhao": FIVE,
    "persona-zhao": FIVE,
    "dailydialog-gupta": FIVE,
    "persona-usr": USR,
    "topical-usr": USR,
    "fed-turn": fed.SCALES,
    "fed-dial": fed.SCALES,
}
"""By data set, which is the dialogue_id up to its last underscore; other sets have no scale."""

MEANS = frozenset({"dailydialog-gupta"})
"""Data sets whose lists hold one number, the mean over judges."""

SYSTEM, USER = ("model", "system"), ("human", "user")
"""What the two sides of a dialog-level row are called."""


class DialogLine(msgspec.Struct):
    """A line of a dialog-level row."""

    speaker: str
    text: str


class DevRow(msgspec.Struct):
    """A response to a context, or a whole dialog."""

    dialogue_id: str
    annotations: dict[str, list[benchmark.Rating]]
    model: str | None = None
    context: str | None = None
    response: str | None = None
    reference: list[str] | None = None
    fact: str | None = None
    dialog: list[DialogLine] | None = None
    dialogue: list[DialogLine] | None = None


class DSTC10Dev(Reader):
    """A row is a dialog: with `context` and `response` one turn is judged, else all of the model's.

    Judges are outsiders, and numbered by position. The fact or persona of the USR sets is in the
    response's extras.
    """

    name = "dstc10-dev"
    about = "DSTC10 track 5 development sets: rows with ratings of several judges"
    suffixes = (".json",)

    def matches(self, head: Head) -> bool:
        fields = ({"context", "response"}, {"dialog"}, {"dialogue"})
        is_row = any(names <= head.keys for names in fields)
        return is_row and {"dialogue_id", "annotations"} <= head.keys

    def dialogs(self, source: Source, ledger: Ledger) -> Iterator[list[Utterance]]:
        return map(benchmark.row_dialog, self.rows(source, ledger))

    def judgements(self, source: Source, ledger: Ledger) -> Iterator[Judgement]:
        for row in self.rows(source, ledger):
            name = row.dialog.rpartition("_")[0]
            for judgement in benchmark.row_judgements(row, SCALES.get(name, {}), ledger):
                yield judgement._replace(judge=None) if name in MEANS else judgement

    def rows(self, source: Source, ledger: Ledger) -> Iterator[benchmark.RatedRow]:
        """The rows that can be read; a dialogue_id that comes again is refused."""
        rows = source.values(DevRow, ledger)
        for place, row in unique_records(rows, "dialogue_id", "dialogue_id", ledger):
            system = benchmark.system_name(row.model or self.system or "system")
            # a user is called user here, as the system may be called human
            names = dict.fromkeys(SYSTEM, system) | dict.fromkeys(USER, "user")
            dialog = row.dialogue if row.dialog is None else row.dialog
            own = benchmark.RatedRow(row.dialogue_id, place, (), system, row.annotations)
            if dialog is not None:
                lines = [(names.get(one.speaker.lower(), one.speaker), one.text) for one in dialog]
                yield own._replace(lines=lines, whole_dialog=True)
            elif row.context is None or row.response is None:
                reason = "a row needs 'context' and 'response', or 'dialogue'"
                ledger.reject(place, "missing", reason)
            else:
                yield own._replace(
                    lines=context_and_response(row.context, row.response, system),
                    references=row.reference,
                    extras=benchmark.as_json_object({} if row.fact is None else {"fact": row.fact}),
                )


def context_and_response(context: str, response: str, system: str) -> list[tuple[str, str]]:
    """The lines of the context, by their labels or else in turns, and the response."""
    if fed.is_labelled(context):
        return fed.labelled_lines(context, response, system)
    texts = [line.strip() for line in context.split("\n") if line.strip()]
    return [*benchmark.alternate_speakers(texts), (system, response)]
