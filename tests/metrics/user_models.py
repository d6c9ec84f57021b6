"""Small user-aware models: one to predict with by hand, one over a tiny encoder."""

from functools import cache
from pathlib import Path

import numpy as np

from simpatico.features.users.contexts import COVARIATES
from simpatico.features.users.folder import ModelEvaluation, RecordedResult
from simpatico.features.users.inputs import InputSpec
from simpatico.features.users.model import Standardizer, UserModel, UserWeights
from simpatico.models.names import find_model
from simpatico.training.card import About
from simpatico.training.users.folder import save_user_model
from tests.metrics.heads import temporary_folder
from tests.models.tiny import tiny

TEST = ModelEvaluation(20, 2, {"AUC": RecordedResult(0.7, 0.6, 0.8)})
PLAIN = InputSpec(char_ngrams=None)
"""Covariates are the only inputs."""


def by_hand(target="chance", **changes) -> UserModel:
    """A question adds 2 to the shared predictor of -1; ann's own intercept is 1.5, of 3 examples."""
    count = len(COVARIATES)
    shared = np.zeros(count + 1)
    shared[COVARIATES.index("question")], shared[-1] = 2.0, -1.0
    users = UserWeights(
        {"ann": 0, "bob": 1},
        np.array([[1.5], [0.0]]),
        np.array([[[3.0]], [[1.0]]]),
        np.array([3, 1]),
    )
    fields = {"terms": (0,), "penalty": np.ones(1), "users": users} | changes
    return UserModel(target, shared, Standardizer(np.zeros(count), np.ones(count)), **fields)


def folder(model: UserModel, spec: InputSpec = PLAIN, out: Path | None = None) -> str:
    """The name of a folder of this model."""
    out = out or temporary_folder("personal") / "m"
    about = About("chats", "MIT", "simpatico train", {"seed": 0})
    save_user_model(out, model, inputs=spec, n_examples=4, test=TEST, about=about)
    return f"path:{out}"


@cache
def at_random(target: str) -> str:
    """A model with random weights of character n-grams and, for replies, of vectors."""
    encoder = find_model(f"path:{tiny('bert')}") if target == "chance" else None
    spec = InputSpec(encoder.name, encoder.sha256) if encoder else InputSpec()
    rng, count = np.random.default_rng(0), len(COVARIATES)
    columns = 2 * spec.char_ngrams.columns + (64 if encoder else 0)
    shared = 0.5 * rng.standard_normal(columns + count + 1)
    is_score = target == "score"
    users = UserWeights({"x": 0}, np.ones((1, 1)), np.ones((1, 1, 1)), np.array([3]))
    scaling = Standardizer(np.zeros(count), np.ones(count))
    model = UserModel(
        target,
        shared,
        scaling,
        terms=(0,),
        penalty=np.ones(1),
        users=users,
        target_scale=(4.0, 1.0) if is_score else (0.0, 1.0),
        bounds=(1.0, 7.0) if is_score else None,
    )
    return folder(model, spec)
