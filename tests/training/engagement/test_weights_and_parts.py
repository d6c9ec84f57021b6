"""Weights of exchanges and results by origin, by hand; what a weight and a base do to a fit."""

from dataclasses import replace

import numpy as np
import pytest

from simpatico.errors import DataError
from simpatico.features.heads.head import Head
from simpatico.stats.classification import LabelledPredictions
from simpatico.stats.result import Result
from simpatico.training.engagement.baselines import reply_lengths
from simpatico.training.engagement.exchanges import EngagementSplits, Exchanges
from simpatico.training.engagement.report import evaluate_parts, part_table
from simpatico.training.engagement.train import exchange_weights
from simpatico.training.fit.mlp import (
    HeadShape,
    InputScaling,
    PairExamples,
    fit_head,
    gradients,
    initial_head,
    mean_loss,
    with_scaled_inputs,
)


def some_examples(rng):
    first, second = rng.integers(0, 12, (2, 9))
    return PairExamples(first, second, (np.arange(9) % 2).astype(np.float32))


def test_a_weight_of_two_is_an_example_seen_twice():
    rng = np.random.default_rng(1)
    vectors = rng.standard_normal((12, 3)).astype(np.float32)
    inputs = some_examples(rng)
    head, scaling = initial_head(HeadShape(("first", "second"), (4,)), vectors, inputs, rng)
    weight = np.where(np.arange(9) < 2, 2, 1).astype(np.float32)
    heavy, twice = inputs._replace(weight=weight), inputs.take(np.array([0, 1, *range(9)]))
    assert mean_loss(head, scaling, vectors, heavy) == pytest.approx(
        mean_loss(head, scaling, vectors, twice), abs=1e-6
    )
    pairs = (gradients(head, scaling, vectors, some) for some in (heavy, twice))
    for one, other in zip(*pairs, strict=True):
        assert one == pytest.approx(other, abs=1e-6)


def test_training_goes_on_from_a_base_and_keeps_it_where_nothing_is_better():
    """The base tells all right with great confidence, so no epoch has a smaller loss."""
    vectors = np.array([[-1.0], [1.0]], np.float32)
    inputs = PairExamples(np.array([0, 1]), np.array([0, 1]), np.array([0, 1], np.float32))
    base = Head(("second",), ((np.array([[100.0]]), np.array([0.0])),))
    result = fit_head(HeadShape(("second",), decay=1.0), vectors, inputs, inputs, base=base)
    assert result.logit(vectors).tolist() == pytest.approx([-100, 100], abs=1e-3)
    moved = with_scaled_inputs(base, InputScaling(np.array([3.0]), np.array([2.0])))
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
    inputs = worded([5, 5, 5, 9, 2, 2], [1, 0, 0, 1, 1, 0], ["a"] * 4 + ["b"] * 2)
    result = exchange_weights(inputs, level=True)
    assert result.tolist() == pytest.approx([1.5, 0.75, 0.75, 0, 1.5, 1.5])
    result = exchange_weights(inputs)
    assert result.tolist() == pytest.approx([0.75, 0.75, 0.75, 0.75, 1.5, 1.5])
    with pytest.raises(DataError) as told:
        exchange_weights(worded([2, 9], [0, 1], ["a", "a"]), level=True)
    assert str(told.value) == (
        "x: no reply length has both labels; add exchanges, or leave out --balance-length"
    )


def test_level_weights_leave_nothing_for_length_to_tell():
    """Engaging replies are longer; with the weights, the means of both labels' lengths agree."""
    rng = np.random.default_rng(0)
    label = np.arange(4_000) % 2
    inputs = worded(rng.integers(3, 9, 4_000) + label, label, ["a"] * 4_000)
    size, weight = reply_lengths(inputs.reply)[:, 0], exchange_weights(inputs, level=True)
    means = [np.average(size[label == side], weights=weight[label == side]) for side in (0, 1)]
    assert means[0] == pytest.approx(means[1], abs=1e-5)


def test_figures_by_part():
    """Six dialogs of one label each a part: the model tells all of a and half of b, a's length is
    one for all, and among b's the engaging ones are longer."""
    words = [5] * 12 + [9, 2] * 6
    inputs = worded(words, [1, 0] * 12, ["a"] * 12 + ["b"] * 12)
    guess = np.array([1.0, 0.0] * 6 + [0.0] * 12)
    ours = LabelledPredictions(guess, guess > 0.5, inputs.label > 0, inputs.group)
    a, b = (
        part
        for part in evaluate_parts(EngagementSplits(inputs, inputs, inputs), ours)
        if len(part.name) == 1
    )
    assert (a.name, a.dialogs, a.ours.n, a.ours.auc.value, a.length.auc.value) == (
        "a",
        12,
        12,
        1,
        0.5,
    )
    assert a.above.value_and_interval == (0.5, 0.5, 0.5)
    assert b.above.value_and_interval == (-0.5, -0.5, -0.5)
    assert (b.ours.balanced_accuracy.value, b.length.auc.value) == (0.5, 1)
    card = part_table([a, b])
    assert card[4] == (
        "| a | 1.000 [1.000, 1.000] | 1.000 [1.000, 1.000] | 0.500 [0.500, 0.500] | "
        "0.500 [0.500, 0.500] | 12 | 12 |"
    )
    assert card[-2:] == [
        "- a: AUC above that of reply length",
        "- b: AUC below that of reply length",
    ]
    unsure = b._replace(above=Result(0.1, 0.0, 0.2))
    assert part_table([a, unsure])[-1] == "- b: AUC not significantly above that of reply length"
    assert part_table([a]) == []
    mixed = replace(
        inputs, kind=["human-bot"] * 12 + ["human-human", "human-human", "human-bot"] * 4
    )
    assert [part.name for part in evaluate_parts(EngagementSplits(mixed, mixed, mixed), ours)] == [
        "a",
        "b",
    ]
