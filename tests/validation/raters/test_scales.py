"""Judgements of one quality on two scales are never put together."""

import pytest

from simpatico.errors import DataError
from simpatico.judgements import Judgement, Judgements
from simpatico.validation.raters.preparation import standardised
from simpatico.validation.raters.preparation__scales import on_one_scale


def judged(quality, scale, *, turn=None, judge="a", values=(1, 2)):
    return [
        Judgement(f"d{i}", turn, "bot", quality, judge, "outsider", v, *scale)
        for i, v in enumerate(values)
    ]


def test_a_quality_of_two_scales_is_left_out_and_named():
    fine = judged("warm", (1, 5)) + judged("warm", (1, 5), judge="b")
    mixed = judged("overall", (1, 5)) + judged("overall", (1, 7), judge="b")
    left, notes = on_one_scale(Judgements.of(fine + mixed))
    assert left.frame.equals(Judgements.of(fine).frame)
    assert notes == [
        "quality 'overall' of dialogs was judged on 2 scales, 1 to 5 and 1 to 7, and left out; "
        "keep judgements of one scale, or standardise each judge's (--standardise)"
    ]


def test_where_nothing_else_was_judged_it_is_refused():
    mixed = judged("overall", (0, 1)) + judged("overall", (1, 5), judge="b")
    mixed += judged("overall", (0, 1.5), judge="c", values=(1, 0))
    with pytest.raises(DataError) as told:
        on_one_scale(Judgements.of([*mixed[2:], *mixed[:1]]))
    assert str(told.value) == (
        "quality 'overall' of dialogs was judged on 3 scales, 0 to 1, 0 to 1.5 and 1 to 5; "
        "keep judgements of one scale, or standardise each judge's (--standardise)"
    )


@pytest.mark.parametrize(
    "second",
    [
        judged("overall", (None, None), judge="b"),
        judged("overall", (1, None), judge="b"),
        judged("overall", (0, 10), turn=3, judge="b"),
        judged("other", (0, 10), judge="b"),
    ],
)
def test_what_is_no_second_scale(second):
    """Bounds not given, turns beside whole dialogs, another quality."""
    given = Judgements.of(judged("overall", (1, 5)) + second)
    left, notes = on_one_scale(given)
    assert left.frame.equals(given.frame)
    assert notes == []


def test_one_bound_that_differs_is_enough():
    given = judged("overall", (1, 5)) + judged("overall", (None, 7), judge="b")
    with pytest.raises(DataError, match="2 scales, open to 7 and 1 to 5"):
        on_one_scale(Judgements.of(given))


def test_standardised_judgements_have_no_scale_left_to_mix():
    """A judge who used 1-5 (1 3 5) and 1-9 (1 5 9) gets -1, 0 and 1 on each: sd 2 and 4."""
    given = judged("overall", (1, 5), values=(1, 3, 5))
    given += [
        j._replace(dialog=f"e{j.dialog}") for j in judged("overall", (1, 9), values=(1, 5, 9))
    ]
    ready = standardised(Judgements.of(given))
    assert ready.judgements.frame["value"].to_list() == pytest.approx([-1, 0, 1] * 2)
    assert ready.judges.select("ratings", "value", "kept", "reason").rows() == [
        (6, 4.0, True, None)
    ]
    assert on_one_scale(ready.judgements)[1] == []
