"""Units that people rated and judges answered, side by side: one matrix of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from simpatico.arrays import Floats, Ints
from simpatico.comparison.samples import as_floats
from simpatico.errors import DataError
from simpatico.judge_answers import JudgeAnswers
from simpatico.judgements import Judgements, format_bound
from simpatico.stats.result import Row
from simpatico.validation.raters.ratings import KEY, RatingMatrix, index_keys, rating_matrix
from simpatico.wording import format_count, join_with_and

SCALE = ["scale_min", "scale_max"]


@dataclass(frozen=True, kw_only=True)
class JudgeRow(Row):
    """One statistic of one judge; `against`: the judge it is compared with; null: all judges."""

    judge: str | None
    against: str | None = None


@dataclass(frozen=True)
class JudgedUnits:
    """What people and judges said about one quality of the same units.

    `judges`: units × judges (`names`), the mean of a judge's repeats; `answers`: every answer to
    this quality, those about units that nobody rated included; `ratings`: people's judgements.
    """

    quality: str
    level: str
    people: RatingMatrix
    judges: Floats
    names: list[str]
    answers: pl.DataFrame
    ratings: pl.DataFrame

    @property
    def clusters(self) -> Ints:
        """The dialog of each unit, as a number."""
        return self.people.dialogs

    @property
    def gold(self) -> Floats:
        """The mean rating of each unit."""
        present = np.isfinite(self.people.matrix)
        sums = np.where(present, self.people.matrix, 0.0).sum(axis=1)
        return np.asarray(sums / np.maximum(present.sum(axis=1), 1))

    def row(self, judge: str | None, score: str, **fields: object) -> JudgeRow:
        """A row about a judge of this quality."""
        named = {"p_adjusted": None, **fields}
        return JudgeRow(quality=self.quality, level=self.level, judge=judge, score=score, **named)  # type: ignore[arg-type]


def judged_units(people: Judgements, answers: JudgeAnswers) -> tuple[list[JudgedUnits], list[str]]:
    """A value for each quality and level that both people and judges rated, and notes."""
    notes = list(dict.fromkeys([*people.notes, *answers.notes]))
    merged = replace(answers, notes=()).judgements().frame
    frames, groups = (people.frame, merged, answers.frame), list[JudgedUnits]()
    for quality, level, parts in shared_qualities(*frames, of_pairs=answers.of_pairs):
        rated, judged, single = match_speakers(*parts)
        if problem := scale_problem(quality, rated, judged):
            notes.append(problem)
            continue
        rated = rated.filter(pl.col("value").is_not_null())
        shared = rated.join(judged, on=KEY, how="semi", nulls_equal=True, maintain_order="left")
        if shared.is_empty():
            continue
        matrix = rating_matrix(shared, quality)
        names = judged["judge"].unique().sort().to_list()
        units = matrix.units.with_row_index("_row")
        cells = judged.join(units, on=KEY, nulls_equal=True, maintain_order="left")
        columns = index_keys(pl.concat([judged, cells], how="diagonal"), ["judge"])[1]
        judges = np.full((units.height, len(names)), np.nan)
        judges[cells["_row"].to_numpy(), columns[judged.height :]] = as_floats(cells["value"])
        if missing := units.height - int(np.isfinite(judges).any(axis=1).sum()):
            notes.append(f"{quality}: {format_count(missing, 'rated unit')} without any answer")
        groups.append(JudgedUnits(quality, level, matrix, judges, names, single, shared))
    if not groups:
        raise DataError(no_shared_unit(people.frame, merged, notes))
    return groups, notes


def shared_qualities(
    people: pl.DataFrame, merged: pl.DataFrame, single: pl.DataFrame, *, of_pairs: bool
) -> Iterator[tuple[str, str, list[pl.DataFrame]]]:
    """Each quality and level that is in both, with its rows of the three tables."""
    for quality in people["quality"].unique().sort():
        for of_turns in (True, False):
            rows = pl.col("turn").is_not_null() == of_turns
            parts = [f.filter(rows, quality=quality) for f in (people, merged, single)]
            if all(part.height for part in parts):
                yield quality, "turn" if of_turns else "pair" if of_pairs else "dialog", parts


def match_speakers(*frames: pl.DataFrame) -> list[pl.DataFrame]:
    """The tables without speakers where one of them names none, or a turn says whose it is."""
    of_turns = frames[0]["turn"].null_count() == 0
    unnamed = any(frame["speaker"].null_count() == frame.height for frame in frames)
    if not of_turns and not unnamed:
        return list(frames)
    bare = [frame.with_columns(speaker=pl.lit(None, pl.String)) for frame in frames]
    key = [*KEY, "judge", "judge_kind"]
    people = bare[0].filter(pl.col("judge").is_not_null())
    # both sides of a dialog were rated, and nobody says whose side the others are about
    return list(frames) if people.select(key).is_duplicated().any() else bare


def scale_problem(quality: str, rated: pl.DataFrame, judged: pl.DataFrame) -> str | None:
    """Why ratings and answers cannot be compared: they are on different scales."""
    scales = [frame.select(SCALE).drop_nulls().unique().sort(SCALE) for frame in (rated, judged)]
    if any(scale.is_empty() for scale in scales) or scales[0].equals(scales[1]):
        return None
    theirs, ours = (
        join_with_and([f"{format_bound(low)} to {format_bound(high)}" for low, high in s.rows()])
        for s in scales
    )
    return (
        f"quality {quality!r} was rated on {theirs} and judged on {ours}, and left out; rescale "
        "the answers to the ratings' scale"
    )


def no_shared_unit(people: pl.DataFrame, judged: pl.DataFrame, notes: list[str]) -> str:
    """Why people and judges have nothing in common, in one sentence."""
    if scale := next((text for text in notes if "was rated on" in text), None):
        return scale
    ours, theirs = (sorted(frame["quality"].unique()) for frame in (people, judged))
    if not set(ours) & set(theirs):
        return (
            f"people rated {join_with_and(ours)} and the judges {join_with_and(theirs)}; give "
            "qualities the same names in both files"
        )
    return (
        "people and judges have no unit in common; dialog ids and turn numbers must be the same "
        f"({people['dialog'][0]!r} was rated, {judged['dialog'][0]!r} was judged)"
    )
