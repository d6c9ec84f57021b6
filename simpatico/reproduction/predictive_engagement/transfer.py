"""Out of domain: engagement against people who judged how engaging or interesting replies are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.reproduction import Cell
from simpatico.reproduction.cells import Spot, of_result
from simpatico.reproduction.metrics_and_people.data import by_judge, joined
from simpatico.reproduction.predictive_engagement.correlation_tests import partial
from simpatico.reproduction.predictive_engagement.raters import codes
from simpatico.reproduction.predictive_engagement.scores import (
    ENGAGEMENT,
    LONG,
    PLAIN,
    column,
    ways,
)
from simpatico.reproduction.psychological_metrics.data import DEV, DataSet, read_set
from simpatico.reproduction.request import Asked
from simpatico.reproduction.weights import Way, way
from simpatico.stats.bootstrap import bootstrap_many
from simpatico.turns import Turns

TABLE = "Out of domain: with how engaging or interesting people found it, Spearman"
LEFT = "length held equal"
SETS = (
    DataSet("FED-turn, engaging", DEV, "fed-turn_eval.json", DEV, ("engaging",)),
    DataSet("FED-turn, interesting", DEV, "fed-turn_eval.json", DEV, ("interesting",)),
    DataSet("TP, engaging", DEV, "topical-usr_eval.json", DEV, ("engaging",)),
    DataSet("UP, engaging", DEV, "persona-usr_eval.json", DEV, ("engaging",)),
)
"""Judged on scales of their own by three to five people; nothing was chosen on TP and UP."""


def elsewhere_cells(
    data: Path, asked: Asked, absent: list[str], *, tell: Callable[[str], object]
) -> Iterator[Cell]:
    """Every set that is there; why others are not goes to `absent`."""
    lacking: list[str] = []
    ready = [*ways(ENGAGEMENT, asked, lacking), *(w for n in PLAIN if isinstance(w := way(n), Way))]
    seen: dict[Path, tuple[Turns, dict[str, Floats]]] = {}
    for set in SETS:
        path = set.found(data)
        if path is None:
            absent.append(f"{set.name}: no {set.folder}/{set.file}")
            continue
        if path not in seen:
            tell(f"{set.name.partition(',')[0]}: {', '.join(one.label for one in ready)}")
            turns = read_set(path, set.format)
            seen[path] = turns, {one.label: column(turns, one) for one in ready}
        yield from of_set(set, path, *seen[path], seed=asked.sample.seed)


def of_set(
    set: DataSet, path: Path, turns: Turns, scores: dict[str, Floats], *, seed: int
) -> Iterator[Cell]:
    """Each score's rho, and that of engagement with length held equal."""
    keys = ["dialog", "turn", "speaker", "prompt", "system"]
    units = turns.frame.filter(turns.scored).select(keys)
    judged = joined(set, units, by_judge(set, path), pl.col("value").mean())
    told = units.select("dialog").with_row_index("row").join(judged, on="dialog", how="inner")
    told = told.sort("row")
    rows, prompts = told["row"].to_numpy(), codes(told["prompt"])
    y = told["judged"].to_numpy()
    matrix = np.stack([values[rows] for values in scores.values()], axis=1)
    found = bootstrap_many(matrix, y, prompts, kind="spearman", seed=seed)
    for label, result in zip(scores, found, strict=True):
        yield of_result(Spot(TABLE, set.name, label), result, rows=len(y))
    for label, values in scores.items():
        if label.startswith(ENGAGEMENT) and LONG in scores:
            two = {"x": values[rows], "z": scores[LONG][rows]}
            left = partial(two, y, prompts, kind="spearman", seed=seed)
            yield of_result(Spot(TABLE, set.name, f"{label}, {LEFT}"), left, rows=len(y))
