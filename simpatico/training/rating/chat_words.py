"""Count words and pairs of words in chat, for `simpatico.features.chat_words`.

Rare words and pairs are left out: they say little, and could show what somebody wrote.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from safetensors.numpy import save

from simpatico.arrays import Floats, Ints
from simpatico.errors import BadValue, DataError
from simpatico.features.chat_words import (
    BOUNDARY,
    CARD,
    PAIR_SHARE,
    RECIPE,
    VOCABULARY,
    WEIGHTS,
    ChatRecipe,
    neighbours,
    symbols,
)
from simpatico.features.replies import word_table
from simpatico.features.word_ids import WordIds
from simpatico.features.words import WordTable
from simpatico.readers import Conversations
from simpatico.training.card import About, ModelCard
from simpatico.training.lexicon import FOLDERS, PLACEHOLDERS, read_goemotions
from simpatico.training.model_folder import encode_json, write_model_folder


@dataclass(frozen=True)
class CountSettings:
    """How many words are kept, and from how many occurrences on a pair is."""

    vocabulary: int = 20_000
    minimum: int = 4

    def __post_init__(self) -> None:
        if self.vocabulary < 1 or self.minimum < 1:
            raise BadValue(
                f"vocabulary is {self.vocabulary} and minimum {self.minimum}; both are 1 or more"
            )


def chat_texts(path: Path, format: str | None = None) -> list[str]:
    """What people say in a file of conversations, references included; or GoEmotions' texts."""
    files = (path / folder / "train.tsv" for folder in FOLDERS)
    if file := next(filter(Path.is_file, files), None):
        return read_goemotions(file)[0].str.replace_all(PLACEHOLDERS, " ").to_list()
    texts = list[str]()
    for chunk in Conversations((path,), format=format).chunks():
        frame = chunk.turns.frame
        by_people = pl.col("system").is_null() | (pl.col("system") == "human")
        texts += frame.filter(by_people)["text"].to_list()
        references = frame.unique("prompt", maintain_order=True)["references"]
        texts += references.explode().drop_nulls().to_list()
    return texts


def count_chat_words(
    texts: Sequence[str], out: Path, *, settings: CountSettings, about: About
) -> ChatRecipe:
    """Write the folder of counts of these texts."""
    table = word_table(texts)
    if not len(table.codes):
        raise DataError(f"{about.data}: no text has a word; give conversations or lines of text")
    documents = distinct_rows(table)
    order = np.argsort(-documents, kind="stable")[: settings.vocabulary]
    order = order[documents[order] >= settings.minimum]
    words = table.vocabulary.gather(order).to_list()
    ids = WordIds({word: at for at, word in enumerate(words, 1)})
    keys, associations = count_pairs(table, symbols(table, ids), settings.minimum)
    recipe = ChatRecipe("chat-words", int((table.counts > 0).sum()), len(table.codes))
    tensors: dict[str, npt.NDArray[Any]] = {
        "documents": np.concatenate([[0], documents[order]]).astype(np.int32),
        "pairs": keys.astype(np.uint32),
        "associations": associations.astype(np.float16),
    }
    card = ModelCard(
        "Words of English chat",
        "How common words and pairs of neighbouring words are in English chat. "
        "`predicted_rating` reads specificity and fluency off them.",
        [f"- {recipe.texts:,} texts with {recipe.words:,} words: {about.data}"],
        [
            f"- the {len(words):,} words that most texts have, each in {settings.minimum} texts or "
            f"more, and {len(keys):,} pairs that occur {settings.minimum} times or more"
        ],
        [
            "Spelling and subjects are those of the sources: what is rare there may be common "
            "elsewhere."
        ],
    )
    facts = {**asdict(settings), "sources": about.data, "licence": about.licence}
    files = {
        WEIGHTS: save(tensors),
        RECIPE: encode_json({**_recipe_fields(recipe), **facts}),
        VOCABULARY: encode_json(words),
        CARD: card.render(about).encode(),
    }
    write_model_folder(out, files)
    return recipe


def _recipe_fields(recipe: ChatRecipe) -> dict[str, object]:
    return {name: getattr(recipe, name) for name in recipe.__struct_fields__}


def distinct_rows(table: WordTable) -> Ints:
    """How many texts have each word of the vocabulary."""
    row = np.repeat(np.arange(len(table.counts)), table.counts)
    keys = np.unique(row * len(table.vocabulary) + table.codes)
    return np.bincount(keys % len(table.vocabulary), minlength=len(table.vocabulary))


def count_pairs(table: WordTable, symbols: Ints, minimum: int) -> tuple[Ints, Floats]:
    """The numbers of frequent pairs, rising, and the association of each."""
    _, every = neighbours(table, symbols)
    counts = np.bincount(every % (BOUNDARY + 1), minlength=BOUNDARY + 1)
    keys, pairs = np.unique(every, return_counts=True)
    keys, pairs = keys[pairs >= minimum], pairs[pairs >= minimum]
    first, second = np.divmod(keys, BOUNDARY + 1)
    ratio = (pairs / counts[first]) / (counts[second] / counts.sum())
    return keys, np.log(PAIR_SHARE * ratio + (1 - PAIR_SHARE))
