"""Judgements made ready: nobody is left out without being named."""

from __future__ import annotations

import numpy as np
import pytest

from simpatico.errors import DataError
from simpatico.judgements import SCHEMA, Judgement, Judgements
from simpatico.validation.raters.preparation import attentive, consistent, standardised, without
from simpatico.validation.raters.ratings import ratings


def judged(unit, judge, value, quality="engaging"):
    return Judgement(f"d{unit:02}", None, "bot", quality, judge, "outsider", value, 1.0, 5.0)


def table(**columns):
    rows = [judged(u, j, v) for j, given in columns.items() for u, v in enumerate(given)]
    return Judgements.of(rows)


def test_standardised_values_are_in_each_judges_own_units():
    ready = standardised(
        table(ann=[1, 2, 3], bob=[5, 5, 5], cleo=[4, None, 5], dan=[2, None, None])
    )
    # ann: mean 2, SD 1; cleo: mean 4.5, SD √.5
    matrix = ratings(ready.judgements, "engaging").matrix
    expected = np.full((3, 4), np.nan)
    expected[:, 0] = -1, 0, 1
    expected[[0, 2], 2] = -(0.5**0.5), 0.5**0.5
    np.testing.assert_allclose(matrix, expected, atol=1e-12)
    assert (ready.dropped, ready.ratings_dropped) == (2, 4)
    left_out = ready.judges.filter(kept=False).select("judge", "ratings", "reason").rows()
    assert left_out == [
        ("bob", 3, "the same rating for every unit"),
        ("dan", 1, "fewer than two ratings"),
    ]
    assert dict(ready.judgements.frame.schema) == SCHEMA
    assert ready.judgements.frame["scale_max"].null_count() == ready.judgements.frame.height
    assert len(ready.judgements) == 12


def test_standardised_within_a_quality_and_for_huge_values():
    rows = [judged(u, "ann", v)._replace(scale_max=None) for u, v in enumerate([1e300, 1.0, 1.0])]
    rows += [judged(u, "ann", v, "other") for u, v in enumerate([1.0, 2.0, 3.0])]
    ready = standardised(Judgements.of(rows))
    assert ratings(ready.judgements, "other").matrix[:, 0].tolist() == pytest.approx([-1, 0, 1])
    found = ratings(ready.judgements, "engaging").matrix[:, 0]
    assert found == pytest.approx([2 / 3**0.5, -1 / 3**0.5, -1 / 3**0.5])


def test_without_leaves_out_by_name_and_says_so():
    ready = without(table(ann=[1, 2], bob=[5, None]), ["bob"], reason="failed a check")
    assert ready.judgements.frame["judge"].unique().to_list() == ["ann"]
    assert ready.judges.rows() == [
        ("ann", "outsider", 2, None, True, None),
        ("bob", "outsider", 1, None, False, "failed a check"),
    ]
    assert (ready.dropped, ready.ratings_dropped) == (1, 1)


def test_without_somebody_who_is_not_there_is_an_error():
    with pytest.raises(DataError) as told:
        without(table(ann=[1, 2]), ["zoe"], reason="failed")
    assert str(told.value) == "there is no judge 'zoe' among the 1 named ones to leave out"


def test_attention_checks():
    rows = [*table(ann=[1, 2], bob=[3, 3], cleo=[4, 5]).frame.iter_rows()]
    rows += [judged(0, "ann", 1.0, "attention"), judged(1, "ann", 1.0, "attention")]
    rows += [
        judged(0, "bob", 1.0, "attention"),
        judged(1, "bob", 0.0, "attention")._replace(scale_min=0.0),
    ]
    ready = attentive(Judgements.of([Judgement(*r) for r in rows]))
    assert ready.judges.select("judge", "ratings", "value", "kept", "reason").rows() == [
        ("ann", 2, 1.0, True, None),
        ("bob", 2, 0.5, False, "mean of 'attention' is below 1"),
        ("cleo", 2, None, True, None),
    ]
    assert sorted(ready.judgements.frame["judge"].unique()) == ["ann", "cleo"]
    assert ready.judgements.frame["quality"].unique().to_list() == ["engaging"]


def test_attention_checks_that_are_not_there_are_an_error():
    with pytest.raises(DataError) as told:
        attentive(table(ann=[1, 2]))
    assert str(told.value) == "there are no judgements of 'attention' to tell who paid attention"


def test_judges_who_contradict_the_others():
    ready = consistent(
        table(
            ann=[1, 2, 3, 4, 5, 5],
            bob=[1, 2, 3, 4, 4, 5],
            cleo=[5, 4, 3, 2, 1, 1],
            dan=[3, 3, 3, 3, 3, 3],
            eve=[5, 4, None, None, None, None],
        )
    )
    judges = {row["judge"]: row for row in ready.judges.to_dicts()}
    others = np.nanmean([[1, 2, 3, 4, 5, 5], [1, 2, 3, 4, 4, 5], [3] * 6, [5, 4] + [np.nan] * 4], 0)
    expected = np.corrcoef([5, 4, 3, 2, 1, 1], others)[0, 1]
    assert judges["cleo"]["value"] == pytest.approx(expected, abs=1e-12)
    assert judges["cleo"]["reason"] == "correlation with the other judges is below 0"
    assert judges["dan"]["value"] is None
    assert judges["eve"]["value"] is None
    assert [name for name, row in judges.items() if not row["kept"]] == ["cleo"]
    assert "cleo" not in ready.judgements.frame["judge"].to_list()
    assert consistent(Judgements.of([])).dropped == 0
