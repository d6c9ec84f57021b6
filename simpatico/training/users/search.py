"""Hyperparameters of the per-user weights: which terms, how strong the penalties, what discount.

All of it minimises the loss on later examples of the same users, one coordinate after the other:
the penalty of intercepts together with the discount; then a weight of the shared predictor (how
much this user cares about what all react to) with its penalty, if that is better; then weights of
all covariates with one penalty; then the penalty of intercepts once more. A full grid would take
7^3 x 6 fits in place of 42 + 3 x 7.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from simpatico.arrays import Floats
from simpatico.features.users.model import Target
from simpatico.training.users import user_weights
from simpatico.training.users.examples import UserExamples
from simpatico.training.users.user_weights import UserDesign

USER_PENALTIES = (0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0)
"""From a prior SD of 1.8 logits between users, where hardly anything is shared, to one of .06."""
DISCOUNTS = (1.0, 0.99, 0.95, 0.9, 0.8, 0.7)
"""1 forgets nothing; with .7 the last three examples make up two thirds of a user's evidence."""
CUT_SHARES, HORIZON = (0.5, 0.6, 0.7), 0.2
"""Each user's training examples are cut after these shares of them; the next 20% are predicted."""


class Hyperparameters(NamedTuple):
    """Terms that users have weights for, the penalty of each, and the discount."""

    terms: tuple[int, ...]
    penalty: tuple[float, ...]
    discount: float = 1.0


class ValidationPairs(NamedTuple):
    """Pairs of designs, to fit and to predict; z has all terms that could have weights.

    The validation split is one stretch of time right behind the training split, and what is best
    for it need not be best farther on. The training examples of each user are therefore cut at
    several points, too, and what follows a cut is predicted from what is before it.
    """

    pairs: tuple[tuple[UserDesign, UserDesign], ...]
    target: Target

    @classmethod
    def of(cls, train: UserDesign, validation: UserDesign, target: Target) -> ValidationPairs:
        return cls(((train, validation), *(cut_each_user(train, s) for s in CUT_SHARES)), target)

    def loss(self, choice: Hyperparameters) -> float:
        """Summed loss of all predictions with these hyperparameters."""
        terms, losses = list(choice.terms), list[float]()
        for train, later in self.pairs:
            design = train._replace(z=train.z[:, terms]).apply_discount(choice.discount)
            nothing = user_weights.Quadratic.zero(design.n_users, len(terms))
            penalty = np.array(choice.penalty)
            mode, _ = user_weights.fit_user_weights(design, nothing, penalty, self.target)
            # the row of zeros comes last, where the -1 of an unknown user points
            weights = np.concatenate([mode, np.zeros((1, len(terms)))])[later.user]
            eta: Floats = later.offset + (later.z[:, terms] * weights).sum(axis=1)
            if self.target == "score":
                loss = (eta - later.y) ** 2
            else:
                loss = np.logaddexp(0.0, eta) - later.y * eta
            losses.append(float(later.weight @ loss))
        return sum(losses)


def cut_each_user(design: UserDesign, share: float) -> tuple[UserDesign, UserDesign]:
    """The first share of each user's examples, and the next `HORIZON` of them."""
    count = np.bincount(design.user, minlength=design.n_users)[design.user]
    rank = (count - 1 - user_weights.later_examples(design.user)) / count
    return design.filter(rank < share), design.filter((share <= rank) & (rank < share + HORIZON))


def search_hyperparameters(pairs: ValidationPairs) -> Hyperparameters:
    """Intercepts and discount first, then more terms if they help, then the intercepts again."""

    def best_of(choices: Sequence[Hyperparameters]) -> Hyperparameters:
        return min(choices, key=pairs.loss)  # of equals the first: nothing changes without a gain

    best = best_of([Hyperparameters((0,), (p,), d) for d in DISCOUNTS for p in USER_PENALTIES])
    width = pairs.pairs[0][0].z.shape[1]
    for more in ((1,), tuple(range(2, width))):
        terms = (*best.terms, *more)
        penalties = [(*best.penalty, *[p] * len(more)) for p in USER_PENALTIES]
        best = best_of([best, *(Hyperparameters(terms, p, best.discount) for p in penalties)])
    return best_of([best, *(best._replace(penalty=(p, *best.penalty[1:])) for p in USER_PENALTIES)])


def user_penalty(
    train: UserExamples, validation: UserExamples, index: Mapping[str, int], target: Target
) -> float:
    """The best penalty of users' intercepts in a model of nothing else."""
    mean = float(np.average(train.y, weights=train.weight))
    level = float(np.log(mean / (1 - mean))) if target == "chance" else mean
    earlier, later = (
        UserDesign.of(np.ones((len(side.y), 1)), np.full(len(side.y), level), side, index)
        for side in (train, validation)
    )
    pairs = ValidationPairs.of(earlier.drop_unknown(), later, target)
    return min(USER_PENALTIES, key=lambda p: pairs.loss(Hyperparameters((0,), (p,))))
