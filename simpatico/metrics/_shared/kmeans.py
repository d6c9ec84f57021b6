"""k-means, bit for bit as faiss 1.15 does it (Johnson, Douze & Jégou 2021, IEEE Trans. Big Data).

MAUVE's reference implementation, mauve-text, clusters with faiss, and the score depends on which of
many local optima k-means ends in: only the same starting points, the same handling of empty
clusters and the same float32 arithmetic give its scores again. faiss would be a large binary
dependency for one metric, so its algorithm is repeated here; the tests hold labels that faiss gave.

Each start takes its centres in the order of a permutation made from the output of a Mersenne
Twister. A cluster that lost all its points takes half of another, chosen at random in proportion to
its size, always by the same random numbers. The start with the least sum of squares is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

import numpy as np

from simpatico.arrays import Floats32, Ints
from simpatico.metrics._shared.product import blocked_product

# the following are constants of faiss: ClusteringParameters and Clustering.cpp
MAX_POINTS_PER_CLUSTER = 256
SEED_STRIDE = 15_486_557
"""Between the seeds of two starts."""
SPLIT_SEED = 1234
SPLIT_OFFSET = 1 / 1024
"""By what share the two halves of a split cluster are moved apart."""
BLOCK = 4_096
"""Points whose distances are in memory at a time."""


def kmeans_labels(points: Floats32, clusters: int, *, starts: int, rounds: int, seed: int) -> Ints:
    """The cluster of each point; there must be more points than clusters."""
    sample = points
    if len(points) > MAX_POINTS_PER_CLUSTER * clusters:
        order = faiss_permutation(len(points), seed)
        sample = points[order[: MAX_POINTS_PER_CLUSTER * clusters]]
    best, least = sample[:clusters], np.inf
    for start in range(starts):
        first = faiss_permutation(len(sample), seed + 1 + start * SEED_STRIDE)[:clusters]
        centres, total = iterate(sample, sample[first], rounds)
        if total < least:
            best, least = centres, total
    return nearest_centres(points, best)[0]


def faiss_permutation(size: int, seed: int) -> Ints:
    """The numbers from 0 in random order: a Fisher-Yates shuffle by the words of MT19937."""
    words = np.random.RandomState(seed % 2**32).randint(0, 2**32, size, np.uint32)
    order = list(range(size))
    for index, word in enumerate(words[:-1].tolist()):
        other = index + word % (size - index)
        order[index], order[other] = order[other], order[index]
    return np.array(order, np.int64)


def iterate(points: Floats32, centres: Floats32, rounds: int) -> tuple[Floats32, float]:
    """The centres after so many rounds, and the sum of squares before the last of them.

    Nothing but the centres decides what comes next: once they come back, whole cycles are skipped.
    """
    total, remaining, visits = 0.0, rounds, dict[bytes, int]()
    while remaining:
        labels, distances = nearest_centres(points, centres)
        total = float(distances.sum(dtype=np.float64))
        centres, sizes = cluster_means(points, labels, len(centres))
        split_into_empty(centres, sizes, len(points))
        remaining -= 1
        key = blake2b(centres.tobytes()).digest()
        if key in visits:
            remaining %= visits[key] - remaining
        visits.setdefault(key, remaining)
    return centres, total


def nearest_centres(points: Floats32, centres: Floats32) -> tuple[Ints, Floats32]:
    """The nearest centre of each point, the first of several, and the squared distance to it.

    |p - c|² = |p|² + |c|² - 2 p·c, as faiss computes it: another order gives other last bits.
    """
    labels, distances = [], []
    lengths = (centres * centres).sum(1)
    for start in range(0, len(points), BLOCK):
        block = points[start : start + BLOCK]
        squares = (block * block).sum(1)[:, None] + lengths - 2 * blocked_product(block, centres)
        label = squares.argmin(1)
        labels.append(label)
        distances.append(np.maximum(squares[np.arange(len(block)), label], 0))
    return np.concatenate(labels), np.concatenate(distances)


def cluster_means(points: Floats32, labels: Ints, clusters: int) -> tuple[Floats32, Floats32]:
    """The mean of each cluster's points, and how many there are; 0 where there are none."""
    sizes = np.bincount(labels, minlength=clusters).astype(np.float32)
    order = np.argsort(labels, kind="stable")
    full = np.flatnonzero(sizes)
    starts = np.searchsorted(labels[order], full)
    centres = np.zeros((clusters, points.shape[1]), np.float32)
    sums = np.add.reduceat(points[order], starts, axis=0, dtype=np.float32)
    centres[full] = sums * (np.float32(1) / sizes[full])[:, None]
    return centres, sizes


def split_into_empty(centres: Floats32, sizes: Floats32, points: int) -> None:
    """Give every empty cluster half of a full one, in place."""
    empty = np.flatnonzero(sizes == 0)
    if not len(empty):
        return
    clusters = len(sizes)
    tilt = np.where(np.arange(centres.shape[1]) % 2, -SPLIT_OFFSET, SPLIT_OFFSET)
    random = split_numbers()
    for cluster in empty.tolist():
        other = 0
        while not next(random) < np.float32((sizes[other] - 1.0) / np.float32(points - clusters)):
            other = (other + 1) % clusters
        centres[cluster] = centres[other] * (1 + tilt)
        centres[other] = centres[other] * (1 - tilt)
        sizes[cluster] = sizes[other] / 2
        sizes[other] -= sizes[cluster]


def split_numbers() -> Iterator[np.float32]:
    """Numbers from 0 to 1, the same ones for every call."""
    source = np.random.RandomState(SPLIT_SEED)
    while True:
        words = source.randint(0, 2**32, BLOCK, np.uint32).astype(np.float32)
        yield from words / np.float32(2**32)
