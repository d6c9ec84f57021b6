"""Examples for user-aware models: the inputs of turns, or their mean over the turns of a dialog.

The predictor is linear, so that its value for the mean of some turns is the mean of its values for
each of them: the rating of a dialog is an example of the mean of its turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from simpatico.arrays import Floats, Ints
from simpatico.features import features_for_texts
from simpatico.features.users.contexts import Contexts
from simpatico.features.users.folder import select_covariates
from simpatico.features.users.inputs import InputSpec, input_matrix
from simpatico.models.names import find_model


class UserExamples(NamedTuple):
    """Inputs and targets, a row an example; those of one user are in the order of time."""

    rows: Any
    """A sparse matrix: vectors, character n-grams."""
    covariates: Floats
    user: Sequence[str]
    """The addressed user; "" where nobody knows."""
    y: Floats
    """1 for a reply and 0 for none, or the score."""
    weight: Floats

    def take(self, indices: Ints) -> UserExamples:
        rows, covariates, y, weight = (
            column[indices] for column in (self.rows, self.covariates, self.y, self.weight)
        )
        return UserExamples(rows, covariates, [self.user[at] for at in indices], y, weight)

    def stack(self, other: UserExamples) -> UserExamples:
        """These examples, then the others."""
        from scipy import sparse

        return UserExamples(
            sparse.vstack([self.rows, other.rows], format="csr"),
            np.concatenate([self.covariates, other.covariates]),
            [*self.user, *other.user],
            np.concatenate([self.y, other.y]),
            np.concatenate([self.weight, other.weight]),
        )


def input_spec(encoder: str, *, profile: bool) -> InputSpec:
    """The inputs of a model over this encoder; without one, character n-grams alone."""
    if not encoder:
        return InputSpec(profile=profile)
    model = find_model(encoder)
    return InputSpec(model.name, model.sha256, profile=profile)


def turn_examples(contexts: Contexts, spec: InputSpec, y: Floats) -> UserExamples:
    """An example for each context."""
    rows = input_matrix(contexts, spec, features_for_texts(spec.needs))
    covariates = select_covariates(contexts, spec)
    return UserExamples(rows, covariates, list(contexts.user), y, np.ones(len(y)))


def group_examples(
    contexts: Contexts, groups: Sequence[Ints], spec: InputSpec, users: Sequence[str], y: Floats
) -> UserExamples:
    """An example for each group of contexts: the mean of their inputs."""
    from scipy import sparse

    turns = turn_examples(contexts, spec, np.zeros(len(contexts)))
    # row g of the averaging matrix has 1 / n_g in the columns of the members of group g
    sizes = np.array([len(group) for group in groups], np.int64)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    members = np.concatenate([np.zeros(0, np.int64), *groups])
    shape = (len(groups), len(contexts))
    mean = sparse.csr_matrix((np.repeat(1 / sizes, sizes), members, starts), shape)
    covariates = np.asarray(mean @ turns.covariates)
    return UserExamples(mean @ turns.rows, covariates, list(users), y, np.ones(len(y)))


def user_means(users: Sequence[str], y: Floats, train: Ints, test: Ints) -> Floats:
    """The mean of each test example's user in training; the mean of all, for a new user."""
    names, codes = np.unique([users[at] for at in train], return_inverse=True)
    averages, overall = np.bincount(codes, y[train]) / np.bincount(codes), y[train].mean()
    means = dict(zip(names.tolist(), averages, strict=True))
    return np.array([means.get(users[at], overall) for at in test])
