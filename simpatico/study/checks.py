"""Attention checks and gold items: whether a rater reads before answering.

A check is an instructed response, as in Meade and Craig (2012), Identifying careless responses in
survey data: the text itself says which answer is right. A gold item is an ordinary dialog whose
right answers the owner knows. Failures of both are counted together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import msgspec

from simpatico.questions.units import unit_id
from simpatico.study.design import Design, Expected
from simpatico.study.texts import page_texts

CHECK = "_check"
"""The name of the attention check among the answers."""
WHOLE = -1
"""The turn of an answer about a whole unit."""


class Check(msgspec.Struct, frozen=True):
    """An attention check: its text names the option that is to be chosen, counted from 0."""

    text: str
    options: tuple[str, ...]
    right: int


def choose_check(design: Design, coin: bytes) -> Check | None:
    """The check of a unit, in one of `checks.every` units; by a random number of the two."""
    if not design.checks.every or int.from_bytes(coin[:4]) % design.checks.every:
        return None
    scales = [q.answers for q in design.questions if len(q.answers) > 2]
    options = scales[coin[4] % len(scales)] if scales else ("1", "2", "3", "4", "5")
    right = coin[5] % len(options)
    text = page_texts(design.language)["check_text"].replace("{answer}", options[right])
    return Check(text, options, right)


class CheckCounts(msgspec.Struct, frozen=True):
    """How many checks and gold answers a rater had, and how many were wrong."""

    seen: int = 0
    failed: int = 0


def count_checks(
    design: Design, leases: Iterable[Any], answers: Iterable[Any]
) -> dict[str, CheckCounts]:
    """The checks of every rater who had one."""
    seen, failed = Counter[str](), Counter[str]()
    right = {
        (lease.unit, lease.rater): msgspec.json.decode(lease.check_item, type=Check).right
        for lease in leases
        if lease.check_item
    }
    golden = gold_answers(design)
    for a in answers:
        if a.state == "withdrawn":
            continue
        if a.question == CHECK:
            seen[a.rater] += 1
            failed[a.rater] += a.value != right.get((a.unit, a.rater))
        elif expected := golden.get((a.unit, a.turn, a.question)):
            seen[a.rater] += 1
            failed[a.rater] += not matches(expected, a.value)
    return {rater: CheckCounts(n, failed[rater]) for rater, n in seen.items()}


def gold_answers(design: Design) -> dict[tuple[str, int, str], Expected]:
    """The right answers, by unit, turn and question."""
    return {
        (unit_id("dialog", item.dialog), WHOLE if e.turn is None else e.turn, e.question): e
        for item in design.gold
        for e in item.expected
    }


def matches(expected: Expected, value: float | None) -> bool:
    """Whether an answer is right, within the tolerance."""
    return value is not None and abs(value - expected.value) <= expected.tolerance
