"""The words of every turn, as codes into one vocabulary per chunk.

A word is a longest sequence of letters, combining marks and digits, lower-cased, in which single
apostrophes may stand between two of them ("don't", "y'all"). Before that the text is normalised:
curly and modifier apostrophes become straight ones, invisible characters (zero-width, variation
selectors, direction marks, soft hyphens) go, and the rest becomes NFKC. Only turns beyond ASCII
need that.

All turns are then cut at once, as one buffer of bytes: a translation table makes every byte outside
words a space, and words begin and end where spaces do. Every word gets a 64-bit key: its own bytes
if there are up to eight, a hash of them if there are more. Equal keys are equal codes, once long
words of equal keys have been compared in full. Many times as fast as splitting strings.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from hashlib import blake2b
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from simpatico.arrays import Bools, Floats, Ints
from simpatico.errors import MissingResource
from simpatico.features import Feature, Features
from simpatico.turns import Turns

if TYPE_CHECKING:
    from scipy import sparse

Bytes = npt.NDArray[np.uint8]
Keys = npt.NDArray[np.uint64]
Codes = npt.NDArray[np.int32]

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
"""A hash table of 2 ** 17 slots takes half a megabyte, which stays in the processor's cache."""
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
"""2 ** 64 / golden ratio, odd: Knuth's multiplicative hashing spreads neighbouring keys."""
STEP = 8
"""Bytes of a word that are read at a time, as one integer."""

LONG = 64
"""Words of more bytes than this, which hardly anyone writes, are hashed one by one."""

BYTE_MASKS = np.array([(1 << 8 * n) - 1 for n in range(STEP + 1)], np.uint64)
"""Of eight bytes read at once, the bits that belong to a word with n bytes left."""


@dataclass(frozen=True)
class WordTable:
    """Words of a chunk: `codes` point into `vocabulary`; turn i has codes[ends[i]:ends[i+1]]."""

    codes: Codes
    ends: Ints
    vocabulary: pl.Series
    memo: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """What is known of the vocabulary, to be computed once; tables of one vocabulary share it."""
    passes: ModuleType | None = field(default=None, compare=False, repr=False)
    """`compiled`, where what is asked of this table is to be computed by it."""

    @property
    def counts(self) -> Ints:
        """Number of words in each turn."""
        return np.diff(self.ends)

    def take(self, rows: Ints) -> WordTable:
        """The turns of these rows, in this order."""
        if self.passes:
            codes, ends = self.passes.take(self.codes, self.ends, rows)
            return replace(self, codes=codes, ends=ends)
        counts = self.counts[rows]
        ends = np.append(0, np.cumsum(counts))
        words = np.arange(ends[-1]) + np.repeat(self.ends[rows] - ends[:-1], counts)
        return replace(self, codes=self.codes[words], ends=ends)

    def reduce(self, function: np.ufunc, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Per turn, a function of the values of its words, one value a word; 0 without words."""
        result, filled = np.zeros(len(self.counts), values.dtype), self.counts > 0
        if filled.any():
            result[filled] = function.reduceat(values, self.ends[:-1][filled])
        return result

    def sums(self, weights: Floats) -> Floats:
        """Per turn, the sum over its words of a row of `weights`, one row per vocabulary word.

        The values of a column stand side by side in memory, as tables want them.
        """
        return np.asfortranarray(self.counts_of_words @ weights)

    @cached_property
    def counts_of_words(self) -> sparse.csr_matrix:
        """A row for each turn, a column for each word of the vocabulary."""
        from scipy import sparse  # takes a fifth as long to load as all that a worker needs

        shape = (len(self.ends) - 1, len(self.vocabulary))
        ones = np.ones(len(self.codes))
        return sparse.csr_matrix((ones, self.codes, self.ends.astype(np.int32)), shape=shape)


class Clean(NamedTuple):
    """Texts with straight apostrophes; the rows of those beyond ASCII, and these normalised."""

    texts: pl.Series
    rows: pl.Series
    normalised: pl.Series


@dataclass(frozen=True)
class CleanTexts:
    """The clean texts of all turns."""

    needs: ClassVar[tuple[Feature, ...]] = ()

    def compute(self, turns: Turns, features: Features) -> Clean:
        return clean_texts(turns.frame["text"])


@dataclass(frozen=True)
class Words:
    """Lower-cased words of every turn."""

    needs: ClassVar[tuple[Feature, ...]] = (CleanTexts(),)

    def compute(self, turns: Turns, features: Features) -> WordTable:
        return cut_clean_texts(features[CleanTexts()])


def cut_words(texts: pl.Series) -> WordTable:
    """Cut every text into words."""
    return cut_clean_texts(clean_texts(texts))


def cut_clean_texts(texts: Clean) -> WordTable:
    """The same, of texts that are clean.

    NumPy and the compiled passes give the same words, so that no signature says which it was.
    """
    plain = texts.normalised.str.replace_all(BETWEEN, " ")
    clean = texts.texts.clone().scatter(texts.rows, plain) if len(plain) else texts.texts
    buffer, ends = word_bytes(clean), text_ends(clean)
    passes = choose_passes()
    return cut_in_numpy(buffer, ends) if passes is None else cut_compiled(buffer, ends, passes)


def choose_passes() -> ModuleType | None:
    """The compiled passes if SIMPATICO_WORDS=numba, or if it is "fast" and they can be loaded."""
    choice = os.environ.get("SIMPATICO_WORDS")
    if choice == "numba":
        return load_passes()
    return load_passes_if_there() if choice == "fast" else None


def load_passes() -> ModuleType:
    """The compiled passes; compiling them takes seconds, once a machine."""
    try:
        return import_module("simpatico.features.compiled")
    except (ImportError, RuntimeError) as error:  # Numba does not know this NumPy, finds no cache
        raise MissingResource(
            f"SIMPATICO_WORDS=numba needs the extra `fast`: {error}; pip install 'simpatico[fast]'"
        ) from None


@cache
def load_passes_if_there() -> ModuleType | None:
    """The same; null without Numba."""
    with suppress(MissingResource):
        return load_passes()
    return None


def cut_in_numpy(buffer: Bytes, text_ends: Ints) -> WordTable:
    """The words of a buffer, whose texts end there."""
    is_word = buffer != SPACE
    # the buffer begins and ends with a space, so that edges alternate between starts and stops
    # four bytes a position are enough below 2 GiB, and half of the memory that long texts take
    positions: Any = np.int32 if len(buffer) < 2**31 - LONG else np.int64
    edges = np.flatnonzero(is_word[1:] != is_word[:-1]).astype(positions)
    edges += 1
    starts, stops = edges[::2].copy(), edges[1::2].copy()
    del edges, is_word
    codes, examples = assign_codes(word_keys(buffer, starts, stops))
    codes, examples = separate_collisions(codes, examples, buffer, starts, stops)
    ends = np.append(0, np.searchsorted(starts, text_ends))
    return WordTable(codes, ends, spell_words(buffer, starts[examples], stops[examples]))


def cut_compiled(buffer: Bytes, text_ends: Ints, passes: ModuleType) -> WordTable:
    """The same, with the vocabulary in another order."""
    eight, bits = eight_bytes_from_each(buffer), SLOT_BITS
    codes, ends, starts, stops = passes.cut(eight, text_ends, BYTE_MASKS, bits)
    # without enough slots nothing comes back: once more with four times as many
    while not len(ends):
        bits += 2
        codes, ends, starts, stops = passes.cut(eight, text_ends, BYTE_MASKS, bits)
    return WordTable(codes, ends, spell_words(buffer, starts, stops), passes=passes)


def clean_texts(texts: pl.Series) -> Clean:
    """Texts as words are cut from them."""
    beyond = beyond_ascii(texts)
    if not len(beyond):
        return Clean(texts, beyond, texts.gather(beyond))
    # a curly apostrophe is all that most of them have beyond ASCII, and NFKC is slow
    straight = texts.gather(beyond).str.replace_all("\u2019", "'", literal=True)
    still = beyond_ascii(straight)
    rows, normalised = beyond.gather(still), normalise_texts(straight.gather(still))
    return Clean(texts.clone().scatter(beyond, straight), rows, normalised)


def beyond_ascii(texts: pl.Series) -> pl.Series:
    """Row numbers of the texts that are not plain ASCII."""
    return (texts.str.len_bytes() != texts.str.len_chars()).arg_true()


def word_bytes(clean: pl.Series) -> Bytes:
    """The bytes of all texts, lower-case, with one space for each byte outside words.

    A space stands before each text, and `STEP` of them after the last.
    """
    text = clean.str.join(" ").cast(pl.Binary).item() or b""
    buffer = np.frombuffer(bytearray(b" %b%b" % (text, b" " * STEP)).translate(TABLE), np.uint8)
    at = np.flatnonzero(buffer == APOSTROPHE)
    around = np.stack([buffer[at - 1], buffer[at + 1]])
    # an apostrophe is part of a word only between two of its letters
    buffer[at[((around == SPACE) | (around == APOSTROPHE)).any(axis=0)]] = SPACE
    return buffer


def text_ends(clean: pl.Series) -> Ints:
    """Where in `word_bytes` each text has ended, and the space after it."""
    return np.cumsum(clean.str.len_bytes().to_numpy() + 1, dtype=np.int64) + 1


def normalise_texts(texts: pl.Series) -> pl.Series:
    """Lower case, one kind of apostrophe, nothing invisible, NFKC."""
    visible = texts.str.replace_all(APOSTROPHES, "'").str.replace_all(INVISIBLE, "")
    return visible.str.normalize("NFKC").str.to_lowercase()


def word_keys(buffer: Bytes, starts: Ints, stops: Ints) -> Keys:
    """A key for each word: up to eight bytes are the key, longer words are hashed."""
    eight = eight_bytes_from_each(buffer)
    lengths = stops - starts
    keys: Keys = eight[starts] & BYTE_MASKS[np.minimum(lengths, STEP)]
    rest = np.flatnonzero(lengths > STEP)
    for done in range(STEP, LONG, STEP):
        keys[rest] = mix_bits(keys[rest]) ^ (
            eight[starts[rest] + done] & BYTE_MASKS[np.minimum(lengths[rest] - done, STEP)]
        )
        rest = rest[lengths[rest] > done + STEP]
    for row in rest:
        word = buffer[starts[row] : stops[row]].tobytes()
        keys[row] = int.from_bytes(blake2b(word, digest_size=STEP).digest())
    return keys


def eight_bytes_from_each(buffer: Bytes) -> Keys:
    """The eight bytes from each byte on as one integer: an overlapping view, not a copy."""
    return np.ndarray(len(buffer) - STEP + 1, "<u8", buffer, strides=(1,))


def mix_bits(keys: Keys) -> Keys:
    """Every bit of each key spread over all 64: xor-shift, multiply, xor-shift."""
    keys = (keys ^ (keys >> np.uint64(29))) * MULTIPLIER
    return keys ^ (keys >> np.uint64(32))


def assign_codes(keys: Keys) -> tuple[Codes, Ints]:
    """The code of each word in a vocabulary without repeats, and one example word of each code.

    A table indexed by the high bits of the hash settles nearly all words at once; only those that
    share a slot with another key are sorted. Many times as fast as a categorical.
    """
    slot = (mix_bits(keys) >> np.uint64(64 - SLOT_BITS)).view(np.int64)
    holder = np.full(1 << SLOT_BITS, -1, np.int32)
    # of the words with one slot, the last one written holds it
    holder[slot] = np.arange(len(slot), dtype=np.int32)
    full = np.flatnonzero(holder >= 0)
    code_of_slot = np.empty(1 << SLOT_BITS, np.int32)
    code_of_slot[full] = np.arange(len(full), dtype=np.int32)
    codes = code_of_slot[slot]
    examples = holder[full]
    others = np.flatnonzero(keys[examples][codes] != keys)
    _, first, inverse = np.unique(keys[others], return_index=True, return_inverse=True)
    codes[others] = inverse + len(full)
    return codes, np.concatenate([examples, others[first]])


def separate_collisions(
    codes: Codes, examples: Ints, buffer: Bytes, starts: Ints, stops: Ints
) -> tuple[Codes, Ints]:
    """The same codes, but for different words of equal hash: those get codes of their own.

    Somebody who wants to could make such words, and scores must not depend on who else speaks.
    """
    length = stops - starts
    # words of up to eight bytes are their own keys, so that equal keys are equal words
    unsure = (length > STEP) | (length[examples] > STEP)[codes]
    unsure[examples] = False
    rows = np.flatnonzero(unsure)
    example = examples[codes[rows]]
    equal = equal_words(buffer, (starts[rows], starts[example]), (length[rows], length[example]))
    rows = rows[~equal]
    first: dict[bytes, int] = {}
    words = [buffer[starts[row] : stops[row]].tobytes() for row in rows]
    for word, row in zip(words, rows, strict=True):
        first.setdefault(word, int(row))
    code = {word: len(examples) + i for i, word in enumerate(first)}
    codes[rows] = [code[word] for word in words]
    return codes, np.append(examples, list(first.values())).astype(np.int64)


def equal_words(buffer: Bytes, starts: tuple[Ints, Ints], lengths: tuple[Ints, Ints]) -> Bools:
    """Whether the words at two lists of positions are equal, byte for byte."""
    (a, b), (length, other) = starts, lengths
    equal: Bools = length == other
    eight = eight_bytes_from_each(buffer)
    rest = np.flatnonzero(equal)
    for done in range(0, LONG, STEP):
        rest = rest[equal[rest] & (length[rest] > done)]
        mask = BYTE_MASKS[np.minimum(length[rest] - done, STEP)]
        equal[rest] = (eight[a[rest] + done] & mask) == (eight[b[rest] + done] & mask)
    for row in rest[equal[rest] & (length[rest] > LONG)]:
        one, two = (buffer[s[row] : s[row] + length[row]] for s in (a, b))
        equal[row] = np.array_equal(one, two)
    return equal


def spell_words(buffer: Bytes, starts: Ints, stops: Ints) -> pl.Series:
    """The words at these positions, as text: copied out with a space after each, then split."""
    lengths = stops - starts + 1
    before = np.cumsum(lengths) - lengths
    letters = buffer[np.arange(lengths.sum()) + np.repeat(starts - before, lengths)]
    text = pl.Series([letters.tobytes().decode()]).str.split(" ").explode()
    return text.head(len(starts))
