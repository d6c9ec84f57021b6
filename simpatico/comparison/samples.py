"""From run folders to what is compared: for each score, the values of one system and of another.

The unit is never finer than the dialog. Where both systems answered the same prompts the unit is
the prompt, with the mean of its dialogs, and the two systems' values stand in pairs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.errors import DataError, UnknownName
from simpatico.metric import Better, wording
from simpatico.registry import suggestion
from simpatico.run import Run
from simpatico.wording import join_with_and

Unit = Literal["prompt", "dialog"]
UnitLevel = Literal["dialog", "turn"]

PEOPLE = "human"
PAIRS = 6
"""Fewest pairs with which a test can show anything: the smallest p of five is 2/2^5 = .0625."""
EACH = 4
"""Fewest values of each of two systems: the smallest p of three and three is 2/20 = .1."""


@dataclass(frozen=True)
class Measure:
    """A score of a run's metric, as `run.json` tells it."""

    metric: str
    score: str
    better: Better
    range: tuple[float, float]
    signature: str
    title: str = ""
    more: str = ""
    less: str = ""
    unit: str = ""
    kind: str = ""


@dataclass(frozen=True)
class Side:
    """A system of a run under the name it has in this comparison; one row of `units` per dialog."""

    name: str
    system: str
    folder: Path
    measures: Mapping[str, Measure]
    units: pl.DataFrame


@dataclass(frozen=True)
class Sample:
    """The values of two systems on one score; if paired, a place is the same prompt or dialog."""

    measure: Measure
    a: str
    b: str
    first: Floats
    second: Floats
    unit: Unit
    paired: bool

    @property
    def enough(self) -> bool:
        least = PAIRS if self.paired else EACH
        return min(len(self.first), len(self.second)) >= least


@dataclass(frozen=True)
class Choice:
    """Which scores and systems of the runs are looked at.

    Of a metric with parts only the score of its own name, unless `every`; people only if there
    would be no pair without them, unless `with_human`.
    """

    level: UnitLevel = "dialog"
    scores: tuple[str, ...] = ()
    every: bool = False
    with_human: bool = False


def measures(run: Run, choice: Choice) -> dict[str, Measure]:
    """The chosen scores that this run has at this level."""
    facts = run.facts
    table = pl.scan_parquet(run.folder / f"{choice.level}.parquet", glob=False)
    there = table.collect_schema()
    found = {}
    for metric, told in facts["metrics"].items():
        for score in told["scores"]:
            name, span = score["name"], score["range"]
            wanted = name in choice.scores if choice.scores else choice.every or name == metric
            if wanted and name in there:
                low, high = (float(b) if b is not None else float("nan") for b in span)
                found[name] = Measure(
                    metric,
                    name,
                    score["better"],
                    (low, high),
                    told["signature"],
                    **wording(name, score),
                    kind=told.get("kind", ""),
                )
    return found


def sides(runs: Sequence[Run], choice: Choice) -> list[Side]:
    """Every system of every run, in the order of the runs and of their system tables."""
    if len({run.folder.resolve() for run in runs}) < len(runs):
        raise DataError("the same run is given twice; a comparison needs different ones")
    found = [side for run in runs for side in sides_of(run, choice)]
    known = dict.fromkeys(score for side in found for score in side.measures)
    if not known and not choice.scores:
        refuse_only_whole(runs)
    for score in choice.scores:
        if score not in known:
            for run in runs:
                run.refuse_whole([score])
            names = scores_of(runs, choice.level)
            raise UnknownName(f"no score {score!r}; {suggestion(score, names)}")
    check_signatures(found)
    return told_apart(found)


def refuse_only_whole(runs: Sequence[Run]) -> None:
    """Refuse runs of which every metric describes a system as a whole."""
    told = {name: m.get("level") for run in runs for name, m in run.facts["metrics"].items()}
    if told and set(told.values()) == {"system"}:
        verb = "describes" if len(told) == 1 else "describe"
        raise DataError(
            f"{join_with_and(list(told))} {verb} a system as a whole, so that there are no values of "
            f"dialogs to compare; simpatico show {runs[0].folder} prints what there is"
        )


def scores_of(runs: Sequence[Run], level: UnitLevel) -> list[str]:
    return sorted({s for run in runs for s in measures(run, Choice(level, every=True))})


def sides_of(run: Run, choice: Choice) -> list[Side]:
    """The systems of one run, with one row per dialog."""
    known = measures(run, choice)
    if choice.level == "dialog":
        return [dialog_side(run, name, known) for name in systems_of(run)]
    frame = run.at(choice.level, ["dialog", "system", *known])
    asked = run.at("dialog", ["dialog", "system", "prompt"])
    prompts = asked.group_by("dialog", "system").agg(pl.col("prompt").drop_nulls().min())
    units = (
        frame.filter(pl.col("system").is_not_null())
        .group_by("system", "dialog")
        .agg(pl.col(list(known)).mean())
        .join(prompts, on=["dialog", "system"], how="left")
        .sort("dialog")
    )
    names = units["system"].unique().sort()
    parts = {name: units.filter(pl.col("system") == name) for name in names}
    return [Side(name, name, run.folder, known, parts[name]) for name in names]


def systems_of(run: Run) -> list[str]:
    named = run.at("dialog", ["system"])["system"].drop_nulls()
    return named.unique().sort().to_list()


def dialog_side(run: Run, name: str, known: Mapping[str, Measure]) -> Side:
    """One system, read alone so that a run of any size is never held whole."""
    table = pl.scan_parquet(run.folder / "dialog.parquet", glob=False)
    units = table.filter(pl.col("system") == name).select("dialog", "system", "prompt", *known)
    frame = units.collect()
    if frame["dialog"].n_unique() < frame.height:
        means, asked = pl.col(list(known)).mean(), pl.col("prompt").drop_nulls().min()
        frame = frame.group_by("system", "dialog").agg(means, asked)
    return Side(name, name, run.folder, known, frame.sort("dialog"))


def check_signatures(found: Sequence[Side]) -> None:
    """Numbers of one name that were computed in different ways must not be compared."""
    first: dict[str, Side] = {}
    for side in found:
        for score, measure in side.measures.items():
            other = first.setdefault(score, side)
            if other.measures[score].signature != measure.signature:
                raise DataError(
                    f"{measure.metric} was computed in different ways in {other.folder} and "
                    f"{side.folder} (their run.json show how); score both alike, or name the other "
                    "scores with --scores"
                )


def told_apart(found: Sequence[Side]) -> list[Side]:
    """Systems of one name in different runs get the run's folder name, or its path, beside it."""
    folders = [side.folder for side in found]
    short = len({f.resolve().name for f in folders}) == len({f.resolve() for f in folders})
    doubles = {s.system for s in found if sum(o.system == s.system for o in found) > 1}
    named = []
    for side in found:
        place = side.folder.resolve().name if short else str(side.folder)
        name = f"{side.system} ({place})" if side.system in doubles else side.system
        named.append(Side(name, side.system, side.folder, side.measures, side.units))
    return named


def compared(found: Sequence[Side], *, with_human: bool = False) -> list[tuple[Side, Side]]:
    """All pairs of systems; people are left out when two or more other systems are there."""
    others = [side for side in found if side.system != PEOPLE]
    if len(found) < 2:
        names = ", ".join(repr(side.name) for side in found) or "none"
        raise DataError(f"a comparison needs two systems; there is {names}. Give a second run")
    return list(combinations(found if with_human or len(others) < 2 else others, 2))


def samples(pairs: Sequence[tuple[Side, Side]]) -> list[Sample]:
    """For each pair of systems, the values of each score that both have."""
    return [sample for a, b in pairs for sample in pair_samples(a, b)]


def pair_samples(a: Side, b: Side) -> list[Sample]:
    unit, paired = unit_of(a, b)
    scores = [score for score in a.measures if score in b.measures]
    left, right = (by_unit(side, unit, scores) for side in (a, b))
    if paired:
        both = left.join(right, on=unit, suffix="\t").sort(unit)
        columns = [(values(both, s), values(both, f"{s}\t")) for s in scores]
        whole = [np.isfinite(x) & np.isfinite(y) for x, y in columns]
        columns = [(x[w], y[w]) for (x, y), w in zip(columns, whole, strict=True)]
    else:
        kept = [(values(left, s), values(right, s)) for s in scores]
        columns = [(x[np.isfinite(x)], y[np.isfinite(y)]) for x, y in kept]
    return [
        Sample(a.measures[score], a.name, b.name, x, y, unit, paired)
        for score, (x, y) in zip(scores, columns, strict=True)
    ]


def values(frame: pl.DataFrame, column: str) -> Floats:
    """A column with NaN for null."""
    return frame[column].cast(pl.Float64).fill_null(float("nan")).to_numpy()


def by_unit(side: Side, unit: Unit, scores: Sequence[str]) -> pl.DataFrame:
    """One row per prompt or dialog; a prompt has the mean of its dialogs."""
    known = side.units.filter(pl.col(unit).is_not_null())
    return known.group_by(unit).agg(pl.col(list(scores)).mean()).sort(unit)


def unit_of(a: Side, b: Side) -> tuple[Unit, bool]:
    """What counts as one value, and whether the values of the two systems stand in pairs.

    In pairs: when at least half of the prompts (or, in one run, dialogs) of the system that has
    fewer are shared. Of fewer than six prompts with several dialogs each one cannot speak of
    prompts; then the dialogs are the units, and the finding is about these prompts.
    """
    few = few_prompts(a) or few_prompts(b)
    keys: list[Unit] = [] if few else ["prompt"]
    if a.folder == b.folder:
        keys.append("dialog")
    for key in keys:
        left, right = (set(side.units[key].drop_nulls()) for side in (a, b))
        shared = len(left & right)
        if shared and 2 * shared >= min(len(left), len(right)):
            return key, True
    full = not (few or any(side.units["prompt"].null_count() for side in (a, b)))
    return ("prompt" if full else "dialog"), False


def few_prompts(side: Side) -> bool:
    prompts = side.units["prompt"].drop_nulls().n_unique()
    return prompts < PAIRS and side.units.height >= 2 * prompts
