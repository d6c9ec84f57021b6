"""The recurrent baseline, on vectors of three numbers."""

from functools import cache

import numpy as np
import polars as pl
import pytest

from simpatico.errors import BadValue, DataError
from simpatico.features.word_vectors import load_word_vectors as vectors_of
from simpatico.models.names import find_model
from simpatico.training.engagement.birnn import (
    BiRnn,
    batch_indices,
    batch_loss,
    build_network,
    look_up_words,
    predict_by_birnn,
    word_rows,
)
from tests.models.tiny import root

WORDS = {"tea": (1, 0, 0), "rain": (0, 1, 0), "do": (0, 0, 1), "n't": (1, 1, 0), "wow": (-1, 0, 2)}
SHAPE = BiRnn(hidden=8, dropout=0.2, rate=0.02, batch=8, epochs=12, patience=8)


@cache
def tiny_vectors() -> str:
    folder = root() / "vectors"
    folder.mkdir()
    np.save(folder / "numbers.npy", np.array(list(WORDS.values()), np.float32))
    pl.DataFrame({"word": list(WORDS)}).write_parquet(folder / "words.parquet")
    return f"path:{folder}"


def pairs(n: int, seed: int):
    """The label is whether the reply says wow, wherever in it; the query says nothing about it."""
    rng = np.random.default_rng(seed)
    label = np.arange(n) % 2
    some = [list(rng.choice(["tea", "rain", "do"], rng.integers(1, 6))) for _ in range(2 * n)]
    for line, yes in zip(some[n:], label, strict=True):
        if yes:
            line.insert(int(rng.integers(len(line) + 1)), "wow")
    said = [" ".join(line) for line in some]
    return said[:n], said[n:], label


@pytest.mark.parametrize("cell", ["gru", "rnn"])
def test_it_learns_what_replies_hold(cell):
    learn, check, (query, reply, label) = pairs(96, 1), pairs(40, 2), pairs(40, 3)
    # chance gets 28 of 40 right once in 120 times
    shape = BiRnn(**{**SHAPE.__dict__, "cell": cell})
    result = predict_by_birnn(
        learn, check, (query, reply, label), vectors=tiny_vectors(), shape=shape
    )
    assert ((result > 0.5) == label).sum() >= 28


def test_the_seed_decides_and_the_labels_asked_for_do_not():
    shape = BiRnn(hidden=4, epochs=2)
    inputs = pairs(40, 1), pairs(20, 2), pairs(8, 3)
    result = [
        predict_by_birnn(*inputs, vectors=tiny_vectors(), shape=shape, seed=seed)
        for seed in (0, 0, 1)
    ]
    np.testing.assert_array_equal(result[0], result[1])
    assert (result[0] != result[2]).all()
    learn, check, (query, reply, label) = inputs
    other = predict_by_birnn(
        learn, check, (query, reply, 1 - label), vectors=tiny_vectors(), shape=shape
    )
    np.testing.assert_array_equal(result[0], other)
    assert (result[0].dtype, result[0].shape) == (np.float64, (8,))


def test_words_are_looked_up_and_unknown_ones_left_out():
    """tea is 1, do 3, n't 4; a text of no known word is the place of zeros."""
    table = vectors_of(find_model(tiny_vectors()))
    result = word_rows(["Tea, xyzzy: don't!", "", "xyzzy", "tea " * 9], table, 5)
    assert [line.tolist() for line in result] == [[1, 3, 4], [0], [0], [1] * 5]


def test_both_labels_count_alike_and_texts_beside_it_change_nothing():
    """Three of 0 and one of 1: weights 4/6 and 4/2, which add up to 4."""
    table = vectors_of(find_model(tiny_vectors()))
    side = look_up_words(
        (["tea"] * 4, ["rain", "tea do", "", "wow wow tea"], [0, 0, 0, 1]), table, 5
    )
    net = build_network(table.numbers, SHAPE).eval()
    balance = np.array([4 / 6, 4 / 2], np.float32)
    total, weight = batch_loss(net, side, np.arange(4), balance)
    assert weight == pytest.approx(4)
    logits = net(side, np.arange(4)).detach().numpy()
    costs = np.logaddexp(0, logits) - side.label * logits
    assert total.item() == pytest.approx(float((costs * balance[[0, 0, 0, 1]]).sum()), abs=1e-5)
    alone = [net(side, np.array([place])).item() for place in range(4)]
    np.testing.assert_allclose(alone, logits, atol=1e-6)
    assert not net.words.requires_grad


def test_batches_hold_everything_once():
    assert [some.tolist() for some in batch_indices(5, 2)] == [[0, 1], [2, 3], [4]]
    drawn = np.concatenate(batch_indices(50, 8, np.random.default_rng(0)))
    assert sorted(drawn.tolist()) == list(range(50))


def test_complaints_are_whole_sentences():
    few, none = pairs(4, 1), ([], [], [])
    assert predict_by_birnn(
        few, few, none, vectors=tiny_vectors(), shape=BiRnn(epochs=1)
    ).shape == (0,)
    for learn, check, sentence in [
        (none, few, "training labels: none; both 0 and 1 are needed"),
        (few, (["a"], ["b"], [1]), "validation labels: 1; both 0 and 1 are needed"),
        ((["a"], ["b"], [0.5]), few, "training labels: 0.5; both 0 and 1 are needed"),
        (
            (["a"], ["b", "c"], [1]),
            few,
            "1 queries, 2 replies and 1 labels; each pair needs one of each",
        ),
    ]:
        with pytest.raises(DataError) as told:
            predict_by_birnn(learn, check, few, vectors=tiny_vectors())
        assert str(told.value) == sentence
    with pytest.raises(BadValue) as refused:
        BiRnn(cell="lstm")
    assert str(refused.value) == "cell 'lstm'; there are gru and rnn"
    with pytest.raises(BadValue) as refused:
        BiRnn(dropout=1.0)
    assert str(refused.value) == "dropout is 1.0; it is a share, at least 0 and below 1"
