"""A pair gets the same bits wherever it stands, and on any number of threads."""

import os
import subprocess
import sys

import numpy as np
import pytest

from simpatico.features.heads.head import BLOCK, DEPTH, Head, fixed_order_product

PARTS = ("first", "second", "product", "bilinear")
WIDE = """
import numpy as np
from simpatico.features.heads.head import Head
rng = np.random.default_rng(0)
first, second = rng.standard_normal((2, 200, 384)).astype(np.float32)
sizes = [(1153, 64), (64, 32), (32, 1)]
layers = tuple((rng.standard_normal(s) / s[0] ** 0.5, rng.standard_normal(s[1])) for s in sizes)
head = Head(("first", "second", "product", "bilinear"), layers, "tanh", np.eye(384) / 9)
print(head.probability(first, second).tobytes().hex())
"""


def head_of(width: int, rng: np.random.Generator) -> Head:
    layers = (
        (rng.standard_normal((3 * width + 1, 16)), rng.standard_normal(16)),
        (rng.standard_normal((16, 1)), rng.standard_normal(1)),
    )
    return Head(PARTS, layers, "tanh", rng.standard_normal((width, width)) / width)


@pytest.mark.parametrize("width", [3, 50, 384])
def test_no_bit_of_a_pair_depends_on_where_it_stands(width):
    rng = np.random.default_rng(width)
    head, rows = head_of(width, rng), 2 * BLOCK + 7
    first, second = rng.standard_normal((2, rows, width)).astype(np.float32)
    probabilities = head.probability(first, second)
    order = rng.permutation(rows)
    assert head.probability(first[order], second[order]).tolist() == probabilities[order].tolist()
    for row in (0, 1, BLOCK - 1, BLOCK, rows - 1):
        one = slice(row, row + 1)
        assert head.probability(first[one], second[one]).tolist() == [probabilities[row]]


def test_a_pair_without_a_vector_leaves_the_others_alone():
    rng = np.random.default_rng(0)
    head = head_of(4, rng)
    first, second = rng.standard_normal((2, 5, 4))
    probabilities = head.probability(first, second)
    first[2] = np.nan
    again = head.probability(first, second)
    assert np.isnan(again[2])
    assert np.delete(again, 2).tolist() == np.delete(probabilities, 2).tolist()


def test_no_pairs_have_no_probabilities():
    head = head_of(4, np.random.default_rng(0))
    assert head.probability(np.zeros((0, 4)), np.zeros((0, 4))).tolist() == []


@pytest.mark.parametrize("columns", [1, DEPTH, DEPTH + 1, 3 * DEPTH - 1])
def test_a_product_in_parts_is_the_product(columns):
    rng = np.random.default_rng(columns)
    rows, matrix = rng.standard_normal((4, columns)), rng.standard_normal((columns, 3))
    assert fixed_order_product(rows, matrix) == pytest.approx(rows @ matrix, abs=1e-12)


def test_one_thread_and_two_give_the_same_bits():
    """96 rows of 1,153 numbers are a product whose depth BLAS cuts otherwise on two threads."""
    outputs = [
        subprocess.check_output(
            [sys.executable, "-c", WIDE], env={**os.environ, "OPENBLAS_NUM_THREADS": threads}
        )
        for threads in ("1", "2")
    ]
    assert outputs[0] == outputs[1]
