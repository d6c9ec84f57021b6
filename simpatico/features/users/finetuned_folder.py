"""Folders of encoders that were fine-tuned with marks of who speaks, and what they say of turns."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np

from simpatico.errors import DataError, MissingResource
from simpatico.features import Feature, Features
from simpatico.features.classes import TRAINING, ClassProbabilities
from simpatico.features.heads.folder import heads_folder
from simpatico.features.lexicon import stamp
from simpatico.features.users.contexts import Moments
from simpatico.features.users.folder import same_target, wanted
from simpatico.features.users.identity import KEY_BYTES, Mode, key_of, knows_profile
from simpatico.features.users.model import Target, Told
from simpatico.features.users.speaker_tokens import FEWEST, SOMEBODY, Marks, digits_of, texts
from simpatico.models.folder import content
from simpatico.models.names import absent
from simpatico.turns import Turns

KEY = "person_key.txt"
TARGETS: dict[str, Target] = {"single": "chance", "regression": "score"}

Ends = tuple[float, float]


class Asked(msgspec.Struct, frozen=True):
    """What a training was asked for, and found out, as far as it is needed to use the model."""

    mode: Mode
    language: str | None = None
    """The one language that the encoder reads; null where it is any, or nobody knows."""
    ends: Ends | None = None
    """Of the scale, whose shares were learned."""


class TunedRecipe(msgspec.Struct, frozen=True):
    """What a training writes, as far as it is needed to use the model and to tell of it."""

    problem: Literal["single", "regression"]
    tokens: tuple[str, ...]
    training: Asked
    base: str
    data: str
    licence: str
    examples: int = msgspec.field(name="learned_from")

    @property
    def target(self) -> Target:
        return TARGETS[self.problem]

    @property
    def language(self) -> str | None:
        return self.training.language

    @property
    def ends(self) -> Ends | None:
        return self.training.ends


@dataclass(frozen=True)
class MarkedFolder:
    """An encoder that knows persons by their marks."""

    model: str
    recipe: TunedRecipe = field(compare=False, repr=False)
    marks: Marks = field(compare=False, repr=False)

    @property
    def judge(self) -> ClassProbabilities:
        """Says how likely an answer is, or which share of the scale a score has."""
        chance = self.recipe.target == "chance"
        return ClassProbabilities(self.model, pair=True, output="softmax" if chance else "logits")

    @property
    def needs(self) -> tuple[Feature, ...]:
        return (self.judge,)

    @property
    def lacks(self) -> str | None:
        """What is not here that it cannot do without."""
        return absent(self.model)

    @property
    def persons(self) -> int:
        return len(self.marks.known)

    def of(self, turns: Turns, moments: Moments, features: Features) -> Told:
        """What the model says of moments of these turns, and of which persons it knew a mark.

        Who has one was learned from at least `FEWEST` times.
        """
        profile = knows_profile(self.recipe.training.mode)
        said = features[self.judge].of(*texts(turns, moments, self.marks, profile=profile))
        known = [self.marks(person) != SOMEBODY for person in moments.person]
        seen = FEWEST * np.array(known, np.int64)
        if self.recipe.ends is None:
            return Told(said[:, 1].astype(np.float64), seen)
        low, high = self.recipe.ends
        share = said[:, 0].astype(np.float64)
        return Told(np.clip(low + share * (high - low), low, high), seen)


def is_marked(model: str) -> bool:
    """Whether this names a folder of an encoder that was fine-tuned with marks of persons."""
    folder = heads_folder(model)
    return folder is not None and (folder / KEY).is_file() and (folder / TRAINING).is_file()


def load_marked(model: str, target: Target | None = None) -> MarkedFolder:
    """The fine-tuned model in the folder that `path:DIR` names."""
    folder = heads_folder(model)
    if folder is None or not is_marked(model):
        raise MissingResource(wanted(model, target))
    found = folder_of(model, folder, tuple(stamp(folder / name) for name in (KEY, TRAINING)))
    same_target(folder / TRAINING, found.recipe.target, target)
    return found


@lru_cache(maxsize=8)
def folder_of(model: str, folder: Path, stamps: tuple[tuple[int, int], ...]) -> MarkedFolder:
    """The model in a folder; kept in memory as long as its files have these stamps."""
    path = folder / TRAINING
    try:
        recipe = msgspec.json.decode(content(path), type=TunedRecipe)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise DataError(f"{path}: not what a training with marks writes; train it again") from None
    ends = recipe.ends
    if (ends is not None) != (recipe.target == "score") or (ends and not ends[0] < ends[1]):
        raise DataError(f"{path}: the ends of the scale are {ends}; train it again")
    return MarkedFolder(model, recipe, Marks(read_key(folder / KEY), digits_of(recipe.tokens)))


def read_key(path: Path) -> bytes:
    """A key out of its file."""
    try:
        key = key_of(path.read_bytes())
    except OSError:
        key = None
    if key is None:
        raise DataError(f"{path}: no key of {KEY_BYTES} bytes; train again without it")
    return key
