"""Linear models of how people rate a reply: a weight for each column of `features.replies`.

With x the columns, m and s their mean and standard deviation in training, each standardised column
clipped to [-4, 4] and multiplied by its weight: the sum is how many standard deviations of people's
ratings the reply is expected to be above the average reply. As a rating from 1 to 5, the average
reply is 3 and a standard deviation is one point.
Example: weights .2 and -.1 on columns 1.5 and 1 standard deviations above their means give
3 + .3 - .1 = 3.2.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from math import isfinite
from pathlib import Path

import msgspec
import numpy as np

from simpatico.arrays import Floats
from simpatico.errors import DataError, MissingResource
from simpatico.features import Feature, Features
from simpatico.features.chat_words import ChatWordCounts, ChatWords
from simpatico.features.embeddings import Embeddings
from simpatico.features.heads.folder import PairHead
from simpatico.features.lexicon import folder_stamps
from simpatico.features.replies import (
    PARTS,
    NeuralColumns,
    Replies,
    column_names,
    reply_columns,
)
from simpatico.features.sentiment import EMOTIONAL, POSITIVE
from simpatico.models.folder import read_model_folder
from simpatico.models.names import find_model, short_model_name
from simpatico.turns import Turns

RECIPE, CARD = "recipe.json", "card.md"
FILES = (RECIPE, CARD)
SCHEMA = 1
PATH = "path:"
SHIPPED = Path(__file__).parents[1] / "data" / "models"
CLIP = 4.0
"""Standard deviations beyond which a column counts no further, so that no outlier decides."""
MIDDLE, LOWEST, HIGHEST = 3.0, 1.0, 5.0
RELEVANCE = PairHead("relevance", "relevance", "relevant")
"""The shipped model, whatever the encoder of the other columns."""
COMMAND = "simpatico train rating --data DIALOGS --judgements RATINGS --out MODEL"


class Column(msgspec.Struct, frozen=True):
    """What a column is standardised by, and its weight."""

    mean: float
    sd: float
    weight: float


class RatingEvaluation(msgspec.Struct, frozen=True):
    """Spearman's rho with the ratings of a set that was left out of the training."""

    data: str
    level: str
    score: str
    rho: float
    low: float
    high: float
    without_length: float | None
    """The partial rank correlation with length held constant."""
    n: int


class RatingRecipe(msgspec.Struct, frozen=True):
    """What scoring needs of recipe.json; the file holds more, to repeat the training."""

    kind: str
    schema: int
    columns: dict[str, Column]
    turn_sd: float
    """Of ratings of turns around their prediction, in standard deviations of the ratings."""
    dialog_sd: float
    encoder: str = ""
    encoder_sha256: str = ""
    data: str = ""
    licence: str = ""
    limits: tuple[str, ...] = ()
    evaluation: tuple[RatingEvaluation, ...] = ()


@dataclass(frozen=True)
class RatingModel:
    """The model in a folder; two are equal when all their files are."""

    sha256: str
    recipe: RatingRecipe = field(compare=False, repr=False)

    def contributions(self, columns: Mapping[str, Floats]) -> dict[str, Floats]:
        """What each part adds to the rating of each reply, in points.

        Columns are added one by one, so that the last bit does not depend on how many there are.
        """
        parts = dict[str, Floats]()
        for part, names in PARTS.items():
            total = np.zeros(len(next(iter(columns.values()))))
            for name in names:
                if column := self.recipe.columns.get(name):
                    value = np.clip((columns[name] - column.mean) / column.sd, -CLIP, CLIP)
                    total = total + column.weight * value
            parts[part] = total
        return parts


@dataclass(frozen=True)
class RatingParts:
    """The feature that gives replies the parts of their predicted rating."""

    model: str
    absent: str | None = field(default=None, compare=False)

    @property
    def neural(self) -> tuple[Embeddings, PairHead, PairHead, PairHead] | None:
        """The features of a model with an encoder; null for one without."""
        encoder = "" if self.absent else load_rating_model(self.model).recipe.encoder
        return neural_features(encoder)

    @property
    def needs(self) -> tuple[Feature, ...]:
        return (ChatWordCounts(), *(self.neural or ()))

    @property
    def fingerprint(self) -> str:
        if self.absent:
            raise MissingResource(self.absent)
        return f"{short_model_name(self.model)}_sha256:{load_rating_model(self.model).sha256[:12]}"

    def compute(self, turns: Turns, features: Features) -> RatingPredictor:
        model = load_rating_model(self.model)
        name, sha256 = model.recipe.encoder, model.recipe.encoder_sha256
        if name and find_model(name).sha256 != sha256:
            raise DataError(
                f"{self.model} was trained with other weights of {name!r} than those installed; "
                "train it again"
            )
        neural = self.neural
        columns = NeuralColumns(*(features[one] for one in neural)) if neural else None
        return RatingPredictor(model, features[ChatWordCounts()], columns)


@dataclass(frozen=True)
class RatingPredictor:
    """Gives replies the parts of their rating."""

    model: RatingModel
    words: ChatWords
    neural: NeuralColumns | None

    def of(self, replies: Replies) -> dict[str, Floats]:
        """The points that each part adds to the rating of each reply."""
        return self.model.contributions(reply_columns(replies, self.words, self.neural))


def neural_features(encoder: str) -> tuple[Embeddings, PairHead, PairHead, PairHead] | None:
    """The features behind the columns that need an encoder; null without one."""
    return (Embeddings(encoder), RELEVANCE, EMOTIONAL, POSITIVE) if encoder else None


def rating_folder(model: str) -> Path | None:
    """Where a model of this name is: in `path:DIR`, or among those we ship."""
    if model.startswith(PATH):
        return Path(model.removeprefix(PATH))
    return SHIPPED / f"rating_{model}" if re.fullmatch(r"[a-z]+", model) else None


def has_rating_model(model: str) -> bool:
    """Whether there is a folder of a rating model by this name."""
    folder = rating_folder(model)
    return folder is not None and (folder / RECIPE).is_file()


def load_rating_model(model: str) -> RatingModel:
    """The model that `path:DIR` names, or one we ship."""
    folder = rating_folder(model)
    if folder is None or not has_rating_model(model):
        raise MissingResource(
            f"no rating model {model!r}: give path:DIR with the folder that "
            "`simpatico train rating` wrote"
        )
    return read_rating_model(folder, folder_stamps(folder))


@lru_cache(maxsize=8)
def read_rating_model(folder: Path, stamps: tuple[tuple[int, int], ...]) -> RatingModel:
    """The model in a folder; kept in memory as long as its files have these stamps."""
    files = read_model_folder(folder, FILES)
    recipe: RatingRecipe = files.decode(RECIPE, RatingRecipe)
    if recipe.kind != "rating" or recipe.schema != SCHEMA:
        raise DataError(
            f"{folder / RECIPE}: a model of kind {recipe.kind!r} in form {recipe.schema}, where "
            f"a rating model in form {SCHEMA} is needed; train it again or update simpatico"
        )
    if problem := recipe_problem(recipe):
        raise DataError(f"{folder / RECIPE}: {problem}; train it again")
    return RatingModel(files.sha256, recipe)


def recipe_problem(recipe: RatingRecipe) -> str | None:
    """What a recipe lacks, or says that makes no sense."""
    known = column_names(bool(recipe.encoder))
    if unknown := [name for name in recipe.columns if name not in known]:
        return f"no column {unknown[0]!r} can be computed"
    if not recipe.columns:
        return "it has no columns"
    for name, column in recipe.columns.items():
        if not (isfinite(column.mean) and isfinite(column.weight) and 0 < column.sd < float("inf")):
            return f"column {name!r} holds something that is not a finite number"
    if not (0 < recipe.turn_sd < float("inf") and 0 < recipe.dialog_sd < float("inf")):
        return "its standard deviations are not above 0"
    return None
