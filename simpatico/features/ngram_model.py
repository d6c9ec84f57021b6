"""Linear models over words and word sequences, and their sums over every turn.

A model holds one weight per n-gram. A speaker's prediction is the intercept plus, for every order
n, the summed weights of the n-grams divided by how many n-grams of that order there are: both of
these add up over turns. An n-gram never crosses the end of a turn.
Example: weights good 2, day -1, "good day" 3 over "good day sir" give order 1 the sum 1 of 3
n-grams and order 2 the sum 3 of 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import numpy as np
import numpy.typing as npt

from simpatico.arrays import Floats
from simpatico.errors import DataError, MissingResource
from simpatico.features import Feature, Features
from simpatico.features.lexicon import stamp
from simpatico.features.words import Words, WordTable
from simpatico.models.folder import ModelFolder, finite, read_folder
from simpatico.turns import Turns

SHIPPED = Path(__file__).parents[1] / "data" / "models"
WEIGHTS, RECIPE, VOCABULARY, CARD = "model.safetensors", "recipe.json", "vocabulary.json", "card.md"
FILES = (WEIGHTS, RECIPE, VOCABULARY, CARD)
SCHEMA = 1
LONGEST = 5
"""The highest order a model may have."""

Keys = npt.NDArray[np.int64]


class Figure(msgspec.Struct, frozen=True):
    """A correlation with its 95% intervals: Fisher's, and by resampling people."""

    r: float | None
    n: int
    low: float | None
    high: float | None
    bootstrap_low: float | None
    bootstrap_high: float | None
    seed: int | None = None


class Recipe(msgspec.Struct, frozen=True):
    """What a reader of a model must know; the file holds more, to repeat the training."""

    kind: str
    schema: int
    orders: list[int]
    scale: tuple[float, float]
    measures: str
    people: int
    heldout: list[Figure]
    word_count: Figure


@dataclass(frozen=True)
class TraitModel:
    """Weights of n-grams; two models are equal when all their files are."""

    sha256: str
    orders: tuple[int, ...]
    intercept: float = field(compare=False)
    recipe: Recipe = field(compare=False, repr=False)
    places: Mapping[str, int] = field(compare=False, repr=False)
    keys: Mapping[int, Keys] = field(compare=False, repr=False)
    weights: Mapping[int, Floats] = field(compare=False, repr=False)

    @property
    def columns(self) -> list[str]:
        """Names of what `sums` gives, in order."""
        return [f"{what}_{n}" for n in self.orders for what in ("sum", "total")]

    def sums(self, table: WordTable) -> Floats:
        """Per turn and order, the summed weights of its n-grams, and how many n-grams it has."""
        rows = len(table.counts)
        turn = np.repeat(np.arange(rows), table.counts)
        columns: list[Floats] = []
        for order, start, weights in self.hits(table):
            columns.append(np.bincount(turn[start], weights, rows).astype(np.float64))
            columns.append(np.maximum(table.counts - order + 1, 0).astype(np.float64))
        return np.column_stack(columns)

    def hits(self, table: WordTable) -> Iterator[tuple[int, npt.NDArray[np.int64], Floats]]:
        """For every order, at which words its known n-grams begin, and what each weighs."""
        known = np.array([self.places.get(word, 0) for word in table.vocabulary], np.int64)
        ids = known[table.codes] if len(known) else np.zeros(0, np.int64)
        turn = np.repeat(np.arange(len(table.counts)), table.counts)
        for order in self.orders:
            start, key = packed(ids, turn, order, len(self.places) + 1)
            at = np.searchsorted(self.keys[order], key)
            at[at == len(self.keys[order])] = 0
            hit = np.flatnonzero(self.keys[order][at] == key) if len(self.keys[order]) else at[:0]
            yield order, start[hit], self.weights[order][at[hit]]


@dataclass(frozen=True)
class NgramSums:
    """Per turn, the columns of a trait model: a sum and a total for every order."""

    model: str
    absent: str | None = field(default=None, compare=False)
    """What the metric has to say when it knows that there is no such model."""

    needs: ClassVar[tuple[Feature, ...]] = (Words(),)

    @property
    def fingerprint(self) -> str:
        if self.absent:
            raise MissingResource(self.absent)
        return f"model_sha256:{load_trait_model(self.model).sha256[:12]}"

    def compute(self, turns: Turns, features: Features) -> Floats:
        return load_trait_model(self.model).sums(features[Words()])


def packed(
    ids: npt.NDArray[np.int64], turn: npt.NDArray[np.int64], order: int, base: int
) -> tuple[npt.NDArray[np.int64], Keys]:
    """Where n-grams of known words start, and each one's words as a single number."""
    n = max(len(ids) - order + 1, 0)
    start = np.flatnonzero((turn[:n] == turn[order - 1 :][:n]) & (ids[:n] > 0))
    key = ids[start]
    for step in range(1, order):
        more = ids[start + step]
        start, key, more = start[more > 0], key[more > 0], more[more > 0]
        key = key * base + more
    return start, key


@cache
def shipped_traits() -> list[str]:
    """The trait models among those we ship, by what their recipes say."""
    recipes = {path.parent.name: path.read_bytes() for path in SHIPPED.glob(f"*/{RECIPE}")}
    kinds = {name: msgspec.json.decode(told).get("kind") for name, told in recipes.items()}
    return sorted(name for name, kind in kinds.items() if kind == "trait")


def trait_folder(source: str) -> Path | None:
    """Where the model is that `source` names: one we ship, or a folder's path."""
    if source in shipped_traits():
        return SHIPPED / source
    return Path(source) if source and Path(source).is_dir() else None


def load_trait_model(source: str) -> TraitModel:
    """A model we ship, by name, or the user's, by the path of its folder."""
    folder = trait_folder(source)
    if folder is None:
        raise MissingResource(
            f"no trait model {source!r}: give the folder that `simpatico train trait` wrote, "
            f"or one of {shipped_traits()}"
        )
    return trait_model(folder, tuple(stamp(p) for p in sorted(folder.iterdir()) if p.is_file()))


@lru_cache(maxsize=16)
def trait_model(folder: Path, stamps: tuple[tuple[int, int], ...]) -> TraitModel:
    """The model in a folder; kept in memory as long as its files have these stamps."""
    found = read_folder(folder, FILES)
    recipe = checked_recipe(found)
    vocabulary: list[str] = found.decode(VOCABULARY, list[str])
    places = {word: place for place, word in enumerate(vocabulary, 1)}
    base = len(places) + 1
    if len(places) < len(vocabulary) or base ** max(recipe.orders) >= 2**63:
        raise DataError(f"{folder / VOCABULARY}: a word stands there twice, or there are too many")
    tensors = checked_tensors(found, recipe.orders)
    keys, weights = {}, {}
    for n in recipe.orders:
        keys[n], weights[n] = sorted_keys(found, tensors, n, base)
    return TraitModel(
        found.sha256,
        tuple(recipe.orders),
        float(tensors["intercept"][0]),
        recipe,
        places,
        keys,
        weights,
    )


def checked_recipe(found: ModelFolder) -> Recipe:
    """The recipe, once it is known to be of a trait model that this version can read."""
    path = found.path / RECIPE
    recipe: Recipe = found.decode(RECIPE, Recipe)
    if recipe.kind != "trait":
        raise DataError(f"{path}: a model of kind {recipe.kind!r}, where a trait model is needed")
    if recipe.schema != SCHEMA:
        raise DataError(
            f"{path}: written in form {recipe.schema} where this version reads {SCHEMA}; "
            "train it again or update simpatico"
        )
    orders = recipe.orders
    if not orders or orders != sorted(set(orders)) or not 1 <= orders[0] <= orders[-1] <= LONGEST:
        raise DataError(f"{path}: orders {orders}; they are rising numbers from 1 to {LONGEST}")
    low, high = recipe.scale
    if not recipe.heldout:
        raise DataError(f"{path}: it does not say how the model did on people held out")
    if not low < high:
        raise DataError(f"{path}: a scale from {low} to {high}; the first must be the lower one")
    return recipe


def checked_tensors(found: ModelFolder, orders: list[int]) -> dict[str, npt.NDArray[Any]]:
    """The tensors, once their names, shapes and numbers are known to be those of a model."""
    path, tensors = found.path / WEIGHTS, found.tensors(WEIGHTS)
    wanted = {"intercept", *(f"{t}_{n}" for n in orders for t in ("ngrams", "weights"))}
    if odd := sorted(wanted ^ set(tensors)):
        raise DataError(f"{path}: tensor {odd[0]!r} is one too many or missing")
    for n in orders:
        shape, size = tensors[f"ngrams_{n}"].shape, tensors[f"weights_{n}"].shape
        if len(shape) != 2 or shape[1] != n or size != shape[:1]:
            raise DataError(f"{path}: shapes {shape} and {size} of order {n} do not fit together")
        if tensors[f"ngrams_{n}"].dtype != np.int32:
            raise DataError(f"{path}: 'ngrams_{n}' must be whole numbers of 32 bits")
    if tensors["intercept"].shape != (1,):
        raise DataError(f"{path}: 'intercept' must be a single number")
    for name in wanted:
        if not name.startswith("ngrams") and not finite(tensors[name]):
            raise DataError(f"{path}: {name!r} holds something that is not a finite number")
    return tensors


def sorted_keys(
    found: ModelFolder, tensors: Mapping[str, npt.NDArray[Any]], order: int, base: int
) -> tuple[Keys, Floats]:
    """The n-grams of one order as rising numbers, and their weights."""
    ngrams = tensors[f"ngrams_{order}"].astype(np.int64)
    path = found.path / WEIGHTS
    if ngrams.size and not 0 <= ngrams.min() <= ngrams.max() < base - 1:
        raise DataError(f"{path}: 'ngrams_{order}' names a word that {VOCABULARY} does not have")
    keys = np.zeros(len(ngrams), np.int64)
    for step in range(order):
        keys = keys * base + ngrams[:, step] + 1
    rank = np.argsort(keys, kind="stable")
    if (np.diff(keys[rank]) == 0).any():
        raise DataError(f"{path}: an n-gram of order {order} stands there twice")
    return keys[rank], tensors[f"weights_{order}"][rank].astype(np.float64)
