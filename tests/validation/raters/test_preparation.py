"""Judgements made ready: nobody is left out without being named."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from simpatico import Conversations, load, score_run
from simpatico.errors import DataError
from simpatico.judgements import SCHEMA, Judgement, Judgements
from simpatico.validation.evidence import Question, validate
from simpatico.validation.raters.preparation import (
    drop_inattentive,
    drop_mixed_scales,
    standardise_judgements,
)
from simpatico.validation.raters.ratings import rating_matrix


def judgement(unit, judge, value, quality="engaging"):
    return Judgement(f"d{unit:02}", None, "bot", quality, judge, "outsider", value, 1.0, 5.0)


def table(**columns):
    rows = [judgement(u, j, v) for j, values in columns.items() for u, v in enumerate(values)]
    return Judgements.of(rows)


def test_standardised_values_are_in_each_judges_own_units():
    ready = standardise_judgements(
        table(ann=[1, 2, 3], bob=[5, 5, 5], cleo=[4, None, 5], dan=[2, None, None])
    )
    # ann: mean 2, SD 1; cleo: mean 4.5, SD √.5
    matrix = rating_matrix(ready.judgements, "engaging").matrix
    expected = np.full((3, 4), np.nan)
    expected[:, 0] = -1, 0, 1
    expected[[0, 2], 2] = -(0.5**0.5), 0.5**0.5
    np.testing.assert_allclose(matrix, expected, atol=1e-12)
    assert (ready.n_judges_dropped, ready.n_ratings_dropped) == (2, 4)
    left_out = ready.judges.filter(kept=False).select("judge", "ratings", "reason").rows()
    assert left_out == [
        ("bob", 3, "the same rating for every unit"),
        ("dan", 1, "fewer than two ratings"),
    ]
    assert dict(ready.judgements.frame.schema) == SCHEMA
    assert ready.judgements.frame["scale_max"].null_count() == ready.judgements.frame.height
    assert len(ready.judgements) == 12


def test_standardised_within_a_quality_and_for_huge_values():
    rows = [
        judgement(u, "ann", v)._replace(scale_max=None) for u, v in enumerate([1e300, 1.0, 1.0])
    ]
    rows += [judgement(u, "ann", v, "other") for u, v in enumerate([1.0, 2.0, 3.0])]
    ready = standardise_judgements(Judgements.of(rows))
    assert rating_matrix(ready.judgements, "other").matrix[:, 0].tolist() == pytest.approx(
        [-1, 0, 1]
    )
    column = rating_matrix(ready.judgements, "engaging").matrix[:, 0]
    assert column == pytest.approx([2 / 3**0.5, -1 / 3**0.5, -1 / 3**0.5])


def test_attention_checks():
    rows = [*table(ann=[1, 2], bob=[3, 3], cleo=[4, 5]).frame.iter_rows()]
    rows += [judgement(0, "ann", 1.0, "attention"), judgement(1, "ann", 1.0, "attention")]
    rows += [
        judgement(0, "bob", 1.0, "attention"),
        judgement(1, "bob", 0.0, "attention")._replace(scale_min=0.0),
    ]
    ready = drop_inattentive(Judgements.of([Judgement(*r) for r in rows]))
    assert ready.judges.select("judge", "ratings", "value", "kept", "reason").rows() == [
        ("ann", 2, 1.0, True, None),
        ("bob", 2, 0.5, False, "mean of 'attention' is below 1"),
        ("cleo", 2, None, True, None),
    ]
    assert sorted(ready.judgements.frame["judge"].unique()) == ["ann", "cleo"]
    assert ready.judgements.frame["quality"].unique().to_list() == ["engaging"]


def test_attention_checks_that_are_not_there_are_an_error():
    with pytest.raises(DataError) as error:
        drop_inattentive(table(ann=[1, 2]))
    assert str(error.value) == (
        "no ratings of 'attention'; name the quality that holds the attention checks"
    )


def judged_on(quality, scale, *, turn=None, judge="a", values=(1, 2)):
    return [
        Judgement(f"d{i}", turn, "bot", quality, judge, "outsider", v, *scale)
        for i, v in enumerate(values)
    ]


def test_a_quality_of_two_scales_is_left_out_and_named():
    fine = judged_on("warm", (1, 5)) + judged_on("warm", (1, 5), judge="b")
    conflicting = judged_on("overall", (1, 5)) + judged_on("overall", (1, 7), judge="b")
    left, notes = drop_mixed_scales(Judgements.of(fine + conflicting))
    assert left.frame.equals(Judgements.of(fine).frame)
    assert notes == [
        "quality 'overall' of dialogs was judged on 2 scales, 1 to 5 and 1 to 7, and left out; "
        "keep judgements of one scale, or standardise each judge's (--standardise)"
    ]


def test_where_nothing_else_was_judged_it_is_refused():
    conflicting = judged_on("overall", (0, 1)) + judged_on("overall", (1, 5), judge="b")
    conflicting += judged_on("overall", (0, 1.5), judge="c", values=(1, 0))
    with pytest.raises(DataError) as error:
        drop_mixed_scales(Judgements.of([*conflicting[2:], *conflicting[:1]]))
    assert str(error.value) == (
        "quality 'overall' of dialogs was judged on 3 scales, 0 to 1, 0 to 1.5 and 1 to 5; "
        "keep judgements of one scale, or standardise each judge's (--standardise)"
    )


@pytest.mark.parametrize(
    "second",
    [
        judged_on("overall", (None, None), judge="b"),
        judged_on("overall", (1, None), judge="b"),
        judged_on("overall", (0, 10), turn=3, judge="b"),
        judged_on("other", (0, 10), judge="b"),
    ],
)
def test_what_is_no_second_scale(second):
    """Bounds not given, turns beside whole dialogs, another quality."""
    judgements = Judgements.of(judged_on("overall", (1, 5)) + second)
    left, notes = drop_mixed_scales(judgements)
    assert left.frame.equals(judgements.frame)
    assert notes == []


def test_one_bound_that_differs_is_enough():
    judgements = judged_on("overall", (1, 5)) + judged_on("overall", (None, 7), judge="b")
    with pytest.raises(DataError, match="2 scales, open to 7 and 1 to 5"):
        drop_mixed_scales(Judgements.of(judgements))


def test_standardised_judgements_have_no_scale_left_to_mix():
    """A judge who used 1-5 (1 3 5) and 1-9 (1 5 9) gets -1, 0 and 1 on each: sd 2 and 4."""
    judgements = judged_on("overall", (1, 5), values=(1, 3, 5))
    judgements += [
        j._replace(dialog=f"e{j.dialog}") for j in judged_on("overall", (1, 9), values=(1, 5, 9))
    ]
    ready = standardise_judgements(Judgements.of(judgements))
    assert ready.judgements.frame["value"].to_list() == pytest.approx([-1, 0, 1] * 2)
    assert ready.judges.select("ratings", "value", "kept", "reason").rows() == [
        (6, 4.0, True, None)
    ]
    assert drop_mixed_scales(ready.judgements)[1] == []


SAID = "that is a kind and very happy thing to say to me today my friend"


@pytest.fixture
def run(tmp_path):
    """Eight dialogs of a bot whose replies have 1 to 8 words, with a person who has 13."""
    rows = [
        {"dialog": f"d{i}", "speaker": who, "system": system, "text": text}
        for i in range(8)
        for who, system, text in (
            ("ann", "human", SAID),
            ("bot", "heron", " ".join(["well"] * (i + 1))),
        )
    ]
    pl.DataFrame(rows).write_ndjson(tmp_path / "talk.jsonl")
    return score_run(
        Conversations((str(tmp_path / "talk.jsonl"),)), [load("length")], tmp_path / "run"
    )


def rated(*units):
    return Judgements.of(
        [Judgement(d, None, who, "fun", "j", "outsider", value) for d, who, value in units]
    )


def test_people_are_left_out_and_counted(run):
    """The bot's length is 1 to 8 and its rating too: r = 1, whatever is said of the person."""
    bots = [(f"d{i}", "bot", float(i + 1)) for i in range(8)]
    people = [(f"d{i}", "ann", float(8 - i)) for i in range(8)]
    evidence = validate(run, rated(*bots, *people))
    assert [(r.n, round(r.value, 9), r.unmatched) for r in evidence.correlations] == [(8, 1.0, 0)]
    assert evidence.notes == [
        "8 judgements of people are left out, since they are no system under test"
    ]
    both = validate(run, rated(*bots, *people), Question(with_human=True))
    assert [r.n for r in both.correlations] == [16]
    assert both.notes == []


def test_where_only_people_were_judged_they_stay(run):
    evidence = validate(run, rated(*[(f"d{i}", "ann", float(i)) for i in range(8)]))
    assert [(r.n, r.status) for r in evidence.correlations] == [(8, "degenerate")]


def test_a_judgement_without_a_speaker_is_of_the_one_system(run):
    evidence = validate(run, rated(*[(f"d{i}", None, float(i + 1)) for i in range(8)]))
    assert [(r.n, round(r.value, 9)) for r in evidence.correlations] == [(8, 1.0)]
    assert evidence.notes == []
