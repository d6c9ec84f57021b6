"""Correlations among scores, their tree, and the profiles of systems."""

import json

import numpy as np
import polars as pl
import pytest
from scipy import stats
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from simpatico.stats.correlation import pearson
from simpatico.validation.overlap__structure import Profile, pairwise, profiles, structure

RNG = np.random.default_rng(0)


def scores(n: int = 200) -> pl.DataFrame:
    a, b = RNG.normal(size=(2, n))
    return pl.DataFrame(
        {
            "warm": a,
            "cold": -a + 0.1 * RNG.normal(size=n),
            "long": b,
            "wordy": b + 0.2 * RNG.normal(size=n),
            "odd": RNG.normal(size=n),
        }
    )


def test_correlations_are_scipys_over_the_rows_both_have():
    table = scores().to_numpy().copy()
    table[RNG.random(table.shape) < 0.2] = np.nan
    r, n = pairwise(table)
    for i in range(5):
        for j in range(5):
            both = np.isfinite(table[:, i]) & np.isfinite(table[:, j])
            value = stats.pearsonr(table[both, i], table[both, j])[0]
            assert r[i, j] == pytest.approx(value, abs=1e-10)
            assert n[i, j] == both.sum()


def test_like_stands_with_like_whatever_the_sign():
    """cold is -warm and noise, wordy is long and noise: two pairs, and odd outside of both."""
    found = structure(scores())
    places = {name: found.order.index(name) for name in found.order}
    assert found.names == sorted(places)
    assert abs(places["warm"] - places["cold"]) == 1
    assert abs(places["long"] - places["wordy"]) == 1
    assert found.r[found.names.index("warm")][found.names.index("cold")] < -0.9


def test_the_tree_is_average_linkage_on_one_less_absolute_r():
    table = scores()
    found = structure(table)
    apart = 1 - np.abs(np.corrcoef(table.select(found.names).to_numpy().T))
    expected = linkage(squareform(np.round(apart, 10), checks=False), "average")
    joints = np.array(found.linkage)
    assert joints[:, 2:] == pytest.approx(expected[:, 2:], abs=1e-9)
    assert len(joints) == 4


def test_neither_the_order_of_columns_nor_of_rows_matters():
    table = scores()
    one = structure(table)
    mixed = structure(table.select(sorted(table.columns, reverse=True)).reverse())
    assert (one.order, one.names, one.n) == (mixed.order, mixed.names, mixed.n)
    assert np.array(one.r) == pytest.approx(np.array(mixed.r), abs=1e-12)


def test_scores_that_do_not_vary_are_null_and_still_have_a_place():
    table = scores().with_columns(flat=pl.lit(1.0), gone=pl.lit(None, pl.Float64), same="warm")
    found = structure(table)
    flat, gone, odd = (found.names.index(n) for n in ("flat", "gone", "odd"))
    assert found.r[flat] == [None] * 8
    assert (found.r[gone][odd], found.n[gone][odd]) == (None, 0)
    assert sorted(found.order) == found.names
    assert abs(found.order.index("same") - found.order.index("warm")) == 1
    json.dumps(found.as_json(), allow_nan=False)


def test_intervals_by_hand():
    """a = 1..5, b = 2 1 4 3 5: r = 8 / 10 = .8, n = 5, atanh .8 = ln 3 = 1.0986123.

    1.0986123 ± 1.9599640 / √2 = 1.0986123 ± 1.3859038: tanh(-.2872915) = -.2796400 and
    tanh(2.4845161) = .9861962. c has four rows with a: 1 3 2 4, r = 4 / 5 = .8, n = 4, ± 1.959964:
    tanh(-.8613517) = -.6969534 and tanh(3.0585763) = .9956003.
    """
    table = {"a": [1, 2, 3, 4, 5], "b": [2, 1, 4, 3, 5], "c": [1, 3, 2, 4, None]}
    found = structure(pl.DataFrame(table))
    assert (found.r[0][1], found.n[0][1]) == (pytest.approx(0.8), 5)
    assert (found.low[0][1], found.high[0][1]) == pytest.approx((-0.2796400, 0.9861962), abs=1e-6)
    assert (found.r[0][2], found.n[0][2]) == (pytest.approx(0.8), 4)
    assert (found.low[2][0], found.high[2][0]) == pytest.approx((-0.6969534, 0.9956003), abs=1e-6)


def test_there_is_no_interval_of_three_rows_of_a_perfect_r_or_of_none():
    table = {"a": [1.0, 2, 3, 5, 4], "half": [1, 3, 2, None, None], "flat": [1.0] * 5}
    found = structure(pl.DataFrame(table).with_columns(less=-pl.col("a") / 3))
    ends = {
        (one, other): (found.low[i][j], found.high[i][j])
        for i, one in enumerate(found.names)
        for j, other in enumerate(found.names)
    }
    assert found.r[0][3] == pytest.approx(-1)
    assert found.r[0][2] == pytest.approx(0.5)
    assert set(ends.values()) == {(None, None)}


def test_intervals_are_those_of_correlations():
    table = scores(30)
    found = structure(table)
    for i, one in enumerate(found.names):
        for j, other in enumerate(found.names[:i]):
            told = pearson(table[one], table[other])
            assert (found.low[i][j], found.high[i][j]) == pytest.approx((told.low, told.high))


@pytest.mark.parametrize("columns", [0, 1, 2])
@pytest.mark.parametrize("rows", [0, 1, 2, 3])
def test_next_to_nothing_has_a_structure_too(rows, columns):
    table = scores(max(rows, 1)).head(rows)
    found = structure(table.select(table.columns[:columns]))
    assert sorted(found.order) == found.names
    assert len(found.linkage) == max(columns - 1, 0)
    json.dumps(found.as_json(), allow_nan=False)


def systems() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "system": ["a", "b", "c"],
            "dialogs": [10, 12, 9],
            "warm": [0.2, 0.5, 0.3],
            "warm_n": [10, 12, 8],
            "warm_low": [0.1, 0.4, 0.2],
            "warm_high": [0.3, 0.6, 0.4],
            "long": [4.0, None, 4.0],
            "long_n": [10, 0, 9],
            "long_low": [3.0, None, 3.0],
            "long_high": [5.0, None, 5.0],
        }
    )


def test_profiles_by_hand():
    """warm .2 .5 .3: among systems 0, 1, (.3 - .2) / .3 = 1/3; within -1 to 1: .6, .75, .65."""
    found = profiles(systems(), {"warm": (-1, 1), "long": (0, float("inf")), "absent": (0, 1)})
    warm = [p for p in found if p.score == "warm"]
    assert [p.among for p in warm] == pytest.approx([0, 1, 1 / 3])
    assert [p.within for p in warm] == pytest.approx([0.6, 0.75, 0.65])
    assert warm[1] == Profile("b", "warm", 0.5, 0.4, 0.6, 12, 1.0, 0.75)
    assert [p.system for p in found] == ["a", "b", "c"] * 2


def test_systems_that_do_not_differ_and_open_ranges_have_no_place_between_0_and_1():
    found = profiles(systems(), {"long": (0, float("inf"))})
    assert [(p.value, p.among, p.within, p.n) for p in found] == [
        (4.0, None, None, 10),
        (None, None, None, 0),
        (4.0, None, None, 9),
    ]
    assert profiles(systems().head(1), {"warm": (0, 1)})[0].among is None
    assert profiles(systems().clear(), {"warm": (0, 1)}) == []
