"""A linear model with weights that all users share, and a few weights of each user's own.

The shared predictor s is linear in the inputs and covariates of a turn. Each user u has weights
w_u for some of the terms z = (1, s standardised, covariates standardised):

    eta = s + w_u · z,

a generalised linear mixed model with users as random effects. A reply probability is the logistic
function of eta, a score is eta on the scale of the ratings. Unknown users have w_u = 0, so that a
new user is treated like the average one.
Example: s = .2, weights .5 for 1 and -1 for s (which has mean 0 and SD 1): .2 + .5 - .2 = .5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, Literal, NamedTuple

import numpy as np

from simpatico.arrays import Floats, Ints
from simpatico.features.classes import sigmoid

Target = Literal["chance", "score"]
"""What is predicted: the probability of a reply ("chance" in the files), or a rating."""

CONSTANT = 1e-9
"""A column whose SD is not above this never changes."""
MAX_SDS = 3.0
"""Standardised values are clipped here: farther out there are too few examples to learn from, and a
linear effect would go on without bound."""


class Standardizer(NamedTuple):
    """Brings columns to mean 0 and SD 1, clipped at `MAX_SDS`."""

    mean: Floats
    sd: Floats

    @classmethod
    def fit(cls, columns: Floats) -> Standardizer:
        """Mean and SD of these columns; a constant one is only centred."""
        sd = columns.std(axis=0)
        return cls(columns.mean(axis=0), np.where(sd > CONSTANT, sd, 1.0))

    def __call__(self, columns: Floats) -> Floats:
        return np.asarray(np.clip((columns - self.mean) / self.sd, -MAX_SDS, MAX_SDS))


class UserWeights(NamedTuple):
    """The posterior of each user's weights in Laplace's approximation, a row a user.

    `mean` is the mode, `curvature` the Hessian of the user's own examples there, without the
    penalty. The two stand for all examples seen so far: new ones are added without the old.
    """

    row_of: Mapping[str, int]
    """The row of each user."""
    mean: Floats
    curvature: Floats
    n_examples: Ints

    @classmethod
    def empty(cls, weights: int) -> UserWeights:
        """No users."""
        nobody = np.zeros(0, np.int64)
        return cls({}, np.zeros((0, weights)), np.zeros((0, weights, weights)), nobody)

    def lookup(self, users: Sequence[str]) -> Ints:
        """The row of each user; -1 for one who is not known."""
        return np.array([self.row_of.get(user, -1) for user in users], np.int64)

    def weights_of(self, users: Sequence[str]) -> Floats:
        """The weights of each user; 0 for one who is not known."""
        average = np.zeros((1, self.mean.shape[1]))  # the last row, which is what -1 selects
        return np.concatenate([self.mean, average])[self.lookup(users)]

    def select(self, users: Sequence[str]) -> UserWeights:
        """These users, in this order."""
        rows = [self.row_of[name] for name in users]
        row_of = {name: at for at, name in enumerate(users)}
        return UserWeights(row_of, self.mean[rows], self.curvature[rows], self.n_examples[rows])

    def extend(self, row_of: Mapping[str, int]) -> UserWeights:
        """With a row for everybody in `row_of`; newcomers are like the average user."""
        more, width = len(row_of) - len(self.n_examples), self.mean.shape[1]
        return UserWeights(
            row_of,
            np.concatenate([self.mean, np.zeros((more, width))]),
            np.concatenate([self.curvature, np.zeros((more, width, width))]),
            np.concatenate([self.n_examples, np.zeros(more, np.int64)]),
        )


class UserPredictions(NamedTuple):
    """A probability or score for each turn, and how many examples of its user the model saw."""

    value: Floats
    n_examples: Ints


@dataclass(frozen=True)
class UserModel:
    """Shared and per-user weights, and how a prediction is made of them."""

    target: Target
    shared: Floats = field(repr=False)
    """Weights of the input columns, then of the covariates, and last an intercept."""
    standardizer: Standardizer = field(repr=False)
    """Of the covariates."""
    predictor_scale: tuple[float, float] = (0.0, 1.0)
    """Mean and SD of the shared predictor, with which it enters z."""
    terms: tuple[int, ...] = ()
    """For which of 1, the shared predictor and the covariates users have weights."""
    penalty: Floats = field(default_factory=lambda: np.zeros(0), repr=False)
    """L2 penalty of each weight of a user: the precision of its prior N(0, 1/penalty)."""
    discount: float = 1.0
    """Factor of an example's weight for each later one of the same user (forgetting)."""
    users: UserWeights = field(default_factory=lambda: UserWeights.empty(0), repr=False)
    calibration: tuple[float, float] = (1.0, 0.0)
    """Slope and intercept of Platt scaling (Platt 1999), for probabilities."""
    target_scale: tuple[float, float] = (0.0, 1.0)
    """Mean and SD of the scores in training."""
    bounds: tuple[float, float] | None = None
    """Lowest and highest score of the rating scale."""

    def standardize(self, y: Floats) -> Floats:
        """Targets on the scale of the linear predictor."""
        mean, sd = self.target_scale
        return y if self.target == "chance" else np.asarray((y - mean) / sd)

    def shared_predictor(self, rows: Any, covariates: Floats) -> Floats:
        """The predictor of an average user."""
        columns = rows.shape[1]
        inputs = rows @ self.shared[:columns]
        from_covariates = add_columns(self.standardizer(covariates) * self.shared[columns:-1])
        return np.asarray(inputs + from_covariates + self.shared[-1], np.float64)

    def design(self, shared: Floats, covariates: Floats) -> Floats:
        """The terms z that users have weights for, a row a turn."""
        all_terms = user_design(shared, self.standardizer(covariates), self.predictor_scale)
        return all_terms[:, self.terms]

    def linear_predictor(self, rows: Any, covariates: Floats, users: Sequence[str]) -> Floats:
        """eta: the shared predictor plus each user's own part."""
        shared = self.shared_predictor(rows, covariates)
        own = self.design(shared, covariates) * self.users.weights_of(users)
        return np.asarray(shared + add_columns(own))

    def predict(self, rows: Any, covariates: Floats, users: Sequence[str]) -> UserPredictions:
        """A probability or a score for each turn."""
        n_examples = np.append(self.users.n_examples, 0)[self.users.lookup(users)]
        eta = self.linear_predictor(rows, covariates, users)
        if self.target == "chance":
            slope, intercept = self.calibration
            value = np.asarray(sigmoid(slope * eta + intercept), np.float64)
        else:
            mean, sd = self.target_scale
            low, high = self.bounds or (-np.inf, np.inf)
            value = np.asarray(np.clip(mean + sd * eta, low, high))
        return UserPredictions(value, n_examples)


def add_columns(terms: Floats) -> Floats:
    """The sum of each row, one column after the other.

    NumPy's own sum of a single row adds eight terms at a time, that of many rows may not: a turn's
    last bit would depend on how many are scored together.
    """
    return reduce(np.add, terms.T, np.zeros(len(terms)))


def user_design(shared: Floats, covariates: Floats, scale: tuple[float, float]) -> Floats:
    """All terms that users may have weights for: 1, the standardised predictor, covariates."""
    mean, sd = scale
    standard = np.clip((shared - mean) / sd, -MAX_SDS, MAX_SDS)
    return np.concatenate([np.ones((len(shared), 1)), standard[:, None], covariates], axis=1)
