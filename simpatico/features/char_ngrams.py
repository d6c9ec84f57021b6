"""Hashed character n-grams: how a text is written, in any language.

Each n-gram of `shortest` to `longest` characters falls by its hash into one of the buckets; a
bucket that holds n of them has the value 1 + log n (sublinear term frequency), and a text's values
together have length 1. One more bucket, the last, holds the length of the text: log(1 + characters)
- 4, so that some 54 characters are 0. scikit-learn's HashingVectorizer does nearly this, but
scoring must not need scikit-learn, and the hash is part of the format of trained models.
Example: "ab", n-grams of 2, has "\\na", "ab", "b\\n"; each counts 1 / sqrt(3) = .577.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from simpatico.arrays import Floats, Ints

Codes = npt.NDArray[np.uint64]

EDGE = "\n"
"""Stands before and after each text."""
CENTRE = 4.0
"""Logarithm of the number of characters whose length feature is 0."""
FACTORS = tuple(np.uint64(n) for n in (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F, 0x165667B1))
"""Odd multipliers that spread the characters of an n-gram over 32 bits, one a position."""
BITS = np.uint64(0xFFFFFFFF)
SHIFT = np.uint64(15)
BATCH = 2**18
"""Characters of texts that are counted together; more need memory, and are no faster."""


class CharNgramSettings(msgspec.Struct, frozen=True):
    """Which n-grams are counted, and in how many buckets."""

    shortest: int = 2
    longest: int = 4
    buckets: int = 2**16

    @property
    def columns(self) -> int:
        """The number of buckets, with the one for length."""
        return self.buckets + 1

    @property
    def problem(self) -> str | None:
        """What is wrong with these settings; null if nothing is."""
        if not 1 <= self.shortest <= self.longest <= len(FACTORS):
            return (
                f"character n-grams of {self.shortest} to {self.longest} characters; they are 1 to "
                f"{len(FACTORS)} long"
            )
        if self.buckets < 1 or self.buckets & (self.buckets - 1):
            return f"{self.buckets} buckets; their number must be a power of 2"
        return None


class CharNgrams(NamedTuple):
    """The filled buckets of every text, one text after the other."""

    starts: Ints
    """Where the buckets of each text begin, and last, where those of the last text end."""
    bucket: Ints
    value: Floats

    def dot(self, weights: npt.NDArray[Any]) -> Floats:
        """The dot product of every text with the weights of the buckets."""
        terms = weights[self.bucket] * self.value
        return np.asarray(np.add.reduceat(terms, self.starts[:-1]), np.float64)

    def matrix(self, settings: CharNgramSettings) -> Any:
        """The same as a sparse matrix, a row a text."""
        from scipy import sparse

        shape = (len(self.starts) - 1, settings.columns)
        return sparse.csr_matrix((self.value, self.bucket, self.starts), shape=shape)


def count_char_ngrams(texts: Sequence[str], settings: CharNgramSettings) -> CharNgrams:
    """The values of the buckets; every text fills at least the one for length."""
    parts = [count_batch(batch, settings) for batch in batches(texts)]
    sizes = [np.zeros(1, np.int64), *(np.diff(part.starts) for part in parts)]
    return CharNgrams(
        np.cumsum(np.concatenate(sizes)),
        np.concatenate([np.zeros(0, np.int64), *(part.bucket for part in parts)]),
        np.concatenate([np.zeros(0), *(part.value for part in parts)]),
    )


def batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Neighbouring texts of at most `BATCH` characters together, or a single longer one."""
    start, size = 0, 0
    for at, text in enumerate(texts):
        if at > start and size + len(text) > BATCH:
            yield texts[start:at]
            start, size = at, 0
        size += len(text)
    if start < len(texts):
        yield texts[start:]


def count_batch(texts: Sequence[str], settings: CharNgramSettings) -> CharNgrams:
    """The buckets that each text fills, in rising order, and their values."""
    joined = "".join(f"{EDGE}{text}{EDGE}" for text in texts)
    codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)
    characters = np.array([len(text) for text in texts], np.int64)
    row = np.repeat(np.arange(len(texts)), characters + 2)
    keys = list[Ints]()
    for length in range(settings.shortest, settings.longest + 1):
        # the number of buckets is a power of 2, so that a mask takes the remainder
        bucket = (ngram_hashes(codes, length) & np.uint64(settings.buckets - 1)).astype(np.int64)
        first, last = row[: len(bucket)], row[length - 1 :]
        inside = first == last
        keys.append(first[inside] * settings.columns + bucket[inside])
    # the bucket for length follows all others of a text
    keys.append(np.arange(len(texts)) * settings.columns + settings.buckets)
    ordered = np.sort(np.concatenate(keys))
    new = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    count = np.diff(np.append(new, len(ordered)))
    row, bucket = np.divmod(ordered[new], settings.columns)
    value = 1 + np.log(count)
    is_length = bucket == settings.buckets
    value[is_length] = 0.0
    starts = np.searchsorted(row, np.arange(len(texts) + 1))
    norm = np.sqrt(np.add.reduceat(value**2, starts[:-1]))
    value = value / np.where(norm > 0, norm, 1.0)[row]
    value[is_length] = np.log1p(characters) - CENTRE
    return CharNgrams(starts, bucket, value)


def ngram_hashes(codes: Codes, length: int) -> Codes:
    """A hash below 2 ** 32 for every n-gram of this length."""
    count = max(len(codes) - length + 1, 0)
    hashes = np.full(count, length, np.uint64)
    for position, factor in enumerate(FACTORS[:length]):
        hashes = ((hashes ^ codes[position : position + count]) * factor) & BITS
        hashes ^= hashes >> SHIFT
    return hashes
