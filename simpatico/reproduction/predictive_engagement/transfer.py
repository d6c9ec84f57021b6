"""The transfer step to DailyDialog, and engagement on data sets of other domains.

Transfer: an evaluator is trained further on 300 labelled DailyDialog pairs. Out of domain: its
correlation with people who judged how engaging or interesting replies are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, get_args

import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.features.embeddings import MINILM
from simpatico.features.heads.folder import is_heads_folder, load_heads
from simpatico.features.heads.head import Head
from simpatico.reproduction.cells import Cell, make_cell, result_cell
from simpatico.reproduction.clustered_correlation import dense_codes, partial_correlation
from simpatico.reproduction.predictive_engagement.classifiers import AUC, BALANCED, HEADS, OUR_HEAD
from simpatico.reproduction.predictive_engagement.counts import READING_NAMES
from simpatico.reproduction.predictive_engagement.scores import (
    BASELINES,
    ENGAGEMENT,
    LENGTH,
    main_score,
    runnable_variants,
)
from simpatico.reproduction.psychological_metrics.data import (
    DEV,
    DataSet,
    rated_units,
    ratings_by_judge,
    read_turns,
)
from simpatico.reproduction.request import Request
from simpatico.reproduction.runnable import RunnableMetric, runnable_metric
from simpatico.stats.classification import LabelledPredictions, evaluate_runs
from simpatico.stats.correlation_bootstrap import bootstrap_correlations
from simpatico.training.engagement.baselines import (
    labelled_predictions,
    length_and_question_predictions,
)
from simpatico.training.engagement.data import Reading
from simpatico.training.engagement.exchanges import Exchanges, split_exchanges
from simpatico.training.engagement.heads import EncodedTexts, fit_engagement_head, head_logits
from simpatico.training.engagement.train import (
    ENGAGING,
    SHAPES,
    TRANSFER_EPOCHS,
    PooledBy,
    batch_size,
    pair_examples,
    transfer_shape,
)
from simpatico.training.heads.train import HeadForm
from simpatico.turns import Turns
from simpatico.wording import format_count

TRANSFER_TABLE = "Transfer: telling labelled DailyDialog pairs, "
SHIPPED, SCRATCH = "shipped evaluator", "no evaluator, from scratch"
BEFORE, AFTER = "before", "after"
SPLIT_SHARES = (0.8, 0.2)
"""Of the pairs to train on, for training and for early stopping."""

OUT_OF_DOMAIN_TABLE = "Out of domain: with how engaging or interesting people found it, Spearman"
OUT_OF_DOMAIN_SETS = (
    DataSet("FED-turn, engaging", DEV, "fed-turn_eval.json", DEV, ("engaging",)),
    DataSet("FED-turn, interesting", DEV, "fed-turn_eval.json", DEV, ("interesting",)),
    DataSet("TP, engaging", DEV, "topical-usr_eval.json", DEV, ("engaging",)),
    DataSet("UP, engaging", DEV, "persona-usr_eval.json", DEV, ("engaging",)),
)
"""Judged on scales of their own by three to five people; nothing was chosen on TP and UP."""


class TransferData(NamedTuple):
    """Labelled pairs to train further on and to test on; `n_dropped` are rated too."""

    train: Exchanges
    test: Exchanges
    n_dropped: int


def base_heads(heads: Mapping[Reading, Head]) -> dict[str, tuple[Head | None, str, PooledBy]]:
    """Heads to train further, each with its encoder and pooling.

    The one that is shipped, if there is one, those just trained on ConvAI, and none at all.
    """
    bases: dict[str, tuple[Head | None, str, PooledBy]] = {}
    if is_heads_folder("engagement"):
        folder = load_heads("engagement", "engagement")
        recipe = folder.recipe.heads[ENGAGING]
        for pooling in get_args(PooledBy):
            if recipe.pooling == pooling:
                bases[SHIPPED] = folder.heads[ENGAGING], recipe.encoder, pooling
    for reading, head in heads.items():
        bases[f"ConvAI, {READING_NAMES[reading]}"] = head, MINILM, HEADS[OUR_HEAD][1]
    return bases | {SCRATCH: (None, MINILM, "mean")}


def transfer_cells(data: TransferData, heads: Mapping[Reading, Head], seeds: int) -> Iterator[Cell]:
    """Each evaluator on the test pairs before and after the transfer, and what length tells."""
    for name, (head, encoder, pooling) in base_heads(heads).items():
        form = HeadForm(encoder, pooling, SHAPES["best", pooling])
        texts = EncodedTexts.of([data.train, data.test], form)
        if head is not None:
            logits = head_logits(head, texts, data.test)
            before = labelled_predictions(logits, logits > 0, data.test)
            yield from transfer_figures(name, BEFORE, [before], data)
        runs = [fine_tuned_run(data, texts, head, seed) for seed in range(seeds)]
        yield from transfer_figures(name, AFTER, runs, data)
    for name, one in length_and_question_predictions(data.train, data.test).items():
        yield from transfer_figures(name, AFTER, [one], data)


def fine_tuned_run(
    data: TransferData, texts: EncodedTexts, base: Head | None, seed: int
) -> LabelledPredictions:
    """The predictions on the test pairs of a head that was trained on the others."""
    parts = split_exchanges(data.train, SPLIT_SHARES, seed=seed)
    train, validation = (pair_examples(part, texts.rows) for part in parts)
    shape = SHAPES["best", "mean"] if base is None else transfer_shape(base)
    shape = replace(shape, epochs=TRANSFER_EPOCHS, batch=batch_size(len(train.label)))
    head = fit_engagement_head(shape, texts, train, validation, seed=seed, base=base)
    logits = head_logits(head, texts, data.test)
    return labelled_predictions(logits, logits > 0, data.test)


def transfer_figures(
    name: str, when: str, runs: list[LabelledPredictions], data: TransferData
) -> Iterator[Cell]:
    """Balanced accuracy and AUC on the test pairs."""
    figures, n = evaluate_runs(name, runs), len(data.test)
    notes = [
        f"trained on {len(data.train)} pairs",
        f"{data.n_dropped} of the published 300 left out, as their query or reply is among the "
        "rated pairs",
        f"mean of {format_count(len(runs), 'seed')}",
    ]
    for column, value in ((BALANCED, figures.balanced_accuracy), (AUC, figures.auc)):
        yield make_cell((f"{TRANSFER_TABLE}{column}", when, name), value, n=n, notes=notes)


def out_of_domain_cells(
    data: Path, request: Request, omissions: list[str], *, tell: Callable[[str], object]
) -> Iterator[Cell]:
    """Every set that is there; why others are not goes to `omissions`."""
    runnables = [
        *runnable_variants(ENGAGEMENT, request, []),
        *(one for n in BASELINES if isinstance(one := runnable_metric(n), RunnableMetric)),
    ]
    by_path: dict[Path, tuple[Turns, dict[str, Floats]]] = {}
    for data_set in OUT_OF_DOMAIN_SETS:
        path = data_set.locate(data)
        if path is None:
            omissions.append(f"{data_set.name}: no {data_set.folder}/{data_set.file}")
            continue
        if path not in by_path:
            labels = ", ".join(one.label for one in runnables)
            tell(f"{data_set.name.partition(',')[0]}: {labels}")
            turns = read_turns(path, data_set.format)
            by_path[path] = turns, {one.label: main_score(turns, one) for one in runnables}
        seed = request.sample.seed
        yield from rating_correlation_cells(data_set, path, *by_path[path], seed=seed)


def rating_correlation_cells(
    data_set: DataSet, path: Path, turns: Turns, scores: dict[str, Floats], *, seed: int
) -> Iterator[Cell]:
    """Each score's rho, and that of engagement with length held equal."""
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
            two = np.stack([values[rows], scores[LENGTH][rows]], axis=1)
            rhos[f"{label}, length held equal"] = partial_correlation(
                two, ratings, prompts, kind="spearman", seed=seed
            )
    for label, rho in rhos.items():
        place = OUT_OF_DOMAIN_TABLE, data_set.name, label
        yield result_cell(place, rho, rows=len(ratings))
