"""The dialogs of all systems in one table, and what stands in for the ratings of most of them.

A proxy is a score, a judge's answers, or the cross-fitted linear blend of all of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from simpatico.arrays import Bools, Floats, Ints
from simpatico.comparison.samples import (
    PEOPLE,
    ComparedSystem,
    ScoreInfo,
    as_floats,
    has_few_prompts,
)
from simpatico.errors import DataError, UnknownName, suggest_names
from simpatico.stats.cross_fit import cross_fit
from simpatico.stats.prediction_powered import RatedUnits
from simpatico.wording import format_count

BLEND = "blend"
"""The proxy that is made of all scores and judges."""
MIN_PRESENT = 0.5
"""Share of dialogs with a value that a proxy must have."""


@dataclass(frozen=True)
class DialogTable:
    """The dialogs of all systems one below the other; `group` and `cluster` number their rows.

    The columns of `frame` are dialog, prompt, system, people's ratings, and every proxy.
    """

    frame: pl.DataFrame
    systems: list[str]
    group: Ints
    cluster: Ints
    qualities: dict[str, ScoreInfo]
    proxies: list[str]

    def units(self, quality: str, proxy: Proxy) -> RatedUnits:
        """The dialogs with the ratings of a quality and this proxy."""
        ratings = as_floats(self.frame[quality])
        return RatedUnits(self.group, ratings, proxy.values, self.cluster, refits=proxy.refits)

    def count_by_system(self, rows: Bools) -> Ints:
        """How many of these dialogs are each system's."""
        return np.bincount(self.group[rows], minlength=len(self.systems))


@dataclass(frozen=True)
class Proxy:
    """A number for every dialog, the name by which sentences call it, and what to know of it.

    `refits`: what says how much it depends on the ratings that it was fitted to (`cross_fit`).
    """

    values: Floats
    name: str
    notes: tuple[str, ...] = ()
    refits: Floats | None = None


def stack_systems(systems: Sequence[ComparedSystem]) -> DialogTable:
    """The table of these systems, with the scores that all of them have.

    Where they replied to the same prompts, the dialogs of a prompt are one cluster.
    """
    if not systems:
        raise DataError("the run has no system; score conversations with a named system")
    infos = systems[0].measures
    names = [name for name in infos if all(name in s.measures for s in systems)]
    frame = pl.concat(
        s.units.select("dialog", "prompt", pl.lit(s.name).alias("system"), *names) for s in systems
    )
    by_prompt = not (frame["prompt"].null_count() or any(map(has_few_prompts, systems)))
    cluster = frame["prompt" if by_prompt else "dialog"].rank("dense").cast(pl.Int64) - 1
    group = np.repeat(np.arange(len(systems)), [s.units.height for s in systems])
    qualities = {n: infos[n] for n in names if infos[n].kind == PEOPLE and frame[n].count()}
    proxies = [name for name in names if infos[name].kind != PEOPLE]
    own = [s.name for s in systems]
    return DialogTable(frame, own, group, cluster.to_numpy(), qualities, proxies)


def find_proxy(table: DialogTable, name: str, quality: str | None, seed: int = 0) -> Proxy:
    """The proxy of this name, for the ratings of a quality where it is the blend."""
    if name != BLEND:
        if name not in table.proxies:
            known = suggest_names(name, [BLEND, *table.proxies])
            raise UnknownName(f"no score or judge {name!r}; {known}")
        values, n_missing = filled_column(table, name)
        if values is None:
            n = int(table.frame[name].count())
            raise DataError(
                f"{name} cannot stand in for ratings: {n:,} of {table.frame.height:,} dialogs have "
                f"it, or it is the same in all; choose another one, or --proxy {BLEND}"
            )
        missing = f"{format_count(n_missing, 'dialog')} without {name} got the system's mean."
        return Proxy(values, name, (missing,) if n_missing else ())
    if quality is None:
        raise DataError(
            f"--proxy {BLEND} learns from ratings; give some (--judgements), or name a score"
        )
    columns = [filled_column(table, name)[0] for name in table.proxies]
    usable = [column for column in columns if column is not None]
    if not usable:
        raise DataError("no score or judge varies between these dialogs, to stand in for ratings")
    scores = np.column_stack(usable)
    name = f"the blend of {format_count(len(usable), 'score')}"
    blend = cross_fit(scores, table.units(quality, Proxy(scores[:, 0], name)), seed)
    return Proxy(blend.predictions, name, refits=blend.refits)


def filled_column(table: DialogTable, name: str) -> tuple[Floats | None, int]:
    """A proxy without gaps, and how many dialogs got their system's mean; null if it is no use.

    Any function of the dialogs is a proxy, so that means in gaps cost precision and nothing else.
    """
    values = as_floats(table.frame[name])
    present = np.isfinite(values)
    counts = table.count_by_system(present)
    if not counts.all() or present.mean() < MIN_PRESENT or np.ptp(values[present]) == 0:
        return None, 0
    means = np.bincount(table.group, weights=np.where(present, values, 0.0)) / counts
    return np.where(present, values, means[table.group]), int((~present).sum())


def with_weights(
    table: DialogTable, units: RatedUnits, sample: pl.DataFrame
) -> tuple[RatedUnits, list[str]]:
    """The units as rated in a drawn sample (dialog, system, stratum, weight); others are unrated.

    Dialogs that were drawn and have no rating leave their weight to the others of their stratum.
    """
    keys = table.frame.select("dialog", "system")
    joined = keys.join(sample, on=["dialog", "system"], how="left", maintain_order="left")
    weights = as_floats(joined["weight"])
    known, notes = np.isfinite(weights), []
    if not known.any():
        raise DataError(
            "no dialog of the sample (--sample) is in this run; name the file drawn from it"
        )
    if n := int((units.rated & ~known).sum()):
        notes.append(f"{format_count(n, 'rated dialog')} outside the sample: taken as unrated.")
    if n := int((known & ~units.rated).sum()):
        notes.append(f"{format_count(n, 'dialog')} of the sample without a rating so far.")
    stratum = ["system", "stratum"]
    weight, rated = pl.col("weight"), pl.Series("rated", known & units.rated)
    joined = joined.with_columns(rated)
    sums = joined.filter(pl.Series(known)).group_by(stratum).agg(pl.col("rated").sum())
    if n := sums.filter(rated=0).height:
        empty = f"{n:,} of {format_count(sums.height, 'stratum', 'strata')}"
        notes.append(f"No rated dialog in {empty} of the sample: the estimate is of the others.")
    shares = weight * (weight.sum() / (weight * pl.col("rated")).sum()).over(stratum)
    weights = as_floats(joined.select(shares.alias("weight"))["weight"])
    return replace(
        units,
        ratings=np.where(known, units.ratings, np.nan),
        weights=np.where(rated.to_numpy(), weights, 1.0),
        refits=None if units.refits is None else units.refits[known[units.rated]],
    ), notes
