"""Folders of personal models: weights, how they are used, what stands for whom, the key, the card.

`persons.json` holds the digits that stand for each person, `person.key` the key that they are made
with; nothing in the folder tells who anybody is, and no text is in it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from simpatico.arrays import Floats
from simpatico.errors import DataError, MissingResource
from simpatico.features import Feature, Features
from simpatico.features.heads.folder import CARD, RECIPE, WEIGHTS, heads_folder
from simpatico.features.lexicon import stamp
from simpatico.features.users.contexts import CIRCUMSTANCES, Moments
from simpatico.features.users.identity import DIGITS, KEY_BYTES, key_of, pseudonym
from simpatico.features.users.model import People, Personal, Scaling, Target, Told
from simpatico.features.users.inputs import SeenForm, seen
from simpatico.models.folder import ModelFolder, finite, read_folder
from simpatico.models.names import absent, find

PERSONS, KEY = "persons.json", "person.key"
FILES = (WEIGHTS, RECIPE, PERSONS, KEY, CARD)
SCHEMA = 1
TENSORS = ("shared", "centre", "spread", "pull", "mean", "curvature", "seen")
TRAINED_BY: dict[Target, str] = {"chance": "continuity", "score": "interlocutor"}


class Figure(msgspec.Struct, frozen=True):
    """A number, and between what it lies in 95% of the resamples of persons."""

    value: float
    low: float | None = None
    high: float | None = None


class Bin(msgspec.Struct, frozen=True):
    """Turns whose chance is told to be within some tenth: the mean of it, and how many happened."""

    n: int
    told: float
    happened: float


class Heldout(msgspec.Struct, frozen=True):
    """How well a model does on later turns, which it did not learn from."""

    n: int
    persons: int
    figures: dict[str, Figure]
    reliability: tuple[Bin, ...] = ()


class PersonalRecipe(msgspec.Struct, frozen=True):
    """How the weights of a folder are used, and what people should know of them.

    `own` names what persons have weights for: 1, the shared number, circumstances. `lines` are
    further lines of the card, `training` is what is needed to repeat it.
    """

    target: Target
    schema: int
    form: SeenForm
    own: tuple[str, ...]
    number: tuple[float, float]
    discount: float
    temper: tuple[float, float]
    unit: tuple[float, float]
    ends: tuple[float, float] | None
    examples: int
    heldout: Heldout
    data: str = ""
    licence: str = ""
    limits: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    command: str = ""
    training: dict[str, Any] = {}
    version: str = ""

    @property
    def language(self) -> str | None:
        return self.form.language


OFFSET, NUMBER = "offset", "number"


@dataclass(frozen=True)
class PersonalFolder:
    """A personal model; two are equal when all their files are."""

    sha256: str
    recipe: PersonalRecipe = field(compare=False, repr=False)
    model: Personal = field(compare=False, repr=False)
    key: bytes = field(compare=False, repr=False)

    @property
    def needs(self) -> tuple[Feature, ...]:
        return self.recipe.form.needs

    @property
    def lacks(self) -> str | None:
        """What is not here that it cannot do without."""
        encoder = self.recipe.form.encoder
        return absent(encoder) if encoder else None

    @property
    def persons(self) -> int:
        return len(self.model.people.seen)

    def of(self, moments: Moments, features: Features) -> Told:
        """What the model says of these moments, and how many examples of each person it knew."""
        form = self.recipe.form
        rows = seen(moments, form, features)
        columns = len(self.model.shared) - len(form.circumstances) - 1
        if rows.shape[1] != columns:
            raise DataError(
                f"the model has weights for {columns} columns, where {rows.shape[1]} are seen with "
                f"{form.encoder!r}; train it again"
            )
        digits = {one: pseudonym(one, self.key) for one in set(moments.person)}
        person = [digits[one] for one in moments.person]
        return self.model.of(rows, circumstances(moments, form), person)


def circumstances(moments: Moments, form: SeenForm) -> Floats:
    """The circumstances that a model sees, in its order."""
    return moments.circumstances[:, [CIRCUMSTANCES.index(name) for name in form.circumstances]]


def is_personal(model: str) -> bool:
    """Whether this names a folder of a personal model."""
    folder = heads_folder(model)
    return folder is not None and (folder / RECIPE).is_file() and (folder / PERSONS).is_file()


def load_personal(model: str, target: Target | None = None) -> PersonalFolder:
    """The model in the folder that `path:DIR` names, or in one we ship."""
    folder = heads_folder(model)
    if folder is None or not is_personal(model):
        raise MissingResource(wanted(model, target))
    found = folder_of(folder, tuple(stamp(p) for p in sorted(folder.iterdir()) if p.is_file()))
    same_target(folder / RECIPE, found.recipe.target, target)
    return found


def wanted(model: str, target: Target | None) -> str:
    """The sentence for a model that is not here."""
    train = f"`simpatico train {TRAINED_BY[target]}`" if target else "a training of one"
    return f"no personal model {model!r}: give path:DIR with the folder that {train} wrote"


def same_target(path: Path, found: Target, target: Target | None) -> None:
    """Refuse a model of something else than what is asked for, if anything is."""
    if target not in (None, found):
        raise DataError(f"{path}: a model of a {found}, where one of a {target} is needed")


@lru_cache(maxsize=8)
def folder_of(folder: Path, stamps: tuple[tuple[int, int], ...]) -> PersonalFolder:
    """The model in a folder; kept in memory as long as its files have these stamps."""
    found = read_folder(folder, FILES)
    recipe: PersonalRecipe = found.decode(RECIPE, PersonalRecipe)
    if recipe.schema != SCHEMA:
        raise DataError(
            f"{folder / RECIPE}: written in form {recipe.schema} where this version reads "
            f"{SCHEMA}; train it again or update simpatico"
        )
    if odd := [c for c in recipe.form.circumstances if c not in CIRCUMSTANCES]:
        raise DataError(f"{folder / RECIPE}: no circumstance {odd[0]!r} is known; train it again")
    if (key := key_of(found.files[KEY])) is None:
        raise DataError(f"{folder / KEY}: no key of {KEY_BYTES} bytes; get the model again")
    return PersonalFolder(found.sha256, recipe, model_of(found, recipe), key)


def model_of(found: ModelFolder, recipe: PersonalRecipe) -> Personal:
    """The weights, once they are known to fit together."""
    names: list[str] = found.decode(PERSONS, list[str])
    tensors, path = found.tensors(WEIGHTS), found.path / WEIGHTS
    all_own = (OFFSET, NUMBER, *recipe.form.circumstances)
    width, about = len(recipe.own), len(recipe.form.circumstances)
    shapes = {
        "centre": (about,),
        "spread": (about,),
        "pull": (width,),
        "mean": (len(names), width),
        "curvature": (len(names), width * (width + 1) // 2),
        "seen": (len(names),),
    }
    fits = all(name in tensors and tensors[name].shape == size for name, size in shapes.items())
    proper = all(re.fullmatch(rf"[0-9a-f]{{{DIGITS}}}", name) for name in names)
    if not fits or "shared" not in tensors or not proper or not set(recipe.own) <= set(all_own):
        raise DataError(f"{path}: its tensors do not fit to {RECIPE} and {PERSONS}; train it again")
    if odd := [name for name in TENSORS if not finite(tensors[name])]:
        raise DataError(f"{path}: {odd[0]!r} holds something that is not a finite number")
    exact = {name: tensors[name].astype(np.float64) for name in TENSORS}
    place = {name: at for at, name in enumerate(names)}
    curvature = square(exact["curvature"], width)
    return Personal(
        recipe.target,
        exact["shared"],
        Scaling(exact["centre"], exact["spread"]),
        recipe.number,
        tuple(all_own.index(name) for name in recipe.own),
        exact["pull"],
        recipe.discount,
        People(place, exact["mean"], curvature, exact["seen"].astype(np.int64)),
        recipe.temper,
        recipe.unit,
        recipe.ends,
    )


def square(lower: Floats, width: int) -> Floats:
    """Symmetric matrices out of their lower halves, a row each."""
    found = np.zeros((len(lower), width, width))
    row, column = np.tril_indices(width)
    found[:, row, column] = lower
    found[:, column, row] = lower
    return found


def halved(curvature: Floats) -> npt.NDArray[np.float64]:
    """The lower halves of symmetric matrices, a row each."""
    row, column = np.tril_indices(curvature.shape[1])
    return np.ascontiguousarray(curvature[:, row, column])


def same_encoder(folder: PersonalFolder, model: str) -> None:
    """Refuse vectors of other weights than those it was trained over."""
    form = folder.recipe.form
    if form.encoder and find(form.encoder).sha256 != form.encoder_sha256:
        raise DataError(
            f"{model} was trained over other weights than {form.encoder!r} has here; train it again"
        )
