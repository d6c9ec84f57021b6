"""promptfoo: the results of an evaluation, `--output results.json`; every result is a dialog.

{"results": {"results": [{"testIdx": 0, "promptIdx": 0, "provider": {"id": "p", "label": "acme-2"},
    "prompt": {"raw": "Hi"}, "response": {"output": "…"}, "namedScores": {"warmth": 0.5}}]}}
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec

from simpatico.readers.file_formats._chat import ChatMessage, chat_utterances, non_empty_dialog
from simpatico.readers.file_formats._payloads import read_messages
from simpatico.readers.input.decode import decode, decode_records, locate_parts
from simpatico.readers.input.record import Ledger, Place, Reader, Utterance
from simpatico.readers.input.source import Head, Source
from simpatico.readers.result_files import Direction, ScoredTest

ROW = {"promptIdx", "testIdx", "provider"}
"""Keys of a line of results, where they are lines."""
HIGHER: Direction = "higher"
FAILED = 2
"""The reason of a failure that is the provider's, and says nothing of what it would have said."""


class Provider(msgspec.Struct):
    """What was tested."""

    id: str = ""
    label: str | None = None


class Prompt(msgspec.Struct):
    """What was sent, as a text or as messages in JSON."""

    raw: str | None = None


class Response(msgspec.Struct):
    """What came back; of several turns the messages are among the metadata."""

    output: Any = None
    metadata: dict[str, Any] | None = None


class Result(msgspec.Struct, rename="camel"):
    """One test of one provider and prompt; its score is 0 too where the provider failed."""

    provider: Provider
    test_idx: int = 0
    prompt_idx: int = 0
    prompt: Prompt = msgspec.field(default_factory=Prompt)
    response: Response | None = None
    named_scores: dict[str, float | None] = {}
    score: float | None = None
    failure_reason: int | None = None

    @property
    def system(self) -> str:
        """The provider as people call it."""
        return self.provider.label or self.provider.id


class Summary(msgspec.Struct):
    """The results."""

    results: list[msgspec.Raw]


class ResultFile(msgspec.Struct):
    """The file."""

    results: Summary


class Promptfoo(Reader):
    """The system is --system, else the provider; a test is a prompt that all providers share."""

    name = "promptfoo"
    about = "promptfoo results (--output results.json or results.jsonl)"
    suffixes = (".json", ".jsonl")

    def matches(self, head: Head) -> bool:
        return is_promptfoo(head)

    def dialogs(self, source: Source, ledger: Ledger) -> Iterator[list[Utterance]]:
        for place, name, result in read_results(source, ledger):
            test = str(result.test_idx)
            if result.response is None or result.response.output is None:
                ledger.skip("test without a response")
                continue
            kept = (result.response.metadata or {}).get("messages")
            messages = read_messages(kept, "user", ledger)
            if not messages:
                messages = read_messages(result.prompt.raw, "user", ledger)
                messages += read_messages(result.response.output, "assistant", ledger)
            chat = [ChatMessage(m.role, m.text) for m in messages]
            rows = chat_utterances(chat, name, ledger, system=self.system or result.system)
            yield from non_empty_dialog([r._replace(prompt=test) for r in rows], place, ledger)

    def results(self, source: Source, ledger: Ledger) -> Iterator[ScoredTest]:
        """The score of each test and its named scores; of one that failed to run, none.

        Of several prompts, each with a provider is a system.
        """
        named_rows = [(name, result) for _, name, result in read_results(source, ledger)]
        rows = [row for _, row in named_rows]
        pairs = dict.fromkeys((row.system, row.prompt_idx) for row in rows)
        counts = Counter(system for system, _ in pairs)
        named = dict.fromkeys(name for row in rows for name in row.named_scores)
        for dialog, row in named_rows:
            many = f" (prompt {row.prompt_idx})" if counts[row.system] > 1 else ""
            has_run = row.failure_reason != FAILED
            scores = {"score": row.score, **{own: row.named_scores.get(own) for own in named}}
            values = {own: value if has_run else None for own, value in scores.items()}
            better = dict.fromkeys(values, HIGHER)
            yield ScoredTest(dialog, row.system + many, str(row.test_idx), values, better)


def is_promptfoo(head: Head) -> bool:
    """Whether a file holds results of promptfoo."""
    inner = head.item.get("results") if isinstance(head.item, dict) else None
    return ("evalId" in head.keys and isinstance(inner, dict)) or head.keys >= ROW


def read_results(source: Source, ledger: Ledger) -> Iterator[tuple[Place, str, Result]]:
    """The results with their names, of which one that is broken costs no other.

    A test that was repeated is another dialog on the same prompt.
    """
    counts = Counter[str]()
    raws = source.records(ledger) if source.head.keys >= ROW else result_parts(source, ledger)
    for place, row in decode_records(raws, msgspec.json.Decoder(Result).decode, ledger):
        name = f"{row.test_idx}:{row.prompt_idx}"
        counts[name] += 1
        yield place, name if counts[name] == 1 else f"{name}:{counts[name]}", row


def result_parts(source: Source, ledger: Ledger) -> Iterator[tuple[Place, bytes]]:
    """The results within a file that is one document."""
    document, start = source.document(ledger), Place(source.name, 1, 0)
    file: ResultFile | None = decode(document, ResultFile, start, ledger)
    return locate_parts(document, file.results.results if file else [], start)
