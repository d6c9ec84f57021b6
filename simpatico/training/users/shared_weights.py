"""The weights that all users share, fitted with and without knowing who was talked to.

Fitted beside an intercept for every frequent user, the shared weights do not pick up what is only a
habit of somebody as an effect of the text; the intercepts are then dropped. Predictions for the
examples that the weights were fitted to are too good, so that the users' own weights are fitted
over cross-fitted ones: of each quarter of the examples, by weights fitted to the other three.

With rows x_i of inputs, covariates and users, the weights b and the intercept a minimise

    sum_i weight_i loss(x_i · b + a, y_i) + sum_j penalty_j b_j^2 / 2,

cross-entropy for replies and half the squared error for scores: ridge-penalised regression by
L-BFGS. There is one penalty for all inputs, the same or an excluding one for covariates, and one
for users, which `search.user_penalty` finds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from simpatico.arrays import Floats, Ints
from simpatico.features.users.model import Standardizer, Target
from simpatico.training.fit.linear import TOLERANCE, LogisticData, fit_logistic
from simpatico.training.users.examples import UserExamples

SHARED_PENALTIES = (1000.0, 300.0, 100.0, 30.0, 10.0, 3.0, 1.0)
"""L2 penalties from strong to weak, each fit starting from the one before."""
PATIENCE = 2
"""The search ends after so many penalties without a lower validation loss."""
PENALTY_FACTORS = (3.0, 1.0, 1 / 3)
"""Tried around the best penalty without users, in the fit with intercepts of users."""
EXCLUDING_PENALTY = 1e9
"""A penalty under which weights are 0 for all purposes."""
FOLDS = 4
MIN_EXAMPLES = 5
"""Examples that a user needs for an intercept."""
FOLD_TOLERANCE = 1e-7
"""Relative change of the loss at which L-BFGS ends in a fold: rougher than in the model itself, as
the result only serves to fit the users' weights."""


class SquaredErrorData(LogisticData):
    """The same for scores: half the squared error in place of cross-entropy."""

    def loss_of_logits(self, logits: Floats) -> tuple[float, Floats]:
        residual = logits - self.label  # the link is the identity: the predictor is the score
        return float(self.weight @ residual**2) / 2, self.weight * residual


class Candidate(NamedTuple):
    """Weights under some penalties, and their loss on the validation split."""

    loss: float
    weights: Floats
    penalties: tuple[float, float]
    """Of inputs, and of covariates."""


class SharedColumns(NamedTuple):
    """The columns of a shared fit: inputs, covariates, an intercept for each user, 1."""

    standardizer: Standardizer
    users: dict[str, int]
    user_penalty: float

    def data(self, examples: UserExamples, target: Target) -> LogisticData:
        """All columns of these examples."""
        from scipy import sparse

        n = len(examples.y)
        blocks = [examples.rows, sparse.csr_matrix(self.standardizer(examples.covariates))]
        user = np.array([self.users.get(name, -1) for name in examples.user], np.int64)
        row, shape = np.flatnonzero(user >= 0), (n, len(self.users))
        blocks.append(sparse.csr_matrix((np.ones(len(row)), (row, user[row])), shape=shape))
        blocks.append(sparse.csr_matrix(np.ones((n, 1))))
        rows = sparse.hstack(blocks, format="csr", dtype=np.float64)
        kind = LogisticData if target == "chance" else SquaredErrorData
        return kind(rows, examples.y, examples.weight)


class PenaltySearch(NamedTuple):
    """Train and validation data of the columns that are not empty in training."""

    columns: SharedColumns
    train: LogisticData
    validation: LogisticData
    active: Ints
    """Of all columns, those in use: most buckets of n-grams are in no text."""
    width: int
    """How many columns there are in all."""

    @classmethod
    def of(
        cls, columns: SharedColumns, splits: Sequence[UserExamples], target: Target
    ) -> PenaltySearch:
        train, validation = (columns.data(split, target) for split in splits)
        active, width = np.flatnonzero(train.rows.getnnz(axis=0)), train.rows.shape[1]
        parts = [data._replace(rows=data.rows[:, active]) for data in (train, validation)]
        return cls(columns, parts[0], parts[1], active, width)

    def evaluate(self, penalties: tuple[float, float], initial: Floats) -> Candidate:
        """Fit with these penalties, starting from `initial`."""
        weights = self.minimise(self.train, penalties, initial, TOLERANCE)
        return Candidate(self.validation.loss(weights[self.active]), weights, penalties)

    def minimise(
        self, data: LogisticData, penalties: tuple[float, float], initial: Floats, tolerance: float
    ) -> Floats:
        """The weights of all columns; 0 for those that are empty."""
        weights, active, users = np.zeros(self.width), self.active, len(self.columns.users)
        covariates = len(self.columns.standardizer.mean)
        sizes = (self.width - covariates - users - 1, covariates, users, 1)
        by_column = np.repeat([*penalties, self.columns.user_penalty, 0.0], sizes)[active]
        weights[active] = fit_logistic(
            data, np.zeros(len(active)), initial[active], by_column, tolerance=tolerance
        )
        return weights

    def cross_fit(self, best: Candidate) -> Floats:
        """Predictors of each fold's examples by weights fitted to the other folds.

        Folds are runs of neighbouring examples, so that few dialogs are in two of them.
        """
        data, n = self.train, len(self.train.label)
        predictors, fold = np.zeros(n), np.arange(n) * FOLDS // n
        for number in range(FOLDS):
            rest, here = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
            part = data._replace(
                rows=data.rows[rest], label=data.label[rest], weight=data.weight[rest]
            )
            weights = self.minimise(part, best.penalties, best.weights, FOLD_TOLERANCE)
            weights[-1 - len(self.columns.users) : -1] = 0.0
            predictors[here] = data.rows[here] @ weights[self.active]
        return predictors


def fit_shared(
    train: UserExamples,
    validation: UserExamples,
    columns: SharedColumns,
    *,
    target: Target,
    tick: Callable[[int], object] = lambda n: None,
) -> list[tuple[Floats, Floats]]:
    """Weights under the penalty of least validation loss, with cross-fitted predictors of `train`.

    The weights are of inputs, covariates and an intercept. Where there are users, two fits: without
    and with intercepts for them; where there are none, nothing is cross-fitted.
    """
    plain = PenaltySearch.of(columns._replace(users={}), (train, validation), target)
    candidates = list[Candidate]()
    for penalty in SHARED_PENALTIES:
        initial = candidates[-1].weights if candidates else np.zeros(plain.width)
        candidates.append(plain.evaluate((penalty, penalty), initial))
        tick(1)
        if np.argmin([one.loss for one in candidates]) < len(candidates) - PATIENCE:
            break
    best = least_loss(candidates)
    # covariates are left out, if that is better
    without = plain.evaluate((best.penalties[0], EXCLUDING_PENALTY), best.weights)
    best = least_loss([best, without])
    if not columns.users:
        return [(best.weights, np.zeros(0))]
    counts = Counter(filter(None, train.user))
    frequent = [name for name, count in counts.items() if count >= MIN_EXAMPLES]
    columns = columns._replace(users={name: at for at, name in enumerate(frequent)})
    with_users = PenaltySearch.of(columns, (train, validation), target)
    initial = np.concatenate([best.weights[:-1], np.zeros(len(frequent)), best.weights[-1:]])
    penalties = [(best.penalties[0] * factor, best.penalties[1]) for factor in PENALTY_FACTORS]
    other = least_loss([with_users.evaluate(both, initial) for both in penalties])
    return [
        (best.weights, plain.cross_fit(best)),
        (np.delete(other.weights, np.s_[-1 - len(frequent) : -1]), with_users.cross_fit(other)),
    ]


def least_loss(candidates: Sequence[Candidate]) -> Candidate:
    return min(candidates, key=lambda candidate: candidate.loss)
