"""Judges' answers as scores of dialogs, apart from people's ratings, to estimate these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from simpatico.comparison.samples import (
    HUMAN,
    PEOPLE,
    ComparedSystem,
    ScoreInfo,
    Selection,
    choose_systems,
)
from simpatico.errors import DataError, UnknownName
from simpatico.judgements import UNIT, Judgements
from simpatico.run import Run
from simpatico.validation.evidence import with_run_ids
from simpatico.validation.people import dialog_ratings, load_rated_systems

MODEL = "model"
"""The `judge_kind` of judges that are no people."""
TURNS = "turns"
"""The number of turns of a dialog."""


def split_judges(*files: Judgements | None) -> tuple[Judgements | None, Judgements | None]:
    """People's ratings of all files, and those of models; null where there are none."""
    frames = [file.frame for file in files if file is not None]
    if not frames:
        return None, None
    frame = pl.concat(frames)
    is_model = pl.col("judge_kind").eq_missing(MODEL)
    people, models = (Judgements(frame.filter(rows)) for rows in (~is_model, is_model))
    return (people if len(people) else None), (models if len(models) else None)


def load_judged_systems(
    run: Run, people: Judgements | None, judges: Judgements | None, choice: Selection
) -> list[ComparedSystem]:
    """The systems with all that may stand in for ratings of their dialogs, people's ratings first.

    That is their scores, judges' answers and, unless scores are named, the same scores of those
    they talked with and the number of turns: whether people talk on says how they like it.
    """
    loaded = load_rated_systems(run, people, choice)
    systems = choose_systems(loaded, with_human=choice.with_human)
    columns: dict[str, pl.DataFrame] = {}
    if judges is not None:
        columns |= judge_columns(run, with_run_ids(run, judges))
    if not choice.scores:
        users = [s for s in loaded if s.system == HUMAN and s not in systems]
        columns |= {
            f"{HUMAN}: {name}": user_scores(user, name)
            for user in users
            for name in user.measures
            if user.measures[name].kind != PEOPLE
        }
        columns[TURNS] = (
            run.scan("turn").group_by("dialog").agg(value=pl.len().cast(pl.Float64)).collect()
        )
    return [add_columns(system, columns) for system in systems]


def judge_columns(run: Run, judges: Judgements) -> dict[str, pl.DataFrame]:
    """Each judge's answers by dialog; the name has the quality if there are several."""
    frame = judges.frame.filter(pl.col("value").is_not_null())
    names = frame.select("judge", "quality").unique().sort("judge", "quality").rows()
    columns = {}
    for judge, quality in names:
        several = sum(other == judge for other, _ in names) > 1
        own = frame.filter(pl.col("judge").eq_missing(judge), quality=quality)
        name = f"{judge or MODEL}: {quality}" if several else judge or MODEL
        columns[name] = dialog_ratings(run, own, thumbs=False)
    return columns


def user_scores(user: ComparedSystem, name: str) -> pl.DataFrame:
    """A score of the people in each dialog."""
    return user.units.select("dialog", pl.col(name).alias("value"))


def add_columns(system: ComparedSystem, columns: Mapping[str, pl.DataFrame]) -> ComparedSystem:
    """The system with these columns by dialog; a score of the same name stays."""
    units, infos, nan = system.units, dict(system.measures), float("nan")
    for name, frame in columns.items():
        if name in units.columns:
            continue
        if "system" in frame.columns:
            frame = frame.filter(system=system.system)
        values = frame.select("dialog", pl.col("value").alias(name))
        units = units.join(values, on="dialog", how="left", maintain_order="left")
        infos[name] = ScoreInfo(name, name, None, (nan, nan), "", title=name)
    return replace(system, units=units, measures=infos)


def leading_quality(qualities: Sequence[str], asked: str | None) -> str:
    """The column of the quality asked for, or the leading one."""
    prefix_free = {name.partition(": ")[2]: name for name in qualities}
    if asked is None:
        if not qualities:
            raise DataError("people rated no dialog of these systems; give ratings of some")
        return qualities[0]
    if asked not in prefix_free:
        known = ", ".join(prefix_free) or "none"
        raise UnknownName(f"no ratings of quality {asked!r}; there are {known}")
    return prefix_free[asked]


def rating_noise(
    judgements: Judgements, quality: str, *, percent: bool
) -> tuple[float | None, float]:
    """Variance of the ratings that people gave one dialog, and how many each has.

    Null where no dialog has two, or where turns were rated, whose means vary for other reasons.
    The number is the harmonic mean, as the variance of a mean falls with 1 / n.
    """
    rated = judgements.frame.filter(pl.col("value").is_not_null(), quality=quality)
    if rated.is_empty() or rated["turn"].count():
        return None, 1.0
    value = (pl.col("value") > 0) * 100.0 if percent else pl.col("value")
    dialogs = rated.group_by(UNIT).agg(n=pl.len(), squares=value.var() * (pl.len() - 1))
    raters = dialogs.height / float((1 / dialogs["n"]).sum())
    free = int((dialogs["n"] - 1).sum())
    return (float(dialogs["squares"].sum()) / free if free else None), raters
