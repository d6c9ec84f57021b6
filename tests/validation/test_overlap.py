"""The scores of a run against each other."""

import json

import numpy as np
import polars as pl
import pytest
from scipy import stats
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from simpatico.errors import DataError
from simpatico.run import Run
from simpatico.stats.correlation import correlation
from simpatico.validation.overlap import (
    SystemProfile,
    correlation_structure,
    overlap_rows,
    pairwise_correlations,
    run_structure,
    system_profiles,
)

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
    r, n = pairwise_correlations(table)
    for i in range(5):
        for j in range(5):
            both = np.isfinite(table[:, i]) & np.isfinite(table[:, j])
            value = stats.pearsonr(table[both, i], table[both, j])[0]
            assert r[i, j] == pytest.approx(value, abs=1e-10)
            assert n[i, j] == both.sum()


def test_like_stands_with_like_whatever_the_sign():
    """cold is -warm and noise, wordy is long and noise: two pairs, and odd outside of both."""
    structure = correlation_structure(scores())
    places = {name: structure.order.index(name) for name in structure.order}
    assert structure.names == sorted(places)
    assert abs(places["warm"] - places["cold"]) == 1
    assert abs(places["long"] - places["wordy"]) == 1
    assert structure.r[structure.names.index("warm")][structure.names.index("cold")] < -0.9


def test_the_tree_is_average_linkage_on_one_less_absolute_r():
    table = scores()
    structure = correlation_structure(table)
    distances = 1 - np.abs(np.corrcoef(table.select(structure.names).to_numpy().T))
    expected = linkage(squareform(np.round(distances, 10), checks=False), "average")
    joints = np.array(structure.linkage)
    assert joints[:, 2:] == pytest.approx(expected[:, 2:], abs=1e-9)
    assert len(joints) == 4


def test_neither_the_order_of_columns_nor_of_rows_matters():
    table = scores()
    one = correlation_structure(table)
    permutation = correlation_structure(table.select(sorted(table.columns, reverse=True)).reverse())
    assert (one.order, one.names, one.n) == (permutation.order, permutation.names, permutation.n)
    assert np.array(one.r) == pytest.approx(np.array(permutation.r), abs=1e-12)


def test_scores_that_do_not_vary_are_null_and_still_have_a_place():
    table = scores().with_columns(flat=pl.lit(1.0), gone=pl.lit(None, pl.Float64), same="warm")
    structure = correlation_structure(table)
    flat, missing, odd = (structure.names.index(n) for n in ("flat", "gone", "odd"))
    assert structure.r[flat] == [None] * 8
    assert (structure.r[missing][odd], structure.n[missing][odd]) == (None, 0)
    assert sorted(structure.order) == structure.names
    assert abs(structure.order.index("same") - structure.order.index("warm")) == 1
    json.dumps(structure.as_json(), allow_nan=False)


def test_intervals_by_hand():
    """a = 1..5, b = 2 1 4 3 5: r = 8 / 10 = .8, n = 5, atanh .8 = ln 3 = 1.0986123.

    1.0986123 ± 1.9599640 / √2 = 1.0986123 ± 1.3859038: tanh(-.2872915) = -.2796400 and
    tanh(2.4845161) = .9861962. c has four rows with a: 1 3 2 4, r = 4 / 5 = .8, n = 4, ± 1.959964:
    tanh(-.8613517) = -.6969534 and tanh(3.0585763) = .9956003.
    """
    table = {"a": [1, 2, 3, 4, 5], "b": [2, 1, 4, 3, 5], "c": [1, 3, 2, 4, None]}
    structure = correlation_structure(pl.DataFrame(table))
    assert (structure.r[0][1], structure.n[0][1]) == (pytest.approx(0.8), 5)
    assert (structure.low[0][1], structure.high[0][1]) == pytest.approx(
        (-0.2796400, 0.9861962), abs=1e-6
    )
    assert (structure.r[0][2], structure.n[0][2]) == (pytest.approx(0.8), 4)
    assert (structure.low[2][0], structure.high[2][0]) == pytest.approx(
        (-0.6969534, 0.9956003), abs=1e-6
    )


def test_there_is_no_interval_of_three_rows_of_a_perfect_r_or_of_none():
    table = {"a": [1.0, 2, 3, 5, 4], "half": [1, 3, 2, None, None], "flat": [1.0] * 5}
    structure = correlation_structure(pl.DataFrame(table).with_columns(less=-pl.col("a") / 3))
    ends = {
        (one, other): (structure.low[i][j], structure.high[i][j])
        for i, one in enumerate(structure.names)
        for j, other in enumerate(structure.names)
    }
    assert structure.r[0][3] == pytest.approx(-1)
    assert structure.r[0][2] == pytest.approx(0.5)
    assert set(ends.values()) == {(None, None)}


def test_intervals_are_those_of_correlations():
    table = scores(30)
    structure = correlation_structure(table)
    for i, one in enumerate(structure.names):
        for j, other in enumerate(structure.names[:i]):
            expected = correlation(table[one], table[other])
            assert (structure.low[i][j], structure.high[i][j]) == pytest.approx(
                (expected.low, expected.high)
            )


@pytest.mark.parametrize("columns", [0, 1, 2])
@pytest.mark.parametrize("rows", [0, 1, 2, 3])
def test_next_to_nothing_has_a_structure_too(rows, columns):
    table = scores(max(rows, 1)).head(rows)
    structure = correlation_structure(table.select(table.columns[:columns]))
    assert sorted(structure.order) == structure.names
    assert len(structure.linkage) == max(columns - 1, 0)
    json.dumps(structure.as_json(), allow_nan=False)


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
    profiles = system_profiles(
        systems(), {"warm": (-1, 1), "long": (0, float("inf")), "absent": (0, 1)}
    )
    warm = [p for p in profiles if p.score == "warm"]
    assert [p.among for p in warm] == pytest.approx([0, 1, 1 / 3])
    assert [p.within for p in warm] == pytest.approx([0.6, 0.75, 0.65])
    assert warm[1] == SystemProfile("b", "warm", 0.5, 0.4, 0.6, 12, 1.0, 0.75)
    assert [p.system for p in profiles] == ["a", "b", "c"] * 2


def test_systems_that_do_not_differ_and_open_ranges_have_no_place_between_0_and_1():
    profiles = system_profiles(systems(), {"long": (0, float("inf"))})
    assert [(p.value, p.among, p.within, p.n) for p in profiles] == [
        (4.0, None, None, 10),
        (None, None, None, 0),
        (4.0, None, None, 9),
    ]
    assert system_profiles(systems().head(1), {"warm": (0, 1)})[0].among is None
    assert system_profiles(systems().clear(), {"warm": (0, 1)}) == []


SCORES = {"b": "b", "a": "a", "c": "c", "shares": "part"}


def write_scores(folder, table, scores):
    pl.DataFrame(table).write_parquet(folder / "dialog.parquet")
    metrics = {metric: {"scores": [{"name": score}]} for metric, score in scores.items()}
    (folder / "run.json").write_text(json.dumps({"status": "done", "metrics": metrics}))
    return Run(folder)


@pytest.fixture
def run(tmp_path):
    """Five dialogs of bots with a = 1..5, b = 2 1 4 3 5 (r = .8), and a person far off."""
    table = {
        "dialog": list("abcdef"),
        "speaker": ["x"] * 6,
        "system": ["one", "one", "two", "two", "two", "human"],
        "a": [1.0, 2, 3, 4, 5, 99],
        "b": [2.0, 1, 4, 3, 5, -99],
        "c": [None, None, None, 1.0, 2, 3],
        "part": [0.0, 1, 0, 1, 0, 1],
        "a_null": pl.Series([None] * 6, dtype=pl.String),
    }
    return write_scores(tmp_path, table, SCORES)


def test_only_scores_of_a_metrics_own_name_and_without_people(run):
    structure = run_structure(run)
    assert structure.names == ["a", "b", "c"]
    assert (structure.r[0][1], structure.n[0][1]) == (pytest.approx(0.8), 5)


def test_people_alone_are_compared(run, tmp_path):
    folder = tmp_path / "people"
    folder.mkdir()
    table = run.at("dialog").with_columns(system=pl.lit("human"))
    assert run_structure(write_scores(folder, table, SCORES)).n[0][1] == 6


def test_scores_that_are_asked_for(run):
    assert run_structure(run, ["part", "a", "absent"]).names == ["a", "part"]


def test_rows_by_hand(run):
    """r = .8 of n = 5: tanh(ln 3 ± 1.9599640 / √2) = -.2796400 and .9861962; c has two rows."""
    rows = overlap_rows(run_structure(run))
    assert [(r.score, r.against, r.n, r.status) for r in rows] == [
        ("a", "b", 5, "ok"), ("a", "c", 2, "too_few"), ("b", "c", 2, "too_few")
    ]  # fmt: skip
    first = rows[0].as_json()
    assert (first["low"], first["high"]) == pytest.approx((-0.2796400, 0.9861962), abs=1e-6)
    rest = {k: v for k, v in first.items() if k not in ("value", "low", "high")}
    assert rest == {
        "quality": "",
        "score": "a",
        "against": "b",
        "p_value": None,
        "p_adjusted": None,
        "n": 5,
        "status": "ok",
        "method": "Pearson r, Fisher interval",
        "level": "dialog",
    }


def test_a_score_that_never_varies_says_so(run, tmp_path):
    folder = tmp_path / "flat"
    folder.mkdir()
    flat = write_scores(folder, run.at("dialog").with_columns(b=pl.lit(1.0)), {"a": "a", "b": "b"})
    (row,) = overlap_rows(run_structure(flat))
    assert (row.value, row.low, row.status, row.n) == (None, None, "degenerate", 5)


def test_one_score_has_nothing_to_overlap_with(run):
    assert overlap_rows(run_structure(run, ["a"])) == []


def test_an_unfinished_run_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"it has no run\.json"):
        run_structure(Run(tmp_path))
