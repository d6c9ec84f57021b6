"""How common words and pairs of neighbouring words are in English chat.

A word w that d of D texts contain has the idf log((D + 1) / (d + 1)). With p(w) the share of w
among all words and p(w | v) its share after v, it has the probability .7 p(w | v) + .3 p(w) after
v (Jelinek and Mercer 1980, with fixed weights); its association with v is the log of that over
p(w). A text begins after a boundary and ends with one, which counts as a word.
Example: w is 1% of all words and 10% of those after v: log(.7 x 10 + .3) = 1.988; after a word that
w never follows it is log(.3) = -1.204.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from math import log
from pathlib import Path
from typing import ClassVar

import msgspec
import numpy as np

from simpatico.arrays import Floats, Ints
from simpatico.errors import DataError
from simpatico.features import Feature, Features
from simpatico.features.lexicon import folder_stamps
from simpatico.features.words import WordTable
from simpatico.models.folder import all_finite, read_model_folder
from simpatico.turns import Turns

SHIPPED = Path(__file__).parents[1] / "data" / "models" / "chat_words"
WEIGHTS, RECIPE, VOCABULARY, CARD = "model.safetensors", "recipe.json", "vocabulary.json", "card.md"
FILES = (WEIGHTS, RECIPE, VOCABULARY, CARD)
PAIR_SHARE = 0.7
"""Weight of the probability after the word before; the rest is that of the word alone."""
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
    ids: Mapping[str, int] = field(compare=False, repr=False)
    """From 1 on: 0 is every word that is not known."""
    documents: Ints = field(compare=False, repr=False)
    pairs: Ints = field(compare=False, repr=False)
    """Known pairs as numbers, in rising order."""
    associations: Floats = field(compare=False, repr=False)

    def idf(self, table: WordTable) -> Floats:
        """Of each word of the vocabulary."""
        return np.log((self.texts + 1) / (self.documents[self.codes(table)] + 1))

    def codes(self, table: WordTable) -> Ints:
        """The number of each word of the vocabulary; 0 where it is not known."""
        return np.array([self.ids.get(word, 0) for word in table.vocabulary], np.int64)

    def associations_of(self, table: WordTable) -> tuple[Ints, Floats]:
        """Of every word, and of the end of every text: the text it is in, and its association.

        A word that is not known is associated with no other.
        """
        row, before, after = neighbours(table, self.codes(table), boundary := len(self.ids) + 1)
        keys = pair_keys(before, after, boundary)
        at = np.minimum(np.searchsorted(self.pairs, keys), max(len(self.pairs) - 1, 0))
        known = (self.pairs[at] == keys) & (after > 0) & (before > 0)
        return row, np.where(known, self.associations[at], UNSEEN)


def neighbours(table: WordTable, ids: Ints, boundary: int) -> tuple[Ints, Ints, Ints]:
    """The text of each word, the word before it and the word itself, as numbers.

    A text begins after a boundary and ends with one; a text without words has none.
    """
    row = np.repeat(np.arange(len(table.counts)), table.counts)
    ends = table.ends[1:][table.counts > 0]
    after = np.insert(ids[table.codes] if len(ids) else row, ends, boundary)
    row = np.insert(row, ends, np.flatnonzero(table.counts))
    return row, np.concatenate([[boundary], after[:-1]])[: len(after)], after


def pair_keys(before: Ints, after: Ints, boundary: int) -> Ints:
    """One number for each pair of neighbours."""
    return before * (boundary + 1) + after


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
        {word: at for at, word in enumerate(vocabulary, 1)},
        documents,
        pairs,
        tensors["associations"].astype(np.float64),
    )
