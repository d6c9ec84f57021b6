"""The same words as `words.py`, told apart by a compiled kernel: the extra `fast`.

It walks over the bytes once and compares whole words instead of hashes. Its vocabulary is in order
of first appearance; words, codes and all sums are otherwise the same.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import numpy.typing as npt
import polars as pl

from simpatico.arrays import Ints
from simpatico.errors import MissingResource
from simpatico.features.words import (
    KEEP,
    SPACE,
    SPREAD,
    STEP,
    Bytes,
    WordTable,
    canonical,
    counted,
    lowered,
    spelled,
)

SLOT_BITS = 17

Coded = tuple[npt.NDArray[np.int32], Ints]


def words_fast(texts: pl.Series) -> WordTable:
    """Cut every text into words, like `words`."""
    clean = canonical(texts)
    buffer = lowered(clean)
    find, code = kernels()
    starts, stops = find(buffer)
    eight = np.ndarray(len(buffer) - STEP + 1, "<u8", buffer, strides=(1,))
    codes, place = code(eight, starts, stops, KEEP, SLOT_BITS)
    bits = SLOT_BITS
    while len(codes) < len(starts):
        bits += 2
        codes, place = code(eight, starts, stops, KEEP, bits)
    vocabulary = spelled(buffer, starts[place], stops[place])
    return WordTable(codes, counted(clean, starts), vocabulary)


@cache
def kernels() -> tuple[Callable[..., tuple[Ints, Ints]], Callable[..., Coded]]:
    """Both kernels, compiled once and kept on disk for the next process."""
    try:
        from numba import njit
    except ImportError:
        raise MissingResource(
            "the compiled word kernel needs numba: pip install 'simpatico[fast]'"
        ) from None
    compiled = njit(cache=True, nogil=True)
    return compiled(find), compiled(code)


def find(buffer: Bytes) -> tuple[Ints, Ints]:
    """Where each word starts and stops; without a branch, since none could be foreseen."""
    edges = np.empty((len(buffer) // 2 + 1, 2), np.int64)
    found = 0
    for at in range(1, len(buffer)):
        edges[found >> 1, found & 1] = at
        found += (buffer[at] == SPACE) != (buffer[at - 1] == SPACE)
    return edges[: found >> 1, 0].copy(), edges[: found >> 1, 1].copy()


def code(
    eight: npt.NDArray[np.uint64],
    starts: Ints,
    stops: Ints,
    keep: npt.NDArray[np.uint64],
    bits: int,
) -> Coded:
    """Each word's place in a vocabulary in order of appearance, and where its words were seen.

    `eight` holds the eight bytes from each byte on. Fewer codes than words come back when the
    vocabulary outgrows a table of 2 ** `bits` slots.
    """
    codes, place = np.empty(len(starts), np.int32), np.empty(len(starts), np.int64)
    slots, heads = np.full(1 << bits, -1, np.int32), np.empty(len(starts), np.uint64)
    lengths = np.empty(len(starts), np.int64)
    shift, last, size = np.uint64(64 - bits), (1 << bits) - 1, 0
    for word in range(len(starts)):
        start, length = starts[word], stops[word] - starts[word]
        head = eight[start] & keep[min(length, STEP)]
        key = head
        for done in range(STEP, length, STEP):
            key = (key ^ (key >> np.uint64(29))) * SPREAD
            key ^= eight[start + done] & keep[min(length - done, STEP)]
        slot = np.int64(((key ^ (key >> np.uint64(29))) * SPREAD) >> shift)
        while slots[slot] >= 0:
            held = slots[slot]
            if heads[held] == head and lengths[held] == length:
                first, same = starts[place[held]], STEP
                while same < length:
                    differ = eight[first + same] ^ eight[start + same]
                    if differ & keep[min(length - same, STEP)]:
                        break
                    same += STEP
                if same >= length:
                    break
            slot = (slot + 1) & last
        if slots[slot] < 0:
            if 2 * size > last:
                return codes[:0], place[:0]
            slots[slot] = size
            place[size], heads[size], lengths[size] = word, head, length
            size += 1
        codes[word] = slots[slot]
    return codes, place[:size].copy()
