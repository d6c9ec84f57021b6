"""Metrics of level "system": from material of all turns of a system, one row per system.

Such a metric has level "system", a field `seed`, and instead of statistics that merge it gives
material: whatever it needs to keep of each turn. Material is put in one order, so that neither the
order of dialogs nor the size of chunks can change a bit.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeGuard

import polars as pl

from simpatico.errors import ContractError
from simpatico.metric import Metric
from simpatico.turns import Turns

KEYS = ["system", "dialog", "turn"]


class SystemMetric(Metric, Protocol):
    """A metric of level "system".

    It may have one more method, `sample`, from material to less material: it keeps what is enough,
    and must give the same whether it is asked once for all or on the way.
    """

    @property
    def seed(self) -> int: ...

    def summary(self, material: pl.DataFrame, *, seed: int) -> pl.DataFrame:
        """One row per system: `system`, and for each score the score, `_n`, `_low` and `_high`.

        `_n` counts dialogs. A column `reason` (optional) says in a word why there is no score;
        what follows after a space, such as how many are lacking, is not counted as another reason.
        """
        ...


def is_system_metric(metric: Metric) -> TypeGuard[SystemMetric]:
    """Whether no turn and no dialog has a value of this metric."""
    return metric.level == "system"


def system_material(metric: Metric, turns: Turns, material: pl.DataFrame) -> pl.DataFrame:
    """What the metric keeps of the scored turns, under the names of their dialogs and systems."""
    if clash := [c for c in material.columns if c in KEYS]:
        raise ContractError(f"{metric.name} gave material with a column {clash[0]!r} of its own")
    rows = pl.concat([turns.frame.select(KEYS), material], how="horizontal")
    return sample_material(metric, rows.filter(turns.scored))


def sample_material(metric: Metric, material: pl.DataFrame) -> pl.DataFrame:
    """The material in its one order, and no more of it than the metric wants."""
    sample = getattr(metric, "sample", None)
    return (sample(material) if sample else material).sort(KEYS)


def merge_material(metric: Metric, parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """The material of all parts; never more is held than the metric wants and one part."""
    material: pl.DataFrame | None = None
    for part in parts:
        if material is not None:
            part = sample_material(metric, pl.concat([material, part]))
        material = part
    if material is None:
        raise ContractError(f"{metric.name} was given no part to describe systems by")
    return material


def mean_schema(name: str) -> dict[str, pl.DataType]:
    """The columns of a score in the table of systems: value, dialogs and interval."""
    number = pl.Float64()
    return {name: number, f"{name}_n": pl.Int64(), f"{name}_low": number, f"{name}_high": number}


def summarise_systems(metric: SystemMetric, material: pl.DataFrame) -> pl.DataFrame:
    """What the metric says of each system, with `<metric>_null` for why it says nothing."""
    summary = metric.summary(material, seed=metric.seed)
    columns = {"system": pl.String()} | {
        name: kind for score in metric.scores for name, kind in mean_schema(score.name).items()
    }
    if lacking := [c for c in columns if c not in summary.columns]:
        raise ContractError(f"{metric.name} gave a summary without a column {lacking[0]!r}")
    if summary["system"].n_unique() != summary.height:
        raise ContractError(f"{metric.name} gave more than one row for a system")
    systems = summary.select(pl.col(c).cast(t) for c, t in columns.items())
    numbers = pl.selectors.float()
    systems = systems.with_columns(pl.when(numbers.is_finite()).then(numbers))
    why = summary["reason"] if "reason" in summary.columns else pl.Series([None] * summary.height)
    lacks = systems[metric.scores[0].name].is_null()
    reason = why.cast(pl.String).fill_null("undefined").zip_with(lacks, pl.Series([None]))
    return systems.with_columns(reason.alias(f"{metric.name}_null"))


def join_summaries(systems: pl.DataFrame, summaries: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """The table of systems with the summaries of system metrics; its rows stay as they are."""
    for summary in summaries:
        systems = systems.join(summary, on="system", how="left", maintain_order="left")
        score, *_, why = summary.drop("system").columns
        counts = [c for c in summary.columns if summary.schema[c] == pl.Int64]
        reason = pl.when(pl.col(score).is_null()).then(pl.col(why).fill_null("undefined"))
        systems = systems.with_columns(pl.col(counts).fill_null(0), reason.alias(why))
    return systems
