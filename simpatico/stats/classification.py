"""How well a score separates two classes, with intervals over resamples of clusters (dialogs).

AUC (area under the ROC curve), balanced accuracy, accuracy, F1 and average precision. Resampled
rows of `values` follow one convention: the first is the value in the sample, the others are draws.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from simpatico.arrays import AnyFloats, Bools, Floats
from simpatico.stats.bootstrap import DECIMALS, cluster_codes, resample_clusters, rounded_result
from simpatico.stats.draws import Draws, percentile_interval
from simpatico.stats.result import Result

AnyInts = npt.NDArray[np.integer[Any]]

CLASSIFIER_DRAWS = 999

# Recipes and tables have always shown an interval here, however few the clusters: see `n` first.
cluster_result = partial(rounded_result, few_allowed=True)

WeightedStatistic = Callable[[AnyInts, Bools, AnyFloats], float]


class LabelledPredictions(NamedTuple):
    """Scores of a test set (higher for class 1), the classes predicted and true, and clusters."""

    score: AnyFloats
    predicted: Bools
    label: Bools
    cluster: Sequence[str]


class ModelResults(NamedTuple):
    """Means over a model's runs, one run a seed."""

    name: str
    balanced_accuracy: Result
    auc: Result
    n: int
    """Test examples, over all runs."""


class ClassResult(NamedTuple):
    """Precision, recall and F1 of one class; no precision where it was never predicted."""

    n: int
    precision: float | None
    recall: float
    f1: float


class ClassifierResults(NamedTuple):
    """Results of one classifier; `f1` and `average_precision` are those of class 1."""

    name: str
    accuracy: Result
    macro_f1: Result
    f1: Result
    auc: Result
    average_precision: Result
    n: int
    clusters: int
    classes: tuple[ClassResult, ClassResult]
    """Class 0, class 1."""

    def as_json(self) -> dict[str, object]:
        """The results as a recipe keeps them: [value, low, high] each."""
        names = ("accuracy", "macro_f1", "f1", "auc", "precision")
        results = (self.accuracy, self.macro_f1, self.f1, self.auc, self.average_precision)
        values = [list(result.value_and_interval) for result in results]
        return {
            "name": self.name,
            **dict(zip(names, values, strict=True)),
            "n": self.n,
            "groups": self.clusters,
            "classes": [one._asdict() for one in self.classes],
        }


class ConfusionCounts(NamedTuple):
    """The confusion matrix of class 1, one entry per draw."""

    true_positive: Floats
    false_negative: Floats
    false_positive: Floats
    true_negative: Floats

    @classmethod
    def resample(
        cls, predicted: Bools, label: Bools, *, code: AnyInts, counts: Floats
    ) -> ConfusionCounts:
        """In every draw, where `code` is the cluster of each example."""
        cells = (predicted & label, ~predicted & label, predicted & ~label, ~predicted & ~label)
        return cls(*(counts @ np.bincount(code, cell, counts.shape[1]) for cell in cells))

    def swap_classes(self) -> ConfusionCounts:
        """The same with class 0 as the one looked for."""
        return ConfusionCounts(
            self.true_negative, self.false_positive, self.false_negative, self.true_positive
        )

    @property
    def accuracy(self) -> Floats:
        return np.asarray((self.true_positive + self.true_negative) / sum(self))

    @property
    def f1(self) -> Floats:
        """F1 = 2 TP / (2 TP + FN + FP); NaN where the class is neither there nor predicted."""
        errors = self.false_negative + self.false_positive
        with np.errstate(invalid="ignore"):
            return np.asarray(2 * self.true_positive / (2 * self.true_positive + errors))

    @property
    def class_result(self) -> ClassResult:
        """Of the sample itself, which is the first draw."""
        hits, misses, false = (float(part[0]) for part in self[:3])
        precision = round(hits / (hits + false), DECIMALS) if hits + false else None
        recall = round(hits / (hits + misses), DECIMALS)
        f1 = round(float(self.f1[0]), DECIMALS)
        return ClassResult(int(hits + misses), precision, recall, f1)


def roc_auc(score: AnyFloats, label: AnyFloats) -> float:
    """P(score of class 1 > score of class 0) + P(equal) / 2, which is U / (n m) (Hanley & McNeil
    1982), rounded.
    """
    _, code = np.unique(score, return_inverse=True)
    return round(weighted_roc_auc(code, label > 0, np.ones(len(score))), DECIMALS)


def weighted_roc_auc(code: AnyInts, label: Bools, weight: AnyFloats) -> float:
    """AUC of dense ranks where examples count `weight` times; NaN where a class has none."""
    positive = np.bincount(code, weight * label)
    negative = np.bincount(code, weight * ~label)
    pairs = positive.sum() * negative.sum()
    wins = positive @ (np.cumsum(negative) - negative / 2)
    return float(wins / pairs) if pairs else float("nan")


def weighted_average_precision(code: AnyInts, label: Bools, weight: AnyFloats) -> float:
    """Σ P(k) ΔR(k) over distinct scores k, falling, where examples count `weight` times.

    P and R are precision and recall of all examples scored at least k (as scikit-learn's
    `average_precision_score`); NaN where class 1 has no example.
    """
    positive = np.bincount(code, weight * label)[::-1]
    total = np.cumsum(np.bincount(code, weight)[::-1])
    if not positive.sum():
        return float("nan")
    precision = np.divide(np.cumsum(positive), total, out=np.zeros(len(total)), where=total > 0)
    return float(positive @ precision / positive.sum())


def resample_ranking(
    statistic: WeightedStatistic, score: AnyFloats, label: Bools, code: AnyInts, counts: Floats
) -> Floats:
    """A statistic of ranks, such as the AUC, in every draw of clusters."""
    _, ranks = np.unique(score, return_inverse=True)
    return np.array([statistic(ranks, label, row[code]) for row in counts])


def roc_auc_interval(
    score: AnyFloats,
    label: AnyFloats,
    cluster: AnyInts,
    *,
    seed: int = 0,
    draws: int = CLASSIFIER_DRAWS,
) -> tuple[float, float]:
    """The middle 95% of AUCs over resamples of clusters; NaN where none has both classes."""
    code, clusters = cluster_codes(cluster)
    statistic = partial(resample_ranking, weighted_roc_auc, score, label > 0, code)
    aucs = resample_clusters(statistic, clusters, Draws(draws, seed, room=None))
    low, high = percentile_interval(aucs)
    return round(low, DECIMALS), round(high, DECIMALS)


def balanced_accuracy(predicted: Bools, label: AnyFloats) -> float:
    """The mean of the two classes' recalls (Brodersen et al. 2010), rounded."""
    positive = label > 0
    return round(float((predicted[positive].mean() + (~predicted[~positive]).mean()) / 2), DECIMALS)


def best_f1_threshold(score: Floats, label: Bools) -> float:
    """The threshold with the best F1 of class 1, halfway between two scores."""
    values, code = np.unique(score, return_inverse=True)
    hits = np.cumsum(np.bincount(code, label)[::-1])[::-1]
    above = np.cumsum(np.bincount(code)[::-1])[::-1]
    best = int(np.argmax(hits / (above + label.sum())))
    return float(values[best] - 1 if best == 0 else (values[best - 1] + values[best]) / 2)


def evaluate_runs(name: str, runs: Sequence[LabelledPredictions], *, seed: int = 0) -> ModelResults:
    """Balanced accuracy and AUC of a model, means over its runs."""
    return compare_runs({name: runs}, name, seed=seed)[0][0]


def compare_runs(
    runs: Mapping[str, Sequence[LabelledPredictions]], ours: str, *, seed: int = 0
) -> tuple[list[ModelResults], dict[str, Result]]:
    """Results of each model, and by how much the AUC of `ours` is above every other's.

    A model may have several runs, each with a test set of its own. In a draw a cluster counts as
    often in every run it is in, so that the interval of a mean, or of a difference between models,
    accounts for what they share.
    """
    values = {name: resample_runs(own, seed=seed) for name, own in runs.items()}
    rows, gains = [], {}
    for name, own in runs.items():
        n, clusters = (
            sum(len(run.label) for run in own),
            len({c for run in own for c in run.cluster}),
        )
        mean_accuracy, auc = (cluster_result(v, clusters, n=n) for v in values[name].T)
        rows.append(ModelResults(name, mean_accuracy, auc, n))
        if name != ours:
            gains[name] = cluster_result(values[ours][:, 1] - values[name][:, 1], clusters, n=n)
    return rows, gains


def resample_runs(runs: Sequence[LabelledPredictions], *, seed: int) -> Floats:
    """Columns: mean balanced accuracy, mean AUC; the first row is the sample, the others draws."""
    names = sorted({cluster for run in runs for cluster in run.cluster})
    index = {name: at for at, name in enumerate(names)}

    def statistic(counts: Floats) -> Floats:
        values = []
        for run in runs:
            code = np.array([index[cluster] for cluster in run.cluster], np.int64)
            confusion = ConfusionCounts.resample(run.predicted, run.label, code=code, counts=counts)
            tp, fn, fp, tn = confusion
            with np.errstate(invalid="ignore"):
                mean_recall = (tp / (tp + fn) + tn / (tn + fp)) / 2
            aucs = resample_ranking(weighted_roc_auc, run.score, run.label, code, counts)
            values.append(np.stack([mean_recall, aucs], axis=1))
        return np.asarray(np.mean(values, axis=0))

    draws = Draws(CLASSIFIER_DRAWS, seed, room=None)
    return resample_clusters(statistic, len(names), draws, with_sample=True)


def evaluate_classifier(name: str, run: LabelledPredictions, *, seed: int = 0) -> ClassifierResults:
    """All results of one classifier."""
    code, clusters = cluster_codes(np.array(run.cluster, object).astype(str))

    def statistic(counts: Floats) -> Floats:
        confusion = ConfusionCounts.resample(run.predicted, run.label, code=code, counts=counts)
        rankings = [
            resample_ranking(ranking, run.score, run.label, code, counts)
            for ranking in (weighted_roc_auc, weighted_average_precision)
        ]
        f1, other = confusion.f1, confusion.swap_classes().f1
        return np.stack([confusion.accuracy, (f1 + other) / 2, f1, *rankings], axis=1)

    draws = Draws(CLASSIFIER_DRAWS, seed, room=None)
    values = resample_clusters(statistic, clusters, draws, with_sample=True)
    n, ones = len(run.label), np.ones((1, clusters))
    accuracy, macro_f1, f1, auc, precision = (cluster_result(v, clusters, n=n) for v in values.T)
    sample = ConfusionCounts.resample(run.predicted, run.label, code=code, counts=ones)
    classes = sample.swap_classes().class_result, sample.class_result
    return ClassifierResults(name, accuracy, macro_f1, f1, auc, precision, n, clusters, classes)
