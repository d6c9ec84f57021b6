"""How common words are in English chat, and which of them follow each other.

A word w that d of D texts contain has the idf log((D + 1) / (d + 1)). For pairs of neighbours, only
the thousand most common words stand for themselves and all others for their ending (-ing, -ed …),
so that the order of words can be judged whatever they are about. With p(w) the share of w among all
words and p(w | v) its share after v, the association of w with v is log(.7 p(w | v) / p(w) + .3),
where .3 keeps it finite for pairs never seen (Jelinek and Mercer 1980). A text begins after a
boundary and ends with one, which counts as a word.
Example: w is 1% of all words and 10% of those after v: log(.7 x 10 + .3) = 1.988; after a word that
w never follows it is log(.3) = -1.204.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, lru_cache, reduce
from math import log
from pathlib import Path
from typing import ClassVar

import msgspec
import numpy as np
import numpy.typing as npt
import polars as pl

from simpatico.arrays import Bools, Floats, Ints
from simpatico.errors import DataError
from simpatico.features import Feature, Features
from simpatico.features.lexicon import folder_stamps
from simpatico.features.word_ids import WordIds
from simpatico.features.words import WordTable
from simpatico.models.folder import all_finite, read_model_folder
from simpatico.turns import Turns

SHIPPED = Path(__file__).parents[1] / "data" / "models" / "chat_words"
WEIGHTS, RECIPE, VOCABULARY, CARD = "model.safetensors", "recipe.json", "vocabulary.json", "card.md"
FILES = (WEIGHTS, RECIPE, VOCABULARY, CARD)
PAIR_SHARE = 0.7
"""Weight of the probability after the word before; the rest is that of the word alone."""
COMMON = 1_000
"""Words that stand for themselves in pairs."""
ENDINGS = ("ing", "ed", "ly", "tion", "ies", "s", "er", "y", "e", "")
"""Of the other words, the longest that matches, from the third letter on; digits are one more."""
ENDING_NUMBER = reduce(
    lambda other, n: pl.when(pl.col("rest").str.ends_with(ENDINGS[n])).then(n).otherwise(other),
    reversed(range(len(ENDINGS))),
    pl.lit(0, pl.Int64),
)
"""The first that matches is the longest one."""
BOUNDARY = COMMON + len(ENDINGS) + 2
"""The symbol of the beginning and the end of a text; symbols of words are from 1 on."""
MIN_ASSOCIATION, MIN_ORDERED = -0.1, 10
"""The mean association below which a text of ten words or more is taken for shuffled words: fewer
than 1 in 100 replies of twelve public sets are, and five in six once their words are shuffled."""
IDF_STEPS = 2.0**20
UNSEEN = log(1 - PAIR_SHARE)
"""The association of words that were never seen in this order."""


class ChatRecipe(msgspec.Struct, frozen=True):
    """What the counts are of."""

    kind: str
    texts: int
    words: int


@dataclass(frozen=True)
class ChatWords:
    """Counts of words and pairs; two are equal when all their files are."""

    sha256: str
    texts: int = field(compare=False)
    ids: WordIds = field(compare=False, repr=False)
    """From 1 for the word that most texts have; 0 is every word that is not known."""
    documents: Ints = field(compare=False, repr=False)
    pairs: Ints = field(compare=False, repr=False)
    """Known pairs as numbers, in rising order."""
    associations: Floats = field(compare=False, repr=False)

    def idf(self, table: WordTable) -> Floats:
        """Of each word of the vocabulary, in steps of 2 ** -20.

        Sums of such numbers are exact, and so do not depend on the order of the vocabulary.
        """
        idf = np.log((self.texts + 1) / (self.documents[self.ids.of(table)] + 1))
        return np.asarray(np.round(idf * IDF_STEPS) / IDF_STEPS)

    def associations_of(self, table: WordTable) -> tuple[Ints, Floats]:
        """Of every word, and of the end of every text: the text it is in, and its association."""
        row, keys = neighbours(table, self.symbols_of(table))
        return row, self.association_table[keys]

    def sums_of(self, table: WordTable) -> Floats:
        """Per text, the sum of these."""
        if table.passes:
            symbols, pairs = self.symbols_of(table), self.association_table
            sums: Floats = table.passes.associations(
                table.codes, table.ends, symbols, pairs, BOUNDARY
            )
            return sums
        row, each = self.associations_of(table)
        return np.bincount(row, each, len(table.counts)).astype(np.float64)

    def symbols_of(self, table: WordTable) -> Ints:
        """What each word of the vocabulary stands for, found once a vocabulary."""
        key = f"symbols of {self.sha256}"
        if key not in table.memo:
            table.memo[key] = symbols(table, self.ids)
        own: Ints = table.memo[key]
        return own

    @cached_property
    def association_table(self) -> Floats:
        """The association of every pair of symbols, by its number."""
        table = np.full((BOUNDARY + 1) ** 2, UNSEEN, np.float64)
        possible = (self.pairs >= 0) & (self.pairs < len(table))
        table[self.pairs[possible]] = self.associations[possible]
        return table

    @cached_property
    def least(self) -> float:
        """The lowest association of all."""
        return float(self.association_table.min())

    @cached_property
    def steps(self) -> tuple[npt.NDArray[np.int8], float]:
        """The table in whole steps, rounded down, which stays in the processor's cache; a step."""
        step = float(np.abs(self.association_table).max()) / 127
        return np.floor(self.association_table / step).astype(np.int8), step


def symbols(table: WordTable, ids: WordIds) -> Ints:
    """What each word of the vocabulary stands for: itself if it is common, else its ending."""
    numbers = ids.of(table)
    rare = np.flatnonzero((numbers == 0) | (numbers > COMMON))
    words = table.vocabulary[rare].to_frame("word")
    rest = words.select(pl.col("word").str.slice(2).alias("rest"))
    first, ending = words["word"].str.head(1), rest.select(ENDING_NUMBER).to_series()
    digits = [character for character in first.unique() if character.isdigit()]
    numbers[rare] = COMMON + 1 + ending.to_numpy()
    if digits:
        numbers[rare[first.is_in(digits).to_numpy()]] = COMMON + 1 + len(ENDINGS)
    return numbers


def neighbours(table: WordTable, symbols: Ints) -> tuple[Ints, Ints]:
    """The text of each word or end of a text, and a number for it and the word before it."""
    filled = np.flatnonzero(table.counts)
    lengths = table.counts[filled] + 1
    row = np.repeat(filled, lengths)
    is_word = np.ones(len(row), np.bool_)
    is_word[np.cumsum(lengths) - 1] = False
    after = np.full(len(row) + 1, BOUNDARY, np.int32)
    after[1:][is_word] = symbols[table.codes]
    return row, after[:-1] * np.int32(BOUNDARY + 1) + after[1:]


def shuffled_rows(table: WordTable, words: ChatWords, *, below: float = MIN_ASSOCIATION) -> Bools:
    """Whether the words of each text stand in no order: their mean association is very low."""
    # the end of a text is one more than its words
    low = words.sums_of(table) < below * (table.counts + 1)
    return np.asarray(low & (table.counts >= MIN_ORDERED))


def least_associations(table: WordTable, words: ChatWords) -> Floats:
    """At least so much is the sum of the associations of each text's words, after any text.

    What its first word follows is left open, and the end is not counted.
    """
    own, (in_steps, step) = words.symbols_of(table).astype(np.int32), words.steps
    if not len(table.codes):
        return np.zeros(len(table.counts))
    before, after = ((BOUNDARY + 1) * own)[table.codes[:-1]], own[table.codes[1:]]
    associations = np.append(np.int32(0), in_steps[before + after].astype(np.int32))
    associations[table.ends[:-1][table.counts > 0]] = np.floor(words.least / step)
    return table.reduce(np.add, associations) * step


@dataclass(frozen=True)
class ChatWordCounts:
    """The feature that gives the shipped counts."""

    needs: ClassVar[tuple[Feature, ...]] = ()

    @property
    def fingerprint(self) -> str:
        return f"chat_words_sha256:{load_chat_words().sha256[:12]}"

    def compute(self, turns: Turns, features: Features) -> ChatWords:
        return load_chat_words()


def load_chat_words(folder: Path = SHIPPED) -> ChatWords:
    """The counts in a folder; those we ship unless another is named."""
    return read_chat_words(folder, folder_stamps(folder))


@lru_cache(maxsize=2)
def read_chat_words(folder: Path, stamps: tuple[tuple[int, int], ...]) -> ChatWords:
    """The counts in a folder; kept in memory as long as its files have these stamps."""
    files = read_model_folder(folder, FILES)
    recipe: ChatRecipe = files.decode(RECIPE, ChatRecipe)
    vocabulary: list[str] = files.decode(VOCABULARY, list[str])
    tensors, path = files.tensors(WEIGHTS), folder / WEIGHTS
    if recipe.kind != "chat-words" or recipe.texts < 1 or recipe.words < 1:
        raise DataError(f"{folder / RECIPE}: not the counts of chat words; get the model again")
    expected = {"documents", "pairs", "associations"}
    if set(tensors) != expected or not all_finite(tensors["associations"]):
        raise DataError(f"{path}: not the counts of chat words; get the model again")
    documents, pairs = (tensors[name].astype(np.int64) for name in ("documents", "pairs"))
    sizes = len(documents) - len(vocabulary), len(pairs) - len(tensors["associations"])
    if sizes != (1, 0) or not len(pairs) or (np.diff(pairs) <= 0).any():
        raise DataError(f"{path}: counts that do not match the vocabulary; get the model again")
    return ChatWords(
        files.sha256,
        recipe.texts,
        WordIds({word: at for at, word in enumerate(vocabulary, 1)}),
        documents,
        pairs,
        tensors["associations"].astype(np.float64),
    )
