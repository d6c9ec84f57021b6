"""How well models predict what users do, with intervals over resamples of users.

Replies (will this user reply?): accuracy, macro-F1 (the mean of the F1 of "replied" and of "did
not") and AUC. Ratings (which score would this user give?): Pearson's r and mean squared error.
A user is drawn with all their examples, the same users for all models, so that the interval of a
difference accounts for what the models share. With few users there is no interval and no p.

Example: 3 replied of which 2 are predicted so, 1 did not and is predicted so: accuracy 3/4; F1 of
"replied" 2 * 2 / (3 + 2) = .8, of "did not" 2 * 1 / (1 + 2) = .667; macro-F1 .733.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from simpatico.arrays import Bools, Floats
from simpatico.stats.bootstrap import (
    MIN_CLUSTERS,
    cluster_codes,
    resample_clusters,
    rounded_result,
    sum_by_cluster,
)
from simpatico.stats.classification import (
    CLASSIFIER_DRAWS,
    ConfusionCounts,
    resample_ranking,
    weighted_roc_auc,
)
from simpatico.stats.correlation_bootstrap import pearson_from_sums, standardise_columns
from simpatico.stats.draws import Draws
from simpatico.stats.result import Result

NO_INTERVAL = (
    f"no interval: fewer than {MIN_CLUSTERS} users, or too few resamples of users have a value"
)


class ReplyPredictions(NamedTuple):
    """Scores that are higher where a reply is likelier, and where one is predicted."""

    score: Floats
    predicted: Bools

    @classmethod
    def from_probability(cls, probability: Floats) -> ReplyPredictions:
        return cls(probability, probability > 0.5)

    def subset(self, mask: Bools) -> ReplyPredictions:
        return ReplyPredictions(self.score[mask], self.predicted[mask])


class ReplyResults(NamedTuple):
    """Results of a model, or by how much it is above another (then each Result has a p)."""

    name: str
    accuracy: Result
    macro_f1: Result
    auc: Result
    """No value where all replied, or none."""
    n: int
    users: int


class RatingResults(NamedTuple):
    """Results of a model, or by how much it is better than another: r higher, error lower."""

    name: str
    r: Result | None
    """Null where the predictions never vary."""
    mse: Result
    n: int
    users: int


def evaluate_replies(
    models: Mapping[str, ReplyPredictions], label: Bools, user: Sequence[str], *, seed: int = 0
) -> list[ReplyResults]:
    """Results of every model on the same examples."""
    values = resample_replies(models, label, user, seed=seed)
    return [reply_results(name, columns, user) for name, columns in values.items()]


def compare_replies(
    models: Mapping[str, ReplyPredictions],
    ours: str,
    label: Bools,
    user: Sequence[str],
    *,
    seed: int = 0,
) -> list[ReplyResults]:
    """By how much our model is above every other, with p."""
    values = resample_replies(models, label, user, seed=seed)
    own = values.pop(ours)
    return [reply_results(name, own - other, user, p=True) for name, other in values.items()]


def reply_results(
    name: str, values: Floats, user: Sequence[str], *, p: bool = False
) -> ReplyResults:
    """Columns of accuracy, macro-F1 and AUC (or of differences) as results."""
    n, users = len(user), len(set(user))
    accuracy, macro_f1, auc = (rounded_result(v, users, n=n, p=p) for v in values.T)
    return ReplyResults(name, accuracy, macro_f1, auc, n, users)


def resample_replies(
    models: Mapping[str, ReplyPredictions], label: Bools, user: Sequence[str], *, seed: int
) -> dict[str, Floats]:
    """Of each model the columns accuracy, macro-F1 and AUC; first the sample, then the draws."""
    code, users = cluster_codes(np.array(user, object).astype(str))

    def statistic(counts: Floats) -> Floats:
        columns = []
        for model in models.values():
            confusion = ConfusionCounts.resample(model.predicted, label, code=code, counts=counts)
            # a class that is neither there nor predicted has an F1 of 0
            f1, other = (np.nan_to_num(c.f1) for c in (confusion, confusion.swap_classes()))
            aucs = resample_ranking(weighted_roc_auc, model.score, label, code, counts)
            columns += [confusion.accuracy, (f1 + other) / 2, aucs]
        return np.stack(columns, axis=1)

    draws = Draws(CLASSIFIER_DRAWS, seed)
    values = resample_clusters(statistic, users, draws, with_sample=True)
    return {name: values[:, 3 * at : 3 * at + 3] for at, name in enumerate(models)}


def evaluate_ratings(
    models: Mapping[str, Floats], ratings: Floats, user: Sequence[str], *, seed: int = 0
) -> list[RatingResults]:
    """Results of every model's predictions of the same ratings."""
    values = resample_ratings(models, ratings, user, seed=seed)
    return [rating_results(name, r, mse, user) for name, (r, mse) in values.items()]


def compare_ratings(
    models: Mapping[str, Floats],
    ours: str,
    ratings: Floats,
    user: Sequence[str],
    *,
    seed: int = 0,
) -> list[RatingResults]:
    """By how much our model is better than every other, with p."""
    values = resample_ratings(models, ratings, user, seed=seed)
    own_r, own_mse = values.pop(ours)
    return [
        rating_results(name, own_r - r, mse - own_mse, user, p=True)
        for name, (r, mse) in values.items()
    ]


def rating_results(
    name: str, r: Floats, mse: Floats, user: Sequence[str], *, p: bool = False
) -> RatingResults:
    """r and mean squared error (or their differences), first of the sample, as results."""
    n, users = len(user), len(set(user))
    pearson = rounded_result(r, users, n=n, p=p) if np.isfinite(r[0]) else None
    return RatingResults(name, pearson, rounded_result(mse, users, n=n, p=p), n, users)


def resample_ratings(
    models: Mapping[str, Floats], ratings: Floats, user: Sequence[str], *, seed: int
) -> dict[str, tuple[Floats, Floats]]:
    """Of each model r and the mean squared error; first of the sample, then of the draws."""
    code, users = cluster_codes(np.array(user, object).astype(str))
    columns = np.stack(list(models.values()), axis=1)
    x, y = standardise_columns(columns), standardise_columns(ratings[:, None])
    errors = (columns - ratings[:, None]) ** 2
    parts = [np.ones_like(y), y, y * y, x, x * x, x * y, errors]
    per_user = sum_by_cluster(np.hstack(parts), code, users)
    draws = Draws(CLASSIFIER_DRAWS, seed)
    sums = resample_clusters(lambda counts: counts @ per_user, users, draws, with_sample=True)
    width = columns.shape[1]
    r = pearson_from_sums(sums[:, : 3 + 3 * width], np.ones(width, bool))
    mse = sums[:, 3 + 3 * width :] / np.maximum(sums[:, :1], 1)
    return {name: (r[:, at], mse[:, at]) for at, name in enumerate(models)}


def describe_auc(result: Result) -> str:
    """An AUC for a card."""
    return "no area" if result.value is None else f"area {result.value:.3f}"
