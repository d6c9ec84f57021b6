"""Attention checks and gold answers: who had how many, and how many were wrong."""

from types import SimpleNamespace

import msgspec
import pytest

from simpatico.study.checks import (
    CHECK,
    WHOLE,
    Check,
    CheckCounts,
    choose_check,
    count_checks,
    matches,
)
from simpatico.study.design import Checks, Expected, Gold
from simpatico.study.loans import toss
from simpatico.study.units import units_of
from tests.study.conftest import OVERALL, WARMTH, design_of, dialog_of


def test_a_check_says_which_answer_is_right():
    design = design_of(WARMTH, checks=Checks(every=1))
    check = choose_check(design, bytes([0, 0, 0, 0, 7, 13]) + bytes(10))
    # the only scale in words has 5 points; 13 mod 5 = 3, counted from 0
    assert check == Check(
        "This checks that you are reading: please choose “warm”.",
        ("cold", "cool", "so", "warm", "hot"),
        3,
    )


def test_without_a_scale_in_words_a_check_has_five_numbers():
    check = choose_check(design_of(OVERALL, checks=Checks(every=1)), bytes([0, 0, 0, 0, 0, 4]))
    assert check
    assert (check.options, check.right) == (("1", "2", "3", "4", "5"), 4)


@pytest.mark.parametrize("every", [0, 1, 4])
def test_one_of_so_many_units_has_a_check(every):
    design = design_of(WARMTH, checks=Checks(every=every))
    coins = [toss(design, "r001", n, "check") for n in range(4000)]
    n = sum(choose_check(design, coin) is not None for coin in coins)
    expected = 4000 / every if every else 0
    assert abs(n - expected) <= 4 * (expected * (1 - 1 / (every or 1))) ** 0.5  # 4 SD


def answer(unit, question, value, *, rater="r1", turn=WHOLE, state="given"):
    return SimpleNamespace(
        unit=unit, question=question, value=value, rater=rater, turn=turn, state=state
    )


def test_checks_and_gold_answers_are_counted_together():
    gold = Gold("d", (Expected("warmth", 4, turn=1, tolerance=1), Expected("overall", 90)))
    design = design_of(WARMTH, OVERALL, gold=(gold,))
    (unit,) = units_of(design, [dialog_of("d")])
    item = msgspec.json.encode(Check("choose cool", ("cold", "cool"), 1)).decode()
    leases = [
        SimpleNamespace(unit=unit.id, rater=name, check_item=item) for name in ("r1", "r2", "r3")
    ]
    answers = [
        answer(unit.id, CHECK, 1.0),  # right
        answer(unit.id, "warmth", 5.0, turn=1),  # right within 1
        answer(unit.id, "overall", 89.0),  # wrong
        answer(unit.id, CHECK, 0.0, rater="r2"),  # wrong
        answer(unit.id, "warmth", 2.0, rater="r2", turn=1),  # wrong by 2
        answer(unit.id, "overall", None, rater="r2", state="cannot_tell"),  # wrong: it can be told
        answer(unit.id, CHECK, None, rater="r3", state="withdrawn"),  # no answer at the moment
        answer("dialog-other", "warmth", 1.0, rater="r4", turn=1),  # nothing to check
    ]
    assert count_checks(design, leases, answers) == {
        "r1": CheckCounts(3, 1),
        "r2": CheckCounts(3, 3),
    }


@pytest.mark.parametrize(
    ("value", "right"), [(3.0, True), (5.0, True), (2.9, False), (5.1, False), (None, False)]
)
def test_right_is_within_the_tolerance(value, right):
    assert matches(Expected("q", 4, tolerance=1), value) is right
