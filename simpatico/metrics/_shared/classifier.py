"""Binary classifiers of a text, or of a reply to a text, and what they were trained on.

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
    HeadKind,
    HeadsRecipe,
    PairHead,
    heads_folder,
    is_heads_folder,
    load_heads,
)
from simpatico.models.names import Model, find_model, why_missing
from simpatico.wording import format_interval


@dataclass(frozen=True)
class BinaryClassifier:
    """A model that the parameter `setting` names, and which head of a folder of `kind` to use.

    `command` says how to train such a folder.
    """

    model: str
    kind: HeadKind
    head: str
    setting: str
    command: str

    @property
    def metric(self) -> str:
        """The metric that uses it."""
        return self.setting.partition(".")[0]

    @property
    def single_text(self) -> bool:
        """Whether texts are classified one by one, not as pairs."""
        return self.kind in get_args(EmotionKind)

    @property
    def missing(self) -> str | None:
        """What to do when there is no such model; null when there is."""
        if is_heads_folder(self.model):
            return why_missing(self.recipe.heads[self.head].encoder)
        folder = heads_folder(self.model)
        if folder is None or folder.is_dir():
            return why_missing(self.model)
        where = f" and there is none at {self.model!r}" if self.model.startswith(PATH) else ""
        return (
            f"{self.metric} needs a trained model{where}: train one with `{self.command}`, then "
            f"add `--set {self.setting}=path:MODEL`"
        )

    @property
    def recipe(self) -> HeadsRecipe:
        """How the heads of the folder were trained."""
        return load_heads(self.model, self.kind).recipe

    @property
    def feature(self) -> PairHead | ClassProbabilities:
        """One of our heads, or a fine-tuned classifier."""
        # a model that is missing has a feature as well, which says so when it is used
        why = self.missing
        if why or is_heads_folder(self.model):
            return PairHead(self.model, self.kind, self.head, why)
        return ClassProbabilities(self.model, pair=not self.single_text)

    @property
    def needs(self) -> tuple[Feature, ...]:
        feature = self.feature
        return (feature, *feature.needs)

    @property
    def origin(self) -> str:
        """Training data and test figures of the model; empty where nothing is known."""
        if is_heads_folder(self.model):
            return describe_head(self.recipe, self.head)
        return describe_fine_tuning(find_model(self.model)) if self.missing is None else ""

    def probabilities(self, features: Features, *texts: Sequence[str]) -> Floats:
        """A probability for each text, or each pair; NaN where nothing can be said."""
        feature = self.feature
        if isinstance(feature, PairHead) and feature.absent:
            raise MissingResource(feature.absent)
        classifier = features[feature]
        values = classifier.of(*texts)
        if isinstance(classifier, Classes):
            if len(classifier.labels) != 2:
                raise DataError(
                    f"{self.model} predicts {len(classifier.labels)} classes, where "
                    f"{self.metric} needs two: not {self.head}, and {self.head}"
                )
            values = values[:, 1]
        return np.asarray(values, np.float64)


class FineTuningRecord(msgspec.Struct):
    """What `fine_tune` writes beside a classifier, as far as a card needs it."""

    base: str
    data: str
    licence: str
    learned_from: int


def describe_fine_tuning(model: Model) -> str:
    """What a classifier was trained on, where it was fine-tuned here."""
    if TRAINING not in model.files:
        return ""
    path = model.folder / TRAINING
    try:
        record = msgspec.json.decode(path.read_bytes(), type=FineTuningRecord)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise DataError(f"{path}: not a training record; train the model again") from None
    return (
        f"Fine-tuned from {record.base} on {record.data} (licence: {record.licence}): "
        f"{record.learned_from:,} examples."
    )


def describe_head(recipe: HeadsRecipe, head: str) -> str:
    """What a head was trained on, and how well it does on the test split."""
    test, interval = recipe.heads[head].heldout, ""
    if test.low is not None:
        interval = f"95% CI {format_interval(test.low, test.high)}, "
    accuracy = "" if test.balanced is None else f", balanced accuracy {test.balanced:.2f}"
    verdict = "" if test.auc > test.plain_auc else ", which is not less"
    return (
        f"{describe_training_data(recipe)} Test set of {test.dialogs:,} {training_unit(recipe)}: "
        f"AUC = {test.auc:.2f} ({interval}n = {test.n:,}){accuracy}; {test.plain} alone reaches "
        f"{test.plain_auc:.2f}{verdict}."
    )


def describe_training_data(recipe: HeadsRecipe) -> str:
    """What the heads of a folder were trained on."""
    what = training_unit(recipe)
    licence = f" (licence: {recipe.licence})" if recipe.licence else ""
    return f"Trained on {recipe.data or what}{licence}: {recipe.dialogs:,} {what}."


def training_unit(recipe: HeadsRecipe) -> str:
    """What the training counted: texts or dialogs."""
    return "texts" if recipe.kind in get_args(EmotionKind) else "dialogs"
