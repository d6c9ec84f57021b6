"""What a judge's reply says: an answer on the scale, or the reason why it gives none.

A reply is read strictly. It may have prose around one JSON object, or be nothing but the answer;
a number is never picked out of prose, and what cannot be read is null.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from math import exp, isfinite
from typing import Any, Literal, NamedTuple

from simpatico.bots.bot import Reply, TokenAlternatives
from simpatico.questions.question import Question

NullReason = Literal[
    "no_answer",
    "truncated",
    "not_an_answer",
    "contradictory",
    "out_of_range",
    "cannot_tell",
    "no_quotation",
    "quotation_not_found",
]
MAX_READ = 20_000
"""Characters of a reply that are read, from its end: models think first."""
END_OF_THOUGHT = "</think>"
ANSWER = re.compile(r'"answer"\s*:\s*"?')
NUMBER = re.compile(r"\s*([+-]?\d{1,9})(?![\d.])")
TYPOGRAPHY = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "\u00a0": " "})


class Answer(NamedTuple):
    """A number on the scale or a reason for none, and what supports it.

    `probabilities` are those of the answers that the model weighed, adding up to 1; `expected` is
    their mean (Liu et al. 2023, G-Eval).
    """

    value: int | None = None
    null_reason: NullReason | None = None
    evidence: str | None = None
    probabilities: dict[int, float] | None = None

    @property
    def expected(self) -> float | None:
        """The answers weighted by their probabilities; null without any."""
        if not self.probabilities:
            return None
        return sum(value * p for value, p in self.probabilities.items())


def read_answer(reply: Reply, question: Question, text: str) -> Answer:
    """The answer in a reply about this text, in which a quotation has to stand."""
    thought = len(reply.text) - len(reply.text[-MAX_READ:].rpartition(END_OF_THOUGHT)[2])
    objects = list(find_answers(reply.text, thought))
    if not objects:
        bare = reply.text[thought:].strip(" \t\r\n.\"'`*")
        objects = [({"answer": bare}, thought + reply.text[thought:].find(bare))]
    answers = [parse_number(found.get("answer"), question) for found, _ in objects]
    found, place = objects[-1]
    if len(set(answers)) > 1:
        return Answer(null_reason="contradictory")
    if isinstance(value := answers[0], str):
        cut_off = value == "not_an_answer" and reply.stop_reason == "length"
        return Answer(null_reason="truncated" if cut_off else value)
    quotation = found.get("quotation")
    evidence = quotation.strip() if isinstance(quotation, str) else ""
    needed = question.quotation == "always" or (
        question.quotation == "above_lowest" and value > min(question.scale)
    )
    if needed and not re.search(r"\w", evidence):
        return Answer(null_reason="no_quotation")
    if needed and not stands_in(evidence, text):
        return Answer(null_reason="quotation_not_found", evidence=evidence)
    probabilities = answer_probabilities(reply, question, place)
    return Answer(value, None, evidence if needed else None, probabilities)


def find_answers(text: str, start: int) -> Iterator[tuple[dict[str, Any], int]]:
    """The JSON objects with an answer, outermost ones only, and where the answer stands."""
    decoder = json.JSONDecoder()
    while (start := text.find("{", start)) >= 0:
        try:
            found, end = decoder.raw_decode(text, start)
        except RecursionError:  # each of a thousand nested beginnings would take as long
            return
        except ValueError:
            start += 1
            continue
        if "answer" in found:
            places = [match.end() for match in ANSWER.finditer(text, start, end)]
            yield found, places[-1] if places else start
        start = end


def parse_number(raw: object, question: Question) -> int | NullReason:
    """The number that was answered, or the label in words; else the reason for none."""
    if raw is None:
        return "cannot_tell" if question.cannot_tell else "not_an_answer"
    if isinstance(raw, str):
        labels = {words.casefold(): number for number, words in question.scale.items()}
        label = labels.get(raw.strip().casefold())
        number = NUMBER.fullmatch(raw.strip())
        raw = label if label is not None else int(number[1]) if number else None
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        return "not_an_answer"
    if not isfinite(raw) or raw != int(raw):
        return "not_an_answer"
    low, high = (min(question.scale), max(question.scale))
    return int(raw) if low <= raw <= high else "out_of_range"


def stands_in(quotation: str, text: str) -> bool:
    """Whether a quotation is whole words of the text; case, white space and quotes may differ."""

    def plain(words: str) -> str:
        return " ".join(words.translate(TYPOGRAPHY).casefold().split())

    words = re.escape(plain(quotation).strip(" \"'"))
    return re.search(rf"(?<!\w){words}(?!\w)", plain(text)) is not None


def answer_probabilities(reply: Reply, question: Question, place: int) -> dict[int, float] | None:
    """The probability of each answer that was likely at this place of the reply.

    Null where the model reports none, and on scales with answers of several digits, as the token 1
    may be the beginning of 10.
    """
    low, high = min(question.scale), max(question.scale)
    if not 0 <= low < high <= 9:
        return None
    likely, skipped = alternatives_at(reply.text, reply.alternatives, place)
    weights: dict[int, float] = {}
    for token, logprob in likely.items():
        number = NUMBER.match(token[len(skipped) :]) if token.startswith(skipped) else None
        if number and low <= int(number[1]) <= high:
            # servers may send anything: no probability is above 1
            weights[int(number[1])] = weights.get(int(number[1]), 0.0) + exp(min(logprob, 0.0))
    total = sum(weights.values())
    return {number: weights[number] / total for number in sorted(weights)} if total else None


def alternatives_at(
    text: str, tokens: Sequence[TokenAlternatives], place: int
) -> tuple[Mapping[str, float], str]:
    """What was likely in place of the token here, and what of that token stands before it."""
    joined = "".join(one.token for one in tokens)
    # a reply may have lost white space at its ends, and a token part of a character
    start = joined.find(text)
    end = 0
    for one in tokens if start >= 0 else ():
        first, end = end, end + len(one.token)
        if first <= start + place < end:
            return one.logprobs, one.token[: start + place - first]
    return {}, ""
