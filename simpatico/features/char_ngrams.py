"""Short runs of characters, counted in buckets: how a text is written, in any language.

Each run of `shortest` to `longest` characters falls by its hash into one of the buckets; a bucket
that holds n runs counts 1 + log n, and a text's counts together have length 1. One more bucket, the
last, holds how long the text is: log(1 + characters) - 4, so that some 54 characters are 0.
Example: "ab", runs of 2, has the runs "\\na", "ab", "b\\n"; each counts 1 / sqrt(3) = .577.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from simpatico.arrays import Floats, Ints

Codes = npt.NDArray[np.uint64]

EDGE = "\n"
"""Stands before and after each text."""
USUAL = 4.0
"""Logarithm of the number of characters that counts as 0."""
FACTORS = tuple(np.uint64(n) for n in (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F, 0x165667B1))
"""Odd numbers that spread the characters of a run over 32 bits, one for each place in it."""
BITS = np.uint64(0xFFFFFFFF)
SHIFT = np.uint64(15)


class GramForm(msgspec.Struct, frozen=True):
    """Which runs are counted, and in how many buckets."""

    shortest: int = 2
    longest: int = 4
    buckets: int = 2**16

    @property
    def columns(self) -> int:
        """The buckets, and the one for length."""
        return self.buckets + 1

    @property
    def flaw(self) -> str | None:
        """What makes no sense about it."""
        if not 1 <= self.shortest <= self.longest <= len(FACTORS):
            return (
                f"runs of {self.shortest} to {self.longest} characters; they are 1 to "
                f"{len(FACTORS)} long"
            )
        if self.buckets < 1 or self.buckets & (self.buckets - 1):
            return f"{self.buckets} buckets; their number is a power of 2"
        return None


class Counted(NamedTuple):
    """The filled buckets of every text, one text after the other."""

    starts: Ints
    """Where each text's begin, and at last where the last one's end."""
    bucket: Ints
    value: Floats

    def weighed(self, weights: npt.NDArray[Any]) -> Floats:
        """The sum over each text's buckets of what they hold times what they weigh."""
        terms = weights[self.bucket] * self.value
        return np.asarray(np.add.reduceat(terms, self.starts[:-1]), np.float64)

    def matrix(self, form: GramForm) -> Any:
        """The same as a sparse matrix, a row a text."""
        from scipy import sparse

        shape = (len(self.starts) - 1, form.columns)
        return sparse.csr_matrix((self.value, self.bucket, self.starts), shape=shape)


def counted(texts: Sequence[str], form: GramForm) -> Counted:
    """What is in the buckets; every text fills at least the one for length."""
    rows = [filled(text, form) for text in texts]
    sizes = np.array([0, *(len(bucket) for bucket, _ in rows)], np.int64)
    empty = np.zeros(0)
    return Counted(
        np.cumsum(sizes),
        np.concatenate([empty.astype(np.int64), *(bucket for bucket, _ in rows)]),
        np.concatenate([empty, *(value for _, value in rows)]),
    )


def filled(text: str, form: GramForm) -> tuple[Ints, Floats]:
    """The buckets that a text fills, in rising order, and what is in them."""
    raw = f"{EDGE}{text}{EDGE}".encode("utf-32-le", "surrogatepass")
    codes = np.frombuffer(raw, np.uint32).astype(np.uint64)
    lengths = range(form.shortest, min(form.longest, len(codes)) + 1)
    found = np.concatenate([np.zeros(0, np.uint64), *(hashes(codes, n) for n in lengths)])
    bucket, times = np.unique(found & np.uint64(form.buckets - 1), return_counts=True)
    value = 1 + np.log(times)
    length = np.log1p(len(text)) - USUAL
    return (
        np.append(bucket.astype(np.int64), form.buckets),
        np.append(value / np.sqrt((value**2).sum() or 1.0), length),
    )


def hashes(codes: Codes, length: int) -> Codes:
    """A number below 2 ** 32 for every run of this length."""
    count = len(codes) - length + 1
    found = np.full(count, length, np.uint64)
    for place, factor in enumerate(FACTORS[:length]):
        found = ((found ^ codes[place : place + count]) * factor) & BITS
        found ^= found >> SHIFT
    return found
