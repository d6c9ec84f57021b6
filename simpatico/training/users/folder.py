"""Write the folder of a user-aware model; its key is readable by its owner only.

Until it is written, a model has users by their names; from then on by pseudonyms of a new key.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

import msgspec
import numpy as np

from simpatico.features.heads.folder import CARD, RECIPE, WEIGHTS
from simpatico.features.users import folder
from simpatico.features.users.folder import ModelEvaluation, UserModelRecipe
from simpatico.features.users.identity import new_key, pseudonym
from simpatico.features.users.inputs import InputSpec
from simpatico.features.users.model import UserModel
from simpatico.metric import package_version
from simpatico.training.card import About
from simpatico.training.model_folder import encode_json, write_model_folder
from simpatico.training.users.card import user_model_card


def save_user_model(
    out: Path,
    model: UserModel,
    *,
    inputs: InputSpec,
    n_examples: int,
    test: ModelEvaluation,
    about: About,
    lines: tuple[str, ...] = (),
) -> None:
    """Write a new folder with a new key; one that holds anything else is left alone.

    `lines` are further lines of the card.
    """
    terms = (folder.INTERCEPT, folder.SHARED_PREDICTOR, *inputs.columns)
    recipe = UserModelRecipe(
        schema=folder.SCHEMA,
        inputs=inputs,
        terms=tuple(terms[at] for at in model.terms),
        examples=n_examples,
        test=test,
        lines=lines,
        version=package_version(),
        **asdict(about),
        **{name: getattr(model, name) for name in folder.MODEL_FIELDS},
    )
    key, users = new_key(), model.users
    row_of = {pseudonym(name, key): at for name, at in users.row_of.items()}
    model = replace(model, users=users._replace(row_of=row_of))
    write_user_model(out, model, recipe, key)


def write_user_model(out: Path, model: UserModel, recipe: UserModelRecipe, key: bytes) -> None:
    """Write a model whose users have pseudonyms of this key."""
    from safetensors.numpy import save

    # sorted by pseudonym: the order of training would reveal who came first
    users = model.users.select(sorted(model.users.row_of))
    row, column = np.tril_indices(len(model.terms))
    arrays = {
        "shared": model.shared,
        "centre": model.standardizer.mean,
        "spread": model.standardizer.sd,
        "pull": model.penalty,
        "mean": users.mean,
        "curvature": users.curvature[:, row, column],
        "seen": users.n_examples,
    }
    # float64 throughout: an update starts from these numbers and must not lose a bit
    exact = {name: np.ascontiguousarray(array, np.float64) for name, array in arrays.items()}
    files = {
        WEIGHTS: bytes(save(exact)),
        RECIPE: encode_json(msgspec.to_builtins(recipe)),
        folder.USERS_FILE: encode_json(list(users.row_of)),
        folder.KEY: f"{key.hex()}\n".encode(),
        CARD: user_model_card(recipe, users).encode(),
    }
    write_model_folder(out, files, private=(folder.KEY,))
