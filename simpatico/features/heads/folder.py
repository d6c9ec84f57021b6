"""Folders of trained heads: one head or several, and over which encoder each was trained."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args

import msgspec
import numpy as np
import numpy.typing as npt

from simpatico.errors import DataError, MissingResource
from simpatico.features import Feature, Features
from simpatico.features.char_ngrams import GramForm
from simpatico.features.embeddings import Embeddings, Vectorised
from simpatico.features.heads.head import Activation, Head, Part
from simpatico.features.heads.tensors import head, width
from simpatico.features.lexicon import stamp
from simpatico.features.plutchik import EMOTIONS
from simpatico.features.word_vectors import WordExtremes
from simpatico.models.folder import read_folder
from simpatico.models.names import find, short
from simpatico.turns import Turns

WEIGHTS, RECIPE, VOCABULARY, CARD = "model.safetensors", "recipe.json", "vocabulary.json", "card.md"
FILES = (WEIGHTS, RECIPE, VOCABULARY, CARD)
SCHEMA = 1
PATH = "path:"
SHIPPED = Path(__file__).parents[2] / "data" / "models"

Pooling = Literal["mean", "max", "cls", "extremes"]
EmotionKind = Literal["neutrality", "polarity", "plutchik"]
"""Heads that judge one text: is it emotional, is it positive, which of the eight does it have."""
Kind = Literal["nsp", "ruber", "ctx-ruber", "usl-h", "engagement", "relevance"] | EmotionKind
NEEDED: Mapping[Kind, tuple[str, ...]] = {
    "nsp": ("next",),
    "ruber": ("unreferenced",),
    "ctx-ruber": ("unreferenced",),
    "usl-h": ("valid", "next"),
    "engagement": ("engaging",),
    "relevance": ("relevant",),
    "neutrality": ("emotional",),
    "polarity": ("positive",),
    "plutchik": EMOTIONS,
}
"""The heads that a folder of each kind must have."""


class Figures(msgspec.Struct, frozen=True):
    """How well a head tells true from made-up examples of dialogs held out of its training.

    `plain_auc` is what a plain number reaches: the cosine of a pair, the length of a text. Between
    `low` and `high` lies the area in 95% of the resamples of dialogs.
    """

    accuracy: float
    auc: float
    plain: str
    plain_auc: float
    n: int
    dialogs: int
    balanced: float | None = None
    low: float | None = None
    high: float | None = None


class HeadRecipe(msgspec.Struct, frozen=True):
    """What a head sees, and how it did on dialogs held out."""

    encoder: str
    encoder_sha256: str
    pooling: Pooling
    parts: list[Part]
    activation: Activation
    heldout: Figures
    grams: GramForm | None = None
    """Runs of characters that it weighs beside the vectors."""


class Costs(msgspec.Struct, frozen=True):
    """Where negative log-likelihoods come from, and their quartiles in the training."""

    source: str
    low: float
    high: float


class Recipe(msgspec.Struct, frozen=True):
    """What a reader of a folder must know; the file holds more, to repeat the training.

    `cosine_low` is the cosine that replies of different dialogs hardly ever fall below; `data`,
    `licence` and `limits` are sentences for the metric's card.
    """

    kind: Kind
    schema: int
    dialogs: int
    heads: dict[str, HeadRecipe]
    cosine_low: float | None = None
    likelihood: Costs | None = None
    data: str = ""
    licence: str = ""
    limits: tuple[str, ...] = ()


@dataclass(frozen=True)
class HeadFolder:
    """The heads of a folder; two are equal when all their files are."""

    sha256: str
    recipe: Recipe = field(compare=False, repr=False)
    heads: Mapping[str, Head] = field(compare=False, repr=False)
    costs: Mapping[str, float] = field(compare=False, repr=False)
    """Negative log-likelihood of each known word; that of an unknown one is under ""."""


@dataclass(frozen=True)
class PairHead:
    """One head of a trained folder, with what gives texts their vectors."""

    model: str
    kind: Kind
    name: str
    absent: str | None = field(default=None, compare=False)

    @property
    def needs(self) -> tuple[Feature, ...]:
        return () if self.absent else (encoder(self.folder.recipe.heads[self.name]),)

    @property
    def folder(self) -> HeadFolder:
        return load_heads(self.model, self.kind)

    @property
    def fingerprint(self) -> str:
        if self.absent:
            raise MissingResource(self.absent)
        return f"{short(self.model)}_sha256:{self.folder.sha256[:12]}"

    def compute(self, turns: Turns, features: Features) -> Fits:
        folder = self.folder
        told = folder.recipe.heads[self.name]
        if find(told.encoder).sha256 != told.encoder_sha256:
            raise DataError(
                f"{self.model} was trained over other weights than {told.encoder!r} has here; "
                "train it again"
            )
        return Fits(folder.heads[self.name], features[encoder(told)], self.model)


@dataclass(frozen=True)
class Fits:
    """Says of pairs of texts, or of single ones, how likely they are what the head looks for."""

    head: Head
    vectors: Vectorised
    model: str

    def of(
        self, firsts: Sequence[str], seconds: Sequence[str] | None = None
    ) -> npt.NDArray[np.float64]:
        """A probability for each pair, or each single text; NaN where one has no vector."""
        if not (count := len(firsts)):
            return np.zeros(0)
        both = self.vectors.of(firsts if seconds is None else [*firsts, *seconds])
        if both.shape[1] != width(self.head):
            raise DataError(
                f"{self.model} is made for vectors of {width(self.head)} numbers, where its "
                f"encoder gives {both.shape[1]}; train it again"
            )
        grams = self.head.grams
        added = grams.of(firsts, firsts if seconds is None else seconds) if grams else 0.0
        return self.head.probability(both[:count], both[-count:], added)


def encoder(told: HeadRecipe) -> Feature:
    """The feature that gives texts the vectors a head was trained on."""
    if told.pooling == "extremes":
        return WordExtremes(told.encoder)
    return Embeddings(told.encoder, told.pooling)


def trained(model: str) -> bool:
    """Whether this names a folder of heads rather than a pretrained model."""
    folder = heads_folder(model)
    return folder is not None and (folder / WEIGHTS).is_file() and (folder / RECIPE).is_file()


def heads_folder(model: str) -> Path | None:
    """Where heads of this name are: in `path:DIR`, or among those we ship."""
    if model.startswith(PATH):
        return Path(model.removeprefix(PATH))
    return SHIPPED / model if re.fullmatch(r"[a-z_]+", model) else None


def trainer(kind: Kind) -> str:
    """Which training writes folders of a kind."""
    return f"emotion --kind {kind}" if kind in get_args(EmotionKind) else kind


def load_heads(model: str, kind: Kind) -> HeadFolder:
    """The heads in the folder that `path:DIR` names, or in one we ship."""
    folder = heads_folder(model)
    if folder is None or not trained(model):
        raise MissingResource(
            f"no trained heads {model!r}: give path:DIR with the folder that "
            f"`simpatico train {trainer(kind)}` wrote"
        )
    found = heads_of(folder, tuple(stamp(p) for p in sorted(folder.iterdir()) if p.is_file()))
    if found.recipe.kind != kind:
        raise DataError(
            f"{folder / RECIPE}: heads of kind {found.recipe.kind!r}, where {kind!r} are needed"
        )
    return found


@lru_cache(maxsize=16)
def heads_of(folder: Path, stamps: tuple[tuple[int, int], ...]) -> HeadFolder:
    """The heads in a folder; kept in memory as long as its files have these stamps."""
    found = read_folder(folder, FILES)
    recipe: Recipe = found.decode(RECIPE, Recipe)
    if recipe.schema != SCHEMA:
        raise DataError(
            f"{folder / RECIPE}: written in form {recipe.schema} where this version reads "
            f"{SCHEMA}; train it again or update simpatico"
        )
    if flaw := flawed(recipe):
        raise DataError(f"{folder / RECIPE}: {flaw}; train it again")
    tensors = found.tensors(WEIGHTS)
    path = found.path / WEIGHTS
    heads = {name: head(path, name, told, tensors) for name, told in recipe.heads.items()}
    costs: dict[str, float] = found.decode(VOCABULARY, dict[str, float])
    return HeadFolder(found.sha256, recipe, heads, costs)


def flawed(recipe: Recipe) -> str | None:
    """What a recipe lacks, or says that makes no sense."""
    if lacking := [name for name in NEEDED[recipe.kind] if name not in recipe.heads]:
        return f"no head {lacking[0]!r}, which {recipe.kind} needs"
    if (low := recipe.cosine_low) is not None and not -1 <= low < 1:
        return f"cosine_low is {low}; it lies between -1 and 1 and is not 1"
    if (likely := recipe.likelihood) and not likely.low < likely.high:
        return f"the quartiles of likelihood are {likely.low} and {likely.high}; the first is lower"
    return None
