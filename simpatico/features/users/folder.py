"""Folders of user-aware models: weights, how they are used, pseudonyms, the key, the card.

`persons.json` holds the pseudonym of each user, `person.key` the key that they are made with;
nothing in the folder reveals who anybody is, and no text is in it.

Names in the files are older than those in the code. In `recipe.json` fields are renamed where they
are declared below; in `model.safetensors`, with n users of k weights each,

    shared     weights of inputs, covariates and intercept
    centre     mean of each covariate in training          spread     its SD
    pull       penalty of each weight of a user (k)        mean       the users' weights (n, k)
    curvature  lower triangles of their Hessians           seen       examples of each user (n)
               (n, k (k + 1) / 2)
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from simpatico.arrays import Floats
from simpatico.errors import DataError, MissingResource
from simpatico.features import Feature, Features
from simpatico.features.heads.folder import CARD, RECIPE, WEIGHTS, heads_folder
from simpatico.features.lexicon import folder_stamps
from simpatico.features.users import model as user_models
from simpatico.features.users.contexts import COVARIATES, Contexts
from simpatico.features.users.identity import DIGITS, parse_key, pseudonym
from simpatico.features.users.inputs import InputSpec, encoder_language, input_matrix
from simpatico.features.users.model import Target, UserModel, UserPredictions
from simpatico.models.folder import ModelFolder, all_finite, read_model_folder
from simpatico.models.names import find_model, why_missing

USERS_FILE, KEY = "persons.json", "person.key"
FILES = (WEIGHTS, RECIPE, USERS_FILE, KEY, CARD)
SCHEMA = 1
INTERCEPT, SHARED_PREDICTOR = "offset", "number"
"""What the first two terms that users may have weights for are called in a recipe."""
MODEL_FIELDS = ("target", "predictor_scale", "discount", "calibration", "target_scale", "bounds")
"""Fields that a recipe has from `UserModel`."""
TRAINED_BY: dict[Target, str] = {"chance": "continuity", "score": "interlocutor"}


class RecordedResult(msgspec.Struct, frozen=True):
    """A statistic and its 95% CI over users, as a recipe keeps them of a `Result`."""

    value: float
    low: float | None = None
    high: float | None = None


class ReliabilityBin(
    msgspec.Struct, frozen=True, rename={"predicted": "told", "observed": "happened"}
):
    """Turns whose predicted probability is in one tenth: its mean, and the share with a reply."""

    n: int
    predicted: float
    observed: float


class ModelEvaluation(
    msgspec.Struct, frozen=True, rename={"users": "persons", "results": "figures"}
):
    """How well a model does on the test split, which is later than all it was trained on."""

    n: int
    users: int
    results: dict[str, RecordedResult]
    reliability: tuple[ReliabilityBin, ...] = ()


class UserModelRecipe(
    msgspec.Struct,
    frozen=True,
    rename={
        "inputs": "form",
        "terms": "own",
        "predictor_scale": "number",
        "calibration": "temper",
        "target_scale": "unit",
        "bounds": "ends",
        "test": "heldout",
    },
):
    """How the weights of a folder are used, and what people should know about them.

    `terms` names what users have weights for. `lines` are further lines of the card, `training` is
    what is needed to repeat it.
    """

    target: Target
    schema: int
    inputs: InputSpec
    terms: tuple[str, ...]
    predictor_scale: tuple[float, float]
    discount: float
    calibration: tuple[float, float]
    target_scale: tuple[float, float]
    bounds: tuple[float, float] | None
    examples: int
    test: ModelEvaluation
    data: str = ""
    licence: str = ""
    limits: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    command: str = ""
    training: dict[str, Any] = {}
    version: str = ""

    @property
    def language(self) -> str | None:
        return encoder_language(self.inputs.encoder)


@dataclass(frozen=True)
class UserModelFolder:
    """A user-aware model on disk; two are equal when all their files are."""

    sha256: str
    recipe: UserModelRecipe = field(compare=False, repr=False)
    model: UserModel = field(compare=False, repr=False)
    key: bytes = field(compare=False, repr=False)

    @property
    def needs(self) -> tuple[Feature, ...]:
        return self.recipe.inputs.needs

    @property
    def missing(self) -> str | None:
        """Why the model cannot be used here; null if it can."""
        inputs = self.recipe.inputs
        if inputs.answers:
            return (
                f"this model reads answers of judges ({inputs.answers[0]}), which conversations do "
                "not hold; `train interlocutor --calibrated FILE` writes its predictions"
            )
        return why_missing(inputs.encoder) if inputs.encoder else None

    @property
    def n_users(self) -> int:
        return len(self.model.users.n_examples)

    def check_encoder(self, model: str) -> None:
        """Refuse vectors of other weights than those that `model`, this one, was trained on."""
        spec = self.recipe.inputs
        if spec.encoder and find_model(spec.encoder).sha256 != spec.encoder_sha256:
            raise DataError(
                f"{model} was trained on other weights of {spec.encoder!r} than are here; train it "
                "again"
            )

    def predict(self, contexts: Contexts, features: Features) -> UserPredictions:
        """A prediction for each context; users have their own names there."""
        spec = self.recipe.inputs
        rows = input_matrix(contexts, spec, features)
        columns = len(self.model.shared) - len(spec.covariates) - 1
        if rows.shape[1] != columns:
            raise DataError(
                f"the model has weights for {columns} columns, and {spec.encoder!r} gives "
                f"{rows.shape[1]}; train it again"
            )
        digits = {name: pseudonym(name, self.key) for name in set(contexts.user)}
        users = [digits[name] for name in contexts.user]
        return self.model.predict(rows, select_covariates(contexts, spec), users)


def select_covariates(contexts: Contexts, spec: InputSpec) -> Floats:
    """The covariates that a model was trained with, in its order."""
    return contexts.covariates[:, [COVARIATES.index(name) for name in spec.covariates]]


def is_user_model(model: str) -> bool:
    """Whether this names a folder of a model with per-user weights."""
    folder = heads_folder(model)
    return folder is not None and (folder / RECIPE).is_file() and (folder / USERS_FILE).is_file()


def load_user_model(model: str, target: Target | None = None) -> UserModelFolder:
    """The model in the folder that `path:DIR` names, or in one we ship."""
    folder = heads_folder(model)
    if folder is None or not is_user_model(model):
        raise MissingResource(missing_model_message(model, target))
    user_model = read_user_model(folder, folder_stamps(folder))
    check_target(folder / RECIPE, user_model.recipe.target, target)
    return user_model


def missing_model_message(model: str, target: Target | None) -> str:
    train = f"`simpatico train {TRAINED_BY[target]}`" if target else "a training of one"
    return f"no user-aware model {model!r}: give path:DIR with the folder that {train} wrote"


def check_target(path: Path, actual: Target, target: Target | None) -> None:
    """Refuse a model of another target than the one that is asked for, if any is."""
    if target is not None and target != actual:
        raise DataError(
            f"{path}: a model from `train {TRAINED_BY[actual]}`; one from "
            f"`train {TRAINED_BY[target]}` is needed"
        )


@lru_cache(maxsize=8)
def read_user_model(folder: Path, stamps: tuple[tuple[int, int], ...]) -> UserModelFolder:
    """The model in a folder; cached as long as its files have these stamps."""
    files = read_model_folder(folder, FILES)
    recipe: UserModelRecipe = files.decode(RECIPE, UserModelRecipe)
    if recipe.schema != SCHEMA:
        raise DataError(
            f"{folder / RECIPE}: schema {recipe.schema}, and this version reads {SCHEMA}; train it "
            "again or update simpatico"
        )
    if unknown := [name for name in recipe.inputs.covariates if name not in COVARIATES]:
        raise DataError(f"{folder / RECIPE}: unknown covariate {unknown[0]!r}; train it again")
    key = parse_key(files.files[KEY], folder / KEY)
    return UserModelFolder(files.sha256, recipe, build_user_model(files, recipe), key)


def build_user_model(files: ModelFolder, recipe: UserModelRecipe) -> UserModel:
    """The model of a folder, once its tensors are known to match its recipe."""
    names: list[str] = files.decode(USERS_FILE, list[str])
    tensors, path = files.tensors(WEIGHTS), files.path / WEIGHTS
    all_terms = (INTERCEPT, SHARED_PREDICTOR, *recipe.inputs.columns)
    width, n_covariates = len(recipe.terms), len(recipe.inputs.columns)
    shapes = {
        "centre": (n_covariates,),
        "spread": (n_covariates,),
        "pull": (width,),
        "mean": (len(names), width),
        "curvature": (len(names), width * (width + 1) // 2),
        "seen": (len(names),),
    }
    names_in_file = ("shared", *shapes)
    fits = all(name in tensors and tensors[name].shape == size for name, size in shapes.items())
    proper = all(re.fullmatch(rf"[0-9a-f]{{{DIGITS}}}", name) for name in names)
    if not fits or "shared" not in tensors or not proper or not set(recipe.terms) <= set(all_terms):
        raise DataError(
            f"{path}: its tensors do not match {RECIPE} and {USERS_FILE}; train it again"
        )
    if odd := [name for name in names_in_file if not all_finite(tensors[name])]:
        raise DataError(f"{path}: {odd[0]!r} has values that are not finite; train it again")
    exact = {name: tensors[name].astype(np.float64) for name in names_in_file}
    index, n_examples = {n: at for at, n in enumerate(names)}, exact["seen"].astype(np.int64)
    curvature, (row, column) = np.zeros((len(names), width, width)), np.tril_indices(width)
    curvature[:, row, column] = curvature[:, column, row] = exact["curvature"]
    return UserModel(
        shared=exact["shared"],
        standardizer=user_models.Standardizer(exact["centre"], exact["spread"]),
        terms=tuple(all_terms.index(name) for name in recipe.terms),
        penalty=exact["pull"],
        users=user_models.UserWeights(index, exact["mean"], curvature, n_examples),
        **{name: getattr(recipe, name) for name in MODEL_FIELDS},
    )
