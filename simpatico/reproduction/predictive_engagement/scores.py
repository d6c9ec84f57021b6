"""Scores of the rated pairs, and engagement on data sets of other domains.

Rated pairs: the metrics compared with people, and simple baselines. Out of domain: the correlation
with people who judged how engaging or interesting replies are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.reproduction.cells import Cell, result_cell
from simpatico.reproduction.clustered_correlation import dense_codes
from simpatico.reproduction.psychological_metrics.data import (
    DEV,
    DataSet,
    rated_units,
    ratings_by_judge,
    read_turns,
)
from simpatico.reproduction.request import Request, Tell
from simpatico.reproduction.runnable import RunnableMetric, runnable_metric
from simpatico.scoring import score
from simpatico.stats.correlation_bootstrap import bootstrap_correlations
from simpatico.stats.partial_correlation import partial_correlations
from simpatico.turns import Turns

RELEVANCE, ENGAGEMENT = "relevance", "engagement"
LENGTH, COHERENCE = "length", "coherence"
BASELINES = (LENGTH, "question_rate", COHERENCE)
"""What stands beside every trained metric: words, a question mark, the cosine of MiniLM."""
LOG_LENGTH = "length, logarithm"
"""log(1 + words): what length says to a correlation that knows straight lines only."""
OUT_OF_DOMAIN_TABLE = "Out of domain: with how engaging or interesting people found it, Spearman"
OUT_OF_DOMAIN_SETS = (
    DataSet("FED-turn, engaging", DEV, "fed-turn_eval.json", DEV, ("engaging",)),
    DataSet("FED-turn, interesting", DEV, "fed-turn_eval.json", DEV, ("interesting",)),
    DataSet("TP, engaging", DEV, "topical-usr_eval.json", DEV, ("engaging",)),
    DataSet("UP, engaging", DEV, "persona-usr_eval.json", DEV, ("engaging",)),
)
"""Judged on scales of their own by three to five people; nothing was chosen on TP and UP."""


class PairScores(NamedTuple):
    """A column of scores for each metric, and which of them are relevance and engagement."""

    columns: dict[str, Floats]
    relevance: list[str]
    engagement: list[str]
    notes: dict[str, list[str]]
    omissions: list[str]


def pairs_as_turns(queries: Sequence[str], replies: Sequence[str]) -> Turns:
    """A dialog of two turns for each pair, of which the reply gets a score.

    Names are padded with zeros, so that their order is that of the pairs.
    """
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
        for baseline in runnable_variants(name, Request(), scores.omissions):
            scores.columns[name], scores.notes[name] = main_score(turns, baseline), []
    scores.columns[LOG_LENGTH], scores.notes[LOG_LENGTH] = np.log1p(scores.columns[LENGTH]), []
    return scores


def runnable_variants(
    name: str, request: Request, omissions: list[str]
) -> Iterator[RunnableMetric]:
    """A metric as it is shipped and, if parameters were given, with these; else why it cannot.

    A metric that is not shipped but was given a model is no omission.
    """
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


def out_of_domain_cells(
    data: Path, request: Request, omissions: list[str], *, tell: Tell
) -> Iterator[Cell]:
    """Every set that is there; why others are not goes to `omissions`."""
    runnables = [
        *runnable_variants(ENGAGEMENT, request, []),
        *(one for name in BASELINES for one in runnable_variants(name, Request(), [])),
    ]
    by_path: dict[Path, tuple[Turns, dict[str, Floats]]] = {}
    for data_set in OUT_OF_DOMAIN_SETS:
        path = data_set.locate(data)
        if path is None:
            omissions.append(f"{data_set.name}: no {data_set.folder}/{data_set.file}")
            continue
        if path not in by_path:  # two sets share the file of FED: it is scored once
            labels = ", ".join(one.label for one in runnables)
            tell(f"{data_set.name.partition(',')[0]}: {labels}")
            turns = read_turns(path, data_set.format)
            by_path[path] = turns, {one.label: main_score(turns, one) for one in runnables}
        seed = request.sample.seed
        yield from rating_correlation_cells(data_set, path, *by_path[path], seed=seed)


def rating_correlation_cells(
    data_set: DataSet, path: Path, turns: Turns, scores: dict[str, Floats], *, seed: int
) -> Iterator[Cell]:
    """Each score's rho, and that of engagement with length held equal.

    The second shows whether a score says more than how long the reply is.
    """
    by_judge = ratings_by_judge(data_set, path, data_set.keys)
    rated = rated_units(data_set, turns, by_judge, pl.col("value").mean())
    units = turns.frame.filter(turns.scored).select("dialog").with_row_index("row")
    rated = units.join(rated, on="dialog", how="inner").sort("row")
    rows, prompts = rated["row"].to_numpy(), dense_codes(rated["prompt"])
    ratings = rated["rating"].to_numpy()
    matrix = np.stack([values[rows] for values in scores.values()], axis=1)
    results = bootstrap_correlations(matrix, ratings, prompts, kind="spearman", seed=seed)
    rhos = dict(zip(scores, results, strict=True))
    for label, values in scores.items():
        if label.startswith(ENGAGEMENT) and LENGTH in scores:
            (rhos[f"{label}, length held equal"],) = partial_correlations(
                values[rows][:, None],
                ratings,
                scores[LENGTH][rows],
                prompts,
                kind="spearman",
                seed=seed,
            )
    for label, rho in rhos.items():
        place = OUT_OF_DOMAIN_TABLE, data_set.name, label
        yield result_cell(place, rho, rows=len(ratings))
