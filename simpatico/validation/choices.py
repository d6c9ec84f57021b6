"""Preferences joined to the scored units they are between, by key, and what depends on what."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from simpatico.comparison.samples import HUMAN
from simpatico.errors import DataError
from simpatico.run import Run
from simpatico.validation.run_scores import (
    WORDS,
    RatedLevel,
    dialog_prompts,
    read_lengths,
    read_scores,
)

CREDIT = {"a": 1.0, "tie": 0.5, "b": 0.0}
"""What a choice gives to side a."""


def read_units(
    run: Run, level: RatedLevel, rows: pl.DataFrame, names: Sequence[str]
) -> pl.DataFrame:
    """Keys, system, prompt, scores and length of all units of the dialogs that may be meant."""
    dialogs = pl.concat([rows["dialog_a"], rows["dialog_b"]]).drop_nulls().unique()
    if rows["dialog_a"].has_nulls():
        prompts = run.at("dialog")
        if "prompt" not in prompts.columns:
            raise DataError(f"{run.folder} has no prompts, so preferences must name dialogs")
        of_systems = prompts.filter(pl.col("prompt").is_in(rows["prompt"].unique().implode()))
        dialogs = pl.concat([dialogs, of_systems["dialog"]]).unique()
    units = read_scores(run, level, dialogs, names)
    if "prompt" not in units.columns:
        prompts = dialog_prompts(run, dialogs)
        units = units.join(prompts, on=["dialog", "system"], how="left", maintain_order="left")
    lengths = read_lengths(run, level, dialogs)
    if lengths is None:
        return units
    key = [c for c in lengths.columns if c != WORDS]
    return units.join(lengths, on=key, how="left", maintain_order="left")


def systems_only(units: pl.DataFrame) -> pl.DataFrame:
    """The units of systems under test; of people in dialogs where there is nobody else."""
    is_system = pl.col("system") != HUMAN
    return units.filter(is_system | ~is_system.any().over("dialog"))


def match_choices(rows: pl.DataFrame, units: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """The preferences with system, scores and cluster of both sides, and the credit of side a.

    A side without a speaker is the one system that was scored in its turn or dialog; of what a
    system said to a prompt in several dialogs, the mean counts.
    """
    place = [c for c in ("dialog", "turn") if c in units.columns]
    only = systems_only(units).filter(pl.len().over(place) == 1).select(*place, only="speaker")
    means = units.drop_nulls(["system", "prompt"]).group_by("system", "prompt", maintain_order=True)
    by_system = means.agg(pl.col(names).mean()).with_columns(found=True)
    sides = []
    for side in "ab":
        columns = {c: pl.col(f"{c}_{side}") for c in ("dialog", "turn", "speaker", "system")}
        own = rows.select("index", "prompt", **columns)
        of_units = own.filter(pl.col("dialog").is_not_null()).drop("system")
        of_units = of_units.join(only, on=place, how="left").with_columns(
            speaker=pl.coalesce("speaker", "only")
        )
        scores = units.rename({"prompt": "own_prompt"}).with_columns(found=True)
        matched = of_units.join(scores, on=[*place, "speaker"], how="left")
        of_systems = own.filter(pl.col("dialog").is_null())
        matched_systems = of_systems.join(by_system, on=["system", "prompt"], how="left")
        table = pl.concat([matched, matched_systems], how="diagonal").sort("index")
        node = pl.coalesce("prompt", "own_prompt", "dialog")
        sides.append(
            table.select(
                pl.col(*names, "system").name.suffix(f"_{side}"),
                pl.col("found").fill_null(False).alias(f"found_{side}"),
                node.alias(f"node_{side}"),
            )
        )
    kept = rows.drop("system_a", "system_b").sort("index")
    choices = pl.concat([kept, *sides], how="horizontal")
    cluster = linked_choices(choices["node_a"], choices["node_b"])
    credit = pl.col("preferred").replace_strict(CREDIT, return_dtype=pl.Float64)
    return choices.with_columns(cluster, credit=credit)


def linked_choices(a: pl.Series, b: pl.Series) -> pl.Series:
    """The number of each choice's cluster: those that a chain of comparisons links have the same.

    `a` and `b` are the prompts of the two sides, or their dialogs where there are no prompts.
    """
    nodes, codes = np.unique(pl.concat([a, b]).to_numpy().astype(str), return_inverse=True)
    ends = codes.reshape(2, -1)
    graph = csr_array((np.ones(len(a)), (ends[0], ends[1])), shape=(len(nodes),) * 2)
    _, component = connected_components(graph, directed=False)
    return pl.Series("cluster", component[ends[0]])


def unit_credits(choices: pl.DataFrame) -> pl.DataFrame:
    """Each turn that was compared with the mean credit it got, in the form of `Judgements.gold`."""
    sides = [
        choices.select(
            "quality",
            *(pl.col(f"{c}_{side}").alias(c) for c in ("dialog", "turn", "speaker")),
            value=pl.col("credit") if side == "a" else 1 - pl.col("credit"),
        )
        for side in "ab"
    ]
    key = ["dialog", "turn", "speaker", "quality"]
    return pl.concat(sides).group_by(key, maintain_order=True).agg(pl.col("value").mean())
