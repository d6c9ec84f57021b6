"""Folders of trained heads: one head or several, and over which encoder each was trained."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Literal, get_args

import msgspec
import numpy as np

from simpatico.arrays import AnyFloats, Floats
from simpatico.errors import DataError, MissingResource
from simpatico.features import Feature, Features
from simpatico.features.char_ngrams import CharNgramSettings
from simpatico.features.embeddings import Embeddings, TextEncoder
from simpatico.features.empathy import PARTS as EMPATHY_PARTS
from simpatico.features.heads.head import Activation, CharNgramWeights, Head, Part
from simpatico.features.lexicon import folder_stamps
from simpatico.features.plutchik import EMOTIONS
from simpatico.features.word_vectors import WordExtremes
from simpatico.models.folder import all_finite, read_model_folder
from simpatico.models.names import find_model, short_model_name
from simpatico.turns import Turns

WEIGHTS, RECIPE, VOCABULARY, CARD = "model.safetensors", "recipe.json", "vocabulary.json", "card.md"
FILES = (WEIGHTS, RECIPE, VOCABULARY, CARD)
SCHEMA = 1
"""Of the folder; raised when an older version could not read it."""
PATH = "path:"
SHIPPED = Path(__file__).parents[2] / "data" / "models"

Layers = Sequence[tuple[AnyFloats, AnyFloats]]
"""A matrix and an offset each."""
Pooling = Literal["mean", "max", "cls", "extremes"]
EmotionKind = Literal["neutrality", "polarity", "plutchik"]
"""Heads that judge one text: is it emotional, is it positive, which of the eight does it have."""
HeadKind = (
    Literal["nsp", "ruber", "ctx-ruber", "usl-h", "engagement", "relevance", "empathy"]
    | EmotionKind
)
REQUIRED_HEADS: Mapping[HeadKind, tuple[str, ...]] = {
    "nsp": ("next",),
    "ruber": ("unreferenced",),
    "ctx-ruber": ("unreferenced",),
    "usl-h": ("valid", "next"),
    "engagement": ("engaging",),
    "relevance": ("relevant",),
    "empathy": EMPATHY_PARTS,
    "neutrality": ("emotional",),
    "polarity": ("positive",),
    "plutchik": EMOTIONS,
}
"""The heads that a folder of each kind must have."""


class HeadEvaluation(msgspec.Struct, frozen=True):
    """How well a head separates true from negative examples of the test split.

    `plain_auc` is the AUC of a baseline without training: the cosine of a pair, the length of a
    text. `low` and `high` bound the 95% CI of the AUC, by resampling dialogs.
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
    """What a head takes as input, and how it did on the test split."""

    encoder: str
    encoder_sha256: str
    pooling: Pooling
    parts: list[Part]
    activation: Activation
    heldout: HeadEvaluation
    grams: CharNgramSettings | None = None
    """Character n-grams that it weighs besides the vectors."""


class WordCosts(msgspec.Struct, frozen=True):
    """Where negative log-likelihoods come from, and their quartiles in the training."""

    source: str
    low: float
    high: float


class HeadsRecipe(msgspec.Struct, frozen=True):
    """What a reader of a folder must know; the file holds more, to repeat the training.

    `cosine_low` is the 5% quantile of cosines between replies of different dialogs, which counts as
    nothing in common; `data`, `licence` and `limits` are sentences for the metric's card.
    """

    kind: HeadKind
    schema: int
    dialogs: int
    heads: dict[str, HeadRecipe]
    cosine_low: float | None = None
    likelihood: WordCosts | None = None
    data: str = ""
    licence: str = ""
    limits: tuple[str, ...] = ()


@dataclass(frozen=True)
class HeadFolder:
    """The heads of a folder; two are equal when all their files are."""

    sha256: str
    recipe: HeadsRecipe = field(compare=False, repr=False)
    heads: Mapping[str, Head] = field(compare=False, repr=False)
    costs: Mapping[str, float] = field(compare=False, repr=False)
    """Negative log-likelihood of each known word; that of an unknown one is under ""."""


@dataclass(frozen=True)
class PairHead:
    """The feature of one head of a trained folder, over the encoder that it was trained with."""

    model: str
    kind: HeadKind
    name: str
    absent: str | None = field(default=None, compare=False)

    @property
    def needs(self) -> tuple[Feature, ...]:
        return () if self.absent else (head_encoder(self.folder.recipe.heads[self.name]),)

    @property
    def folder(self) -> HeadFolder:
        return load_heads(self.model, self.kind)

    @property
    def fingerprint(self) -> str:
        if self.absent:
            raise MissingResource(self.absent)
        return f"{short_model_name(self.model)}_sha256:{self.folder.sha256[:12]}"

    def compute(self, turns: Turns, features: Features) -> HeadProbabilities:
        folder = self.folder
        recipe = folder.recipe.heads[self.name]
        if find_model(recipe.encoder).sha256 != recipe.encoder_sha256:
            raise DataError(
                f"{self.model} was trained with other weights of {recipe.encoder!r} than those "
                "installed; train it again"
            )
        vectors = features[head_encoder(recipe)]
        return HeadProbabilities(folder.heads[self.name], vectors, self.model)


@dataclass(frozen=True)
class HeadProbabilities:
    """Gives pairs of texts, or single ones, the probability of the class a head was trained for."""

    head: Head
    vectors: TextEncoder
    model: str

    def of(self, firsts: Sequence[str], seconds: Sequence[str] | None = None) -> Floats:
        """A probability for each pair, or each single text; NaN where one has no vector."""
        if not (count := len(firsts)):
            return np.zeros(0)
        both = self.vectors.of(firsts if seconds is None else [*firsts, *seconds])
        if both.shape[1] != (width := self.head.vector_width):
            raise DataError(
                f"{self.model} takes vectors of {width} dimensions, where its encoder gives "
                f"{both.shape[1]}; train it again"
            )
        grams = self.head.grams
        offset = grams.logits(firsts, firsts if seconds is None else seconds) if grams else 0.0
        return self.head.probability(both[:count], both[-count:], offset)


def head_encoder(head: HeadRecipe) -> Feature:
    """The feature that gives texts the vectors a head was trained on."""
    return text_vectors(head.encoder, head.pooling)


def text_vectors(encoder: str, pooling: Pooling) -> Feature:
    """The feature that gives texts a vector each; extremes are those of their words' vectors."""
    return WordExtremes(encoder) if pooling == "extremes" else Embeddings(encoder, pooling)


def is_heads_folder(model: str) -> bool:
    """Whether this names a folder of heads, not a pretrained model; both may be `path:DIR`."""
    folder = heads_folder(model)
    return folder is not None and (folder / WEIGHTS).is_file() and (folder / RECIPE).is_file()


def heads_folder(model: str) -> Path | None:
    """Where heads of this name are: in `path:DIR`, or among those we ship."""
    if model.startswith(PATH):
        return Path(model.removeprefix(PATH))
    return SHIPPED / model if re.fullmatch(r"[a-z_]+", model) else None


def training_command(kind: HeadKind) -> str:
    """Which training writes folders of a kind."""
    return f"emotion --target {kind}" if kind in get_args(EmotionKind) else kind


def load_heads(model: str, kind: HeadKind) -> HeadFolder:
    """The heads in the folder that `path:DIR` names, or in one we ship."""
    folder = heads_folder(model)
    if folder is None or not is_heads_folder(model):
        raise MissingResource(
            f"no trained heads {model!r}: give path:DIR with the folder that "
            f"`simpatico train {training_command(kind)}` wrote"
        )
    heads = read_heads(folder, folder_stamps(folder))
    if heads.recipe.kind != kind:
        raise DataError(
            f"{folder / RECIPE}: heads of kind {heads.recipe.kind!r}, where {kind!r} are needed"
        )
    return heads


@lru_cache(maxsize=16)  # usl-h and the emotions ask for their folder once per head
def read_heads(folder: Path, stamps: tuple[tuple[int, int], ...]) -> HeadFolder:
    """The heads in a folder; kept in memory as long as its files have these stamps."""
    files = read_model_folder(folder, FILES)
    recipe: HeadsRecipe = files.decode(RECIPE, HeadsRecipe)
    if recipe.schema != SCHEMA:
        raise DataError(
            f"{folder / RECIPE}: written in form {recipe.schema} where this version reads "
            f"{SCHEMA}; train it again or update simpatico"
        )
    if problem := recipe_problem(recipe):
        raise DataError(f"{folder / RECIPE}: {problem}; train it again")
    tensors, path = files.tensors(WEIGHTS), files.path / WEIGHTS
    heads = {
        name: head_from_tensors(path, name, head, tensors) for name, head in recipe.heads.items()
    }
    costs: dict[str, float] = files.decode(VOCABULARY, dict[str, float])
    return HeadFolder(files.sha256, recipe, heads, costs)


def recipe_problem(recipe: HeadsRecipe) -> str | None:
    """What a recipe lacks, or says that makes no sense."""
    if lacking := [name for name in REQUIRED_HEADS[recipe.kind] if name not in recipe.heads]:
        return f"no head {lacking[0]!r}, which {recipe.kind} needs"
    if (low := recipe.cosine_low) is not None and not -1 <= low < 1:
        return f"cosine_low is {low}; it lies between -1 and 1 and is not 1"
    if (likely := recipe.likelihood) and not likely.low < likely.high:
        return f"the quartiles of likelihood are {likely.low} and {likely.high}; the first is lower"
    return None


def head_from_tensors(
    path: Path, name: str, recipe: HeadRecipe, tensors: Mapping[str, AnyFloats]
) -> Head:
    """One head out of the file `path`; its tensors' names begin with the head's.

    Shapes are checked here, all of them, since numpy would broadcast a wrong one without a word.
    """
    own = {key: value for key, value in tensors.items() if key.partition(".")[0] == name}
    for key, value in own.items():
        if not all_finite(value):
            raise DataError(f"{path}: {key!r} holds something that is not a finite number")
    layers = list[tuple[AnyFloats, AnyFloats]]()
    while all(f"{name}.{part}_{len(layers)}" in own for part in ("weight", "offset")):
        weight, offset = (own[f"{name}.{part}_{len(layers)}"] for part in ("weight", "offset"))
        layers.append((weight, offset))
    bilinear, form = own.get(f"{name}.bilinear"), recipe.grams
    grams = [own[key] for key in (f"{name}.grams_first", f"{name}.grams_second") if key in own]
    columns = [] if form is None or form.problem else [(form.columns,)] * 2
    valid = [array.shape for array in grams] == columns and not (form and form.problem)
    valid = valid and len(own) == 2 * len(layers) + (bilinear is not None) + len(grams)
    if not valid or not layers_match(layers) or not input_matches(recipe.parts, layers, bilinear):
        raise DataError(f"{path}: the tensors of head {name!r} have shapes that do not match")
    return Head(
        tuple(recipe.parts),
        tuple((m.astype(np.float64), o.astype(np.float64)) for m, o in layers),
        recipe.activation,
        None if bilinear is None else bilinear.astype(np.float64),
        CharNgramWeights(form, *(array.astype(np.float64) for array in grams)) if form else None,
    )


def layers_match(layers: Layers) -> bool:
    """Whether each layer takes what the one before it gives, and the last gives one logit."""
    if not layers or any(m.ndim != 2 or o.shape != m.shape[1:] for m, o in layers):
        return False
    wide = all(a.shape[1] == b.shape[0] for (a, _), (b, _) in pairwise(layers))
    return wide and layers[0][0].shape[0] > 0 and layers[-1][0].shape[1] == 1


def input_matches(parts: Sequence[Part], layers: Layers, bilinear: AnyFloats | None) -> bool:
    """Whether the first layer takes as many inputs as the parts of two vectors make."""
    inputs, vectors = layers[0][0].shape[0], sum(part != "bilinear" for part in parts)
    forms = len(parts) - vectors
    if (bilinear is None) == bool(forms):
        return False
    if bilinear is None:
        return vectors > 0 and inputs % vectors == 0
    size = bilinear.shape[0] if bilinear.ndim else 0
    return bilinear.shape == (size, size) and inputs == vectors * size + forms and size > 0
