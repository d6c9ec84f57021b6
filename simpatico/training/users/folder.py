"""Write a personal model, go on from it, and make it forget a person.

A folder appears whole or not at all: it is written beside its place and then put there. Its key is
readable by its owner only.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec
import numpy as np

from simpatico.errors import BadValue, DataError, RunError
from simpatico.features.heads.folder import CARD, RECIPE, WEIGHTS, heads_folder
from simpatico.features.users.folder import (
    FILES,
    KEY,
    NUMBER,
    OFFSET,
    PERSONS,
    SCHEMA,
    Heldout,
    PersonalFolder,
    PersonalRecipe,
    halved,
    load_personal,
)
from simpatico.features.users.identity import new_key, pseudonym
from simpatico.features.users.model import People, Personal
from simpatico.features.users.inputs import SeenForm
from simpatico.files import write_atomically
from simpatico.metric import package_version
from simpatico.models.folder import MANIFEST, manifest
from simpatico.training import model_folder as pair_folder
from simpatico.training.model_folder import About, written
from simpatico.training.users.card import card
from simpatico.training.users.user_weights import Cases, met


@dataclass(frozen=True)
class Trained:
    """A personal model with all that its folder tells of it; persons have their own names yet."""

    model: Personal = field(repr=False)
    form: SeenForm
    examples: int
    """How many it learned from."""
    heldout: Heldout
    about: About
    limits: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()

    @property
    def recipe(self) -> PersonalRecipe:
        """What a reader must know."""
        model, about = self.model, self.about
        names = (OFFSET, NUMBER, *self.form.circumstances)
        return PersonalRecipe(
            model.target,
            SCHEMA,
            self.form,
            tuple(names[at] for at in model.own),
            model.number,
            model.discount,
            model.temper,
            model.unit,
            model.ends,
            self.examples,
            self.heldout,
            about.data,
            about.licence,
            self.limits,
            self.lines,
            about.command,
            dict(about.training),
            package_version(),
        )


def writable(out: Path) -> None:
    """Refuse a place that holds anything but a personal model."""
    pair_folder.writable(out, FILES)


def save_personal(out: Path, trained: Trained) -> None:
    """Write a new folder with a new key; one that holds anything else is left alone."""
    writable(out)
    key = new_key()
    model = replace(trained.model, people=renamed(trained.model.people, key))
    put(out, model, trained.recipe, key)


def renamed(people: People, key: bytes) -> People:
    """With the digits that stand for each person in the place of names."""
    return people._replace(place={pseudonym(name, key): at for name, at in people.place.items()})


def gone_on(model: str, cases: Cases) -> PersonalFolder:
    """A trained model after further examples; persons in `cases` have their own names."""
    folder = load_personal(model)
    person = [pseudonym(one, folder.key) for one in cases.person]
    return replace(folder, model=met(folder.model, cases._replace(person=person)))


def save_again(out: Path, folder: PersonalFolder, **told: object) -> None:
    """Write a model that went on, under its key; `told` changes fields of its recipe."""
    writable(out)
    put(out, folder.model, msgspec.structs.replace(folder.recipe, **told), folder.key)


def forget(person: str, model: str) -> int:
    """Take a person out of a model, and say how many examples of theirs it knew."""
    where = heads_folder(model)
    if where is not None:
        restored(where)
    folder = load_personal(model)
    name, people = pseudonym(person, folder.key), folder.model.people
    if where is None or name not in people.place:
        raise BadValue(
            f"{model} knows nobody of this name among its {len(people.place):,} persons; nothing "
            "was changed"
        )
    seen = int(people.seen[people.place[name]])
    kept = replace(folder.model, people=people.without(name))
    put(where, kept, folder.recipe, folder.key)
    return seen


def put(out: Path, model: Personal, recipe: PersonalRecipe, key: bytes) -> None:
    """Write all files beside the place, and put them there at one go."""
    # by their digits, so that the order tells nothing
    people = model.people.chosen(sorted(model.people.place))
    files = {
        WEIGHTS: tensors(model, people),
        RECIPE: written(msgspec.to_builtins(recipe)),
        PERSONS: written(list(people.place)),
        KEY: f"{key.hex()}\n".encode(),
        CARD: card(recipe, people).encode(),
    }
    swapped(out, {**files, MANIFEST: manifest(files)})


def tensors(model: Personal, people: People) -> bytes:
    """All weights by name, exact to the last bit."""
    from safetensors.numpy import save

    arrays = {
        "shared": model.shared,
        "centre": model.circumstances.centre,
        "spread": model.circumstances.spread,
        "pull": model.pull,
        "mean": people.mean,
        "curvature": halved(people.curvature),
        "seen": people.seen,
    }
    exact = {name: np.ascontiguousarray(array, np.float64) for name, array in arrays.items()}
    return bytes(save(exact))


def swapped(out: Path, files: dict[str, bytes]) -> None:
    """Let a folder of these files take the place of the one that is there."""
    out = restored(out)
    new, old = beside(out)
    new.mkdir(parents=True)
    for name, data in files.items():
        write_atomically(new / name, writer(data), private=name == KEY)
    if out.is_dir():
        os.rename(out, old)
    os.rename(new, out)
    removed(old)


def restored(out: Path) -> Path:
    """The folder itself, once what an interrupted writing left beside it is put right or gone."""
    out = out.resolve()
    new, old = beside(out)
    if old.is_dir() and not out.exists() and ours(old):
        os.rename(old, out)
    for leftover in (new, old):
        removed(leftover)
    return out


def beside(out: Path) -> tuple[Path, Path]:
    """Where a folder is written before it is put in its place, and where the one before it goes."""
    new, old = (out.with_name(f".{out.name}.{part}") for part in ("new", "old"))
    return new, old


def ours(folder: Path) -> bool:
    """Whether there is nothing in a folder but what a personal model has."""
    known = {*FILES, MANIFEST}
    names = [path.name.removeprefix(".").removesuffix(".tmp") for path in folder.iterdir()]
    return all(name in known or name.rpartition(".")[0] in known for name in names)


def removed(folder: Path) -> None:
    """Take away what was written before, for persons who are forgotten may be in it."""
    if not folder.exists():
        return
    if not ours(folder):
        raise DataError(f"{folder} is in the way, and is not a personal model; move it")
    try:
        shutil.rmtree(folder)
    except OSError as error:
        why = error.strerror
        raise RunError(f"{folder} could not be removed: {why}; remove it", resumable=True) from None


def writer(data: bytes) -> Callable[[Path], object]:
    """Writes these bytes."""
    return lambda path: path.write_bytes(data)
