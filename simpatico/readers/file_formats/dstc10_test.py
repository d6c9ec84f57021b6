"""DSTC10 track 5, test sets: five parallel lists, one response and its mean ratings per row.

{"contexts": [["Hi", "Hello"], …], "responses": ["…"], "models": ["bot"],
 "reference": [["…"]], "scores": [{"appropriateness": 3.4}]}
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from simpatico.judgements import Judgement
from simpatico.readers.file_formats import _benchmark as benchmark
from simpatico.readers.input.decode import decode
from simpatico.readers.input.record import Ledger, Place, Reader, Utterance
from simpatico.readers.input.source import Head, Source

LISTS = frozenset({"contexts", "responses", "reference", "models", "scores"})

NOT_A_QUALITY = frozenset({"id", "rank"})
"""Keys of a row's scores that are bookkeeping of the challenge, not ratings."""


class TestColumns(msgspec.Struct):
    """The file: every list has one entry per row."""

    contexts: list[msgspec.Raw]
    responses: list[msgspec.Raw]
    models: list[msgspec.Raw]
    scores: list[msgspec.Raw]
    reference: list[msgspec.Raw] | None = None


class TestRow(msgspec.Struct):
    """One response."""

    context: list[str]
    response: str
    model: str
    scores: dict[str, benchmark.Rating]
    references: list[str] | None = None


class DSTC10Test(Reader):
    """Each row is a dialog whose last turn is judged; ratings are means over outsiders.

    The files do not say on which scale people rated, so it is read off all values of a quality:
    within 0 to 1 it is a win rate (esl, ncm); from 1 to above 3 it is 1 to 5 (topical, persona);
    anything else stays without a scale (jsalt: nothing above 3, and 170 of 741 exactly 3).
    """

    name = "dstc10-test"
    about = "DSTC10 track 5 test sets: parallel lists of contexts and responses"
    suffixes = (".json",)

    def matches(self, head: Head) -> bool:
        if not head.keys or not head.keys <= LISTS or isinstance(head.json, list):
            return False
        return all(isinstance(column, list) for column in head.item.values())

    def dialogs(self, source: Source, ledger: Ledger) -> Iterator[list[Utterance]]:
        return map(benchmark.row_dialog, response_rows(source, ledger))

    def judgements(self, source: Source, ledger: Ledger) -> Iterator[Judgement]:
        """All are read before the first is given: the scale is inferred from all values."""
        judgements = [
            judgement
            for row in response_rows(source, ledger)
            for judgement in benchmark.row_judgements(row, {}, ledger)
        ]
        values: dict[str, list[float]] = {}
        for judgement in judgements:
            numbers = values.setdefault(judgement.quality, [])
            numbers += [] if judgement.value is None else [judgement.value]
        scales = {quality: infer_scale(numbers) for quality, numbers in values.items()}
        for judgement in judgements:
            low, high = scales[judgement.quality]
            yield judgement._replace(judge=None, scale_min=low, scale_max=high)


def response_rows(source: Source, ledger: Ledger) -> Iterator[benchmark.RatedRow]:
    """The rows that can be read."""
    place, read = Place(source.name, 1, 0), msgspec.json.Decoder(TestRow)
    for number, raw in enumerate(transpose_lists(source, ledger)):
        # a row has no line of its own in these files, so its number goes into the reason
        own = Ledger("skip")
        row: TestRow | None = decode(raw, read, place, own)
        for reject in own.rejects:
            ledger.reject(place, reject.code, f"row {number}: {reject.reason}")
        if row is not None:
            system = benchmark.system_name(row.model)
            yield benchmark.RatedRow(
                f"{source.stem}:{number}",
                place,
                [*benchmark.alternate_speakers(row.context), (system, row.response)],
                system,
                {q: [mean] for q, mean in row.scores.items() if q not in NOT_A_QUALITY},
                references=row.references,
            )


def transpose_lists(source: Source, ledger: Ledger) -> Iterator[bytes]:
    """Each row as a JSON object."""
    file = source.value(TestColumns, ledger)
    if file is None:
        return
    n, names = len(file.contexts), TestRow.__struct_fields__
    references = file.reference or [msgspec.Raw(b"null")] * n
    lists = (file.contexts, file.responses, file.models, file.scores, references)
    if {*map(len, lists)} != {n}:
        counts = ", ".join(f"{len(list_)} {name}" for name, list_ in zip(names, lists, strict=True))
        reason = f"the lists differ in length ({counts}); no row is read"
        ledger.reject(Place(source.name, 1, 0), "lengths", reason)
        return
    for cells in zip(*lists, strict=True):
        yield msgspec.json.encode(dict(zip(names, cells, strict=True)))


def infer_scale(values: list[float]) -> tuple[float, float] | tuple[None, None]:
    """The scale as far as the values tell: a win rate, 1 to 5, or unknown."""
    low, high = min(values, default=-1.0), max(values, default=-1.0)
    if 0 <= low < 1 and high <= 1:
        return 0.0, 1.0
    if low >= 1 and 3 < high <= 5:
        return 1.0, 5.0
    return None, None
