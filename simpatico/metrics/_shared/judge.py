"""Who says how likely a text, or a reply to a text, is something, and what it learned that from.

A model is one we ship, path:DIR of a folder of trained heads, or path:DIR of a classifier of two
classes, the second of which is what is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

import msgspec
import numpy as np

from simpatico.arrays import Floats
from simpatico.errors import DataError, MissingResource
from simpatico.features import Feature, Features
from simpatico.features.classes import TRAINING, Classes, ClassProbabilities
from simpatico.features.heads.folder import (
    PATH,
    EmotionKind,
    Kind,
    PairHead,
    Recipe,
    heads_folder,
    load_heads,
    trained,
)
from simpatico.models.names import Model, absent, find


@dataclass(frozen=True)
class Judge:
    """A model in the place that `setting` names, and the head of a folder of `kind` to ask.

    `command` says how to train such a folder.
    """

    model: str
    kind: Kind
    head: str
    setting: str
    command: str

    @property
    def metric(self) -> str:
        """Whose judge it is."""
        return self.setting.partition(".")[0]

    @property
    def alone(self) -> bool:
        """Whether texts are judged one by one."""
        return self.kind in get_args(EmotionKind)

    @property
    def missing(self) -> str | None:
        """What to do when there is no such model; null when there is."""
        if trained(self.model):
            return absent(self.recipe.heads[self.head].encoder)
        folder = heads_folder(self.model)
        if folder is None or folder.is_dir():
            return absent(self.model)
        where = f" and there is none at {self.model!r}" if self.model.startswith(PATH) else ""
        return (
            f"{self.metric} needs a trained model{where}: train one with `{self.command}`, then "
            f"add `--set {self.setting}=path:MODEL`"
        )

    @property
    def recipe(self) -> Recipe:
        """How the heads of the folder were made."""
        return load_heads(self.model, self.kind).recipe

    @property
    def feature(self) -> PairHead | ClassProbabilities:
        """What judges: one of our heads, or a classifier."""
        why = self.missing
        if why or trained(self.model):
            return PairHead(self.model, self.kind, self.head, why)
        return ClassProbabilities(self.model, pair=not self.alone)

    @property
    def needs(self) -> tuple[Feature, ...]:
        feature = self.feature
        return (feature, *feature.needs)

    @property
    def origin(self) -> str:
        """What the model learned from, and how well it did; empty where nothing is known."""
        if trained(self.model):
            return provenance(self.recipe, self.head)
        return fine_tuned(find(self.model)) if self.missing is None else ""

    def of(self, features: Features, *texts: Sequence[str]) -> Floats:
        """A probability for each text, or each pair; NaN where nothing can be said."""
        if why := self.missing:
            raise MissingResource(why)
        judge = features[self.feature]
        found = judge.of(*texts)
        if isinstance(judge, Classes):
            if len(judge.labels) != 2:
                raise DataError(
                    f"{self.model} tells {len(judge.labels)} classes apart, where {self.metric} "
                    f"needs two: not {self.head}, and {self.head}"
                )
            found = found[:, 1]
        return np.asarray(found, np.float64)


class Tuned(msgspec.Struct):
    """What `fine_tune` writes beside a classifier, as far as a card needs it."""

    base: str
    data: str
    licence: str
    learned_from: int


def fine_tuned(model: Model) -> str:
    """What a classifier was made from, where it is one that was fine-tuned here."""
    if TRAINING not in model.files:
        return ""
    path = model.folder / TRAINING
    try:
        told = msgspec.json.decode(path.read_bytes(), type=Tuned)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise DataError(f"{path}: not what a training writes; train it again") from None
    return (
        f"Fine-tuned from {told.base} on {told.data} (licence: {told.licence}): "
        f"{told.learned_from:,} examples."
    )


def provenance(recipe: Recipe, head: str) -> str:
    """What a head learned from, and how well it did on dialogs or texts it had not seen."""
    figure, reach = recipe.heads[head].heldout, ""
    if figure.low is not None and figure.high is not None:
        reach = f"95% {figure.low:.2f} to {figure.high:.2f}, "
    balanced = "" if figure.balanced is None else f", balanced accuracy {figure.balanced:.2f}"
    beaten = "" if figure.auc > figure.plain_auc else ", which is not less"
    return (
        f"{learned(recipe)} On {figure.dialogs:,} {units(recipe)} held out AUC = {figure.auc:.2f} "
        f"({reach}n = {figure.n:,}){balanced}; {figure.plain} alone reaches "
        f"{figure.plain_auc:.2f}{beaten}."
    )


def learned(recipe: Recipe) -> str:
    """What the heads of a folder learned from."""
    what = units(recipe)
    licence = f" (licence: {recipe.licence})" if recipe.licence else ""
    return f"Learned from {recipe.data or what}{licence}: {recipe.dialogs:,} {what}."


def units(recipe: Recipe) -> str:
    """What the training counted."""
    return "texts" if recipe.kind in get_args(EmotionKind) else "dialogs"
