"""Logs of Inspect: `.eval` archives, their JSON form, and transcripts of Scout in Parquet.

{"version": 2, "eval": {"model": "m"}, "samples": [
    {"id": 1, "epoch": 1, "messages": [{"role": "user", "content": "Hi"}, …]}]}

An archive has header.json and a member samples/ID_epoch_N.json for each sample.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from simpatico.judgements import parse_rating
from simpatico.readers.file_formats._chat import (
    ChatMessage,
    ContentPart,
    chat_utterances,
    non_empty_dialog,
)
from simpatico.readers.file_formats._inspect_samples import samples
from simpatico.readers.input.raw_bytes import EVAL_LOG
from simpatico.readers.input.record import Ledger, Reader, Utterance
from simpatico.readers.input.source import Head, Source
from simpatico.readers.result_files import Direction, ScoredTest
from simpatico.readers.wide_ratings import thumb_value

ATTACHMENT = re.compile(r"attachment://(\w+)")
GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
TRANSCRIPT = {"transcript_id", "messages"}


class Inspect(Reader):
    """The assistant's system is --system, else the model of the message or of the evaluation.

    Systems that were evaluated by one task can be compared sample by sample.
    """

    name = "inspect"
    about = "Inspect log (.eval or JSON), and Scout transcripts in Parquet"
    suffixes = (".eval", ".json", ".parquet")

    def matches(self, head: Head) -> bool:
        is_log = {"eval", "version"} <= head.keys and isinstance(head.json, dict)
        is_scout = head.kind == "parquet" and head.keys >= TRANSCRIPT
        return is_log or is_scout or EVAL_LOG.match(head.data) is not None

    def dialogs(self, source: Source, ledger: Ledger) -> Iterator[list[Utterance]]:
        for place, name, sample, task in samples(source, ledger):
            if sample.invalidation:
                ledger.skip("invalidated sample")
                continue
            messages = [with_attachments(m, sample.attachments) for m in sample.messages]
            default = task.model
            rows = chat_utterances(messages, name, ledger, system=self.system, default=default)
            prompt = f"{task.task}:{sample.id}" if task.task else None
            yield from non_empty_dialog([r._replace(prompt=prompt) for r in rows], place, ledger)

    def results(self, source: Source, ledger: Ledger) -> Iterator[ScoredTest]:
        """The value of each scorer on each sample and epoch; what is unscored has none."""
        for _, name, sample, about in samples(source, ledger):
            values = {
                f"{scorer}.{key}" if key else scorer: value
                for scorer, score in (sample.scores or {}).items()
                for key, value in score_values(score).items()
                if not sample.invalidation
            }
            system = self.system or next((m.model for m in sample.messages if m.model), about.model)
            scores = {own: score_value(value) for own, value in values.items()}
            better: dict[str, Direction] = {  # of other numbers, nothing tells
                own: "higher"
                for own, value in values.items()
                if isinstance(value, str) and value in GRADES
            }
            test = f"{about.task}:{sample.id}"
            yield ScoredTest(name, system or source.stem, test, scores, better)


def score_values(score: object) -> dict[str, object]:
    """The values of a score, of which there may be one without a name."""
    value = score.get("value") if isinstance(score, dict) else score
    return value if isinstance(value, dict) else {"": value}


def score_value(value: object) -> float | None:
    """A value as a number: correct is 1, incorrect and no answer are 0, partly correct is .5."""
    if isinstance(value, str) and value in GRADES:
        return GRADES[value]
    try:
        return parse_rating(thumb_value(value))
    except ValueError:
        return None


def with_attachments(message: ChatMessage, attachments: dict[str, str]) -> ChatMessage:
    """The message with the texts that stand elsewhere in their places."""
    if not attachments:
        return message

    def resolve(text: str) -> str:
        return ATTACHMENT.sub(lambda match: attachments.get(match[1], match[0]), text)

    if isinstance(message.content, str):
        message.content = resolve(message.content)
    for part in message.content if isinstance(message.content, list) else []:
        if isinstance(part, ContentPart) and part.text:
            part.text = resolve(part.text)
    return message
