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

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
import polars as pl

from simpatico.arrays import Bools, Floats
from simpatico.features import Feature, Features
from simpatico.features.chat_words import ChatWordCounts, shuffled_rows
from simpatico.features.lexicon import load_lexicon
from simpatico.features.words import MULTIPLIER, Words, WordTable, cut_words, mix_bits
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
FUNCTION_WORDS, CONTENT_WORDS = "function_words", "emotions"
"""The shipped lexica that know words."""


@dataclass(frozen=True)
class Degenerate:
    """True for turns that repeat themselves or have far too few known words."""

    needs: ClassVar[tuple[Feature, ...]] = (Words(),)

    def compute(self, turns: Turns, features: Features) -> Bools:
        return degenerate_rows(features[Words()])


@dataclass(frozen=True)
class DegenerateSpeaker:
    """True for turns that are degenerate, or whose speaker's turns in the dialog together are.

    Said ten times in turn, "so sad" is no loop within a turn, but one over the dialog. Whether
    words are in no order is asked of all turns together as well: of single turns, a terse but
    sensible one ("Climbing hall, language class, community garden, choir.") would be called so.
    """

    needs: ClassVar[tuple[Feature, ...]] = (Words(), Degenerate(), ChatWordCounts())

    def compute(self, turns: Turns, features: Features) -> Bools:
        table, frame = features[Words()], turns.frame
        dialog = np.cumsum(frame["turn"].to_numpy() == 0)
        speaker = frame["speaker"].rank("dense").to_numpy().astype(np.int64)
        keys, unit = np.unique(dialog * (speaker.max(initial=0) + 1) + speaker, return_inverse=True)
        words = np.argsort(np.repeat(unit, table.counts), kind="stable")
        counts = np.bincount(unit, table.counts, len(keys)).astype(np.int64)
        ends = np.concatenate([[0], np.cumsum(counts)])
        together = WordTable(table.codes[words], ends, table.vocabulary)
        counts_of_chat = features[ChatWordCounts()]
        shuffled = shuffled_rows(together, counts_of_chat, below=SPEAKER_ASSOCIATION)
        unlike = degenerate_rows(together) | shuffled
        return np.asarray(features[Degenerate()] | unlike[unit])


def degenerate_texts(texts: Sequence[str]) -> Bools:
    """Whether each text repeats itself or has far too few known words."""
    return degenerate_rows(cut_words(pl.Series(texts, dtype=pl.String)))


def degenerate_rows(table: WordTable) -> Bools:
    """Whether each turn of a word table is degenerate."""
    return repetitive(table) | word_salad(table)


def repetitive(table: WordTable) -> Bools:
    """Whether a turn has too few different words, or says the same phrase again and again."""
    n = table.counts
    few = np.where(n >= MIN_REPEATED, DISTINCT_SHARE * np.minimum(n, MAX_COUNTED), -1)
    # fewer than a share is at most the next lower whole number
    loops = np.where(n >= MIN_LOOP, np.ceil(TRIGRAM_SHARE * (n - 2)) - 1, -1)
    return has_few_distinct(table, 1, few) | has_few_distinct(table, 3, loops)


def has_few_distinct(table: WordTable, order: int, most: Floats) -> Bools:
    """Whether each turn has at most so many different word n-grams, compared by hash.

    Each hash sets one of 64 bits of its turn: as many as are set are different at the least, which
    settles nearly all turns without a search for equal hashes.
    """
    row = np.repeat(np.arange(len(table.counts)), table.counts)
    size = max(len(row) - order + 1, 0)
    inside = np.flatnonzero(row[:size] == row[order - 1 :])
    row = row[inside]
    keys = row.astype(np.uint64)
    for step in range(order):
        keys = mix_bits(keys * MULTIPLIER + table.codes[inside + step].astype(np.uint64))
    bits = np.zeros(len(table.counts), np.uint64)
    starts = np.flatnonzero(np.diff(row, prepend=-1))
    if len(starts):
        of_hash = np.uint64(1) << (keys >> np.uint64(58))
        bits[row[starts]] = np.bitwise_or.reduceat(of_hash, starts)
    unsure = np.bitwise_count(bits) <= most
    unsure_words = unsure[row]
    first = pl.Series(keys[unsure_words]).is_first_distinct().to_numpy()
    distinct = np.bincount(row[unsure_words][first], minlength=len(table.counts))
    return np.asarray(unsure & (distinct <= most))


def word_salad(table: WordTable) -> Bools:
    """Whether a turn has far too few words that are known, or hardly any function word."""
    function, known = (
        table.sums(table.vocabulary.is_in(words).to_numpy().astype(float)[:, None])[:, 0]
        for words in known_words()
    )
    n = table.counts
    unknown = (known < KNOWN_SHARE * n) & (n >= MIN_SALAD)
    return np.asarray(unknown | ((function < FUNCTION_SHARE * n) & (n >= MIN_FUNCTION)))


@lru_cache(maxsize=1)
def known_words() -> tuple[frozenset[str], frozenset[str]]:
    """The function words, and all words of the shipped lists."""
    function = frozenset(load_lexicon(FUNCTION_WORDS).rows)
    return function, function | frozenset(load_lexicon(CONTENT_WORDS).rows)
