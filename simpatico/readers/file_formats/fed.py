"""FED as its authors published it: labelled lines of context, a response or a whole dialog.

    [{"context": "User: Hi\\nSystem: Hello", "response": "System: How are you?",
      "system": "Meena", "annotations": {"Interesting": [1, 2, 0], "Overall": [3, 4, 2]}}]

Mehri & Eskenazi (2020), Unsupervised evaluation of interactive dialog with DialoGPT.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from simpatico.judgements import Judgement
from simpatico.readers.file_formats import _benchmark as benchmark
from simpatico.readers.input.decode import decode
from simpatico.readers.input.record import Ledger, Reader, Utterance
from simpatico.readers.input.source import Head, Source

SCALES: dict[str, tuple[float, float]] = {
    "Understandable": (0.0, 1.0),
    "Consistent": (0.0, 1.0),
    "Overall": (0.0, 4.0),
    "*": (0.0, 2.0),
}
"""FED's questions: yes or no for two qualities, five points overall, three points otherwise."""

LABEL = re.compile(r"^(User|System): ?")


class FEDRow(msgspec.Struct):
    """A response to a context, or without `response` a dialog as a whole."""

    context: str
    annotations: dict[str, list[benchmark.Rating]]
    response: str | None = None
    system: str | None = None


class FED(Reader):
    """A row with a response has one judged turn; in a row without, all the system says is judged.

    The system's side speaks under the system's name, the user's side is context. Ratings such as
    "N/A (not applicable)" or an empty text are null.
    """

    name = "fed"
    about = "FED: User/System context with ratings of a response or of the dialog"
    suffixes = (".json",)

    def matches(self, head: Head) -> bool:
        """Rows of context and annotations; with a `dialogue_id` they are DSTC10's copy of FED."""
        if "dialogue_id" in head.keys or not {"context", "annotations"} <= head.keys:
            return False
        return isinstance(head.item["context"], str) and is_labelled(head.item["context"])

    def dialogs(self, source: Source, ledger: Ledger) -> Iterator[list[Utterance]]:
        return map(benchmark.row_dialog, self.rows(source, ledger))

    def judgements(self, source: Source, ledger: Ledger) -> Iterator[Judgement]:
        for row in self.rows(source, ledger):
            yield from benchmark.row_judgements(row, SCALES, ledger)

    def rows(self, source: Source, ledger: Ledger) -> Iterator[benchmark.RatedRow]:
        """The rows that can be read."""
        for number, (place, raw) in enumerate(source.records(ledger)):
            row: FEDRow | None = decode(raw, ROW, place, ledger)
            if row is not None:
                dialog, whole_dialog = f"{source.stem}:{number}", row.response is None
                system = benchmark.system_name(row.system or self.system or "system")
                lines = labelled_lines(row.context, row.response, system)
                yield benchmark.RatedRow(
                    dialog, place, lines, system, row.annotations, whole_dialog
                )


def is_labelled(context: str) -> bool:
    """Whether a context tells who speaks."""
    return LABEL.match(context) is not None


def labelled_lines(context: str, response: str | None, system: str) -> list[tuple[str, str]]:
    """Speakers and texts of labelled lines; a line without a label continues the one before."""
    lines: list[tuple[str, str]] = []
    for line in filter(None, map(str.strip, context.split("\n"))):
        label = LABEL.match(line)
        if label or not lines:
            speaker = system if label and label[1] == "System" else "user"
            lines.append((speaker, LABEL.sub("", line, count=1)))
        else:
            speaker, text = lines[-1]
            lines[-1] = (speaker, f"{text}\n{line}")
    if response is None:
        return lines
    if lines and lines[-1][0] == system:
        # under one name the response would be merged into the context that it follows
        lines = [("context" if s == system else s, text) for s, text in lines]
    return [*lines, (system, LABEL.sub("", response, count=1))]


ROW = msgspec.json.Decoder(FEDRow)
