"""Scores of the rated pairs: the metrics compared with people, and simple baselines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.reproduction.request import Request
from simpatico.reproduction.runnable import RunnableMetric, runnable_metric
from simpatico.scoring import score
from simpatico.turns import Turns

RELEVANCE, ENGAGEMENT = "relevance", "engagement"
LENGTH, COHERENCE = "length", "coherence"
BASELINES = (LENGTH, "question_rate", COHERENCE)
"""What stands beside every trained metric: words, a question mark, the cosine of MiniLM."""
LOG_LENGTH = "length, logarithm"
"""log(1 + words): what length says to a correlation that knows straight lines only."""


class PairScores(NamedTuple):
    """A column of scores for each metric, and which of them are relevance and engagement."""

    columns: dict[str, Floats]
    relevance: list[str]
    engagement: list[str]
    notes: dict[str, list[str]]
    omissions: list[str]


def pairs_as_turns(queries: Sequence[str], replies: Sequence[str]) -> Turns:
    """A dialog of two turns for each pair, of which the reply gets a score."""
    n = len(queries)
    names = [f"{i:06d}" for i in range(n)]
    frame = pl.DataFrame(
        {
            "dialog": [*names, *names],
            "speaker": ["user"] * n + ["system"] * n,
            "text": [*queries, *replies],
            "system": [None] * n + ["system"] * n,
        },
        schema_overrides={"system": pl.String},
    )
    return Turns.from_utterances(frame)


def score_pairs(queries: Sequence[str], replies: Sequence[str], request: Request) -> PairScores:
    """What each metric says of the replies."""
    turns = pairs_as_turns(queries, replies)
    scores = PairScores({}, [], [], {}, [])
    own = (RELEVANCE, ENGAGEMENT)
    others = [m for m in request.metrics or () if m not in (*own, *BASELINES)]
    for name in (*own, *others):
        for runnable in runnable_variants(name, request, scores.omissions):
            label = runnable.label
            label = label if label not in scores.columns else f"{label}, as given"
            scores.columns[label] = main_score(turns, runnable)
            scores.notes[label] = [runnable.note] if runnable.note else []
            if name in own:
                (scores.relevance if name == RELEVANCE else scores.engagement).append(label)
    for name in BASELINES:
        baseline = runnable_metric(name)
        if isinstance(baseline, RunnableMetric):
            scores.columns[name], scores.notes[name] = main_score(turns, baseline), []
        else:
            scores.omissions.append(f"{name}: {baseline}")
    scores.columns[LOG_LENGTH], scores.notes[LOG_LENGTH] = np.log1p(scores.columns[LENGTH]), []
    return scores


def runnable_variants(
    name: str, request: Request, omissions: list[str]
) -> Iterator[RunnableMetric]:
    """A metric as it is shipped and, if parameters were given, with these; else why it cannot."""
    settings: list[Mapping[str, object]] = [{}]
    if own := request.parameters_of(name):
        settings.append(own)
    for parameters in settings:
        runnable = runnable_metric(name, **parameters)
        if isinstance(runnable, RunnableMetric):
            yield runnable
        elif parameters or not own:
            omissions.append(f"{name}: {runnable}")


def main_score(turns: Turns, runnable: RunnableMetric) -> Floats:
    """The metric's main score of each reply; NaN where it has none."""
    metric = runnable.metric
    main = next((s.name for s in metric.scores if s.name == metric.name), metric.scores[0].name)
    values = score(turns, [metric]).at("turn")[main].cast(pl.Float64).fill_null(float("nan"))
    return values.to_numpy().astype(np.float64)
