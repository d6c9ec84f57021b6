"""The regression behind reproductions, and the first paper's figures on the real data."""

import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simpatico.validate.regression import adjusted_r2


def test_adjusted_r2_by_hand():
    """x = 1, 2, 3, 4, 5 and y = 2, 1, 4, 3, 5: r = 8 / 10 = .8, R² = .64.

    Adjusted: 1 - (1 - .64) (5 - 1) / (5 - 2) = 1 - .36 x 4/3 = .52.
    """
    x, y = np.arange(1.0, 6)[:, None], np.array([2.0, 1, 4, 3, 5])
    fit = adjusted_r2(x, y, np.arange(5))
    assert fit.value == pytest.approx(0.52, abs=1e-12)
    assert fit.n == 5


def test_rows_with_a_null_are_left_out_and_counted():
    x, y = np.array([1.0, 2, 3, 4, 5, np.nan, 9]), np.array([2.0, 1, 4, 3, 5, 7, np.nan])
    fit = adjusted_r2(x[:, None], y, np.arange(7))
    assert (fit.value, fit.n) == (pytest.approx(0.52), 5)


@pytest.mark.parametrize(
    ("x", "y", "status"),
    [
        ([], [], "too_few"),
        ([1.0, 2], [1.0, 2], "too_few"),
        ([1.0] * 9, list(range(9)), "degenerate"),
        (list(range(9)), [1.0] * 9, "degenerate"),
        ([np.nan] * 9, list(range(9)), "too_few"),
    ],
)
def test_what_cannot_be_fitted_says_so(x, y, status):
    fit = adjusted_r2(np.array(x, float).reshape(-1, 1), np.array(y, float), np.arange(len(x)))
    assert (fit.value, fit.low, fit.high, fit.status) == (None, None, None, status)


@given(st.integers(0, 10_000), st.integers(1, 4))
@settings(max_examples=25)
def test_it_equals_plain_least_squares(seed, predictors):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(60, predictors))
    y = x @ rng.normal(size=predictors) + rng.normal(size=60)
    design = np.column_stack([np.ones(60), x])
    rest = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    r2 = 1 - (rest**2).sum() / ((y - y.mean()) ** 2).sum()
    expected = 1 - (1 - r2) * 59 / (59 - predictors)
    fit = adjusted_r2(x, y, np.arange(60), seed=seed)
    assert fit.value == pytest.approx(expected, abs=1e-10)
    assert fit.low < fit.high
    moved = adjusted_r2(100 * x - 7, 3 * y + 1, np.arange(60), seed=seed)
    assert moved[:4] == pytest.approx(fit[:4], abs=1e-8)


def test_clusters_widen_the_interval():
    """Each row ten times over is no more evidence, if one says which rows belong together."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=80)
    y = x + rng.normal(size=80)
    many_x, many_y = np.repeat(x, 10)[:, None], np.repeat(y, 10)
    apart = adjusted_r2(many_x, many_y, np.arange(800))
    together = adjusted_r2(many_x, many_y, np.repeat(np.arange(80), 10))
    assert together.high - together.low > 2 * (apart.high - apart.low)


@pytest.fixture(scope="module")
def cells(data):
    command = [sys.executable, "-m", "simpatico", "reproduce", "psychological-metrics", "--json"]
    done = subprocess.run(
        [*command, "--data", str(data)], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def test_the_paper_is_recomputed_on_all_13_773_responses(cells):
    length = {c["row"]: c["n"] for c in cells if c["column"] == "words in the response"}
    assert length == {
        "TD10": 4500, "PD10": 4829, "ESL": 1242, "NCM": 2461, "JSALT": 741,
        "pooled": 13773, "within sets": 13773,
    }  # fmt: skip
    for cell in cells:
        assert set(cell) == {"table", "row", "column", "paper", "ours", "low", "high", "n", "note"}
        assert cell["low"] <= cell["ours"] <= cell["high"]
        assert "not scored" in cell["note"]


def test_most_of_the_pooled_figure_lies_between_data_sets(cells):
    ours = {(c["row"], c["column"]): c["ours"] for c in cells}
    assert ours["pooled", "emotional_entropy"] > 5 * ours["within sets", "emotional_entropy"]
    told = [c["note"] for c in cells if c["row"] == "pooled"]
    assert all("mixes 1-5 ratings with 0-1 win rates" in note for note in told)


def test_without_the_papers_lexicon_the_output_says_so(cells):
    notes = [c["note"] for c in cells if c["column"] == "emotional_entropy"]
    assert all("our own emotion lexicon, the paper used NRC Hashtag" in note for note in notes)
