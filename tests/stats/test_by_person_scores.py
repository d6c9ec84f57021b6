"""Correlation and squared error of guessed ratings: golden numbers, intervals, differences."""

import numpy as np
import pytest

from simpatico.stats.by_person__scores import above, measured


def test_golden():
    """Guesses 1, 2, 3 for 2, 2, 5: errors 1, 0, 4, mean 5/3; r = 3 / sqrt(2 * 6) = .866."""
    rows = measured(
        {"a": np.array([1.0, 2.0, 3.0]), "flat": np.full(3, 3.0)},
        np.array([2.0, 2, 5]),
        list("xyz"),
    )
    assert rows[0].r.value == pytest.approx(0.866025, abs=1e-6)
    assert rows[0].mse.value == pytest.approx(5 / 3, abs=1e-6)
    assert (rows[0].n, rows[0].persons) == (3, 3)
    assert rows[1].r is None, "a guess that never varies has no correlation"
    assert rows[1].mse.value == 2


def test_differences_are_paired_by_person():
    rng = np.random.default_rng(0)
    person = [f"p{n % 30}" for n in range(600)]
    own = rng.normal(0, 1, 600)
    guesses = {"good": own + rng.normal(0, 0.5, 600), "poor": own + rng.normal(0, 4, 600)}
    rows = {row.name: row for row in measured(guesses, own, person)}
    assert rows["good"].r.value == pytest.approx(np.corrcoef(guesses["good"], own)[0, 1], abs=1e-6)
    assert rows["good"].r.low < rows["good"].r.value < rows["good"].r.high
    (gap,) = above(guesses, "good", own, person)
    assert gap.r.value == pytest.approx(rows["good"].r.value - rows["poor"].r.value, abs=2e-6)
    assert gap.mse.value == pytest.approx(rows["poor"].mse.value - rows["good"].mse.value, abs=2e-6)
    assert gap.p == {"r": 0.002, "mse": 0.002}
    (same,) = above({"a": guesses["good"], "b": guesses["good"]}, "a", own, person)
    assert (same.r, same.p["r"]) == ((0, 0, 0), 1)
    (flat,) = above({"a": guesses["good"], "b": np.zeros(600)}, "a", own, person)
    assert flat.r is None
    assert flat.p["r"] is None
    assert flat.p["mse"] == 0.002


@pytest.mark.parametrize("persons", [1, 9, 10])
def test_few_persons_have_no_interval_and_no_p(persons):
    """Ten are the fewest whose resamples say anything of others."""
    rng = np.random.default_rng(0)
    own, person = rng.normal(0, 1, 60), [f"p{n % persons}" for n in range(60)]
    guesses = {"good": own + rng.normal(0, 0.1, 60), "poor": own + rng.normal(0, 4, 60)}
    row, _ = measured(guesses, own, person)
    (gap,) = above(guesses, "good", own, person)
    known = [part is not None for found in (*row[1:3], *gap[1:3]) for part in found[1:]]
    assert set(known) == {persons == 10}
    assert row.r.value > 0.9
    assert gap.p == (dict.fromkeys(("r", "mse"), 0.002 if persons == 10 else None))
