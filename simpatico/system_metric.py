"""Metrics that describe a system as a whole: out of material of all its turns, one row per system.

Such a metric has level "system", a field `seed`, and instead of statistics that merge it gives
material: whatever it needs to keep of each turn. Material is put in one order, so that neither the
order of dialogs nor the size of chunks can change a bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeGuard

import polars as pl

from simpatico.errors import ContractError
from simpatico.metric import Metric, Score
from simpatico.turns import Turns

KEYS = ["system", "dialog", "turn"]


class Whole(Metric, Protocol):
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


def is_whole(metric: Metric) -> TypeGuard[Whole]:
    """Whether no turn and no dialog has a value of this metric."""
    return metric.level == "system"


def material_of(metric: Metric, turns: Turns, given: pl.DataFrame) -> pl.DataFrame:
    """What the metric keeps of the scored turns, under the names of their dialogs and systems."""
    if taken := [c for c in given.columns if c in KEYS]:
        raise ContractError(f"{metric.name} gave material with a column {taken[0]!r} of its own")
    named = pl.concat([turns.frame.select(KEYS), given], how="horizontal")
    return sampled(metric, named.filter(turns.scored))


def sampled(metric: Metric, material: pl.DataFrame) -> pl.DataFrame:
    """The material in its one order, and no more of it than the metric wants."""
    enough = getattr(metric, "sample", None)
    return (enough(material) if enough else material).sort(KEYS)


def gathered(metric: Metric, parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """The material of all parts; never more is held than the metric wants and one part."""
    held: pl.DataFrame | None = None
    for part in parts:
        held = part if held is None else sampled(metric, pl.concat([held, part]))
    if held is None:
        raise ContractError(f"{metric.name} was given no part to describe systems by")
    return held


def schema_of(scores: Sequence[Score]) -> dict[str, pl.DataType]:
    """What is said of a system on each score."""
    columns: dict[str, pl.DataType] = {}
    for name in (s.name for s in scores):
        columns |= {name: pl.Float64(), f"{name}_n": pl.Int64()}
        columns |= {f"{name}_low": pl.Float64(), f"{name}_high": pl.Float64()}
    return columns


def summarised(metric: Whole, material: pl.DataFrame) -> pl.DataFrame:
    """What the metric says of each system, with `<metric>_null` for why it says nothing."""
    told = metric.summary(material, seed=metric.seed)
    columns = {"system": pl.String(), **schema_of(metric.scores)}
    if lacking := [c for c in columns if c not in told.columns]:
        raise ContractError(f"{metric.name} gave a summary without a column {lacking[0]!r}")
    if told["system"].n_unique() != told.height:
        raise ContractError(f"{metric.name} gave more than one row for a system")
    whole = told.select(pl.col(c).cast(t) for c, t in columns.items())
    numbers = pl.selectors.float()
    whole = whole.with_columns(pl.when(numbers.is_finite()).then(numbers))
    why = told["reason"] if "reason" in told.columns else pl.Series([None] * told.height)
    lacks = whole[metric.scores[0].name].is_null()
    reason = why.cast(pl.String).fill_null("undefined").zip_with(lacks, pl.Series([None]))
    return whole.with_columns(reason.alias(f"{metric.name}_null"))


def beside(systems: pl.DataFrame, told: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """The table of systems with what whole metrics say of each; its rows stay as they are."""
    for summary in told:
        systems = systems.join(summary, on="system", how="left", maintain_order="left")
        score, *_, why = summary.drop("system").columns
        counts = [c for c in summary.columns if summary.schema[c] == pl.Int64]
        reason = pl.when(pl.col(score).is_null()).then(pl.col(why).fill_null("undefined"))
        systems = systems.with_columns(pl.col(counts).fill_null(0), reason.alias(why))
    return systems
