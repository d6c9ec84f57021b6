"""A judge answers all calls, into a file of judgements in the order of the units, one a line.

Nothing is lost by a kill: answers are in `FILE.partial` before the next is asked for, and the same
call again resumes. What cannot be read stays as a judgement without a value, and its reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from simpatico.bots.bot import Bot, Reply
from simpatico.bots.command import Command
from simpatico.bots.endpoint import Endpoint
from simpatico.bots.journal import Journal, Row, Rows
from simpatico.bots.local import Local
from simpatico.bots.prompts import Prompt
from simpatico.bots.runner import AskOptions, Summary, ask_all
from simpatico.errors import NoAnswer, RunError
from simpatico.judging.answer import Answer, read_answer
from simpatico.judging.calls import Call, call_id, rubric_hash
from simpatico.judging.prompt import answer_opening
from simpatico.judging.rubric import Rubric
from simpatico.models.runtime.tokens import as_utf8
from simpatico.readers.input.head import json_or_none

MAX_KEPT = 1_000
"""Characters of a reply that a judgement keeps."""
REQUIRED = {
    *("quality", "judge", "signature", "repeat", "prompt_hash"),
    *("probabilities", "null_reason", "error"),
}
RATING = {"dialog", "value"}
PAIR = {"dialog_a", "dialog_b", "order", "preferred"}
CHOICES = {1: "a", 2: "b", 0: "tie"}


class JudgementFile(Journal):
    """A journal whose rows are judgements, one a prompt."""

    def prompt_id(self, rows: Rows) -> str:
        return call_id(rows[0])

    def is_answer(self, rows: Rows, prompt: Prompt) -> bool:
        text = prompt.dialog[0].text.encode(errors="replace")
        return rows[0].get("prompt_hash") == sha256(text).hexdigest()[:16]

    def why_failed(self, rows: Rows) -> str | None:
        why: str = rows[0]["error"] or rows[0]["null_reason"] or ""
        return why.replace("_", " ") or None

    def can_retry(self, rows: Rows) -> bool:
        # whoever asks again until an answer suits would choose among answers
        return bool(rows[0]["null_reason"] == "no_answer")

    def read_finished(self) -> Iterator[Rows]:
        """The judgements of an earlier call, if this judge gave them."""
        rows = read_rows(self.out) if self.out.exists() else []
        if any(row["signature"] not in self.about["signatures"] for row in rows):
            raise RunError(
                f"{self.out} holds judgements of another model or rubric, or with other settings; "
                "name another file or delete this one"
            )
        yield from ([row] for row in rows)


def read_rows(path: Path) -> Rows:
    """The rows of a file of judgements."""
    try:
        rows = [json_or_none(line) for line in path.read_bytes().splitlines()]
    except OSError as error:
        raise RunError(f"{path} cannot be read: {error.strerror}; check the path") from None
    for number, row in enumerate(rows, 1):
        fields = set(row) if isinstance(row, dict) else set[str]()
        if not (fields >= REQUIRED and (fields >= RATING or fields >= PAIR)):
            raise RunError(
                f"{path}:{number}: this is no judgement of `simpatico judge`; name another file"
            )
    return rows


def judge_signature(rubric: Rubric, bot: Bot) -> str:
    """A hash of what an answer depends on besides the unit: rubric, model and settings."""
    opening = answer_opening(rubric.question) if isinstance(bot, Local) else ""
    facts = [rubric_hash(rubric), dict(bot.description), opening]
    return sha256(msgspec.json.encode(facts, order="sorted")).hexdigest()[:16]


def judge(bot: Bot, calls: Sequence[Call], out: str | Path, how: AskOptions) -> Summary:
    """Let a bot judge, into a file; the same call again resumes an interrupted one."""
    by_id = {call.prompt.id: call for call in calls}
    rubrics = {call.rubric.name: call.rubric for call in calls}
    names = {
        name: {
            "judge": f"{as_utf8(bot.name)}@{rubric_hash(rubric)[:8]}",
            "judge_kind": "model",
            "signature": judge_signature(rubric, bot),
        }
        for name, rubric in rubrics.items()
    }

    def work(prompt: Prompt) -> Rows:
        call = by_id[prompt.id]
        row = {**call.row, **names[call.rubric.name]}
        try:
            reply = prepare(bot, call)(prompt.dialog)
        except NoAnswer as error:
            return [{**row, **answer_fields(Answer(null_reason="no_answer"), call.row, error.why)}]
        answer = read_answer(reply, call.rubric.question, call.text)
        return [{**row, **answer_fields(answer, call.row), **reply_fields(reply)}]

    return ask_all(
        work,
        [call.prompt for call in calls],
        Path(out),
        bots=[bot],
        how=how,
        kind=JudgementFile,
        signatures=sorted(facts["signature"] for facts in names.values()),
    )


def prepare(bot: Bot, call: Call) -> Bot:
    """The bot with a seed of its own for each repetition, where seeds are used at all.

    Models on this machine begin in the form of an answer, as small ones would not by themselves.
    The pools of processes and the waits of the bots are the same.
    """
    if not isinstance(bot, Endpoint | Local | Command):
        return bot
    settings, later = bot.settings, call.row["repeat"] - 1
    if later and (settings.seed is not None or isinstance(bot, Local)):
        settings = replace(settings, seed=(settings.seed or 0) + later)
    if isinstance(bot, Local):
        settings = replace(settings, opening=answer_opening(call.rubric.question))
    return replace(bot, settings=settings)


def answer_fields(answer: Answer, row: Mapping[str, Any], error: str | None = None) -> Row:
    """The fields of a judgement that an answer gives: a rating, or what is preferred of a pair."""
    weights: dict[str, float] | None = None
    if order := row.get("order"):
        sides = CHOICES if order == "ab" else CHOICES | {1: "b", 2: "a"}
        own: Row = {"preferred": None if answer.value is None else sides[answer.value]}
        if answer.probabilities:
            weights = {sides[n]: p for n, p in answer.probabilities.items()}
    else:
        own = {"value": answer.value, "expected": answer.expected}
        if answer.probabilities:
            weights = {str(n): p for n, p in answer.probabilities.items()}
    return {
        **own,
        "probabilities": weights,
        "evidence": answer.evidence and as_utf8(answer.evidence[:MAX_KEPT]),
        "null_reason": answer.null_reason,
        "error": error,
    }


def reply_fields(reply: Reply) -> Row:
    """What is kept of a reply."""
    return {
        "reply": as_utf8(reply.text[:MAX_KEPT]),
        "model": reply.model and as_utf8(reply.model),
        "tokens_in": reply.tokens_in,
        "tokens_out": reply.tokens_out,
    }


class PairCounts(NamedTuple):
    """How pairs came out that were judged in both orders, each repetition by itself."""

    pairs: int
    wins_a: int
    wins_b: int
    ties: int
    flips: int
    """Pairs of which the two orders say different things: no win survives that."""


def count_pairs(rows: Sequence[Row]) -> PairCounts:
    """How pairs came out; a win counts only if it survives the swap, else it is a tie."""
    answers: dict[tuple[object, ...], dict[str, str]] = {}
    for row in rows:
        key = (row["dialog_a"], row["dialog_b"], row["quality"], row["signature"], row["repeat"])
        if row["preferred"] is not None:
            answers.setdefault(key, {})[row["order"]] = row["preferred"]
    both = [set(found.values()) for found in answers.values() if len(found) == 2]
    outcomes = Counter(one.copy().pop() if len(one) == 1 else "tie" for one in both)
    flips = sum(len(one) == 2 for one in both)
    return PairCounts(len(both), outcomes["a"], outcomes["b"], outcomes["tie"], flips)
