"""DSTC7, task 2: a folder of tables with passages, responses of systems, references and ratings."""

from __future__ import annotations

from collections.abc import Iterator

from simpatico.judgements import Judgement
from simpatico.readers.file_formats import _benchmark as benchmark
from simpatico.readers.input.decode import rows_by_header
from simpatico.readers.input.record import Ledger, Place, Reader, Utterance
from simpatico.readers.input.source import Head, Source

START = "dstc7-task2-"
CONTEXTS, RESPONSES = f"{START}context.tsv", f"{START}system_responses.tsv"
REFERENCES, RATINGS = f"{START}gold_responses.tsv", f"{START}human-eval-per-judge.tsv"

QUALITIES = ("Relevance", "Informativeness")
"""Columns of ratings, from 1 to 5."""
SAME = {"TeamEC": "TeamCE"}
"""Ratings of TeamEC are a second round for TeamCE: only so do the published means come out."""


class DSTC7(Reader):
    """Each response is a dialog of two turns: the passage that was talked about, and the response.

    Its id is that of the context and that of the system, joined by a colon.
    What people said before the response is not in the folder. Judges are outsiders with ids; the
    few responses that a judge rated twice keep the first rating.
    """

    name = "dstc7"
    about = "DSTC7 task 2: folder with contexts, responses and ratings per judge"
    suffixes = ("",)

    def matches(self, head: Head) -> bool:
        folder = head.folder
        return folder is not None and all((folder / n).is_file() for n in (CONTEXTS, RESPONSES))

    def dialogs(self, source: Source, ledger: Ledger) -> Iterator[list[Utterance]]:
        return map(benchmark.row_dialog, response_rows(source, ledger))

    def judgements(self, source: Source, ledger: Ledger) -> Iterator[Judgement]:
        units = {row.dialog: benchmark.row_unit(row) for row in response_rows(source, ledger)}
        rated: set[tuple[str, str]] = set()
        for place, cells in table_cells(source, RATINGS, ledger):
            system = SAME.get(cells["SystemID"], cells["SystemID"])
            dialog, judge = f"{cells['InstanceID']}:{system}", cells["JudgeID"]
            if dialog not in units:
                ledger.reject(place, "unknown", "no response matches this rating")
            elif (dialog, judge) in rated:
                ledger.skip("second rating of a response by one judge")
            else:
                rated.add((dialog, judge))
                unit = units[dialog]._replace(judge=judge, scale_min=1.0, scale_max=5.0)
                for quality in QUALITIES:
                    unit = unit._replace(quality=quality.lower())
                    if judgement := benchmark.rate(unit, cells[quality], place, ledger):
                        yield judgement


def response_rows(source: Source, ledger: Ledger) -> Iterator[benchmark.RatedRow]:
    """The responses that can be read, in the order of the file."""
    contexts = {c["InstanceID"]: c["Context"] for _, c in table_cells(source, CONTEXTS, ledger)}
    references: dict[str, list[str]] = {}
    if source.folder and (source.folder / REFERENCES).is_file():
        for _, (instance, *texts) in tab_cells(source.file(REFERENCES), ledger):
            references[instance] = [text for text in texts if text.strip()]
    dialogs: set[str] = set()
    for place, cells in table_cells(source, RESPONSES, ledger):
        instance, system = cells["InstanceID"], benchmark.system_name(cells["SystemID"])
        dialog = f"{instance}:{cells['SystemID']}"
        if instance not in contexts:
            ledger.reject(place, "unknown", "no context has this InstanceID")
        elif dialog in dialogs:
            ledger.reject(place, "duplicate_id", "an earlier row has this response")
        else:
            dialogs.add(dialog)
            passage, gold = ("context-a", contexts[instance]), references.get(instance)
            lines = [passage, (system, cells["Response"])]
            yield benchmark.RatedRow(dialog, place, lines, system, {}, references=gold)


def table_cells(
    folder: Source, name: str, ledger: Ledger
) -> Iterator[tuple[Place, dict[str, str]]]:
    """The rows of a table of the folder, by the names in its header."""
    source = folder.file(name)
    rows = tab_cells(source, ledger)
    place, header = next(rows, (Place(source.name, 1, 0), []))
    if missing := [name for name in COLUMNS[name] if name not in header]:
        ledger.reject(place, "header", f"there is no column {missing[0]!r}")
        return
    yield from rows_by_header(rows, header, ledger)


def tab_cells(source: Source, ledger: Ledger) -> Iterator[tuple[Place, list[str]]]:
    """Cells between tabs; a quotation mark in these files is part of the text."""
    for place, raw in source.scan(ledger):
        try:
            text = raw.decode().rstrip("\r\n")
        except UnicodeDecodeError:
            ledger.reject(place, "utf8", "the text is not valid UTF-8")
            continue
        if text:
            yield place, text.split("\t")


COLUMNS = {
    CONTEXTS: ("InstanceID", "Context"),
    RESPONSES: ("SystemID", "InstanceID", "Response"),
    RATINGS: ("JudgeID", "InstanceID", "SystemID", *QUALITIES),
}
