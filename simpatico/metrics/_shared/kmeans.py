"""k-means to the letter of faiss 1.15 (Johnson et al. 2021), which MAUVE's own package clusters by.

Each start takes its centres in the order of a permutation made from the words of a Mersenne
Twister; a cluster that lost all its points takes half of another, chosen by chance in proportion to
its size, but always by the same chance; the start with the least sum of squares is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from simpatico.arrays import Floats32, Ints
from simpatico.metrics._shared.product import product

PER_CLUSTER = 256
"""Points that are used for each cluster at most."""
STRIDE = 15_486_557
"""Between the seeds of two starts."""
SPLIT_SEED = 1234
APART = 1 / 1024
"""How far the two halves of a split cluster are moved apart."""
BLOCK = 4_096
"""Points whose distances are held at a time."""


def words(seed: int, size: int) -> npt.NDArray[np.uint32]:
    """The first numbers of a Mersenne Twister."""
    made = np.random.RandomState(seed % 2**32).randint(0, 2**32, size, np.uint32)
    return np.asarray(made, np.uint32)


def permutation(size: int, seed: int) -> Ints:
    """The numbers from 0 in random order."""
    order = list(range(size))
    for place, word in enumerate(words(seed, size)[:-1].tolist()):
        other = place + word % (size - place)
        order[place], order[other] = order[other], order[place]
    return np.array(order, np.int64)


def nearest(points: Floats32, centres: Floats32) -> tuple[Ints, Floats32]:
    """The nearest centre of each point, the first of several, and the squared distance to it."""
    labels, found = [], []
    lengths = (centres * centres).sum(1)
    for start in range(0, len(points), BLOCK):
        some = points[start : start + BLOCK]
        apart = (some * some).sum(1)[:, None] + lengths - 2 * product(some, centres)
        label = apart.argmin(1)
        labels.append(label)
        found.append(np.maximum(apart[np.arange(len(some)), label], 0))
    return np.concatenate(labels), np.concatenate(found)


def moved(points: Floats32, labels: Ints, clusters: int) -> tuple[Floats32, Floats32]:
    """The mean of each cluster's points, and how many there are; 0 where there are none."""
    sizes = np.bincount(labels, minlength=clusters).astype(np.float32)
    order = np.argsort(labels, kind="stable")
    full = np.flatnonzero(sizes)
    starts = np.searchsorted(labels[order], full)
    centres = np.zeros((clusters, points.shape[1]), np.float32)
    sums = np.add.reduceat(points[order], starts, axis=0, dtype=np.float32)
    centres[full] = sums * (np.float32(1) / sizes[full])[:, None]
    return centres, sizes


def refilled(centres: Floats32, sizes: Floats32, points: int) -> None:
    """Give every empty cluster half of a full one."""
    empty = np.flatnonzero(sizes == 0)
    if not len(empty):
        return
    clusters, tilt = len(sizes), np.where(np.arange(centres.shape[1]) % 2, -APART, APART)
    chance = chances()
    for cluster in empty.tolist():
        other = 0
        while not next(chance) < np.float32((sizes[other] - 1.0) / np.float32(points - clusters)):
            other = (other + 1) % clusters
        centres[cluster] = centres[other] * (1 + tilt)
        centres[other] = centres[other] * (1 - tilt)
        sizes[cluster] = sizes[other] / 2
        sizes[other] -= sizes[cluster]


def chances() -> Iterator[np.float32]:
    """Always the same numbers from 0 to 1."""
    source = np.random.RandomState(SPLIT_SEED)
    while True:
        some = source.randint(0, 2**32, BLOCK, np.uint32).astype(np.float32)
        yield from some / np.float32(2**32)


def settled(points: Floats32, centres: Floats32, rounds: int) -> tuple[Floats32, float]:
    """The centres after so many rounds, and the sum of squares before the last of them.

    Nothing but the centres decides what comes next: once they come back, whole cycles are skipped.
    """
    total, left, seen = 0.0, rounds, dict[bytes, int]()
    while left:
        labels, apart = nearest(points, centres)
        total = float(apart.sum(dtype=np.float64))
        centres, sizes = moved(points, labels, len(centres))
        refilled(centres, sizes, len(points))
        left -= 1
        key = blake2b(centres.tobytes()).digest()
        left = left % (seen[key] - left) if key in seen else left
        seen.setdefault(key, left)
    return centres, total


def clustered(points: Floats32, clusters: int, *, starts: int, rounds: int, seed: int) -> Ints:
    """The cluster of each point; there are more points than clusters."""
    used = points
    if len(points) > PER_CLUSTER * clusters:
        used = points[permutation(len(points), seed)[: PER_CLUSTER * clusters]]
    best, least = used[:clusters], np.inf
    for start in range(starts):
        first = permutation(len(used), seed + 1 + start * STRIDE)[:clusters]
        centres, total = settled(used, used[first], rounds)
        if total < least:
            best, least = centres, total
    return nearest(points, best)[0]
