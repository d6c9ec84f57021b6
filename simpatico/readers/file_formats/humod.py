"""HUMOD: movie dialogs with two replies each, and how relevant people found them on average.

    {"dialogue_id": "1", "context": "…\\n…", "response": "…", "human_mean_relevance": 4.3,
     "reference": "['…', '…']"}

Merdivan et al. (2020), Human annotated dialogues dataset for natural conversational agents.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator

import msgspec

from simpatico.judgements import Judgement
from simpatico.readers.file_formats import _benchmark as benchmark
from simpatico.readers.input.decode import unique_records
from simpatico.readers.input.record import Ledger, Reader, Utterance
from simpatico.readers.input.source import Head, Source

NEEDED = frozenset({"dialogue_id", "context", "response", "human_mean_relevance"})
SCALE = {"relevance": (1.0, 5.0)}
MAX_LIST = 100_000
"""No list of references is longer; it is Python code, which takes memory to read."""


class HUMODRow(msgspec.Struct):
    """A reply to a context; `reference` is a Python list in text form, or a list."""

    dialogue_id: str
    context: str
    response: str
    human_mean_relevance: benchmark.Rating
    reference: str | list[str] | None = None
    am: float | None = None
    fm: float | None = None


class HUMOD(Reader):
    """Each row is a dialog whose last turn is judged; the rating is a mean over three outsiders.

    The file does not say whether a reply is the film's own or a random one, so all have one
    system. The scores of others, `am` and `fm`, are in the reply's extras.
    """

    name = "humod"
    about = "HUMOD: film dialogs, replies with their mean relevance"
    suffixes = (".jsonl", ".json")

    def matches(self, head: Head) -> bool:
        return head.keys >= NEEDED

    def dialogs(self, source: Source, ledger: Ledger) -> Iterator[list[Utterance]]:
        return map(benchmark.row_dialog, self.rows(source, ledger))

    def judgements(self, source: Source, ledger: Ledger) -> Iterator[Judgement]:
        for row in self.rows(source, ledger):
            for judgement in benchmark.row_judgements(row, SCALE, ledger):
                yield judgement._replace(judge=None)

    def rows(self, source: Source, ledger: Ledger) -> Iterator[benchmark.RatedRow]:
        """The rows that can be read; a dialogue_id that comes again is refused."""
        rows, system = source.values(HUMODRow, ledger), self.system or "system"
        for place, row in unique_records(rows, "dialogue_id", "dialogue_id", ledger):
            texts = [line.strip() for line in row.context.split("\n") if line.strip()]
            others = {"am": row.am, "fm": row.fm}
            yield benchmark.RatedRow(
                row.dialogue_id,
                place,
                [*benchmark.alternate_speakers(texts), (system, row.response)],
                system,
                {"relevance": [row.human_mean_relevance]},
                references=parse_python_list(row.reference, ledger),
                extras=benchmark.as_json_object({k: v for k, v in others.items() if v is not None}),
            )


def parse_python_list(raw: str | list[str] | None, ledger: Ledger) -> list[str] | None:
    """The replies that people wrote; null where they cannot be read, which is counted."""
    if not isinstance(raw, str):
        return raw
    try:
        with warnings.catch_warnings():  # they would show the text
            warnings.simplefilter("ignore")
            texts = ast.literal_eval(raw) if len(raw) <= MAX_LIST else None
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        texts = None
    if isinstance(texts, list) and all(isinstance(text, str) for text in texts):
        return texts
    ledger.skip("references that cannot be read")
    return None
