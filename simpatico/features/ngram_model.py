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
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import numpy as np
import numpy.typing as npt

from simpatico.arrays import Floats, Ints
from simpatico.errors import DataError, MissingResource
from simpatico.features import Feature, Features
from simpatico.features.key_index import KeyIndex
from simpatico.features.lexicon import folder_stamps
from simpatico.features.word_ids import WordIds
from simpatico.features.words import Bytes, Words, WordTable
from simpatico.models.folder import ModelFolder, all_finite, read_model_folder
from simpatico.turns import Turns

SHIPPED = Path(__file__).parents[1] / "data" / "models"
WEIGHTS, RECIPE, VOCABULARY, CARD = "model.safetensors", "recipe.json", "vocabulary.json", "card.md"
FILES = (WEIGHTS, RECIPE, VOCABULARY, CARD)
SCHEMA = 1
MAX_ORDER = 5
"""Of a model's n-grams."""


class CorrelationFigure(msgspec.Struct, frozen=True):
    """A correlation with two 95% CIs: by Fisher's z, and by a bootstrap over people."""

    r: float | None
    n: int
    low: float | None
    high: float | None
    bootstrap_low: float | None
    bootstrap_high: float | None
    seed: int | None = None


class Recipe(msgspec.Struct, frozen=True):
    """What scoring needs of recipe.json; the file holds more, to repeat the training."""

    kind: str
    schema: int
    orders: list[int]
    scale: tuple[float, float]
    measures: str
    people: int
    heldout: list[CorrelationFigure]
    word_count: CorrelationFigure


@dataclass(frozen=True)
class TraitModel:
    """Weights of n-grams; two models are equal when all their files are."""

    sha256: str
    orders: tuple[int, ...]
    intercept: float = field(compare=False)
    recipe: Recipe = field(compare=False, repr=False)
    word_ids: WordIds = field(compare=False, repr=False)
    keys: Mapping[int, Ints] = field(compare=False, repr=False)
    weights: Mapping[int, Floats] = field(compare=False, repr=False)

    @property
    def columns(self) -> list[str]:
        """Names of the columns of `sums`, in order."""
        return [f"{what}_{n}" for n in self.orders for what in ("sum", "total")]

    def sums(self, table: WordTable) -> Floats:
        """Per turn and order, the summed weights of its n-grams, and how many n-grams it has."""
        rows = len(table.counts)
        turn = np.repeat(np.arange(rows, dtype=np.int32), table.counts)
        columns: list[Floats] = []
        for order in self.orders:
            if order == 1:
                weights = self._word_weights(table)
                columns.append(table.sums(weights[:, None])[:, 0])
            else:
                start, weights = self._hits(table, order)
                columns.append(np.bincount(turn[start], weights, rows).astype(np.float64))
            columns.append(np.maximum(table.counts - order + 1, 0).astype(np.float64))
        return np.stack(columns).T

    def hits(self, table: WordTable) -> Iterator[tuple[int, Ints, Floats]]:
        """For every order, the words at which its known n-grams begin, and the weight of each."""
        for order in self.orders:
            yield order, *self._hits(table, order)

    def _hits(self, table: WordTable, order: int) -> tuple[Ints, Floats]:
        """The words at which known n-grams of an order begin, and the weight of each."""
        # 0 is every word that the model does not have; no n-gram contains it
        ids = self.word_ids.of(table)
        start = possible_starts(self._steps[order][ids], table, order)
        if order == 1:
            return start, self._word_weights(table)[table.codes[start]]
        key = np.zeros(len(start), np.int64)
        for step in range(order):
            key = key * (len(self.word_ids) + 1) + ids[table.codes[start + step]]
        found, at = self._indices[order].find(key)
        return start[found], self.weights[order][at]

    def _word_weights(self, table: WordTable) -> Floats:
        """The weight of each word of the vocabulary as an n-gram of order 1; 0 where it is none."""
        found, at = self._indices[1].find(self.word_ids.of(table))
        weights = np.zeros(len(found))
        weights[found] = self.weights[1][at]
        return weights

    @cached_property
    def _indices(self) -> dict[int, KeyIndex]:
        """Finds the n-grams of each order."""
        return {order: KeyIndex(keys) for order, keys in self.keys.items()}

    @cached_property
    def _steps(self) -> dict[int, Bytes]:
        """Of each order, where a word may stand in an n-gram: bit k by its id, if it is word k."""
        base, steps = len(self.word_ids) + 1, {}
        for order, keys in self.keys.items():
            steps[order] = np.zeros(base, np.uint8)
            for step in range(order):
                steps[order][np.unique(keys // base ** (order - 1 - step) % base)] |= 1 << step
        return steps


def possible_starts(steps: Bytes, table: WordTable, order: int) -> Ints:
    """Words at which an n-gram could begin, as each of its words may stand where it does.

    `steps` has bit k of a word of the vocabulary if it may be the word k of an n-gram.
    """
    each = steps[table.codes] if len(steps) else np.zeros(0, np.uint8)
    n = max(len(each) - order + 1, 0)
    fits = each[:n] & 1
    for step in range(1, order):
        fits &= each[step : step + n] >> step
        # an n-gram that begins so short of the end of a turn would cross it
        last = table.ends[1:] - step
        fits[last[(last >= 0) & (last < n)]] = 0
    return np.flatnonzero(fits.view(np.bool_))


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


@cache
def shipped_traits() -> list[str]:
    """The trait models among those we ship, by the kind in their recipes."""
    recipes = {path.parent.name: path.read_bytes() for path in SHIPPED.glob(f"*/{RECIPE}")}
    kinds = {name: msgspec.json.decode(recipe).get("kind") for name, recipe in recipes.items()}
    return sorted(name for name, kind in kinds.items() if kind == "trait")


def trait_folder(source: str) -> Path | None:
    """The folder of the model that `source` names: one we ship, or a path."""
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
    return read_trait_model(folder, folder_stamps(folder))


@lru_cache(maxsize=16)
def read_trait_model(folder: Path, stamps: tuple[tuple[int, int], ...]) -> TraitModel:
    """The model in a folder; kept in memory until the stamp of a file changes."""
    files = read_model_folder(folder, FILES)
    recipe = read_recipe(files)
    vocabulary: list[str] = files.decode(VOCABULARY, list[str])
    word_ids = WordIds({word: i for i, word in enumerate(vocabulary, 1)})
    base = len(word_ids) + 1
    if len(word_ids) < len(vocabulary) or base ** max(recipe.orders) >= 2**63:
        raise DataError(f"{folder / VOCABULARY}: a word occurs twice, or there are too many")
    tensors, path = read_tensors(files, recipe.orders), files.path / WEIGHTS
    keys, weights = {}, {}
    for n in recipe.orders:
        ngrams = tensors[f"ngrams_{n}"].astype(np.int64)
        if ngrams.size and not 0 <= ngrams.min() <= ngrams.max() < base - 1:
            raise DataError(f"{path}: 'ngrams_{n}' names a word that {VOCABULARY} does not have")
        numbers = np.zeros(len(ngrams), np.int64)
        for step in range(n):
            numbers = numbers * base + ngrams[:, step] + 1
        # n-grams are searched for, so they must rise
        rank = np.argsort(numbers, kind="stable")
        keys[n], weights[n] = numbers[rank], tensors[f"weights_{n}"][rank].astype(np.float64)
        if (np.diff(keys[n]) == 0).any():
            raise DataError(f"{path}: an n-gram of order {n} occurs twice")
    orders, intercept = tuple(recipe.orders), float(tensors["intercept"][0])
    return TraitModel(files.sha256, orders, intercept, recipe, word_ids, keys, weights)


def read_recipe(files: ModelFolder) -> Recipe:
    """The recipe, checked to be of a trait model that this version can read."""
    path = files.path / RECIPE
    recipe: Recipe = files.decode(RECIPE, Recipe)
    if recipe.kind != "trait":
        raise DataError(f"{path}: a model of kind {recipe.kind!r}, where a trait model is needed")
    if recipe.schema != SCHEMA:
        raise DataError(
            f"{path}: written in form {recipe.schema} where this version reads {SCHEMA}; "
            "train it again or update simpatico"
        )
    orders = recipe.orders
    if not orders or orders != sorted(set(orders)) or not 1 <= orders[0] <= orders[-1] <= MAX_ORDER:
        raise DataError(f"{path}: orders {orders}; they must increase, from 1 to {MAX_ORDER}")
    low, high = recipe.scale
    if not recipe.heldout:
        raise DataError(f"{path}: it has no test results")
    if not low < high:
        raise DataError(f"{path}: a scale from {low} to {high}; the lower end comes first")
    return recipe


def read_tensors(files: ModelFolder, orders: list[int]) -> dict[str, npt.NDArray[Any]]:
    """The tensors, with names, shapes and numbers checked."""
    path, tensors = files.path / WEIGHTS, files.tensors(WEIGHTS)
    names = {"intercept", *(f"{t}_{n}" for n in orders for t in ("ngrams", "weights"))}
    if odd := sorted(names ^ set(tensors)):
        raise DataError(f"{path}: tensor {odd[0]!r} is missing or unexpected")
    for n in orders:
        shape, size = tensors[f"ngrams_{n}"].shape, tensors[f"weights_{n}"].shape
        if len(shape) != 2 or shape[1] != n or size != shape[:1]:
            raise DataError(f"{path}: shapes {shape} and {size} of order {n} do not match")
        if tensors[f"ngrams_{n}"].dtype != np.int32:
            raise DataError(f"{path}: 'ngrams_{n}' must be 32-bit integers")
    if tensors["intercept"].shape != (1,):
        raise DataError(f"{path}: 'intercept' must be a single number")
    for name in names:
        if not name.startswith("ngrams") and not all_finite(tensors[name]):
            raise DataError(f"{path}: {name!r} holds something that is not a finite number")
    return tensors
