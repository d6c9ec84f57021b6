"""Fit a user-aware model: shared weights, then per-user weights, then the calibration.

1. Shared weights, without and with intercepts for users: two candidates.
2. Over the cross-fitted predictors of each, per-user weights with their hyperparameters; the
   candidate of lower validation loss is kept.
3. Platt scaling of probabilities on the validation split.
4. An update of the users with the validation split, so that its examples are not lost to them.

Every hyperparameter minimises the loss on the validation split, which is later in time than the
training split: a model is used on later turns, too, and users change.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import msgspec
import numpy as np

from simpatico.arrays import Floats
from simpatico.errors import BadValue, DataError
from simpatico.features.classes import sigmoid
from simpatico.features.users.identity import MODES, Mode, uses_identity, uses_profile
from simpatico.features.users.inputs import InputSpec
from simpatico.features.users.model import Standardizer, Target, UserModel, UserWeights, user_design
from simpatico.progress import track
from simpatico.training.users import search, shared_weights, user_weights
from simpatico.training.users.examples import UserExamples, input_spec
from simpatico.turns import Turns

MAX_SLOPE = 4.0
"""Calibration multiplies logits by 1/4 to 4: more would say that the model, not its calibration, is
wrong, and few validation examples could ask for any slope."""
MIN_RATE = 1e-6
"""The share of replies is kept this far from 0 and 1, where its logit would be infinite."""
ROOT_TOLERANCE = 1e-12
TEXT_ONLY: Mode = "text"
MODE_NAMES = {mode: "text" if mode == TEXT_ONLY else f"+ {mode}" for mode in MODES}


@dataclass(frozen=True)
class UserTraining:
    """The settings that all trainings share, named as the options of the command line."""

    mode: Mode = "user"
    encoder: str = ""
    """Gives the vectors; without one, character n-grams and covariates are the only inputs."""
    seed: int = 0
    fine_tune: int = 0
    """Epochs of fine-tuning an encoder; 0 fits per-user weights over a frozen one."""

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise BadValue(f"unknown mode {self.mode!r}; choose one of {', '.join(MODES)}")
        if self.fine_tune < 0:
            raise BadValue(f"{self.fine_tune} epochs of fine-tuning; give 0 or more")

    @property
    def inputs(self) -> InputSpec:
        return input_spec(self.encoder, profile=uses_profile(self.mode))

    def check_profiles(self, turns: Turns) -> None:
        """Refuse a mode that reads profiles where nobody has one."""
        if uses_profile(self.mode) and not any(turns.frame["profile"]):
            raise DataError(
                f"mode {self.mode!r} reads profiles, and no addressed user has one; give profiles, "
                "or another mode"
            )


@dataclass(frozen=True)
class FitSettings:
    """What is fitted: replies, or scores between bounds; with or without per-user weights."""

    target: Target
    per_user: bool = True
    bounds: tuple[float, float] | None = None
    update_on_validation: bool = True
    """Whether users are updated with the validation examples, once everything is chosen."""


def fit_mode(
    training: UserTraining,
    settings: FitSettings,
    split_examples: Callable[[InputSpec], Sequence[UserExamples]],
) -> tuple[UserModel, dict[str, Floats]]:
    """The model of a mode, and its predictions for the test split beside those of text alone.

    `split_examples` gives the train, validation and test examples with some inputs.
    """

    def fit(mode: Mode, splits: Sequence[UserExamples]) -> tuple[UserModel, UserModel]:
        with track(f"fits, {MODE_NAMES[mode]}", len(shared_weights.SHARED_PENALTIES)) as tick:
            of_mode = replace(settings, per_user=uses_identity(mode))
            return fit_both_models(splits[0], splits[1], settings=of_mode, tick=tick)

    mode, spec = training.mode, training.inputs
    splits = split_examples(spec)
    model, text_model = fit(mode, splits)
    predictions = {MODE_NAMES[mode]: predict_examples(model, splits[2])}
    if mode == TEXT_ONLY:
        return model, predictions
    if spec.profile:
        splits = split_examples(msgspec.structs.replace(spec, profile=False))
        text_model, _ = fit(TEXT_ONLY, splits)
    return model, predictions | {MODE_NAMES[TEXT_ONLY]: predict_examples(text_model, splits[2])}


def predict_examples(model: UserModel, examples: UserExamples) -> Floats:
    """Probabilities or scores of these examples."""
    return model.predict(examples.rows, examples.covariates, examples.user).value


def fit_user_model(
    train: UserExamples, validation: UserExamples, *, settings: FitSettings
) -> UserModel:
    """The model that does best on `validation`, which must be later in time than `train`."""
    return fit_both_models(train, validation, settings=settings)[0]


def fit_both_models(
    train: UserExamples,
    validation: UserExamples,
    *,
    settings: FitSettings,
    tick: Callable[[int], object] = lambda n: None,
) -> tuple[UserModel, UserModel]:
    """The same, and the model that has no per-user weights."""
    target, scale = settings.target, (0.0, 1.0)
    check_splits(train, validation, target)
    if target == "score":
        mean = float(np.average(train.y, weights=train.weight))
        scale = mean, float(np.sqrt(np.average((train.y - mean) ** 2, weights=train.weight)))
        if not scale[1]:
            raise BadValue(f"all {len(train.y):,} training scores are {mean:g}; they must differ")
    z_train, z_validation = (
        split._replace(y=(split.y - scale[0]) / scale[1]) for split in (train, validation)
    )
    names = dict.fromkeys(filter(None, train.user if settings.per_user else ()))
    index = {name: at for at, name in enumerate(names)}
    scaler = Standardizer.fit(train.covariates)
    penalty = search.user_penalty(z_train, z_validation, index, target) if index else 1.0
    columns = shared_weights.SharedColumns(scaler, index, penalty)
    fits = shared_weights.fit_shared(z_train, z_validation, columns, target=target, tick=tick)
    shared = UserModel(target, fits[0][0], scaler, target_scale=scale, bounds=settings.bounds)
    without_users = calibrate(shared, validation)
    if not index:
        return without_users, without_users
    candidates = [
        fit_per_user(replace(shared, shared=weights), train, validation, cross_fitted, index)
        for weights, cross_fitted in fits
    ]
    _, best = min(candidates, key=lambda candidate: candidate[0])
    model = calibrate(best, validation)
    model = user_weights.update_users(model, validation) if settings.update_on_validation else model
    return model, without_users


def check_splits(train: UserExamples, validation: UserExamples, target: Target) -> None:
    """Refuse splits that are empty or have replies of one kind only."""
    for name, split in (("training", train), ("validation", validation)):
        if not len(split.y):
            raise DataError(f"the {name} set is empty; give more data, or split it otherwise")
        if target == "chance" and len(np.unique(split.y)) < 2:
            label = "have a reply" if split.y[0] else "have no reply"
            raise DataError(
                f"all {len(split.y):,} turns of the {name} set {label}; both kinds are needed"
            )


def fit_per_user(
    shared: UserModel,
    train: UserExamples,
    validation: UserExamples,
    cross_fitted: Floats,
    index: dict[str, int],
) -> tuple[float, UserModel]:
    """The model with per-user weights of the best hyperparameters, after its validation loss."""
    scale = (float(cross_fitted.mean()), float(cross_fitted.std()) or 1.0)
    predictors = (cross_fitted, shared.shared_predictor(validation.rows, validation.covariates))
    design, later = (
        user_weights.UserDesign.of(
            user_design(predictor, shared.standardizer(split.covariates), scale),
            predictor,
            split._replace(y=shared.standardize(split.y)),
            index,
        )
        for predictor, split in zip(predictors, (train, validation), strict=True)
    )
    design = design.drop_unknown()
    pairs = search.ValidationPairs.of(design, later, shared.target)
    terms, penalty, discount = choice = search.search_hyperparameters(pairs)
    model = replace(
        shared, predictor_scale=scale, terms=terms, penalty=np.array(penalty), discount=discount
    )
    design = design._replace(z=design.z[:, list(terms)])
    users = user_weights.update_weights(UserWeights.empty(len(terms)).extend(index), design, model)
    return pairs.loss(choice), replace(model, users=users)


def calibrate(model: UserModel, validation: UserExamples) -> UserModel:
    """Platt scaling on `validation`: p = sigmoid(slope * eta + intercept) of least cross-entropy.

    The best intercept is found for every slope, so that it also suits a slope at its limit.
    """
    if model.target == "score":
        return model
    eta = model.linear_predictor(validation.rows, validation.covariates, validation.user)

    def derivative(slope: float) -> float:
        """Of the loss by the slope; it increases, as the loss is convex."""
        probability = sigmoid(slope * eta + intercept_for(slope * eta, validation))
        return float((validation.weight * (probability - validation.y)) @ eta)

    slope = root_of_increasing(derivative, 1 / MAX_SLOPE, MAX_SLOPE)
    return replace(model, calibration=(slope, intercept_for(slope * eta, validation)))


def intercept_for(logits: Floats, validation: UserExamples) -> float:
    """The intercept with which the mean probability of these logits is the share of replies."""
    mean = float(np.average(validation.y, weights=validation.weight))
    rate = float(np.clip(mean, MIN_RATE, 1 - MIN_RATE))
    level = float(np.log(rate / (1 - rate)))

    def excess(intercept: float) -> float:
        probability = sigmoid(logits + intercept)
        return float(np.average(probability, weights=validation.weight)) - rate

    return root_of_increasing(excess, level - float(logits.max()), level - float(logits.min()))


def root_of_increasing(function: Callable[[float], float], low: float, high: float) -> float:
    """The root of an increasing function; the nearer bound, where there is none between them."""
    from scipy.optimize import brentq

    if function(low) >= 0:
        return low
    if function(high) <= 0:
        return high
    return float(brentq(function, low, high, xtol=ROOT_TOLERANCE))
