"""Whether a turn is no text to judge: the same words over and over, or hardly a known word.

With n words, d of them different, and t different ones among its n − 2 trigrams, a text repeats
itself where d ≤ min(n, 100) / 4 (n ≥ 4) or t < (n − 2) / 2 (n ≥ 8). It is a word salad where fewer
than .3 of its words are known (n ≥ 3) or fewer than .12 are function words (n ≥ 12), which make up
about half of an English text. Known are the words of the shipped lists: function words and the
emotion lexicon. Of 23,962 utterances of EmpatheticDialogues 1 is degenerate, of 2,129 answers of
counsellors none, of 29,603 English ones of ConvAI 1.1%, most of them loops and gibberish. A text
with its words in a random order is not found out.
Example: "sad sad sad sad" has d = 1 ≤ 4 / 4 and is degenerate; "so sad, so very sad" is not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import polars as pl

from simpatico.arrays import Bools, Floats, Ints
from simpatico.features import Feature, Features
from simpatico.features.chat_words import ChatWordCounts, least_associations, shuffled_rows
from simpatico.features.lexicon import load_lexicon
from simpatico.features.words import MULTIPLIER, Keys, Words, WordTable, cut_words, mix_bits
from simpatico.turns import Turns

MIN_REPEATED = 4
"""Words from which a text may repeat itself: "no, no, no" is speech."""
DISTINCT_SHARE, MAX_COUNTED = 0.25, 100
"""Least share of different words, of a hundred at most: long texts use their words again."""
MIN_LOOP, TRIGRAM_SHARE = 8, 0.5
"""Words from which trigrams are compared, and the least share of different ones."""
MIN_SALAD, KNOWN_SHARE = 3, 0.3
"""Words from which known ones are counted, and the least share of them."""
MIN_FUNCTION, FUNCTION_SHARE = 12, 0.12
"""Words from which function words are counted, and the least share of them."""
SPEAKER_ASSOCIATION = -0.25
"""The mean association of words below which all that a speaker says is taken for shuffled words:
none of 132 speakers of the sample conversations are, and 96% once their words are shuffled."""
ROUNDING = 1e-6
"""More than what sums of associations may differ by, a word, in another order of addition."""
FUNCTION_WORDS, CONTENT_WORDS = "function_words", "emotions"
"""The shipped lexica that know words."""


@dataclass(frozen=True)
class Sketch:
    """What settles most texts at a glance, and adds up over texts that are read as one.

    `sets` has 128 bits a text, of which each of its words sets one: as many words as bits are set
    are different at the least. `function` and `known` count such words.
    """

    words: Ints
    sets: Keys
    function: Floats
    known: Floats

    @classmethod
    def of(cls, table: WordTable) -> Sketch:
        codes = np.arange(len(table.vocabulary), dtype=np.uint64)
        bit = (codes * MULTIPLIER) >> np.uint64(57)
        function, content = (
            load_lexicon(name).rows.of(table) > 0 for name in (FUNCTION_WORDS, CONTENT_WORDS)
        )
        is_known = np.column_stack([function, function | content])
        counts = table.sums(is_known.astype(np.float64))
        return cls(table.counts, word_sets(table, bit), *counts.T)

    def merge(self, order: Ints, starts: Ints) -> Sketch:
        """That of texts in a new order, each group of which, from its start on, is one text."""
        words, *counts = (
            np.add.reduceat(part[order], starts) for part in (self.words, self.function, self.known)
        )
        sets = np.bitwise_or.reduceat(self.sets[:, order], starts, axis=1)
        return Sketch(words, sets, *counts)

    @property
    def least_distinct(self) -> Ints:
        """At least so many different words are in each text."""
        return np.asarray(np.bitwise_count(self.sets).astype(np.int64).sum(axis=0))


def word_sets(table: WordTable, bit: Keys) -> Keys:
    """Per text, 128 bits in two rows, of which each word sets that of its code."""
    if table.passes:
        sets: Keys = table.passes.sets(table.codes, table.ends, bit.view(np.int64))
        return sets
    one = np.uint64(1) << (bit & np.uint64(63))
    halves = (np.where(bit >> np.uint64(6) == half, one, np.uint64(0)) for half in (0, 1))
    return np.stack([table.reduce(np.bitwise_or, half[table.codes]) for half in halves])


@dataclass(frozen=True)
class Sketches:
    """The sketch of all turns."""

    needs: ClassVar[tuple[Feature, ...]] = (Words(),)

    def compute(self, turns: Turns, features: Features) -> Sketch:
        return Sketch.of(features[Words()])


@dataclass(frozen=True)
class Degenerate:
    """True for turns that repeat themselves or have far too few known words."""

    needs: ClassVar[tuple[Feature, ...]] = (Words(), Sketches())

    def compute(self, turns: Turns, features: Features) -> Bools:
        return degenerate_rows(features[Sketches()], features[Words()].take)


@dataclass(frozen=True)
class DegenerateSpeaker:
    """True for turns that are degenerate, or whose speaker's turns in the dialog together are.

    Said ten times in turn, "so sad" is no loop within a turn, but one over the dialog. Whether
    words are in no order is asked of all turns together as well: of single turns, a terse but
    sensible one ("Climbing hall, language class, community garden, choir.") would be called so.
    """

    needs: ClassVar[tuple[Feature, ...]] = (Words(), Sketches(), Degenerate(), ChatWordCounts())

    def compute(self, turns: Turns, features: Features) -> Bools:
        table: WordTable = features[Words()]
        frame, alone = turns.frame, features[Degenerate()]
        if not len(turns):
            return np.asarray(alone)
        dialog = np.cumsum(frame["turn"].to_numpy() == 0)
        speakers = frame["speaker"]
        speaker = speakers.cast(pl.Enum(speakers.unique())).to_physical().to_numpy()
        key = dialog * (int(speaker.max()) + 1) + speaker
        # stable: the turns of a speaker stay in their order
        order = np.argsort(key, kind="stable")
        starts = np.flatnonzero(np.diff(key[order], prepend=-1))
        ends = np.append(starts, len(order))

        def together(units: Ints) -> WordTable:
            lengths = np.diff(ends)[units]
            own = np.append(0, np.cumsum(lengths))
            rows = order[np.arange(own[-1]) + np.repeat(starts[units] - own[:-1], lengths)]
            words = table.take(rows)
            return replace(words, ends=words.ends[own])

        unlike = degenerate_rows(features[Sketches()].merge(order, starts), together)
        chat = features[ChatWordCounts()]
        rows = np.arange(len(starts))
        if not table.passes:  # which take as long for all speakers as it takes to leave some out
            least = np.add.reduceat(least_associations(table, chat)[order], starts)
            n = np.add.reduceat(table.counts[order], starts)
            rows = np.flatnonzero(least + chat.least < SPEAKER_ASSOCIATION * (n + 1) + ROUNDING * n)
        unlike[rows] |= shuffled_rows(together(rows), chat, below=SPEAKER_ASSOCIATION)
        result: Bools = alone.copy()
        result[order] |= np.repeat(unlike, np.diff(ends))
        return result


def degenerate_texts(texts: Sequence[str]) -> Bools:
    """Whether each text repeats itself or has far too few known words."""
    table = cut_words(pl.Series(texts, dtype=pl.String))
    return degenerate_rows(Sketch.of(table), table.take)


def degenerate_rows(sketch: Sketch, texts: Callable[[Ints], WordTable]) -> Bools:
    """Whether each text is degenerate; `texts` gives the words of those that need a closer look."""
    n, distinct = sketch.words, sketch.least_distinct
    few, loops = most_distinct(n)
    # all but two of the different words begin a trigram, each another one
    rows = np.flatnonzero((distinct <= few) | ((distinct - 2 <= loops) & (n >= MIN_LOOP)))
    degenerate = word_salad(sketch)
    degenerate[rows] |= repetitive(texts(rows))
    return degenerate


def most_distinct(n: Ints) -> tuple[Floats, Floats]:
    """How many different words, and trigrams, texts of n words have at most if they repeat
    themselves; -1 where too few words can tell."""
    few = np.where(n >= MIN_REPEATED, DISTINCT_SHARE * np.minimum(n, MAX_COUNTED), -1)
    # fewer than a share is at most the next lower whole number
    return few, np.where(n >= MIN_LOOP, np.ceil(TRIGRAM_SHARE * (n - 2)) - 1, -1)


def repetitive(table: WordTable) -> Bools:
    """Whether a turn has too few different words, or says the same phrase again and again."""
    few, loops = most_distinct(table.counts)
    return (count_distinct(table, 1) <= few) | (count_distinct(table, 3) <= loops)


def count_distinct(table: WordTable, order: int) -> Ints:
    """The number of different word n-grams of each turn, compared by hash."""
    row = np.repeat(np.arange(len(table.counts)), table.counts)
    size = max(len(row) - order + 1, 0)
    inside = np.flatnonzero(row[:size] == row[order - 1 :])
    row = row[inside]
    keys = row.astype(np.uint64)
    for step in range(order):
        keys = mix_bits(keys * MULTIPLIER + table.codes[inside + step].astype(np.uint64))
    first = pl.Series(keys).is_first_distinct().to_numpy()
    return np.bincount(row[first], minlength=len(table.counts))


def word_salad(sketch: Sketch) -> Bools:
    """Whether a text has far too few words that are known, or hardly any function word."""
    n = sketch.words
    unknown = (sketch.known < KNOWN_SHARE * n) & (n >= MIN_SALAD)
    return np.asarray(unknown | ((sketch.function < FUNCTION_SHARE * n) & (n >= MIN_FUNCTION)))
