"""From run folders to samples: for each score, the values of two systems.

The unit is never finer than the dialog, since turns of one dialog are not independent. Where both
systems replied to the same prompts, the unit is the prompt (with the mean of its dialogs) and the
two samples are paired.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl

from simpatico import limits
from simpatico.arrays import Floats
from simpatico.errors import DataError, UnknownName, suggest_names
from simpatico.metric import Better, Validity, score_wording
from simpatico.run import Run
from simpatico.run.merge import run_labels
from simpatico.wording import join_with_and

Unit = Literal["prompt", "dialog"]
UnitLevel = Literal["dialog", "turn"]

HUMAN = "human"
"""The `system` of turns that people wrote."""
PEOPLE: Literal["people"] = "people"
"""The kind of a score that is people's ratings; columns of ratings begin with it."""
PERCENT = "percentage points"
"""The unit of differences between shares, whose values are percentages."""
MIN_PAIRS = 6
"""Fewest pairs for a test: the smallest two-sided p of five sign flips is 2/2^5 = .0625."""
MIN_VALUES = 4
"""Fewest values of each system: the smallest two-sided p of three against three is 2/20 = .1."""


@dataclass(frozen=True)
class ScoreInfo:
    """A score of a run's metric, as `run.json` describes it."""

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
    validity: Validity = ""


@dataclass(frozen=True)
class ComparedSystem:
    """A system of a run under its name in this comparison; `units` has one row per dialog."""

    name: str
    system: str
    folder: Path
    measures: Mapping[str, ScoreInfo]
    units: pl.DataFrame


@dataclass(frozen=True)
class TwoSamples:
    """The values of two systems on one score; if paired, row i is the same prompt or dialog."""

    measure: ScoreInfo
    a: str
    b: str
    first: Floats
    second: Floats
    unit: Unit
    paired: bool

    @property
    def large_enough(self) -> bool:
        """Whether a test of these samples could be significant at all."""
        minimum = MIN_PAIRS if self.paired else MIN_VALUES
        return min(len(self.first), len(self.second)) >= minimum


@dataclass(frozen=True)
class Selection:
    """Which scores and systems of the runs are compared.

    Of a metric with several scores only the one of its own name, unless `every`; people only where
    there is nobody else, unless `with_human`. With `systems`, these and no others.
    """

    level: UnitLevel = "dialog"
    scores: tuple[str, ...] = ()
    every: bool = False
    with_human: bool = False
    systems: tuple[str, ...] = ()


def select_scores(run: Run, choice: Selection) -> dict[str, ScoreInfo]:
    """The selected scores that this run has at this level."""
    metrics = run.facts["metrics"]  # before the table, since that refuses what is no run
    table = run.scan(choice.level)
    columns = table.collect_schema()
    infos = {}
    for metric, facts in metrics.items():
        for score in facts["scores"]:
            name = score["name"]
            is_chosen = name in choice.scores if choice.scores else choice.every or name == metric
            if is_chosen and name in columns:
                low, high = (float(b) if b is not None else float("nan") for b in score["range"])
                words = {**score_wording(name, score), "kind": facts.get("kind", "")}
                words["validity"] = facts.get("card", {}).get("validity", "")
                bounds, signature = (low, high), facts["signature"]
                infos[name] = ScoreInfo(metric, name, score["better"], bounds, signature, **words)
    return infos


def load_systems(runs: Sequence[Run], choice: Selection) -> list[ComparedSystem]:
    """Every system of every run, in the order of the runs and of their system tables.

    Refused: unknown scores, metrics that only describe a system as a whole (there are no values of
    dialogs), and scores of one name that were computed in different ways.
    """
    if len({run.folder.resolve() for run in runs}) < len(runs):
        raise DataError("the same run is given twice; a comparison needs different ones")
    systems = [system for run in runs for system in load_run_systems(run, choice)]
    scores = dict.fromkeys(score for system in systems for score in system.measures)
    levels = {name: m.get("level") for run in runs for name, m in run.facts["metrics"].items()}
    if not scores and not choice.scores and set(levels.values()) == {"system"}:
        verb = "describes" if len(levels) == 1 else "describe"
        raise DataError(
            f"{join_with_and(list(levels))} {verb} a system as a whole, so that there are no "
            f"values of dialogs to compare; simpatico show {runs[0].folder} prints what there is"
        )
    for score in choice.scores:
        if score not in scores:
            for run in runs:
                run.refuse_system_scores([score])
            every = Selection(choice.level, every=True)
            names = sorted({name for run in runs for name in select_scores(run, every)})
            raise UnknownName(f"no score {score!r}; {suggest_names(score, names)}")
    # Two runs may hold scores of one name from different versions or settings of a metric.
    first: dict[str, ComparedSystem] = {}
    for system in systems:
        for score, measure in system.measures.items():
            other = first.setdefault(score, system)
            if other.measures[score].signature != measure.signature:
                raise DataError(
                    f"{measure.metric} was computed with different settings in {other.folder} and "
                    f"{system.folder} (see run.json); score both runs the same way, or choose "
                    "other scores with --scores"
                )
    return disambiguate_names(systems)


def load_compared(runs: Sequence[Run], choice: Selection) -> list[ComparedSystem]:
    """The systems that are to be compared pair by pair, which must not be too many."""
    systems = load_systems(runs, choice)
    names = [system.name for system in systems]
    for name in choice.systems:
        if name not in names:
            raise UnknownName(f"no system {name!r}; {suggest_names(name, names[: limits.SYSTEMS])}")
    if choice.systems:
        return [system for system in systems if system.name in choice.systems]
    if (n := len(choose_systems(systems, with_human=choice.with_human))) > limits.SYSTEMS:
        raise DataError(
            f"{n:,} systems are too many to compare pair by pair, {limits.SYSTEMS} at most; name "
            "two with --pair, or, if they are users, score again and say who is a person and who a "
            "bot in a column 'role' (or --columns role=NAME)"
        )
    return systems


def load_run_systems(run: Run, choice: Selection) -> list[ComparedSystem]:
    """The systems of one run, with one row per dialog."""
    scores, systems = select_scores(run, choice), []
    means, prompt = pl.col(list(scores)).mean(), pl.col("prompt").drop_nulls().min()
    dialogs, turns = (run.scan(level) for level in ("dialog", choice.level))
    for name in run.at("dialog", ["system"])["system"].drop_nulls().unique().sort():
        # Each system is read alone: a run of any size is never in memory as a whole.
        own = dialogs.filter(pl.col("system") == name)
        if choice.level == "dialog":
            units = own.select("dialog", "prompt", *scores).collect()
            if units["dialog"].n_unique() < units.height:  # several speakers of one system
                units = units.group_by("dialog", maintain_order=True).agg(means, prompt)
        else:
            rows = turns.filter(pl.col("system") == name).select("dialog", *scores).collect()
            prompts = own.group_by("dialog").agg(prompt).collect()
            groups = rows.group_by("dialog", maintain_order=True)
            units = groups.agg(means).join(prompts, on="dialog", how="left")
        systems.append(ComparedSystem(name, name, run.folder, scores, units.sort("dialog")))
    return systems


def disambiguate_names(systems: Sequence[ComparedSystem]) -> list[ComparedSystem]:
    """Systems of one name in different runs get the run's folder name, or else its path.

    Two versions of one bot are the usual case: same system, two runs.
    """
    folders = [system.folder for system in systems]
    labels = dict(zip(folders, run_labels(folders), strict=True))
    counts = Counter(system.system for system in systems)
    return [
        replace(s, name=f"{s.system} ({labels[s.folder]})") if counts[s.system] > 1 else s
        for s in systems
    ]


def choose_systems(
    systems: Sequence[ComparedSystem], *, with_human: bool = False
) -> list[ComparedSystem]:
    """Who is compared, by name: people only if asked for, or if there is nobody else.

    By name, so that nothing depends on the order in which runs are given. People would add pairs
    that nobody asked about, and the correction for all comparisons would be stricter for them.
    """
    others = [system for system in systems if system.system != HUMAN]
    chosen = systems if with_human or not others else others
    return sorted(chosen, key=lambda system: system.name)


def pair_systems(
    systems: Sequence[ComparedSystem], *, with_human: bool = False
) -> list[tuple[ComparedSystem, ComparedSystem]]:
    """All pairs of the systems that are compared."""
    chosen = choose_systems(systems, with_human=with_human)
    if len(chosen) < 2:
        names = ", ".join(repr(system.name) for system in chosen) or "none"
        users = ", or compare it with its users: --with-human" if len(systems) > 1 else ""
        raise DataError(
            f"a comparison needs two systems; there is {names}. Give a second run{users}"
        )
    return list(combinations(chosen, 2))


def build_samples(pairs: Sequence[tuple[ComparedSystem, ComparedSystem]]) -> list[TwoSamples]:
    """For each pair of systems, the values of each score that both have."""
    samples = []
    for a, b in pairs:
        unit, paired = choose_unit(a, b)
        scores = [score for score in a.measures if score in b.measures]
        left, right = (mean_by_unit(system, unit, scores) for system in (a, b))
        # Columns are identifiers, so that a tab as suffix never clashes. Samples are sorted by
        # unit: a permutation p depends on the order of rows.
        both = left.join(right, on=unit, suffix="\t").sort(unit) if paired else None
        for score in scores:
            if both is not None:
                x, y = as_floats(both[score]), as_floats(both[f"{score}\t"])
                complete = np.isfinite(x) & np.isfinite(y)
                x, y = x[complete], y[complete]
            else:
                x, y = as_floats(left[score]), as_floats(right[score])
                x, y = x[np.isfinite(x)], y[np.isfinite(y)]
            samples.append(TwoSamples(a.measures[score], a.name, b.name, x, y, unit, paired))
    return samples


def as_floats(column: pl.Series) -> Floats:
    """A column with NaN for null."""
    return column.cast(pl.Float64).fill_null(float("nan")).to_numpy()


def mean_by_unit(system: ComparedSystem, unit: Unit, scores: Sequence[str]) -> pl.DataFrame:
    """One row per prompt or dialog; a prompt has the mean of its dialogs.

    Dialogs on one prompt are no independent sample of prompts, hence one value for all of them.
    """
    rows = system.units.filter(pl.col(unit).is_not_null())
    # In order: polars otherwise merges sums of parts as threads finish, and last digits differ.
    groups = rows.group_by(unit, maintain_order=True)
    return groups.agg(pl.col(list(scores)).mean()).sort(unit)


def choose_unit(a: ComparedSystem, b: ComparedSystem) -> tuple[Unit, bool]:
    """What counts as one value, and whether the values of the two systems are paired.

    Paired: at least half of the prompts (or, in one run, dialogs) of the system that has fewer are
    shared; with less, pairing would leave most of its data unused. Dialogs are
    shared only within a run, as ids of different runs may coincide by chance.

    Fewer than six prompts with several dialogs each are too few to generalise over prompts;
    then the dialogs are the units, and the finding is about these prompts.
    """
    few = has_few_prompts(a) or has_few_prompts(b)
    keys: list[Unit] = [] if few else ["prompt"]
    if a.folder == b.folder:
        keys.append("dialog")
    for key in keys:
        keys_a, keys_b = (set(system.units[key].drop_nulls()) for system in (a, b))
        n_shared = len(keys_a & keys_b)
        if n_shared and 2 * n_shared >= min(len(keys_a), len(keys_b)):
            return key, True
    complete = not (few or any(system.units["prompt"].null_count() for system in (a, b)))
    return ("prompt" if complete else "dialog"), False


def has_few_prompts(system: ComparedSystem) -> bool:
    """Fewer than six prompts, with several dialogs each."""
    prompts = system.units["prompt"].drop_nulls().n_unique()
    return prompts < MIN_PAIRS and system.units.height >= 2 * prompts
