"""Distinct-n: how varied the words of a system are (Li et al. 2016, NAACL).

Of any text the share of distinct n-grams falls as the text gets longer, so all systems are read at
the same size: how many distinct n-grams are to be expected among `size` of them drawn at random
from all that the system said (rarefaction: Hurlbert 1971), divided by `size`:
sum over n-grams g of (1 - C(N - c(g), size) / C(N, size)) / size, N their number and c(g) the count
of g. n-grams do not cross turns.
Example: "so so so fun" has the words so, so, so, fun; of two drawn, so is missed with probability
C(1,2)/C(4,2) = 0 and fun with C(3,2)/C(4,2) = 1/2, so 1.5 distinct words are expected: 0.75.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from math import expm1, inf, log1p
from typing import Any, ClassVar, NamedTuple

import numpy as np
import polars as pl
from scipy import sparse

from simpatico.arrays import Floats, Ints
from simpatico.features import Feature, Features
from simpatico.features.words import Keys, Words, assign_codes
from simpatico.metric import Card, Score
from simpatico.metrics._shared.jackknife import (
    MIN_DIALOGS,
    draw_halves,
    sampling_ranks,
    summary_row,
    summary_table,
)
from simpatico.metrics._shared.parameters import MAX_SEED, bounded, check_parameters
from simpatico.metrics._shared.scores import make_score
from simpatico.turns import Level, Turns

DRAWS = 200
"""Halves of the dialogs that the interval is made from."""
MIN_SHARE_OF_HALVES = 0.9
"""Share of the halves that must hold enough n-grams for an interval."""


@dataclass(frozen=True)
class DistinctN:
    """Parameters: `n` words in an n-gram; `size` of the sample that all systems are read at;
    `vocabulary` of the adjusted score (30,522 is BERT's); `most` dialogs of a system that are read,
    drawn by `seed`.
    """

    n: int = bounded(2, 1, 20)
    size: int = bounded(1_000, 1, 10**9)
    vocabulary: int = bounded(30_522, 2, 10**9)
    most: int = bounded(5_000, 1, 10**6)
    seed: int = bounded(0, 0, MAX_SEED)

    name: ClassVar[str] = "distinct_n"
    level: ClassVar[Level] = "system"
    card: ClassVar[Card] = Card(
        about="How varied the word pairs of a system are, at the same amount of text for all.",
        undefined="Null when the system said fewer than `size` n-grams. Beyond `most` dialogs of "
        "a system a sample of them is read.",
        citation="Li et al. 2016 (NAACL, doi:10.18653/v1/N16-1014); read at one size by Hurlbert "
        "1971 (Ecology 52:577); adjusted for length by Liu et al. 2022 "
        "(ACL, doi:10.18653/v1/2022.acl-short.86)",
        kind="traditional",
        language=None,
        careful="Nonsense is varied too, and words are what stands between spaces and marks, which "
        "says little of a script that writes without them.",
    )
    needs: ClassVar[tuple[Feature, ...]] = (Words(),)
    scores: ClassVar[tuple[Score, ...]] = (
        make_score(
            "distinct_n",
            pl.col("distinct_n"),
            "share of distinct ones among `size` n-grams drawn from all a system said",
            "varies its words (more|less)",
            title="Distinct n-grams",
        ),
        make_score(
            "distinct_1",
            pl.col("distinct_1"),
            "the same of single words",
            "has (more|fewer) different words",
            title="Distinct words",
        ),
        make_score(
            "distinct_n_raw",
            pl.col("distinct_n_raw"),
            "distinct n-grams over all words, as Li et al. have it; falls with length",
            "has a (higher|lower) raw share of distinct n-grams",
            title="Distinct n-grams, raw",
        ),
        make_score(
            "distinct_n_adjusted",
            pl.col("distinct_n_adjusted"),
            "distinct words over those expected if as many were drawn evenly from "
            "`vocabulary` words, as Liu et al. have it",
            "has (more|fewer) different words for its length",
            range=(0.0, inf),
            title="Distinct words, adjusted",
        ),
    )

    def __post_init__(self) -> None:
        check_parameters(self)

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        table = features[Words()]
        # each chunk has its own codes of words; eight bytes of a hash are the same in all of them,
        # and that two words of a system share one is not to be expected below some 2^32 words
        digests = [blake2b(w.encode(), digest_size=8).digest() for w in table.vocabulary]
        codes = np.frombuffer(b"".join(digests), "<u8")[table.codes]
        rank = sampling_ranks(turns.frame.select("dialog"), self.seed)
        return pl.DataFrame({"words": word_lists(codes, table.counts), "rank": rank})

    def sample(self, material: pl.DataFrame) -> pl.DataFrame:
        """Of each system at most so many dialogs, drawn by their rank."""
        dialogs = material.select("system", "dialog", "rank").unique(["system", "dialog"])
        by_rank = dialogs.sort("rank", "dialog").group_by("system", maintain_order=True)
        return material.join(by_rank.head(self.most), on=["system", "dialog"], how="semi")

    def summary(self, material: pl.DataFrame, *, seed: int) -> pl.DataFrame:
        systems = material["system"].unique().sort()
        rows = [self._row(name, material.filter(system=name), seed) for name in systems]
        return summary_table(self.scores, rows)

    def _row(self, system: str, material: pl.DataFrame, seed: int) -> dict[str, Any]:
        words, ngrams = count_ngrams(material, 1), count_ngrams(material, self.n)
        if (n := int(ngrams.totals.sum())) < self.size:
            return {"system": system, "reason": f"too_few_ngrams ({n} of {self.size})"}
        dialogs = len(ngrams.totals)
        values = self._values(words, ngrams, np.ones(dialogs))
        draws = DRAWS if dialogs >= MIN_DIALOGS else 0
        masks = draw_halves(dialogs, draws, seed)
        halves = np.array([self._values(words, ngrams, mask) for mask in masks])
        halves = halves.reshape(draws, len(values)).T
        # where too many halves have too few n-grams there is no interval
        halves[np.isfinite(halves).sum(axis=1) < MIN_SHARE_OF_HALVES * draws] = np.nan
        return summary_row(system, self.scores, values, halves, dialogs)

    def _values(self, words: NgramCounts, ngrams: NgramCounts, mask: Floats) -> list[float]:
        """All scores of the chosen dialogs."""
        word_counts, ngram_counts = words.counts(mask), ngrams.counts(mask)
        distinct, total = np.count_nonzero(word_counts), float(word_counts.sum())
        raw = np.count_nonzero(ngram_counts) / total if total else np.nan
        # Liu et al. 2022: V (1 - ((V - 1) / V) ^ C) distinct words are expected among C words drawn
        # evenly from V; written so that no digits are lost where C is small beside V
        even = -self.vocabulary * expm1(total * log1p(-1 / self.vocabulary))
        return [
            expected_distinct_share(ngram_counts, self.size),
            expected_distinct_share(word_counts, self.size),
            raw,
            distinct / even if total else np.nan,
        ]


def word_lists(words: Keys, lengths: Ints) -> pl.Series:
    """The words of each turn, as lists of these lengths."""
    turn = np.repeat(np.arange(len(lengths), dtype=np.int64), lengths)
    rows = pl.DataFrame({"turn": turn, "words": words.astype(np.uint64)}).set_sorted("turn")
    lists = rows.group_by("turn", maintain_order=True).agg("words")["words"]
    # a turn without words has no group: its list is empty
    spoken = pl.Series(np.where(lengths > 0, np.cumsum(lengths > 0) - 1, -1))
    empty = pl.Series([[]], dtype=pl.List(pl.UInt64))
    return lists.append(empty).gather(spoken.replace(-1, len(lists) - 1))


class NgramCounts(NamedTuple):
    """How often each n-gram stands in each dialog, and how many each dialog has."""

    table: sparse.csr_matrix
    totals: Floats

    def counts(self, mask: Floats) -> Floats:
        """How often each n-gram stands in the chosen dialogs."""
        return np.asarray(mask @ self.table)


def count_ngrams(material: pl.DataFrame, n: int) -> NgramCounts:
    """The n-grams of one system's turns; none runs from one turn into the next."""
    words = material["words"].explode(empty_as_null=False).to_numpy()
    lengths = material["words"].list.len().to_numpy().astype(np.int64)
    turn = np.repeat(np.arange(len(lengths)), lengths)
    codes = assign_codes(words)[0].astype(np.int64)
    # a code for each n-gram, grown word by word and kept dense so that products stay below 2^63
    base, kinds = int(codes.max(initial=0)) + 1, codes
    for step in range(1, n):
        pairs = kinds[: max(len(kinds) - 1, 0)] * base + codes[step:]
        kinds = assign_codes(pairs.astype(np.uint64))[0].astype(np.int64)
    within_turn = turn[: len(kinds)] == turn[n - 1 :][: len(kinds)]
    dialog = material["dialog"].rank("dense").to_numpy().astype(np.int64)[turn] - 1
    rows, columns = dialog[: len(kinds)][within_turn], kinds[within_turn]
    shape = (material["dialog"].n_unique(), int(columns.max(initial=0)) + 1)
    table = sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=shape)
    return NgramCounts(table, np.asarray(table.sum(1)).ravel())


def expected_distinct_share(counts: Floats, size: int) -> float:
    """The share of distinct ones to expect among so many drawn without replacement."""
    from scipy.special import gammaln

    total = counts.sum()
    if total < size:
        return float("nan")
    # counts are whole numbers: how many n-grams there are of each needs no sorting
    every = np.bincount(counts.astype(np.int64))
    every[0] = 0
    often = np.flatnonzero(every)
    kinds, often = every[often], often.astype(np.float64)
    others = total - often
    with np.errstate(invalid="ignore"):
        # log C(others, size) - log C(total, size), the size! in both cancelled
        log_absence = gammaln(others + 1) - gammaln(others - size + 1) - gammaln(total + 1)
        absence = np.where(others >= size, np.exp(log_absence + gammaln(total - size + 1)), 0.0)
    return float((kinds * (1 - absence)).sum() / size)
