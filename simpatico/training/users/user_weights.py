"""Per-user weights by online Bayesian regression: a Laplace approximation with forgetting.

The weights w of a user have the prior N(0, diag(1 / penalty)). Given the shared predictors s_i as
fixed offsets, the terms z_i and the targets y_i of the user's examples, they minimise

    sum_i d^(k_i) a_i loss(s_i + w · z_i, y_i)  +  w' P w / 2  +  w' A w / 2 - b · w,

where a_i are the examples' weights, P = diag(penalty), d is the discount (forgetting factor) and
k_i the number of later examples of the same user. The last two terms stand for all examples of
earlier updates: with mode m and Hessian C of their loss at m, which is all that a model keeps,
a quadratic through the mode has A = d^n C and b = d^n (C + P) m after n new examples (Spiegelhalter
& Lauritzen 1990; forgetting as in discounted dynamic models, West & Harrison 1997). For scores,
loss = (eta - y)^2 / 2, the quadratic is exact: updating in two steps is updating at once. For
replies, loss = log(1 + e^eta) - y eta, it is Laplace's approximation and takes Newton steps.

Example: scores, z = 1, penalty 1, residuals 2 and 4: w = 6 / (2 + 1) = 2. One more of 6: C = 2,
b = (2 + 1) 2 = 6, and w = (6 + 6) / (3 + 1) = 3, as with all three at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from simpatico.arrays import Bools, Floats, Ints
from simpatico.features.classes import sigmoid
from simpatico.features.users.model import Target, UserModel, UserWeights
from simpatico.training.users.examples import UserExamples

MAX_NEWTON_STEPS = 25
"""Newton's method doubles the exact digits with every step near the optimum: 18 weights of users
with 20 examples each, the hard case of the tests, are exact to 1e-14 after 11 steps. The limit only
bounds the time of a pathological user."""
TOLERANCE = 1e-9
"""Newton's method ends when no weight of any user moves farther."""
SAFE_STEP = 1.79
"""A Newton step that moves no linear predictor farther is sure to lower the loss; see
`backtrack`."""
MAX_HALVINGS = 40


class UserDesign(NamedTuple):
    """The regression of all users' weights; `user` is a row of `UserWeights`, -1 for none."""

    z: Floats
    offset: Floats
    """The shared predictor."""
    y: Floats
    weight: Floats
    user: Ints
    n_users: int

    @classmethod
    def of(
        cls, z: Floats, offset: Floats, examples: UserExamples, index: Mapping[str, int]
    ) -> UserDesign:
        """Of these examples; `index` gives the row of each user."""
        user = np.array([index.get(name, -1) for name in examples.user], np.int64)
        return cls(z, offset, examples.y, examples.weight, user, len(index))

    def drop_unknown(self) -> UserDesign:
        """Without examples of users who have no row."""
        return self.filter(self.user >= 0)

    def filter(self, mask: Bools) -> UserDesign:
        return UserDesign._make([*(column[mask] for column in self[:5]), self.n_users])

    def sum_by_user(self, values: Floats) -> Floats:
        """Column sums for each user."""
        columns = [np.bincount(self.user, column, self.n_users) for column in values.T]
        return np.stack(columns, axis=1) if columns else np.zeros((self.n_users, 0))

    def curvature(self, weight: Floats) -> Floats:
        """The weighted sum of z z' for each user."""
        width = self.z.shape[1]
        matrices = np.zeros((self.n_users, width, width))
        for row in range(width):
            for column in range(row + 1):
                product = weight * self.z[:, row] * self.z[:, column]
                matrices[:, row, column] = np.bincount(self.user, product, self.n_users)
                matrices[:, column, row] = matrices[:, row, column]
        return matrices

    def predictor(self, weights: Floats) -> Floats:
        """The linear predictor of each example with these weights of users."""
        return np.asarray(self.offset + (self.z * weights[self.user]).sum(axis=1))

    def log_loss(self, weights: Floats, earlier: Quadratic) -> Floats:
        """Each user's cross-entropy with these weights, plus the quadratic of earlier examples."""
        eta = self.predictor(weights)
        losses = self.weight * (np.logaddexp(0.0, eta) - self.y * eta)
        quadratic = np.einsum("pi,pij,pj->p", weights, earlier.curvature, weights) / 2
        by_user = np.bincount(self.user, losses, self.n_users)
        return np.asarray(by_user + quadratic - (earlier.linear * weights).sum(axis=1))

    def apply_discount(self, discount: float) -> UserDesign:
        """Each example weighted by the discount to the power of its user's later examples."""
        return self._replace(weight=self.weight * discount ** later_examples(self.user))


class Quadratic(NamedTuple):
    """w' A w / 2 - b · w for each user: A is `curvature`, b is `linear`."""

    curvature: Floats
    linear: Floats

    @classmethod
    def zero(cls, users: int, width: int) -> Quadratic:
        return cls(np.zeros((users, width, width)), np.zeros((users, width)))


def later_examples(user: Ints) -> Ints:
    """How many later examples each has of the same user."""
    backwards = user[::-1]
    order = np.argsort(backwards, kind="stable")
    by_user = backwards[order]
    first = np.searchsorted(by_user, by_user)
    counts = np.empty(len(user), np.int64)
    counts[order] = np.arange(len(user)) - first
    return counts[::-1]


def fit_user_weights(
    design: UserDesign, earlier: Quadratic, penalty: Floats, target: Target
) -> tuple[Floats, Floats]:
    """The mode of each user's weights, and the Hessian of all examples there, without the penalty.

    All users are solved at once: each Newton step is one stacked solve of small systems.
    """
    prior, weights = np.diag(penalty), np.zeros(earlier.linear.shape)
    with_prior = earlier._replace(curvature=earlier.curvature + prior)
    reach = np.array([np.abs(column).max(initial=0.0) for column in design.z.T])
    for _ in range(MAX_NEWTON_STEPS if target == "chance" else 1):
        eta = design.predictor(weights)
        if target == "chance":
            probability = sigmoid(eta)
            residual, sharpness = probability - design.y, probability * (1 - probability)
        else:
            residual, sharpness = eta - design.y, np.ones(len(eta))
        hessian = design.curvature(design.weight * sharpness) + earlier.curvature
        of_examples = design.sum_by_user((design.weight * residual)[:, None] * design.z)
        gradient = of_examples - earlier.linear
        gradient += np.einsum("pij,pj->pi", with_prior.curvature, weights)
        step = np.asarray(np.linalg.solve(hessian + prior, gradient[..., None])[..., 0], np.float64)
        if target == "chance" and (far := np.abs(step) @ reach > SAFE_STEP).any():
            step = backtrack(step, weights, design.filter(far[design.user]), with_prior)
        weights = weights - step
        if np.abs(step).max(initial=0.0) < TOLERANCE:
            break
    return weights, hessian


def backtrack(step: Floats, weights: Floats, design: UserDesign, earlier: Quadratic) -> Floats:
    """The steps, each halved until the loss of its user, if in this design, does not rise.

    Let g be the gradient, H the Hessian, v = H^-1 g the step, and m the farthest that it moves any
    predictor. The logistic loss has |f'''| <= f'', so that (Bach 2010, Self-concordant analysis for
    logistic regression, Proposition 1)

        f(w - v) <= f(w) - g · v + (v' H v) (e^m - m - 1) / m^2,    with v' H v = g · v.

    The loss falls as long as (e^m - m - 1) / m^2 < 1, which is up to m = 1.793: users whose step
    goes no farther than `SAFE_STEP` need not be in the design.
    """
    present = np.bincount(design.user, minlength=design.n_users) > 0
    before = design.log_loss(weights, earlier)
    for _ in range(MAX_HALVINGS):
        worse = present & (design.log_loss(weights - step, earlier) > before)
        if not worse.any():
            break
        step = np.where(worse[:, None], step / 2, step)
    return step


def update_users(model: UserModel, examples: UserExamples) -> UserModel:
    """The model after these examples of known or new users; the shared weights stay."""
    index = dict(model.users.row_of)
    for user in filter(None, examples.user):
        index.setdefault(user, len(index))
    shared = model.shared_predictor(examples.rows, examples.covariates)
    z = model.design(shared, examples.covariates)
    examples = examples._replace(y=model.standardize(examples.y))
    design = UserDesign.of(z, shared, examples, index).drop_unknown()
    return replace(model, users=update_weights(model.users.extend(index), design, model))


def update_weights(users: UserWeights, design: UserDesign, model: UserModel) -> UserWeights:
    """These users after the examples of a design, in which nobody is unknown."""
    new = np.bincount(design.user, minlength=design.n_users)
    # A = d^n C and b = d^n (C + P) m: what earlier examples said, discounted once per new one
    left = np.asarray(model.discount**new, np.float64)
    linear = np.einsum("pij,pj->pi", users.curvature, users.mean) + model.penalty * users.mean
    earlier = Quadratic(left[:, None, None] * users.curvature, left[:, None] * linear)
    design = design.apply_discount(model.discount)
    mean, curvature = fit_user_weights(design, earlier, model.penalty, model.target)
    # a user without new examples stays the same to the last bit
    mean[new == 0], curvature[new == 0] = users.mean[new == 0], users.curvature[new == 0]
    return UserWeights(users.row_of, mean, curvature, users.n_examples + new)
