"""DeepEval: a test run, .latest_test_run.json or an exported one; every test case is a dialog.

{"testRunData": {"conversationalTestCases": [{"name": "c1", "turns": [{"role": "user", …}, …],
    "metricsData": [{"name": "Warmth", "score": 0.4}]}], "testCases": [{"input": "Hi", …}]}}
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from simpatico.readers.file_formats._chat import ChatMessage, chat_utterances, non_empty_dialog
from simpatico.readers.input.decode import decode, decode_records, locate_parts
from simpatico.readers.input.record import Ledger, Place, Reader, Utterance
from simpatico.readers.input.source import Head, Source
from simpatico.readers.result_files import Direction, ScoredTest

CASES = {"testCases", "conversationalTestCases"}


class MetricData(msgspec.Struct):
    """What one metric made of a case; an error is no score."""

    name: str
    score: float | None = None
    error: str | None = None
    threshold: float | None = None
    success: bool | None = None

    @property
    def better(self) -> Direction | None:
        """Which side of the threshold passes; at the threshold both do."""
        if self.score is None or self.threshold is None or self.success is None:
            return None
        above = self.score - self.threshold
        return None if above == 0 else "higher" if (above > 0) == self.success else "lower"


class CaseTurn(msgspec.Struct):
    """One message."""

    role: str
    content: str | None = None


class Case(msgspec.Struct, rename="camel"):
    """A conversation, or an input with its output."""

    name: str | None = None
    turns: list[CaseTurn] | None = None
    input: str | None = None
    actual_output: str | None = None
    metrics_data: list[MetricData] | None = None


class CaseRun(msgspec.Struct, rename="camel"):
    """All cases."""

    test_cases: list[msgspec.Raw] = []
    conversational_test_cases: list[msgspec.Raw] = []


class CaseFile(msgspec.Struct, rename="camel"):
    """The file; older ones are the run itself."""

    test_run_data: CaseRun | None = None
    test_cases: list[msgspec.Raw] = []
    conversational_test_cases: list[msgspec.Raw] = []


class DeepEval(Reader):
    """The system is --system, else assistant; a case is named as in the file, or by its number."""

    name = "deepeval"
    about = "DeepEval test run (.deepeval/.latest_test_run.json)"
    suffixes = (".json",)

    def matches(self, head: Head) -> bool:
        return is_test_run(head)

    def dialogs(self, source: Source, ledger: Ledger) -> Iterator[list[Utterance]]:
        for place, name, case in read_cases(source, ledger):
            turns = case.turns
            if turns is None:
                sides = (("user", case.input), ("assistant", case.actual_output))
                turns = [CaseTurn(role, text) for role, text in sides if text is not None]
            messages = [ChatMessage(turn.role, turn.content) for turn in turns]
            rows = chat_utterances(messages, name, ledger, system=self.system)
            yield from non_empty_dialog([r._replace(prompt=name) for r in rows], place, ledger)

    def results(self, source: Source, ledger: Ledger) -> Iterator[ScoredTest]:
        """The score of each metric on each case, under the name of the file."""
        for _, name, case in read_cases(source, ledger):
            metrics = case.metrics_data or []
            scores = {one.name: None if one.error else one.score for one in metrics}
            better = {one.name: one.better for one in metrics if one.better and not one.error}
            yield ScoredTest(name, self.system or source.stem, name, scores, better)


def is_test_run(head: Head) -> bool:
    """Whether a file holds a test run of DeepEval."""
    run = head.item.get("testRunData") if isinstance(head.item, dict) else None
    return bool(CASES & (run.keys() if isinstance(run, dict) else head.keys))


def read_cases(source: Source, ledger: Ledger) -> Iterator[tuple[Place, str, Case]]:
    """The cases with their names, of which one that is broken costs no other."""
    document, start = source.document(ledger), Place(source.name, 1, 0)
    file: CaseFile | None = decode(document, CaseFile, start, ledger)
    if file is None:
        return
    run = file.test_run_data or file
    parts = [*run.test_cases, *run.conversational_test_cases]
    places = locate_parts(document, parts, start)
    read = msgspec.json.Decoder(Case).decode
    for number, (place, case) in enumerate(decode_records(places, read, ledger)):
        yield place, case.name or str(number), case
