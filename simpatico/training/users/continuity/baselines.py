"""Baselines for reply prediction that learn nothing from texts: majorities, and metrics of turns.

A majority is one of the training and validation splits. A metric predicts a reply for its highest
values, as large a share of them as had a reply in the validation split. Where a metric needs a
reference, the turn that is replied to stands in for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import polars as pl

from simpatico.arrays import Floats, Ints
from simpatico.errors import SimpaticoError
from simpatico.metric import Metric, missing_resource
from simpatico.scoring import chunk_size, score
from simpatico.stats.by_user import ReplyPredictions, ReplyResults, evaluate_replies
from simpatico.training.users.continuity.data import ReplyExamples
from simpatico.training.users.examples import user_means
from simpatico.turns import Turns

GLOBAL_MAJORITY, USER_MAJORITY = "global majority", "private majority"
METRICS: Mapping[str, str] = {
    "NSP": "nsp",
    "RUBER": "ctx_ruber",
    "FED": "fed",
    "Deep-AM": "deep_am",
    "Deep-FM": "deep_fm",
    "Deep-AM-FM": "deep_am_fm",
}
"""The metrics that Tsuta et al. (2023) compare with, by their names in the paper."""
ENGAGING = "_engaging"
"""Of a metric with several scores, the one whose name contains this is taken."""


class BaselineMetrics(NamedTuple):
    """Metrics by name, or why one is not available; how many turns of each split they score."""

    metrics: Mapping[str, Metric | str]
    max_turns: int = 0
    """0 for all of them."""

    def evaluate(
        self, examples: ReplyExamples
    ) -> tuple[list[ReplyResults], dict[str, str], dict[str, int]]:
        """Results, why a metric is not available, and how many turns each did not score."""
        results, unavailable, unscored = list[ReplyResults](), dict[str, str](), dict[str, int]()
        for name, metric in self.metrics.items():
            by_metric = predict_by_metric(metric, examples, max_turns=self.max_turns)
            if isinstance(by_metric, str):
                unavailable[name] = by_metric
                continue
            labels, users = examples.labels(by_metric.test), examples.users(by_metric.test)
            results += evaluate_replies({name: by_metric.predictions}, labels, users)
            unscored[name] = by_metric.unscored
        return results, unavailable, unscored


def majority_predictions(examples: ReplyExamples, test: Ints) -> dict[str, ReplyPredictions]:
    """The majority of all turns, and of the turns to the same user; new users are like all."""
    outcomes, before = examples.outcomes, examples.split.before_test
    rate = float(examples.labels(before).mean())
    user_rate = user_means(outcomes.user, outcomes.has_reply.astype(np.float64), before, test)
    # a user who replied to exactly one half has no majority: that of all decides
    user_majority = np.where(user_rate == 0.5, rate > 0.5, user_rate > 0.5)
    constant = np.full(len(test), rate)
    return {
        GLOBAL_MAJORITY: ReplyPredictions(constant, constant > 0.5),
        USER_MAJORITY: ReplyPredictions(user_rate, user_majority),
    }


class MetricPredictions(NamedTuple):
    """A metric's predictions for some turns of the test split, and how many it did not score."""

    predictions: ReplyPredictions
    test: Ints
    unscored: int


def predict_by_metric(
    metric: Metric | str, examples: ReplyExamples, *, max_turns: int = 0
) -> MetricPredictions | str:
    """A metric's predictions, or why there are none, which may stand in place of the metric.

    With `max_turns`, so many turns of each split are scored, evenly spaced over all of it.
    """
    if isinstance(metric, str):
        return metric
    if (why := missing_resource(metric)) is not None:
        return why
    validation, test = (evenly_spaced(split, max_turns) for split in examples.split[1:3])
    try:
        reference, values = (metric_values(metric, examples, split) for split in (validation, test))
    except SimpaticoError as error:
        return str(error)
    reference, is_scored = reference[np.isfinite(reference)], np.isfinite(values)
    if not len(reference) or not is_scored.any():
        return "it scored no turn"
    threshold = reply_threshold(reference, float(examples.labels(validation).mean()))
    values = values[is_scored]
    predictions = ReplyPredictions(values, values >= threshold)
    return MetricPredictions(predictions, test[is_scored], int((~is_scored).sum()))


def reply_threshold(values: Floats, share: float) -> float:
    """The value that such a share of all is not below."""
    return float(np.quantile(values, 1 - share))


def evenly_spaced(indices: Ints, max_turns: int) -> Ints:
    """At most so many of the indices, evenly spaced; all of them for 0."""
    if not max_turns or len(indices) <= max_turns:
        return indices
    return indices[np.linspace(0, len(indices) - 1, max_turns).round().astype(np.int64)]


def metric_values(metric: Metric, examples: ReplyExamples, indices: Ints) -> Floats:
    """The metric's value for each of these examples; NaN where it has none."""
    turns, rows = examples.turns, examples.outcomes.row[indices]
    # only these turns are of a system, so that nothing else in their dialogs is scored
    mask = np.zeros(len(turns), bool)
    mask[rows] = True
    texts = turns.frame["text"].to_list()
    references = [[texts[at]] if at >= 0 else None for at in turns.answered]
    frame = turns.frame.with_columns(
        pl.when(pl.Series(mask)).then(pl.coalesce("system", pl.lit("human"))).alias("system"),
        pl.col("references").fill_null(pl.Series(references, dtype=pl.List(pl.String))),
    )
    dialogs = frame.filter(mask)["dialog"].unique()
    part = Turns(frame.filter(pl.col("dialog").is_in(dialogs.implode())).rechunk())
    table = score(part, [metric], chunk=chunk_size([metric])).at("turn")
    names = [one.name for one in metric.scores]
    name = next((n for n in names if ENGAGING in n), names[0])
    row = turns.frame.select("dialog", "turn").with_row_index("row")
    scores = table.join(row, on=["dialog", "turn"], how="left")
    by_row = np.full(len(turns), np.nan)
    by_row[scores["row"].to_numpy()] = scores[name].cast(pl.Float64).fill_null(np.nan).to_numpy()
    return by_row[rows]
