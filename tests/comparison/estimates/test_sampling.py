"""Which dialogs to rate next, and how many."""

from math import sqrt

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtrit

from simpatico.comparison.estimates.dialogs import DialogTable
from simpatico.comparison.estimates.sampling import (
    RatingSpread,
    SampleSize,
    dialogs_needed,
    draw_sample,
    measure_spread,
    plan_ratings,
    read_sample,
    spread_evenly,
)
from simpatico.errors import DataError
from simpatico.stats.prediction_powered import RatedUnits


def make_table(*sizes):
    """Systems a, b, … of so many dialogs."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    names = [chr(97 + g) for g in group]
    frame = pl.DataFrame({"dialog": [f"d{i:04d}" for i in range(len(group))], "system": names})
    return DialogTable(frame, sorted(set(names)), group, np.arange(len(group)), {}, [])


@given(
    st.lists(st.integers(1, 60), min_size=1, max_size=4),
    st.integers(1, 40),
    st.integers(0, 9),
    st.integers(0, 2**16),
)
def test_properties(sizes, n, every, seed):
    """So many new dialogs and no other; weights add up to each system's dialogs; seeds decide."""
    table = make_table(*sizes)
    total = sum(sizes)
    rated = np.arange(total) % 10 < every
    proxy = np.random.default_rng(seed).random(total)
    if (~rated).sum() < n:
        with pytest.raises(DataError, match="is more than there are dialogs without a rating"):
            draw_sample(table, proxy, rated, SampleSize(n, 2, seed))
        return
    made = draw_sample(table, proxy, rated, SampleSize(n, 2, seed))
    drawn = made.filter(ratings=2)
    assert drawn.height == n
    assert made.height == n + rated.sum()
    assert not set(drawn["dialog"]) & set(table.frame.filter(pl.Series(rated))["dialog"])
    assert made["dialog"].is_unique().all()
    sums = dict(made.group_by("system").agg(pl.col("weight").sum()).iter_rows())
    for name, size in zip(table.systems, sizes, strict=True):
        own = made.filter(system=name)
        if own.height:
            assert sums[name] == pytest.approx(size)
    assert (made["weight"] >= 1).all()
    again = draw_sample(table, proxy, rated, SampleSize(n, 2, seed))
    assert made.equals(again)


def test_systems_and_strata_are_balanced_with_what_is_rated():
    """40 new of a and b: b has 20 so far, so a gets 30 and b 10; 6 in each of 5 strata of a."""
    table = make_table(100, 100)
    rated = np.r_[np.zeros(100, bool), np.arange(100) < 20]
    proxy = np.tile(np.arange(100.0), 2)
    made = draw_sample(table, proxy, rated, SampleSize(40))
    counts = dict(made.filter(ratings=1).group_by("system").len().iter_rows())
    assert counts == {"a": 30, "b": 10}
    own = made.filter(system="a")
    assert own.group_by("stratum").len().sort("stratum")["len"].to_list() == [6] * 5
    assert own["weight"].unique().to_list() == [20 / 6]
    # b's rated ones are all of its first stratum: the 10 new are spread over the other four
    other = made.filter(system="b").group_by("stratum").agg(pl.len(), pl.col("weight").first())
    assert other.sort("stratum").rows() == [
        (1, 20, 1.0), (2, 3, 20 / 3), (3, 3, 20 / 3), (4, 2, 10.0), (5, 2, 10.0)
    ]  # fmt: skip


def test_every_dialog_is_as_likely():
    """10 of 20 dialogs, 400 seeds: each is drawn 200 times, give or take 4 SD of 10."""
    table, proxy = make_table(20), np.repeat([0.0, 1.0, 2.0], [3, 14, 3])
    times = np.zeros(20)
    for seed in range(400):
        made = draw_sample(table, proxy, np.zeros(20, bool), SampleSize(10, 1, seed))
        times[made["dialog"].str.slice(1).cast(pl.Int64).to_numpy()] += 1
    assert np.abs(times - 200).max() < 40


def test_spread_evenly_by_hand():
    assert spread_evenly(5, np.array([3, 0, 0]), np.array([9, 9, 1])).tolist() == [1, 3, 1]
    assert spread_evenly(9, np.array([0, 0]), np.array([2, 1])).tolist() == [2, 1]


@given(st.floats(0.1, 4), st.floats(0, 0.95), st.floats(0.05, 1), st.integers(2, 3_000))
def test_dialogs_needed_are_the_fewest(variance, explained, width, dialogs):
    left, known = variance * (1 - explained), variance * explained
    for kind, systems in (("mean", 1), ("difference", 2)):

        def wide(n, systems=systems):
            error = sqrt(systems * (left / n + known / dialogs))
            return 2 * stdtrit(systems * (n - 1), 0.975) * error > width

        n = dialogs_needed((left, known), width, dialogs, kind)
        if n is None:
            assert wide(dialogs)
        else:
            assert not wide(n)
            assert n == 2 or wide(n - 1)


def test_plan_by_hand():
    """SD 1, r = .6, width .4: √(4 × 3.84 …) alone 99; with it left .64, n + 1.6 terms: fewer."""
    mean, difference = plan_ratings(RatingSpread(1.0, 0.64, 2), 0.4, 100_000)
    # 1.984 / √99 = .1994 ≤ .2, 1.985 / √98 = .2005
    assert (mean.alone, mean.alone_low, mean.alone_high) == (99, 99, 99)
    # (2 × 1.999 × .8)² / .16 = 63.9, and .36 / 100,000 is nothing
    assert mean.with_proxy == 64
    assert difference.alone > 190 > difference.with_proxy > 120


def test_more_raters_leave_less_noise():
    """Variance 1 of single ratings, .6 of it noise: three raters leave .4 + .2."""
    spread = RatingSpread(1.0, 0.8, 50, noise=0.6).with_raters(3)
    assert spread.variance == pytest.approx(0.6)
    assert spread.left == pytest.approx(0.4)
    assert spread.correlation == pytest.approx(sqrt(0.2 / 0.6))
    with pytest.raises(DataError) as error:
        RatingSpread(1.0, 0.8, 50).with_raters(3)
    assert str(error.value) == (
        "--k 3 needs ratings in which some dialogs have two raters or more: without, nobody knows "
        "how much raters differ"
    )


def test_spread_is_within_systems():
    """Two systems 10 apart: the variance within is that of each, and the proxy explains half."""
    rng = np.random.default_rng(1)
    group = np.repeat([0, 1], 500)
    proxy = rng.normal(size=1_000)
    ratings = 10.0 * group + proxy + rng.normal(size=1_000)
    ratings[np.arange(1_000) % 500 >= 300] = np.nan
    spread = measure_spread(RatedUnits(group, ratings, proxy, np.arange(1_000)))
    own = [np.nanvar(ratings[group == g], ddof=1) for g in (0, 1)]
    assert spread.variance == pytest.approx(np.mean(own))
    assert spread.correlation == pytest.approx(sqrt(0.5), abs=0.05)
    # the log of a variance of n normal values has the SD √(2 / n)
    assert spread.error == pytest.approx(sqrt(2 / 600), rel=0.15)


@pytest.mark.parametrize(
    ("ratings", "sentence"),
    [
        ([1.0, 2, 3], "3 rated dialogs cannot say how many are needed; rate ten or more, or give --sd and --r"),
        ([2.0] * 9, "the ratings are all the same within each system, so there is nothing to plan"),
    ],
)  # fmt: skip
def test_what_cannot_be_planned(ratings, sentence):
    values = np.r_[ratings, np.full(20, np.nan)]
    n = len(values)
    units = RatedUnits(np.zeros(n, dtype=np.int64), values, np.arange(float(n)), np.arange(n))
    with pytest.raises(DataError) as error:
        measure_spread(units)
    assert str(error.value) == sentence


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("dialog,system\na,b\n", "FILE has no column 'weight'; name the file that `simpatico sample` wrote"),
        ("dialog,system,stratum,weight\na,b,1,\n", "FILE: the weight of dialog 'a' is no number of 1 or more; leave the column as `simpatico sample` wrote it"),
        ("dialog,system,stratum,weight\na,b,1,nan\n", "FILE: the weight of dialog 'a' is no number of 1 or more; leave the column as `simpatico sample` wrote it"),
        ("dialog,system,stratum,weight\na,b,1,0.5\n", "FILE: the weight of dialog 'a' is no number of 1 or more; leave the column as `simpatico sample` wrote it"),
        ("dialog,system,stratum,weight\na,b,1,2\na,b,1,2\n", "FILE: 2 rows repeat the dialog and system of another one; keep one"),
        ("", "FILE cannot be read as a sample (empty CSV); name the file that `simpatico sample` wrote"),
    ],
)  # fmt: skip
def test_files_that_are_no_sample(tmp_path, text, sentence):
    path = tmp_path / "sample.csv"
    path.write_text(text)
    with pytest.raises(DataError) as error:
        read_sample(path)
    assert str(error.value) == sentence.replace("FILE", str(path))
