"""The same words as `words.py` by a compiled kernel, for the extra `fast` (SIMPATICO_WORDS=numba).

It walks over the bytes once and compares whole words instead of hashes. Its vocabulary is in order
of first appearance; words, codes and all sums are otherwise the same.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import polars as pl

from simpatico.arrays import Ints
from simpatico.errors import MissingResource
from simpatico.features import words
from simpatico.features.words import BYTE_MASKS, MULTIPLIER, SLOT_BITS, SPACE, STEP


def cut_words_numba(texts: pl.Series) -> words.WordTable:
    """Cut every text into words, like `words.cut_words`."""
    clean = words.canonical(texts)
    buffer = words.word_bytes(clean)
    find, code = kernels()
    starts, stops = find(buffer)
    eight = words.eight_bytes_from_each(buffer)
    bits = SLOT_BITS
    codes, examples = code(eight, starts, stops, BYTE_MASKS, bits)
    # a kernel that ran out of slots gives no codes at all: once more with four times as many
    while len(codes) < len(starts):
        bits += 2
        codes, examples = code(eight, starts, stops, BYTE_MASKS, bits)
    vocabulary = words.spell_words(buffer, starts[examples], stops[examples])
    return words.WordTable(codes, words.turn_offsets(clean, starts), vocabulary)


@cache
def kernels() -> tuple[Callable[..., tuple[Ints, Ints]], Callable[..., tuple[words.Codes, Ints]]]:
    """Both kernels, compiled once and kept on disk for the next process."""
    try:
        from numba import njit
    except ImportError:
        raise MissingResource(
            "the compiled word kernel needs numba: pip install 'simpatico[fast]'"
        ) from None
    compile_kernel = njit(cache=True, nogil=True)
    return compile_kernel(find_words), compile_kernel(code_words)


def find_words(buffer: words.Bytes) -> tuple[Ints, Ints]:
    """Where each word starts and stops.

    Words are short, so that a branch at their edges would be mispredicted all the time. There is
    none: every position is written into the next free cell, and the cell only counts as taken (the
    count goes up by one) if the position is an edge. Even cells are starts, odd ones stops.
    """
    edges = np.empty((len(buffer) // 2 + 1, 2), np.int64)
    count = 0
    for at in range(1, len(buffer)):
        edges[count >> 1, count & 1] = at
        count += (buffer[at] == SPACE) != (buffer[at - 1] == SPACE)
    return edges[: count >> 1, 0].copy(), edges[: count >> 1, 1].copy()


def code_words(
    eight: words.Keys, starts: Ints, stops: Ints, masks: words.Keys, bits: int
) -> tuple[words.Codes, Ints]:
    """The code of each word, in order of first appearance, and the first word of each code.

    A hash table with open addressing and linear probing (Knuth, TAOCP 3, 6.4): a slot holds a code
    or -1, and a word whose slot holds another word tries the next. `eight` holds the eight bytes
    from each byte on. No codes come back when the vocabulary outgrows half of the 2 ** `bits`
    slots, since probing gets slow beyond that.
    """
    codes, examples = np.empty(len(starts), np.int32), np.empty(len(starts), np.int64)
    slots = np.full(1 << bits, -1, np.int32)
    # first eight bytes and length of each code's word, compared before its other bytes are fetched
    heads, lengths = np.empty(len(starts), np.uint64), np.empty(len(starts), np.int64)
    shift, last, size = np.uint64(64 - bits), (1 << bits) - 1, 0
    for word in range(len(starts)):
        start, length = starts[word], stops[word] - starts[word]
        # the first eight bytes, without those that are beyond the word's end
        head = eight[start] & masks[min(length, STEP)]
        # the hash of the whole word, eight bytes at a time; the multiplication carries low bits
        # up, the shift brings high bits down again
        key = head
        for done in range(STEP, length, STEP):
            key = (key ^ (key >> np.uint64(29))) * MULTIPLIER
            key ^= eight[start + done] & masks[min(length - done, STEP)]
        # the slot is the highest bits of the product, which depend on all bits of the key
        slot = np.int64(((key ^ (key >> np.uint64(29))) * MULTIPLIER) >> shift)
        while slots[slot] >= 0:
            code = slots[slot]
            if heads[code] == head and lengths[code] == length:
                # the rest of both words, eight bytes at a time, up to the first difference
                first, same = starts[examples[code]], STEP
                while same < length:
                    differ = eight[first + same] ^ eight[start + same]
                    if differ & masks[min(length - same, STEP)]:
                        break
                    same += STEP
                if same >= length:
                    break  # the word has this code
            slot = (slot + 1) & last
        if slots[slot] < 0:
            # a new word takes the free slot and the next code
            if 2 * size > last:
                return codes[:0], examples[:0]
            slots[slot] = size
            examples[size], heads[size], lengths[size] = word, head, length
            size += 1
        codes[word] = slots[slot]
    return codes, examples[:size].copy()
