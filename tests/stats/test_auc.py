"""Measures, weights and figures by part, by hand; what a weight and a base do to a fit."""

from dataclasses import replace

import numpy as np
import pytest

from simpatico.errors import DataError
from simpatico.features.heads.head import Head
from simpatico.stats.classification__measures import Estimate, Run, ahead, measured
from simpatico.training.engagement.baselines import lengths
from simpatico.training.engagement.exchanges import Exchanges
from simpatico.training.engagement.report import parted
from simpatico.training.engagement.report__engagement_report import by_part
from simpatico.training.engagement.splits import Sides
from simpatico.training.engagement.train__engagement_weights import weights
from simpatico.training.fit.mlp import Examples, Scaling, Shape, begin, fit, gradients, loss, scaled


def run(guess, told, label, dialog):
    return Run(np.array(guess, float), np.array(told, bool), np.array(label, bool), dialog)


def test_measures_by_hand():
    """Engaging 3 and 1, others 2 and 1: 3 beats both, 1 loses one and draws one: 2.5 of 4. Above 1
    are one of the two engaging ones and one of the two others: .5. One dialog has no spread."""
    found = measured("x", [run([3, 1, 2, 1], [1, 0, 1, 0], [1, 1, 0, 0], ["d"] * 4)])
    assert found == ("x", (0.5, 0.5, 0.5), (0.625, 0.625, 0.625), 4)


def test_figures_are_means_over_seeds():
    """One seed tells all right, one all wrong: (1 + 0) / 2; the first is above the second by 1."""
    right = run([2, 1], [1, 0], [1, 0], ["d", "d"])
    wrong = run([1, 2], [0, 1], [1, 0], ["d", "d"])
    found = measured("x", [right, wrong])
    assert (found.balanced.value, found.auc.value, found.n) == (0.5, 0.5, 4)
    assert ahead([right], [wrong]) == (1.0, 1.0, 1.0)


def test_intervals_are_over_dialogs():
    """Of three dialogs one is told wrong: resamples without it give 1, those of it alone 0."""
    label, dialog = [1, 0] * 3, ["a", "a", "b", "b", "c", "c"]
    found = measured("x", [run([3, 0, 3, 0, 1, 2], [1, 0, 1, 0, 0, 1], label, dialog)])
    assert found.balanced.value == pytest.approx(2 / 3, abs=1e-6)
    assert (found.balanced.low, found.balanced.high) == (0, 1)


def some_examples(rng):
    first, second = rng.integers(0, 12, (2, 9))
    return Examples(first, second, (np.arange(9) % 2).astype(np.float32))


def test_a_weight_of_two_is_an_example_seen_twice():
    rng = np.random.default_rng(1)
    vectors = rng.standard_normal((12, 3)).astype(np.float32)
    given = some_examples(rng)
    head, scaling = begin(Shape(("first", "second"), (4,)), vectors, given, rng)
    weight = np.where(np.arange(9) < 2, 2, 1).astype(np.float32)
    heavy, twice = given._replace(weight=weight), given.some(np.array([0, 1, *range(9)]))
    assert loss(head, scaling, vectors, heavy) == pytest.approx(
        loss(head, scaling, vectors, twice), abs=1e-6
    )
    pairs = (gradients(head, scaling, vectors, some) for some in (heavy, twice))
    for one, other in zip(*pairs, strict=True):
        assert one == pytest.approx(other, abs=1e-6)


def test_training_goes_on_from_a_base_and_keeps_it_where_nothing_is_better():
    """The base tells all right with great confidence, so no epoch has a smaller loss."""
    vectors = np.array([[-1.0], [1.0]], np.float32)
    given = Examples(np.array([0, 1]), np.array([0, 1]), np.array([0, 1], np.float32))
    base = Head(("second",), ((np.array([[100.0]]), np.array([0.0])),))
    found = fit(Shape(("second",), decay=1.0), vectors, given, given, base=base)
    assert found.logit(vectors).tolist() == pytest.approx([-100, 100], abs=1e-3)
    moved = scaled(base, Scaling(np.array([3.0]), np.array([2.0])))
    assert moved.logit((np.array([[5.0]]) - 3) / 2).tolist() == [500]


def worded(words, label, origin):
    """An exchange for each number of words in its reply."""
    reply, n = ["so " * some for some in words], len(words)
    names = [str(at) for at in range(n)]
    kind = ["human-human", "human-bot"] * (n // 2)
    values = np.array(label, np.int64)
    return Exchanges("x", names, ["a"] * n, reply, values * 1.0, values, kind, origin=origin)


def test_every_origin_weighs_the_same_and_labels_at_every_length():
    """Level: of a, one of three replies of 5 words is engaging; with yes * no / (yes + no) = 2/3
    for each label they weigh 2/3 and 1/3, 1/3, in all 4/3; the one of 9 words has no other of its
    length. Of b, one of each: 1/2 and 1/2, in all 1. Both origins get half of the 6."""
    given = worded([5, 5, 5, 9, 2, 2], [1, 0, 0, 1, 1, 0], ["a"] * 4 + ["b"] * 2)
    found = weights(given, level=True)
    assert found.tolist() == pytest.approx([1.5, 0.75, 0.75, 0, 1.5, 1.5])
    found = weights(given)
    assert found.tolist() == pytest.approx([0.75, 0.75, 0.75, 0.75, 1.5, 1.5])
    with pytest.raises(DataError) as told:
        weights(worded([2, 9], [0, 1], ["a", "a"]), level=True)
    assert str(told.value) == (
        "x: no length of replies has both labels; give more exchanges, or do not level lengths"
    )


def test_level_weights_leave_nothing_for_length_to_tell():
    """Engaging replies are longer; with the weights, the means of both labels' lengths agree."""
    rng = np.random.default_rng(0)
    label = np.arange(4_000) % 2
    given = worded(rng.integers(3, 9, 4_000) + label, label, ["a"] * 4_000)
    size, weight = lengths(given.reply)[:, 0], weights(given, level=True)
    means = [np.average(size[label == side], weights=weight[label == side]) for side in (0, 1)]
    assert means[0] == pytest.approx(means[1], abs=1e-5)


def test_figures_by_part():
    """Six dialogs of one label each a part: the model tells all of a and half of b, a's length is
    one for all, and among b's the engaging ones are longer."""
    words = [5] * 12 + [9, 2] * 6
    given = worded(words, [1, 0] * 12, ["a"] * 12 + ["b"] * 12)
    guess = np.array([1.0, 0.0] * 6 + [0.0] * 12)
    ours = Run(guess, guess > 0.5, given.label > 0, given.group)
    a, b = (part for part in parted(Sides(given, given, given), ours) if len(part.name) == 1)
    assert (a.name, a.dialogs, a.ours.n, a.ours.auc.value, a.length.auc.value) == (
        "a",
        12,
        12,
        1,
        0.5,
    )
    assert (a.above, b.above) == ((0.5, 0.5, 0.5), (-0.5, -0.5, -0.5))
    assert (b.ours.balanced.value, b.length.auc.value) == (0.5, 1)
    card = by_part([a, b])
    assert card[4] == (
        "| a | 1.000 [1.000, 1.000] | 1.000 [1.000, 1.000] | 0.500 [0.500, 0.500] | "
        "0.500 [0.500, 0.500] | 12 | 12 |"
    )
    assert card[-2:] == ["- a: above reply length", "- b: below reply length"]
    unsure = b._replace(above=Estimate(0.1, 0.0, 0.2))
    assert by_part([a, unsure])[-1] == "- b: not surely above reply length"
    assert by_part([a]) == []
    mixed = replace(
        given, kind=["human-bot"] * 12 + ["human-human", "human-human", "human-bot"] * 4
    )
    assert [part.name for part in parted(Sides(mixed, mixed, mixed), ours)] == ["a", "b"]
