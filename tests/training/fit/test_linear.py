"""A linear head over vectors and runs of characters."""

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from simpatico.features.char_ngrams import CharNgramSettings
from simpatico.training.fit.linear import (
    LogisticData,
    char_ngram_matrix,
    fit_linear_head,
    fit_logistic,
    flatten_head,
)
from simpatico.training.fit.mlp import PairExamples

FORM = CharNgramSettings(1, 2, 2**8)
TEXTS = ["hello there", "OK!!", "well, thank you", "OK!! OK!!", "what a nice day", "no"]


def examples(n, *, rng, rule):
    first, second = rng.integers(0, len(TEXTS), (2, n))
    label = np.array(
        [rule(TEXTS[a], TEXTS[b]) for a, b in zip(first, second, strict=True)], np.float32
    )
    return PairExamples(first, second, label)


@pytest.fixture
def vectors():
    return np.random.default_rng(0).normal(size=(len(TEXTS), 3)).astype(np.float32)


def test_it_learns_how_a_reply_is_written(vectors):
    rng = np.random.default_rng(1)
    learn, check = (examples(n, rng=rng, rule=lambda _, b: "!!" in b) for n in (200, 50))
    head = fit_linear_head(FORM, TEXTS, vectors, learn, check)
    said = [
        head.logit(head.inputs(vectors[[0]], vectors[[at]]))[0]
        + head.grams.logits(["hello there"], [text])[0]
        for at, text in enumerate(TEXTS)
    ]
    assert [number > 0 for number in said] == ["!!" in text for text in TEXTS]


def test_a_product_tells_pairs_that_share_a_direction():
    """Neither side alone says which pairs have the same sign; with 1 dimension the product does."""
    vectors = np.array([[1.0], [-1.0]], np.float32)
    first, second = np.repeat([[0, 0, 1, 1]], 20, 0).ravel(), np.tile([0, 1], 40)
    pairs = PairExamples(first, second, (first == second).astype(np.float32))
    head = fit_linear_head(FORM, ["", ""], vectors, pairs, pairs, parts=("first", "product"))
    assert head.layers[0][0][:, 0] == pytest.approx([0, head.layers[0][0][1, 0]], abs=1e-3)
    assert head.logit(head.inputs(vectors[[0, 0]], vectors[[0, 1]])) == pytest.approx(
        [head.layers[0][0][1, 0], -head.layers[0][0][1, 0]], abs=1e-3
    )
    assert head.layers[0][0][1, 0] > 2


def test_at_the_least_cost_slope_and_pull_are_in_balance(vectors):
    """There the slope of the loss equals minus the pull times the way from the start."""
    pairs = examples(60, rng=np.random.default_rng(2), rule=lambda a, b: len(a) > len(b))
    seen = LogisticData.from_pairs(pairs, vectors, char_ngram_matrix(TEXTS, FORM))
    start = np.full(seen.rows.shape[1], 0.1)
    result = fit_logistic(seen, start, start, penalty=3.0)
    away = result - start
    away[-1] = 0.0
    assert seen.loss_and_gradient(result)[1] == pytest.approx(-3.0 * away, abs=1e-2)


def test_one_weight_by_hand():
    """Pairs without words or vectors see the constant alone: 3 of 4 true gives log(3 / 1)."""
    pairs = PairExamples(
        np.zeros(4, np.int64), np.zeros(4, np.int64), np.array([1, 1, 1, 0.0], "f4")
    )
    seen = LogisticData.from_pairs(
        pairs, np.zeros((1, 2), np.float32), 0 * char_ngram_matrix(["x"], FORM)
    )
    start = np.zeros(seen.rows.shape[1])
    assert fit_logistic(seen, start, start, penalty=1.0)[-1] == pytest.approx(np.log(3), abs=1e-3)


def test_a_base_is_kept_where_nothing_better_is_learned(vectors):
    """What there is to learn from says the opposite of what there is to check by."""
    rng = np.random.default_rng(3)
    check = examples(80, rng=rng, rule=lambda _, b: "!!" in b)
    base = fit_linear_head(FORM, TEXTS, vectors, check, check)
    wrong = examples(80, rng=rng, rule=lambda _, b: "!!" not in b)
    assert np.array_equal(
        flatten_head(fit_linear_head(FORM, TEXTS, vectors, wrong, check, base=base)),
        flatten_head(base),
    )


def in_use():
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def test_a_fit_takes_one_thread_and_gives_the_others_back():
    during = []

    class Watched(LogisticData):
        def loss_of_logits(self, logits):
            during.append(in_use())
            return LogisticData.loss_of_logits(self, logits)

    seen = Watched(np.ones((4, 1)), np.array([1, 1, 1, 0.0]), np.ones(4))
    with threadpool_limits(2, user_api="blas"):
        fit_logistic(seen, np.zeros(1), np.zeros(1), penalty=1.0)
        assert in_use() == {2}
    assert during
    assert all(threads == {1} for threads in during)
