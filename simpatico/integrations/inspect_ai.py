"""Inspect and Scout: a scorer of samples and a scanner of transcripts, with the same numbers.

    from inspect_ai import Task, eval
    eval(Task(dataset=..., scorer="simpatico/conversation"), model=...)
    inspect score log.eval --scorer simpatico/conversation -S metrics=style_matching,length

Inspect finds both through its entry point. What is null is unscored, never 0: a sample without any
score is `Score.unscored`, a score that is null among others is NaN, which Inspect's metrics skip.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import nan
from typing import Any

from simpatico.errors import DataError
from simpatico.integrations import import_host

Names = str | Sequence[str] | None


def __getattr__(name: str) -> Any:
    """The scorer and the scanner, made when they are asked for: both need their host for that.

    `registry` is what the entry point loads: all that can be made here.
    """
    if name == "conversation":
        made = conversation_scorer()
    elif name == "conversation_scan":
        made = conversation_scanner()
    elif name == "registry":
        from importlib.util import find_spec

        names = ["conversation", *(["conversation_scan"] if find_spec("inspect_scout") else [])]
        made = {each: globals().get(each) or __getattr__(each) for each in names}
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = made
    return made


def conversation_scorer() -> Any:
    """The scorer `simpatico/conversation`: a value for each metric, words as evidence."""
    host = import_host("inspect_ai.scorer", "inspect-ai")

    @host.scorer(metrics={"*": [host.mean(), host.stderr()]})  # type: ignore[untyped-decorator]
    def conversation(metrics: Names = None) -> Callable[..., Any]:
        async def score(state: Any, target: Any) -> Any:
            scores, reason = score_messages(state.messages, metrics)
            explanation = "; ".join(score.sentence for score in scores) or reason
            facts = {s.name: score_facts(s, state.messages) for s in scores}
            if all(s.value is None for s in scores):
                reasons = {s.reason for s in scores if s.reason} or {"no_messages"}
                return host.Score.unscored(
                    reason=min(reasons), explanation=explanation, metadata=facts
                )
            values = {s.name: nan if s.value is None else s.value for s in scores}
            return host.Score(value=values, explanation=explanation, metadata=facts)

        return score

    return conversation


def conversation_scanner() -> Any:
    """The scanner `simpatico/conversation_scan`: a result for each metric, evidence as references.

    A reference is the message whose words moved the score, and is cited as [M3] for the third.
    """
    host = import_host("inspect_scout", "inspect-scout")

    @host.scanner(messages="all")  # type: ignore[untyped-decorator]
    def conversation_scan(metrics: Names = None) -> Callable[..., Any]:
        async def scan(transcript: Any) -> Any:
            messages = transcript.messages
            scores, reason = score_messages(messages, metrics)
            if not scores:
                return host.Result(value=None, explanation=reason)
            return [
                host.Result(
                    value=score.value,
                    label=score.name,
                    explanation=score.sentence,
                    metadata=score_facts(score, messages),
                    references=[
                        host.Reference(type="message", id=messages[n].id, cite=f"[M{n + 1}]")
                        for n in dict.fromkeys(index for index, _, _ in score.evidence)
                        if messages[n].id
                    ],
                )
                for score in scores
            ]

        # Scout asks for the types of the arguments, which it has only once it is imported
        results = list.__class_getitem__(host.Result)
        scan.__annotations__ = {"transcript": host.Transcript, "return": results}
        return scan

    return conversation_scan


def score_messages(messages: Sequence[Any], metrics: Names) -> tuple[list[Any], str]:
    """The scores of a host's messages, or none and why; names may be joined by commas."""
    from simpatico.integrations.conversation import Conversation

    names = [n.strip() for n in metrics.split(",")] if isinstance(metrics, str) else metrics
    fields = {"role", "content", "tool_calls"}
    plain = [m.model_dump(mode="json", include=fields, exclude_none=True) for m in messages]
    try:
        conversation = Conversation.of(plain)
    except DataError as error:  # nobody has said anything
        return [], str(error)
    return conversation.scores(names, evidence=True), ""


def score_facts(score: Any, messages: Sequence[Any]) -> dict[str, Any]:
    """What a host keeps beside a value: signature, reason, turns and evidence by message id."""
    return {
        "signature": score.signature,
        "null_reason": score.reason,
        "turns": [{"message": messages[n].id, "value": value} for n, value in score.turns],
        "evidence": [
            {"message": messages[n].id, "words": words, "weight": weight}
            for n, words, weight in score.evidence
        ],
    }
