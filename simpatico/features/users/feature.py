"""Predictions of a user-aware model, fine-tuned or not, as a feature that metrics share.

The feature is not a table of numbers but a predictor: a metric asks it once for the turns as they
are, and again for texts with a word left out, to show which words matter.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from simpatico.errors import MissingResource
from simpatico.features import Feature, Features
from simpatico.features.users.contexts import Contexts
from simpatico.features.users.finetuned_folder import FineTunedFolder, is_finetuned, load_finetuned
from simpatico.features.users.folder import UserModelFolder, is_user_model, load_user_model
from simpatico.features.users.model import Target, UserPredictions
from simpatico.models.names import short_model_name
from simpatico.turns import Turns

Folder = UserModelFolder | FineTunedFolder


def has_user_model(model: str) -> bool:
    """Whether this names a folder of a model that knows users, fine-tuned or not."""
    return is_user_model(model) or is_finetuned(model)


def open_user_model(model: str, target: Target) -> Folder:
    """The model in the folder that `path:DIR` names, fine-tuned or not."""
    return load_finetuned(model, target) if is_finetuned(model) else load_user_model(model, target)


@dataclass(frozen=True)
class PersonalNumbers:
    """The feature: a user-aware model, with the encoder that it needs.

    `simpatico list` prints the names of features: this one is part of its output.
    """

    model: str
    target: Target
    absent: str | None = field(default=None, compare=False)
    """Why the model is not here, which is said when it is needed."""

    @property
    def needs(self) -> tuple[Feature, ...]:
        return () if self.absent else self.folder.needs

    @property
    def folder(self) -> Folder:
        return open_user_model(self.model, self.target)

    @property
    def fingerprint(self) -> str:
        if self.absent:
            raise MissingResource(self.absent)
        folder = self.folder
        if isinstance(folder, FineTunedFolder):
            return folder.classifier.fingerprint
        return f"{short_model_name(self.model)}_sha256:{folder.sha256[:12]}"

    def compute(self, turns: Turns, features: Features) -> UserPredictor:
        folder = self.folder
        if isinstance(folder, UserModelFolder):
            folder.check_encoder(self.model)
        return UserPredictor(folder, turns, features)


@dataclass(frozen=True)
class UserPredictor:
    """Predicts replies or scores for contexts of these turns, any number of times."""

    folder: Folder
    turns: Turns = field(repr=False)
    features: Features = field(repr=False)

    def predict(self, contexts: Contexts) -> UserPredictions:
        if isinstance(self.folder, FineTunedFolder):
            return self.folder.predict(self.turns, contexts, self.features)
        return self.folder.predict(contexts, self.features)
