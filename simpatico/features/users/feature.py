"""What a personal model says of turns, as a feature that metrics share."""

from __future__ import annotations

from dataclasses import dataclass, field

from simpatico.errors import MissingResource
from simpatico.features import Feature, Features
from simpatico.features.users.contexts import Moments
from simpatico.features.users.finetuned_folder import MarkedFolder, is_marked, load_marked
from simpatico.features.users.folder import (
    PersonalFolder,
    is_personal,
    load_personal,
    same_encoder,
)
from simpatico.features.users.model import Target, Told
from simpatico.models.names import short
from simpatico.turns import Turns

Folder = PersonalFolder | MarkedFolder


def holds_model(model: str) -> bool:
    """Whether this names a folder of a model that knows persons, fine-tuned or not."""
    return is_personal(model) or is_marked(model)


def load_model(model: str, target: Target) -> Folder:
    """The model in the folder that `path:DIR` names, fine-tuned or not."""
    return load_marked(model, target) if is_marked(model) else load_personal(model, target)


@dataclass(frozen=True)
class PersonalNumbers:
    """A personal model, with what gives texts their vectors."""

    model: str
    target: Target
    absent: str | None = field(default=None, compare=False)

    @property
    def needs(self) -> tuple[Feature, ...]:
        return () if self.absent else self.folder.needs

    @property
    def folder(self) -> Folder:
        return load_model(self.model, self.target)

    @property
    def fingerprint(self) -> str:
        if self.absent:
            raise MissingResource(self.absent)
        folder = self.folder
        if isinstance(folder, MarkedFolder):
            return folder.judge.fingerprint
        return f"{short(self.model)}_sha256:{folder.sha256[:12]}"

    def compute(self, turns: Turns, features: Features) -> Said:
        folder = self.folder
        if isinstance(folder, PersonalFolder):
            same_encoder(folder, self.model)
        return Said(folder, turns, features)


@dataclass(frozen=True)
class Said:
    """Says of moments how likely they are answered, or which score they get."""

    folder: Folder
    turns: Turns = field(repr=False)
    features: Features = field(repr=False)

    def of(self, moments: Moments) -> Told:
        """A number for each moment, and how many examples of its person are known."""
        if isinstance(self.folder, MarkedFolder):
            return self.folder.of(self.turns, moments, self.features)
        return self.folder.of(moments, self.features)
