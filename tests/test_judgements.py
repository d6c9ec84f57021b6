"""Judgements: null is not zero, one value per judge and unit, and gold says how many judged."""

from __future__ import annotations

import math
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simpatico.errors import DataError
from simpatico.judgements import (
    JUDGE_KINDS,
    SCHEMA,
    Judgement,
    Judgements,
    judgement_problem,
    parse_rating,
)


def judgement(value: float | None, judge: str | None = "j1", **other: Any) -> Judgement:
    judgement = Judgement("d", 1, "bot", "engaging", judge, "outsider", value, 1.0, 5.0)
    return judgement._replace(**other)


def test_of_keeps_the_schema_even_when_empty() -> None:
    assert dict(Judgements.of([]).frame.schema) == SCHEMA
    assert dict(Judgements.of([judgement(3.0)]).frame.schema) == SCHEMA


def test_not_rated_is_null_and_counted_not_zero() -> None:
    table = Judgements.of([judgement(4.0), judgement(None, "j2"), judgement(math.nan, "j3")])
    # median of the one rating given; two judges did not rate
    assert table.gold().rows(named=True) == [
        {
            "dialog": "d",
            "turn": 1,
            "speaker": "bot",
            "quality": "engaging",
            "value": 4.0,
            "judges": 1,
            "not_rated": 2,
        }
    ]


def test_gold_is_null_where_nobody_rated() -> None:
    gold = Judgements.of([judgement(None)]).gold("mean")
    assert gold["value"].to_list() == [None]
    assert gold["judges"].to_list() == [0]


def test_gold_by_median_and_mean() -> None:
    table = Judgements.of([judgement(1.0), judgement(2.0, "j2"), judgement(5.0, "j3")])
    assert table.gold()["value"].to_list() == [2.0]
    assert table.gold("mean")["value"].to_list() == [pytest.approx(8 / 3)]


def test_gold_of_one_kind_of_judge() -> None:
    table = Judgements.of([judgement(1.0), judgement(5.0, "j2", judge_kind="interlocutor")])
    assert table.gold(judge_kind="interlocutor")["value"].to_list() == [5.0]
    assert table.gold("mean")["value"].to_list() == [3.0]


def test_a_dialog_and_its_turns_are_different_units() -> None:
    table = Judgements.of([judgement(1.0), judgement(2.0, turn=None), judgement(3.0, turn=2)])
    assert table.gold()["turn"].to_list() == [1, None, 2]


def test_describe_counts() -> None:
    table = Judgements.of(
        [
            judgement(1.0),
            judgement(None, "j2", judge_kind="expert"),
            judgement(5.0, turn=3),
            judgement(0.5, quality="win", judge=None, scale_min=0.0, scale_max=1.0),
        ]
    )
    assert table.describe().rows(named=True) == [
        {
            "quality": "engaging",
            "units": 2,
            "judges": 2,
            "judge_kinds": ["expert", "outsider"],
            "rated": 2,
            "not_rated": 1,
            "lowest": 1.0,
            "highest": 5.0,
            "scale_min": 1.0,
            "scale_max": 5.0,
        },
        {
            "quality": "win",
            "units": 1,
            "judges": 0,
            "judge_kinds": ["outsider"],
            "rated": 1,
            "not_rated": 0,
            "lowest": 0.5,
            "highest": 0.5,
            "scale_min": 0.0,
            "scale_max": 1.0,
        },
    ]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (judgement(0.0), "the value 0 is outside its scale, 1 to 5"),
        (judgement(5.5), "the value 5.5 is outside its scale, 1 to 5"),
        (judgement(5.5, scale_min=None), "the value 5.5 is outside its scale, open to 5"),
        (judgement(math.inf, scale_max=None), "the value is not a finite number"),
        (judgement(1.0, scale_min=5.0), "the scale from 5 to 5 has no width"),
        (
            judgement(1.0, judge_kind="worker"),
            "the judge_kind must be one of interlocutor, outsider, expert, model",
        ),
        (judgement(1.0, quality=None), "a judgement needs a dialog and a quality"),
    ],
)
def test_of_refuses(bad: Judgement, reason: str) -> None:
    assert judgement_problem(bad) == reason
    with pytest.raises(DataError) as error:
        Judgements.of([judgement(3.0, "other"), bad])
    assert str(error.value) == f"the judgements cannot be used: {reason}"


@pytest.mark.parametrize("judge", ["j1", None])
def test_of_refuses_a_repeated_judge(judge: str | None) -> None:
    with pytest.raises(DataError) as error:
        Judgements.of(
            [judgement(3.0, judge=judge), judgement(4.0, judge=judge), judgement(4.0, "j9")]
        )
    assert str(error.value) == (
        "2 of 3 judgements repeat the unit, quality and judge of another one; keep one of them, "
        "or name every judge in the column 'judge'"
    )


@pytest.mark.parametrize(
    "cell",
    [None, "", "  ", "NA", "n/a", "N/A (not applicable)", "not rated", "Not Applicable", "NaN"],
)
def test_rating_not_given(cell: str | None) -> None:
    assert parse_rating(cell) is None


@pytest.mark.parametrize(("cell", "value"), [("3.0", 3.0), (0, 0.0), ("0", 0.0), (4.5, 4.5)])
def test_rating_given(cell: object, value: float) -> None:
    assert parse_rating(cell) == value


@pytest.mark.parametrize("cell", ["good", True, [], "inf", "1e999", 10**400])
def test_rating_that_is_neither(cell: object) -> None:
    with pytest.raises(ValueError, match=r"not|could"):
        parse_rating(cell)


VALUES = st.none() | st.floats(1, 5)


@given(st.lists(VALUES, max_size=8), st.sampled_from(["median", "mean"]))
def test_gold_stays_within_what_was_given(values: list[float | None], how: str) -> None:
    table = Judgements.of([judgement(v, f"j{i}") for i, v in enumerate(values)])
    gold = table.gold(how)  # type: ignore[arg-type]
    given_values = [v for v in values if v is not None]
    assert gold.height == bool(values)
    for row in gold.iter_rows(named=True):
        assert row["judges"] + row["not_rated"] == len(values)
        if given_values:
            assert min(given_values) - 1e-9 <= row["value"] <= max(given_values) + 1e-9
        else:
            assert row["value"] is None


@given(st.lists(st.sampled_from(JUDGE_KINDS), max_size=6), st.integers(0, 100))
def test_order_of_rows_does_not_change_gold(kinds: list[str], seed: int) -> None:
    rows = [judgement(1.0 + i / 2, f"j{i}", judge_kind=k) for i, k in enumerate(kinds)]
    frame = Judgements.of(rows).frame
    shuffled = Judgements(frame.sample(fraction=1.0, shuffle=True, seed=seed))
    key = ["dialog", "turn", "quality"]
    assert shuffled.gold().sort(key).equals(Judgements(frame).gold().sort(key))
    assert isinstance(frame, pl.DataFrame)


def test_dialogs_are_matched_with_and_without_the_name_of_their_file():
    from simpatico.judgements import match_dialog_ids

    existing = {"1", "a/2", "b/2", "c/3"}
    assert match_dialog_ids(["1", "a/2", "3", "b/1"], existing) == {"3": "c/3"}
    assert match_dialog_ids(["b/1"], existing) == {"b/1": "1"}
    assert match_dialog_ids(["a/1", "b/1"], existing) == {}
    with pytest.raises(DataError) as error:
        match_dialog_ids(["2"], existing)
    assert str(error.value) == (
        "ratings of dialog '2' match 'a/2' and 'b/2'; use the full name of one of them"
    )
