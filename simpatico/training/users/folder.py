"""Write the folder of a user-aware model; its key is readable by its owner only.

Until it is written, a model has users by their names; from then on by pseudonyms of a new key.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec
import numpy as np

from simpatico.features.heads.folder import CARD, RECIPE, WEIGHTS
from simpatico.features.users.folder import (
    FILES,
    INTERCEPT,
    KEY,
    SCHEMA,
    SHARED_PREDICTOR,
    USERS_FILE,
    ModelEvaluation,
    UserModelRecipe,
    pack_symmetric,
)
from simpatico.features.users.identity import new_key, pseudonym
from simpatico.features.users.inputs import InputSpec
from simpatico.features.users.model import UserModel
from simpatico.metric import package_version
from simpatico.training.card import About
from simpatico.training.model_folder import check_writable, encode_json, write_model_folder
from simpatico.training.users.card import user_model_card

KIND = "personal model"


@dataclass(frozen=True)
class TrainedUserModel:
    """A model with everything that its folder says about it; users still have their own names."""

    model: UserModel = field(repr=False)
    inputs: InputSpec
    examples: int
    """How many it was fitted to."""
    test: ModelEvaluation
    about: About
    lines: tuple[str, ...] = ()

    @property
    def recipe(self) -> UserModelRecipe:
        """What is needed to use the model."""
        model, about = self.model, self.about
        terms = (INTERCEPT, SHARED_PREDICTOR, *self.inputs.covariates)
        return UserModelRecipe(
            model.target,
            SCHEMA,
            self.inputs,
            tuple(terms[at] for at in model.terms),
            model.predictor_scale,
            model.discount,
            model.calibration,
            model.target_scale,
            model.bounds,
            self.examples,
            self.test,
            about.data,
            about.licence,
            about.limits,
            self.lines,
            about.command,
            dict(about.training),
            package_version(),
        )


def save_user_model(out: Path, trained: TrainedUserModel) -> None:
    """Write a new folder with a new key; one that holds anything else is left alone."""
    check_writable(out, FILES)
    key, users = new_key(), trained.model.users
    index = {pseudonym(name, key): at for name, at in users.row_of.items()}
    model = replace(trained.model, users=users._replace(row_of=index))
    write_user_model(out, model, trained.recipe, key)


def write_user_model(out: Path, model: UserModel, recipe: UserModelRecipe, key: bytes) -> None:
    """Write a model whose users have pseudonyms of this key."""
    from safetensors.numpy import save

    # sorted by pseudonym: the order of training would reveal who came first
    users = model.users.select(sorted(model.users.row_of))
    arrays = {
        "shared": model.shared,
        "centre": model.standardizer.mean,
        "spread": model.standardizer.sd,
        "pull": model.penalty,
        "mean": users.mean,
        "curvature": pack_symmetric(users.curvature),
        "seen": users.n_examples,
    }
    # float64 throughout: an update starts from these numbers and must not lose a bit
    exact = {name: np.ascontiguousarray(array, np.float64) for name, array in arrays.items()}
    files = {
        WEIGHTS: bytes(save(exact)),
        RECIPE: encode_json(msgspec.to_builtins(recipe)),
        USERS_FILE: encode_json(list(users.row_of)),
        KEY: f"{key.hex()}\n".encode(),
        CARD: user_model_card(recipe, users).encode(),
    }
    write_model_folder(out, files, private=(KEY,), kind=KIND)
