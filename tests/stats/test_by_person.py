"""Accuracy, macro-F1 and area: golden numbers, intervals by person, paired differences."""

import numpy as np
import pytest

from simpatico.stats import by_person as chances
from simpatico.stats import cluster_draws as drawn
from simpatico.stats.by_person import Estimate, Guess, above, area_told, level, measured


def test_golden():
    """As in the module: of 3 answered 2 are told so, of 1 not answered 1. Area: of the pairs
    (.9, .3), (.6, .3), (.2, .3) two are in order: .667."""
    number = np.array([0.9, 0.6, 0.2, 0.3])
    answered = np.array([True, True, True, False])
    (found,) = measured({"ours": Guess(number, number > 0.5)}, answered, list("aabb"))
    assert found.accuracy.value == 0.75
    assert found.macro_f1.value == pytest.approx((0.8 + 2 / 3) / 2, abs=1e-6)
    assert found.auc.value == pytest.approx(2 / 3, abs=1e-6)
    assert (found.n, found.persons) == (4, 2)


def random_guesses(n=400, people=40):
    rng = np.random.default_rng(1)
    person = [f"p{k}" for k in rng.integers(0, people, n)]
    answered = rng.random(n) < 0.6
    good, poor = answered + rng.normal(0, 0.6, n), answered + rng.normal(0, 3, n)
    return answered, person, {"good": Guess(good, good > 0.5), "poor": Guess(poor, poor > 0.5)}


def f1(told, true):
    precision, recall = true[told].mean(), told[true].mean()
    return 2 * precision * recall / (precision + recall)


def test_computed_a_second_way():
    """F1 from precision and recall, the area from all pairs."""
    answered, person, guesses = random_guesses()
    for row in measured(guesses, answered, person):
        number, told = guesses[row.name]
        pairs = number[answered][:, None] - number[~answered]
        assert row.accuracy.value == pytest.approx((told == answered).mean(), abs=1e-6)
        macro = (f1(told, answered) + f1(~told, ~answered)) / 2
        assert row.macro_f1.value == pytest.approx(macro, abs=1e-6)
        assert row.auc.value == pytest.approx((pairs > 0).mean(), abs=1e-6)
        assert row.accuracy.low < row.accuracy.value < row.accuracy.high


def test_a_majority_that_is_never_another_has_half_of_its_f1():
    """All told answered, 2 of 4 are: F1 .667 and 0. Area of one number: .5."""
    answered = np.array([True, False, True, False])
    (found,) = measured({"m": Guess(np.ones(4), np.ones(4, bool))}, answered, list("abcd"))
    assert found.macro_f1.value == pytest.approx(1 / 3, abs=1e-6)
    assert found.auc.value == 0.5


def test_differences_are_paired_by_person():
    """The better guess is surely better; beside itself there is nothing between them."""
    answered, person, guesses = random_guesses()
    (gap,) = above(guesses, "good", answered, person)
    rows = {row.name: row for row in measured(guesses, answered, person)}
    seen = rows["good"].accuracy.value - rows["poor"].accuracy.value
    assert gap.accuracy.value == pytest.approx(seen, abs=2e-6)
    assert gap.accuracy.low > 0
    assert gap.p["accuracy"] == 0.002, "twice one of 1,000"
    (same,) = above({"a": guesses["good"], "b": guesses["good"]}, "a", answered, person)
    assert same.auc == (0, 0, 0)
    assert same.p["auc"] == 1


@pytest.mark.parametrize("persons", [1, 9, 10])
def test_few_persons_have_no_interval_and_no_p(persons):
    """Of one person every resample is the same: an interval would be a point, and p the least."""
    answered, _, guesses = random_guesses()
    person = [f"p{n % persons}" for n in range(400)]
    row, _ = measured(guesses, answered, person)
    (gap,) = above(guesses, "good", answered, person)
    known = [part is not None for found in (*row[1:4], *gap[1:4]) for part in found[1:]]
    assert set(known) == {persons == 10}
    assert (gap.accuracy.value > 0.1, gap.p["accuracy"]) == (True, 0.002 if persons == 10 else None)


def test_draws_without_a_value_do_not_count():
    """99 draws above 0 and 1 without a value: 2 / (1 + 99) = .02; with 89 there is no p."""
    seen = np.array([1.0, *[2.0] * 99, np.nan])
    assert level(seen, 10) == 0.02
    assert Estimate.of(seen, 10) == (1, 2, 2)
    few = np.array([1.0, *[2.0] * 89, *[np.nan] * 11])
    assert level(few, 10) is None
    assert Estimate.of(few, 10) == (1, None, None)


def test_where_all_were_answered_there_is_no_area():
    person = [f"p{n}" for n in range(20)]
    (found,) = measured({"x": Guess.of(np.linspace(0, 1, 20))}, np.ones(20, bool), person)
    assert found.accuracy.low is not None
    assert area_told(found.auc) == "no area"
    assert found.auc[1:] == (None, None)
    assert area_told(Estimate(0.5)) == "area 0.500"


def test_many_persons_are_drawn_in_parts_and_counted_all_the_same(monkeypatch):
    """In parts of 100 draws, each is of as many persons as there are, the first of each once."""
    monkeypatch.setattr(drawn, "BLOCK", 4_000)
    parts = list(chances.draws(40, 0))
    assert [len(part) for part in parts] == [1, *[100] * 9, 99]
    assert parts[0].tolist() == [[1] * 40]
    assert {float(total) for part in parts for total in part.sum(axis=1)} == {40}
    (row, _) = measured(random_guesses()[2], *random_guesses()[:2])
    assert row.auc.low < row.auc.value < row.auc.high
