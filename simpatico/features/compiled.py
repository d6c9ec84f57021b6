"""Passes over the words of a chunk, compiled by Numba, for the extra `fast`.

They give what those in NumPy give, bit for bit; vocabularies alone are in order of first appearance
here. Only passes that gain by it are compiled: the sums of a lexicon's weights and the search for
n-grams take as long as they do in SciPy and NumPy.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from simpatico.arrays import Floats, Ints
from simpatico.features.words import MULTIPLIER, SPACE, STEP, Codes, Keys

ONES, HIGHS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
BLANK, ONE = np.uint64(SPACE), np.uint64(1)
BLANKS = ONES * BLANK

compiled = njit(cache=True, nogil=True)
"""Compiled once and kept on disk for the next process; other threads go on meanwhile."""


@compiled
def word_length(eight: Keys, start: int) -> int:
    """Bytes from the start of a word to the next space, eight at a time."""
    length = 0
    while True:
        differs = eight[start + length] ^ BLANKS
        # the highest bit of each byte that is zero, and perhaps of some after the first of them
        zeros = (differs - ONES) & ~differs & HIGHS
        if zeros:
            # all bits below the lowest one: a byte for each one before the space, and seven bits
            below = (zeros & (~zeros + ONE)) - ONE
            return length + int(((below & ONES) * ONES) >> np.uint64(56)) - 1
        length += STEP


@compiled
def word_key(eight: Keys, start: int, length: int, masks: Keys) -> np.uint64:
    """The key of a word as in `words.word_keys`, but with all bytes of long ones."""
    key: np.uint64 = eight[start] & masks[min(length, STEP)]
    for done in range(STEP, length, STEP):
        key = (key ^ (key >> np.uint64(29))) * MULTIPLIER
        key ^= eight[start + done] & masks[min(length - done, STEP)]
    return key


@compiled
def is_same(eight: Keys, one: int, other: int, length: int, masks: Keys) -> bool:
    """Whether two words of one length are equal from their ninth byte on."""
    for done in range(STEP, length, STEP):
        differs = eight[one + done] ^ eight[other + done]
        if differs & masks[min(length - done, STEP)]:
            return False
    return True


@compiled
def cut(eight: Keys, text_ends: Ints, masks: Keys, bits: int) -> tuple[Codes, Ints, Ints, Ints]:
    """The code of each word, the number of words before each text and before the end, and where
    the first word of each code starts and stops.

    A hash table with open addressing and linear probing (Knuth, TAOCP 3, 6.4): a slot holds a code
    or -1, and a word whose slot holds another word tries the next. `eight` holds the eight bytes
    from each byte on. When the vocabulary outgrows half of the 2 ** `bits` slots nothing comes
    back, since probing gets slow beyond that.
    """
    last, most = len(eight) - 1, 1 << (bits - 1)
    codes, ends = np.empty(last // 2 + 1, np.int32), np.zeros(len(text_ends) + 1, np.int64)
    slots, shift = np.full(1 << bits, -1, np.int32), np.uint64(64 - bits)
    # of each code: the first eight bytes, start and length of its first word
    heads, starts = np.empty(most, np.uint64), np.empty(most, np.int64)
    lengths = np.empty(most, np.int64)
    n_words, n_codes, text, at = 0, 0, 0, 0
    while at < last:
        if eight[at] & masks[1] == BLANK:
            at += 1
            continue
        while at >= text_ends[text]:
            text += 1
            ends[text] = n_words
        length = word_length(eight, at)
        head, key = eight[at] & masks[min(length, STEP)], word_key(eight, at, length, masks)
        # the slot is the highest bits of the product, which depend on all bits of the key
        slot = np.int64(((key ^ (key >> np.uint64(29))) * MULTIPLIER) >> shift)
        code = slots[slot]
        while code >= 0:
            is_like = heads[code] == head and lengths[code] == length
            if is_like and is_same(eight, starts[code], at, length, masks):
                break
            slot = (slot + 1) & ((1 << bits) - 1)
            code = slots[slot]
        if code < 0:
            if n_codes == most:
                return codes[:0], ends[:0], starts[:0], lengths[:0]
            code = slots[slot] = n_codes
            heads[code], starts[code], lengths[code] = head, at, length
            n_codes += 1
        codes[n_words] = code
        n_words += 1
        at += length
    ends[text + 1 :] = n_words
    starts, lengths = starts[:n_codes].copy(), lengths[:n_codes]
    return codes[:n_words].copy(), ends, starts, starts + lengths


@compiled
def sets(codes: Codes, ends: Ints, bit: Ints) -> Keys:
    """Per text, 128 bits in two rows, of which each word sets that of its code."""
    result = np.zeros((2, len(ends) - 1), np.uint64)
    for text in range(len(ends) - 1):
        for word in range(ends[text], ends[text + 1]):
            own = bit[codes[word]]
            result[own // 64, text] |= ONE << np.uint64(own % 64)
    return result


@compiled
def take(codes: Codes, ends: Ints, rows: Ints) -> tuple[Codes, Ints]:
    """The codes and ends of these texts, in this order."""
    new_ends = np.zeros(len(rows) + 1, np.int64)
    for text, row in enumerate(rows):
        new_ends[text + 1] = new_ends[text] + ends[row + 1] - ends[row]
    taken = np.empty(new_ends[-1], np.int32)
    for text, row in enumerate(rows):
        taken[new_ends[text] : new_ends[text + 1]] = codes[ends[row] : ends[row + 1]]
    return taken, new_ends


@compiled
def associations(codes: Codes, ends: Ints, symbols: Ints, table: Floats, boundary: int) -> Floats:
    """Per text, the associations of its words and of its end, added up in their order."""
    result = np.zeros(len(ends) - 1)
    for text in range(len(ends) - 1):
        before = boundary
        for word in range(ends[text], ends[text + 1]):
            own = symbols[codes[word]]
            result[text] += table[before * (boundary + 1) + own]
            before = own
        if before != boundary:
            result[text] += table[before * (boundary + 1) + boundary]
    return result
