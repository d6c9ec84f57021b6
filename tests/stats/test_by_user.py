"""Results by user: golden numbers, a second way, intervals over users, paired differences."""

import numpy as np
import pytest

from simpatico.stats.bootstrap import resample_clusters, rounded_result
from simpatico.stats.by_user import (
    ReplyPredictions,
    compare_ratings,
    compare_replies,
    describe_auc,
    evaluate_ratings,
    evaluate_replies,
)
from simpatico.stats.draws import Draws
from simpatico.stats.result import Result


def test_replies_by_hand():
    """As in the module: of 3 answered 2 are told so, of 1 not answered 1. Area: of the pairs
    (.9, .3), (.6, .3), (.2, .3) two are in order: .667."""
    number = np.array([0.9, 0.6, 0.2, 0.3])
    replies = np.array([True, True, True, False])
    (row,) = evaluate_replies(
        {"ours": ReplyPredictions(number, number > 0.5)}, replies, list("aabb")
    )
    assert row.accuracy.value == 0.75
    assert row.macro_f1.value == pytest.approx((0.8 + 2 / 3) / 2, abs=1e-6)
    assert row.auc.value == pytest.approx(2 / 3, abs=1e-6)
    assert (row.n, row.users) == (4, 2)


def random_guesses(n=400, people=40):
    rng = np.random.default_rng(1)
    person = [f"p{k}" for k in rng.integers(0, people, n)]
    replies = rng.random(n) < 0.6
    good, poor = replies + rng.normal(0, 0.6, n), replies + rng.normal(0, 3, n)
    return (
        replies,
        person,
        {"good": ReplyPredictions(good, good > 0.5), "poor": ReplyPredictions(poor, poor > 0.5)},
    )


def f1(predictions, true):
    precision, recall = true[predictions].mean(), predictions[true].mean()
    return 2 * precision * recall / (precision + recall)


def test_computed_a_second_way():
    """F1 from precision and recall, the area from all pairs."""
    replies, person, guesses = random_guesses()
    for row in evaluate_replies(guesses, replies, person):
        number, predictions = guesses[row.name]
        pairs = number[replies][:, None] - number[~replies]
        assert row.accuracy.value == pytest.approx((predictions == replies).mean(), abs=1e-6)
        macro = (f1(predictions, replies) + f1(~predictions, ~replies)) / 2
        assert row.macro_f1.value == pytest.approx(macro, abs=1e-6)
        assert row.auc.value == pytest.approx((pairs > 0).mean(), abs=1e-6)
        assert row.accuracy.low < row.accuracy.value < row.accuracy.high


def test_a_majority_that_is_never_another_has_half_of_its_f1():
    """All told answered, 2 of 4 are: F1 .667 and 0. Area of one number: .5."""
    replies = np.array([True, False, True, False])
    (row,) = evaluate_replies(
        {"m": ReplyPredictions(np.ones(4), np.ones(4, bool))}, replies, list("abcd")
    )
    assert row.macro_f1.value == pytest.approx(1 / 3, abs=1e-6)
    assert row.auc.value == 0.5


def test_differences_of_replies_are_paired_by_user():
    """The better guess is surely better; beside itself there is nothing between them."""
    replies, person, guesses = random_guesses()
    (gap,) = compare_replies(guesses, "good", replies, person)
    rows = {row.name: row for row in evaluate_replies(guesses, replies, person)}
    difference = rows["good"].accuracy.value - rows["poor"].accuracy.value
    assert gap.accuracy.value == pytest.approx(difference, abs=2e-6)
    assert gap.accuracy.low > 0
    assert gap.accuracy.p_value == 0.002, "twice one of 1,000"
    (same,) = compare_replies({"a": guesses["good"], "b": guesses["good"]}, "a", replies, person)
    assert same.auc.value_and_interval == (0, 0, 0)
    assert same.auc.p_value == 1


@pytest.mark.parametrize("persons", [1, 9, 10])
def test_few_users_have_no_interval_and_no_p(persons):
    """Of one person every resample is the same: an interval would be a point, and p the least."""
    replies, _, guesses = random_guesses()
    person = [f"p{n % persons}" for n in range(400)]
    row, _ = evaluate_replies(guesses, replies, person)
    (gap,) = compare_replies(guesses, "good", replies, person)
    has_bound = [
        part is not None for result in (*row[1:4], *gap[1:4]) for part in (result.low, result.high)
    ]
    assert set(has_bound) == {persons == 10}
    assert (gap.accuracy.value > 0.1, gap.accuracy.p_value) == (
        True,
        0.002 if persons == 10 else None,
    )


def test_draws_without_a_value_do_not_count():
    """99 draws above 0 and 1 without a value: 2 / (1 + 99) = .02; with 89 there is no p."""
    values = np.array([1.0, *[2.0] * 99, np.nan])
    result = rounded_result(values, 10, n=5, p=True)
    assert (result.value_and_interval, result.p_value) == ((1, 2, 2), 0.02)
    values = np.array([1.0, *[2.0] * 89, *[np.nan] * 11])
    result = rounded_result(values, 10, n=5, p=True)
    assert (result.value_and_interval, result.p_value) == ((1, None, None), None)
    values[0] = np.nan
    assert rounded_result(values, 10, n=5).status == "degenerate"


def test_where_all_were_answered_there_is_no_area():
    person = [f"p{n}" for n in range(20)]
    (row,) = evaluate_replies(
        {"x": ReplyPredictions.from_probability(np.linspace(0, 1, 20))}, np.ones(20, bool), person
    )
    assert row.accuracy.low is not None
    assert describe_auc(row.auc) == "no area"
    assert row.auc.value_and_interval == (None, None, None)
    assert describe_auc(Result(0.5)) == "area 0.500"


def test_many_users_are_drawn_in_blocks_and_counted_all_the_same():
    """In blocks of 100 draws, each is of as many users as there are; first comes the sample."""
    sizes, totals = [], []

    def statistic(counts):
        sizes.append(len(counts))
        totals.extend(counts.sum(axis=1))
        return counts

    values = resample_clusters(statistic, 40, Draws(999, 0, room=4_000), with_sample=True)
    assert sizes == [1, *[100] * 9, 99]
    assert values[0].tolist() == [1] * 40
    assert set(totals) == {40}
    (row, _) = evaluate_replies(random_guesses()[2], *random_guesses()[:2])
    assert row.auc.low < row.auc.value < row.auc.high


def test_ratings_by_hand():
    """Guesses 1, 2, 3 for 2, 2, 5: errors 1, 0, 4, mean 5/3; r = 3 / sqrt(2 * 6) = .866."""
    rows = evaluate_ratings(
        {"a": np.array([1.0, 2.0, 3.0]), "flat": np.full(3, 3.0)},
        np.array([2.0, 2, 5]),
        list("xyz"),
    )
    assert rows[0].r.value == pytest.approx(0.866025, abs=1e-6)
    assert rows[0].mse.value == pytest.approx(5 / 3, abs=1e-6)
    assert (rows[0].n, rows[0].users) == (3, 3)
    assert rows[1].r is None, "a guess that never varies has no correlation"
    assert rows[1].mse.value == 2


def test_differences_of_ratings_are_paired_by_user():
    rng = np.random.default_rng(0)
    person = [f"p{n % 30}" for n in range(600)]
    own = rng.normal(0, 1, 600)
    guesses = {"good": own + rng.normal(0, 0.5, 600), "poor": own + rng.normal(0, 4, 600)}
    rows = {row.name: row for row in evaluate_ratings(guesses, own, person)}
    assert rows["good"].r.value == pytest.approx(np.corrcoef(guesses["good"], own)[0, 1], abs=1e-6)
    assert rows["good"].r.low < rows["good"].r.value < rows["good"].r.high
    (gap,) = compare_ratings(guesses, "good", own, person)
    assert gap.r.value == pytest.approx(rows["good"].r.value - rows["poor"].r.value, abs=2e-6)
    assert gap.mse.value == pytest.approx(rows["poor"].mse.value - rows["good"].mse.value, abs=2e-6)
    assert (gap.r.p_value, gap.mse.p_value) == (0.002, 0.002)
    (same,) = compare_ratings({"a": guesses["good"], "b": guesses["good"]}, "a", own, person)
    assert (same.r.value_and_interval, same.r.p_value) == ((0, 0, 0), 1)
    (flat,) = compare_ratings({"a": guesses["good"], "b": np.zeros(600)}, "a", own, person)
    assert flat.r is None
    assert flat.mse.p_value == 0.002


@pytest.mark.parametrize("persons", [1, 9, 10])
def test_ratings_of_few_users_have_no_interval_and_no_p(persons):
    """Ten are the fewest whose resamples say anything of others."""
    rng = np.random.default_rng(0)
    own, person = rng.normal(0, 1, 60), [f"p{n % persons}" for n in range(60)]
    guesses = {"good": own + rng.normal(0, 0.1, 60), "poor": own + rng.normal(0, 4, 60)}
    row, _ = evaluate_ratings(guesses, own, person)
    (gap,) = compare_ratings(guesses, "good", own, person)
    has_bound = [
        part is not None for result in (*row[1:3], *gap[1:3]) for part in (result.low, result.high)
    ]
    assert set(has_bound) == {persons == 10}
    assert row.r.value > 0.9
    p = 0.002 if persons == 10 else None
    assert (gap.r.p_value, gap.mse.p_value) == (p, p)
