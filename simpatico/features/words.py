"""The words of every turn, as numbers into one vocabulary per chunk.

A word is a longest run of letters, marks and digits, lower-cased, in which single apostrophes may
stand between two of them ("don't", "y'all"). Before that the text is brought to one form: curly
and modifier apostrophes become straight ones, characters nobody sees (zero-width, variation
selectors, direction marks, soft hyphens) go, and what remains is NFKC. Only turns beyond ASCII
need that; all are then cut at once by a table of bytes, and words are told apart by 64-bit numbers:
the word itself where it has up to eight bytes, a hash of it where it is longer. Words of one number
are compared in full.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from hashlib import blake2b
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import sparse

from simpatico.arrays import Bools, Ints
from simpatico.features import Feature, Features
from simpatico.turns import Turns

Bytes = npt.NDArray[np.uint8]

WORD = r"[\p{L}\p{M}\p{N}]+(?:'[\p{L}\p{M}\p{N}]+)*"
BETWEEN = r"[^\p{L}\p{M}\p{N}']+"
APOSTROPHES = "[\u2018\u2019\u02bc\u00b4\u1ffd\uff07]"
INVISIBLE = (
    r"[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f"
    r"\ufeff\U000e0000-\U000e007f\U000e0100-\U000e01ef]"
)
SPACE, APOSTROPHE = 32, 39
TABLE = bytes(
    b if b >= 128 or b == APOSTROPHE else ord(chr(b).lower()) if chr(b).isalnum() else SPACE
    for b in range(256)
)
"""What becomes of each byte: letters lower-case, digits and apostrophes stay, the rest is space.

Bytes from 128 up only occur in turns in which `canonical` has left them to words alone.
"""

SLOT_BITS = 17
SPREAD = np.uint64(0x9E3779B97F4A7C15)
STEP = 8
"""Bytes of a word that are read at a time, as one integer."""

LONG = 64
"""Words of more bytes than this, which hardly anyone writes, are hashed one by one."""

KEEP = np.array([(1 << 8 * n) - 1 for n in range(STEP + 1)], np.uint64)
"""Which bits of eight bytes belong to a word that has n of them left."""


@dataclass(frozen=True)
class WordTable:
    """Words of a chunk: `codes` point into `vocabulary`; turn i has codes[ends[i]:ends[i+1]]."""

    codes: npt.NDArray[np.int32]
    ends: npt.NDArray[np.int64]
    vocabulary: pl.Series

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """Number of words in each turn."""
        return np.diff(self.ends)

    def sums(self, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Per turn, the sum over its words of a row of `weights`, one row per vocabulary word."""
        shape = (len(self.ends) - 1, len(weights))
        ones = np.ones(len(self.codes))
        hits = sparse.csr_matrix((ones, self.codes, self.ends.astype(np.int32)), shape=shape)
        return np.asarray(hits @ weights)


@dataclass(frozen=True)
class Words:
    """Lower-cased words of every turn; SIMPATICO_WORDS=numba finds them with the compiled kernel.

    Both ways give the same words, so neither the feature nor any signature says which was taken.
    """

    needs: ClassVar[tuple[Feature, ...]] = ()

    def compute(self, turns: Turns, features: Features) -> WordTable:
        if os.environ.get("SIMPATICO_WORDS") == "numba":
            from simpatico.features.words_numba import words_fast

            return words_fast(turns.frame["text"])
        return words(turns.frame["text"])


def words(texts: pl.Series) -> WordTable:
    """Cut every text into words."""
    clean = canonical(texts)
    buffer = lowered(clean)
    is_word = buffer != SPACE
    edges = np.flatnonzero(is_word[1:] != is_word[:-1]) + 1
    starts, stops = edges.reshape(-1, 2).T.copy()
    codes, place = encoded(keys(buffer, starts, stops))
    codes, place = told_apart(codes, place, buffer, starts, stops)
    vocabulary = spelled(buffer, starts[place], stops[place])
    return WordTable(codes, counted(clean, starts), vocabulary)


def canonical(texts: pl.Series) -> pl.Series:
    """ASCII texts as they are; all others with nothing but spaces and apostrophes between words."""
    odd = beyond_ascii(texts)
    if not len(odd):
        return texts
    straight = texts.gather(odd).str.replace_all("\u2019", "'", literal=True)
    still = beyond_ascii(straight)
    plain = uniform(straight.gather(still)).str.replace_all(BETWEEN, " ")
    return texts.clone().scatter(odd, straight.scatter(still, plain))


def beyond_ascii(texts: pl.Series) -> pl.Series:
    """Row numbers of the texts that are not plain ASCII."""
    return (texts.str.len_bytes() != texts.str.len_chars()).arg_true()


def lowered(clean: pl.Series) -> Bytes:
    """The bytes of all texts, lower-case, with one space for each byte outside words.

    A space stands before each text, and `STEP` of them after the last.
    """
    joined = clean.str.join(" ").cast(pl.Binary).item() or b""
    buffer = np.frombuffer(bytearray(b" %b%b" % (joined, b" " * STEP)).translate(TABLE), np.uint8)
    mark = np.flatnonzero(buffer == APOSTROPHE)
    around = np.stack([buffer[mark - 1], buffer[mark + 1]])
    buffer[mark[((around == SPACE) | (around == APOSTROPHE)).any(axis=0)]] = SPACE
    return buffer


def counted(clean: pl.Series, starts: Ints) -> Ints:
    """How many words stand before each text, and before the end."""
    ends = np.cumsum(clean.str.len_bytes().to_numpy() + 1, dtype=np.int64) + 1
    return np.append(0, np.searchsorted(starts, ends))


def uniform(texts: pl.Series) -> pl.Series:
    """Lower case, one kind of apostrophe, nothing invisible, NFKC."""
    visible = texts.str.replace_all(APOSTROPHES, "'").str.replace_all(INVISIBLE, "")
    return visible.str.normalize("NFKC").str.to_lowercase()


def keys(buffer: Bytes, starts: Ints, stops: Ints) -> npt.NDArray[np.uint64]:
    """A number for each word: up to eight bytes are the number, longer ones are hashed."""
    eight = np.ndarray(len(buffer) - STEP + 1, "<u8", buffer, strides=(1,))
    lengths = stops - starts
    found: npt.NDArray[np.uint64] = eight[starts] & KEEP[np.minimum(lengths, STEP)]
    rest = np.flatnonzero(lengths > STEP)
    for done in range(STEP, LONG, STEP):
        found[rest] = mixed(found[rest]) ^ (
            eight[starts[rest] + done] & KEEP[np.minimum(lengths[rest] - done, STEP)]
        )
        rest = rest[lengths[rest] > done + STEP]
    for row in rest:
        word = buffer[starts[row] : stops[row]].tobytes()
        found[row] = int.from_bytes(blake2b(word, digest_size=STEP).digest())
    return found


def mixed(numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Every bit of each number spread over all 64."""
    numbers = (numbers ^ (numbers >> np.uint64(29))) * SPREAD
    return numbers ^ (numbers >> np.uint64(32))


def encoded(numbers: npt.NDArray[np.uint64]) -> tuple[npt.NDArray[np.int32], Ints]:
    """Each word as a place in a vocabulary without repeats, and where each of those was seen.

    A table indexed by the high bits settles nearly all words at once; only those that share a slot
    with another are sorted. Many times as fast as a categorical.
    """
    slot = (mixed(numbers) >> np.uint64(64 - SLOT_BITS)).view(np.int64)
    holder = np.full(1 << SLOT_BITS, -1, np.int32)
    holder[slot] = np.arange(len(slot), dtype=np.int32)
    taken = np.flatnonzero(holder >= 0)
    number = np.empty(1 << SLOT_BITS, np.int32)
    number[taken] = np.arange(len(taken), dtype=np.int32)
    codes = number[slot]
    place = holder[taken]
    late = np.flatnonzero(numbers[place][codes] != numbers)
    _, first, inverse = np.unique(numbers[late], return_index=True, return_inverse=True)
    codes[late] = inverse + len(taken)
    return codes, np.concatenate([place, late[first]])


def told_apart(
    codes: npt.NDArray[np.int32], place: Ints, buffer: Bytes, starts: Ints, stops: Ints
) -> tuple[npt.NDArray[np.int32], Ints]:
    """The same numbers, but for words of equal hash that are not the same: those get their own.

    Somebody who wants to could make such words, and scores must not depend on who else speaks.
    """
    length = stops - starts
    unsure = (length > STEP) | (length[place] > STEP)[codes]
    unsure[place] = False
    rows = np.flatnonzero(unsure)
    like = place[codes[rows]]
    alike = same(buffer, (starts[rows], starts[like]), (length[rows], length[like]))
    rows = rows[~alike]
    first: dict[bytes, int] = {}
    words = [buffer[starts[row] : stops[row]].tobytes() for row in rows]
    for word, row in zip(words, rows, strict=True):
        first.setdefault(word, int(row))
    number = {word: len(place) + i for i, word in enumerate(first)}
    codes[rows] = [number[word] for word in words]
    return codes, np.append(place, list(first.values())).astype(np.int64)


def same(buffer: Bytes, starts: tuple[Ints, Ints], lengths: tuple[Ints, Ints]) -> Bools:
    """Whether the words at two lists of places are the same, byte for byte."""
    (a, b), (length, other) = starts, lengths
    alike: Bools = length == other
    eight = np.ndarray(len(buffer) - STEP + 1, "<u8", buffer, strides=(1,))
    rest = np.flatnonzero(alike)
    for done in range(0, LONG, STEP):
        rest = rest[alike[rest] & (length[rest] > done)]
        keep = KEEP[np.minimum(length[rest] - done, STEP)]
        alike[rest] = (eight[a[rest] + done] & keep) == (eight[b[rest] + done] & keep)
    for row in rest[alike[rest] & (length[rest] > LONG)]:
        one, two = (buffer[s[row] : s[row] + length[row]] for s in (a, b))
        alike[row] = np.array_equal(one, two)
    return alike


def spelled(buffer: Bytes, starts: Ints, stops: Ints) -> pl.Series:
    """The words that stand at these places, as text."""
    lengths = stops - starts + 1
    before = np.cumsum(lengths) - lengths
    letters = buffer[np.arange(lengths.sum()) + np.repeat(starts - before, lengths)]
    text = pl.Series([letters.tobytes().decode()]).str.split(" ").explode()
    return text.head(len(starts))
