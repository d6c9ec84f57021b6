"""People first: ratings as one more score of a comparison, and which scores follow these raters.

A dialog's value is the mean over its judges; ratings of turns are averaged within the dialog. Where
all ratings are 0 or 1 (or -1 and 1), as thumbs are, it is the percentage of positive ones.
Example: thumbs 1, 0, 1 of three judges make 66.7; ratings 4 and 5 make 4.5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from simpatico.comparison.difference import (
    ComparisonSettings,
    Difference,
    Differences,
    compare_systems,
)
from simpatico.comparison.samples import (
    HUMAN,
    PEOPLE,
    PERCENT,
    ComparedSystem,
    ScoreInfo,
    Selection,
    choose_systems,
    load_compared,
)
from simpatico.comparison.slices import Slices, compare_slices, slices_as_systems
from simpatico.judgements import Judgements
from simpatico.run import Run
from simpatico.run.columns import slice_dialogs
from simpatico.turns import KEYS, Level
from simpatico.validation.chart import Quality, is_significant
from simpatico.validation.correlations import CorrelationRow
from simpatico.validation.evidence import with_run_ids
from simpatico.validation.matching import match_units
from simpatico.validation.raters.preparation import drop_mixed_scales

OVERALL = ("overall", "quality")
"""Beginnings of names of qualities that lead: ratings of a dialog as a whole."""
RATED = 30
"""Rated units for a correlation: with 30, two unrelated metrics correlate beyond ±.36 once in 20
times (Fisher)."""
THUMBS = ({0.0, 1.0}, {-1.0, 1.0})
"""Values of ratings that only say yes or no."""


def compare_with_ratings(
    run: Run,
    judgements: Judgements | None,
    correlations: Sequence[CorrelationRow] = (),
    choice: Selection | None = None,
    settings: ComparisonSettings | None = None,
) -> Differences:
    """Every pair of systems: people's ratings first, then every score, with who follows whom.

    `correlations`: those of the scores with these ratings, which decide whether a score follows
    these raters.
    """
    choice = choice or Selection()
    systems = load_rated_systems(run, judgements, choice)
    lead = correlations_with_lead(correlations)
    differences = compare_systems(systems, choice, settings)
    return Differences(with_raters(d, lead.get(d.score)) for d in differences)


def compare_by(
    by: str,
    run: Run,
    judgements: Judgements | None,
    correlations: Sequence[CorrelationRow] = (),
    choice: Selection | None = None,
    settings: ComparisonSettings | None = None,
) -> Slices | Differences:
    """The pairs of systems within each slice; of one system, its slices with each other."""
    choice = choice or Selection()
    systems = load_rated_systems(run, judgements, choice)
    lead = correlations_with_lead(correlations)
    slices = by, slice_dialogs(run, by)
    compared = choose_systems(systems, with_human=choice.with_human)
    if len(compared) == 1:
        parts = slices_as_systems(compared[0], slices)
        own = compare_systems(parts, choice, settings)
        return Differences(with_raters(d, lead.get(d.score)) for d in own)
    found = compare_slices(systems, slices, choice, settings)
    rows = [
        replace(row, difference=with_raters(row.difference, lead.get(row.difference.score)))
        for row in found.rows
    ]
    return replace(found, rows=rows)


def load_rated_systems(
    run: Run, judgements: Judgements | None, choice: Selection
) -> list[ComparedSystem]:
    """The systems of a run, with people's ratings as scores where there are some."""
    systems = load_compared([run], choice)
    if judgements is None:
        return systems
    return add_ratings(run, systems, with_run_ids(run, judgements))


def add_ratings(
    run: Run, systems: Sequence[ComparedSystem], judgements: Judgements
) -> list[ComparedSystem]:
    """The systems with a score for each rated quality, before all others; the leading one first."""
    usable, _ = drop_mixed_scales(judgements)
    infos, ratings = {}, {}
    for name, (quality, level) in rating_columns(usable).items():
        frame = usable.frame.filter(pl.col("turn").is_not_null() == (level == "turn"))
        own = frame.filter(quality=quality)
        infos[name] = describe_rating(name, quality, own)
        ratings[name] = dialog_ratings(run, own, thumbs=infos[name].unit == PERCENT)
    result = []
    for system in systems:
        units = system.units
        for name, frame in ratings.items():
            values = frame.filter(system=system.system).select(
                "dialog", pl.col("value").alias(name)
            )
            units = units.join(values, on="dialog", how="left", maintain_order="left")
        result.append(replace(system, units=units, measures={**infos, **system.measures}))
    return result


def rating_columns(judgements: Judgements) -> dict[str, Quality]:
    """A column for every quality at every level it was rated at, the leading one first."""
    rated = judgements.frame.filter(pl.col("value").is_not_null())
    of_turn = pl.when(pl.col("turn").is_null()).then(pl.lit("dialog")).otherwise(pl.lit("turn"))
    counts = rated.group_by("quality", level=of_turn).len().iter_rows()
    qualities = rank_qualities({(quality, level): n for quality, level, n in counts})
    dialogs = {quality for quality, level in qualities if level == "dialog"}
    return {
        f"{PEOPLE}: {quality}{' (turns)' * (level == 'turn' and quality in dialogs)}": (
            quality,
            level,
        )
        for quality, level in qualities
    }


def describe_rating(name: str, quality: str, ratings: pl.DataFrame) -> ScoreInfo:
    """The words for a rated quality; whether more of it is better only its raters know."""
    values = set(ratings["value"].drop_nulls())
    ends = {v for c in ("scale_min", "scale_max") for v in ratings[c].drop_nulls()}
    thumbs = any(values | ends <= thumb for thumb in THUMBS)
    return ScoreInfo(
        metric=PEOPLE,
        score=name,
        better=None,
        range=(float("nan"), float("nan")),
        signature=PEOPLE,
        title=name.removeprefix(f"{PEOPLE}: "),
        more=f"is rated higher on “{quality}” than",
        less=f"is rated lower on “{quality}” than",
        unit=PERCENT if thumbs else "",
        kind=PEOPLE,
    )


def dialog_ratings(run: Run, ratings: pl.DataFrame, *, thumbs: bool) -> pl.DataFrame:
    """The mean rating of each system's part in each dialog; of thumbs the percentage up.

    A rating that names no speaker is about the system that people talk with, not about people.
    """
    value = pl.col("value")
    if thumbs:
        ratings = ratings.with_columns((value > 0) * 100.0)  # null stays null
    gold = Judgements(ratings).gold("mean")
    level: Level = "dialog" if ratings["turn"].null_count() else "turn"
    units = run.at(level, KEYS[level])
    people = units.filter(pl.col("system") == HUMAN)
    systems = units.filter(pl.col("system") != HUMAN)
    named = gold.filter(pl.col("speaker").is_not_null()) if systems.height else gold
    parts = [match_units(*own, level).frame for own in ((people, named), (systems, gold))]
    return pl.concat(parts).group_by("system", "dialog", maintain_order=True).agg(value.mean())


def rank_qualities(units: Mapping[Quality, int]) -> list[Quality]:
    """What was rated, at which level, by how many units: the leading quality first.

    Overall quality leads, whole dialogs come before turns, and more ratings before fewer.
    """

    def rank(quality: str) -> int:
        name = quality.lower()
        return next((i for i, word in enumerate(OVERALL) if name.startswith(word)), len(OVERALL))

    return sorted(units, key=lambda q: (rank(q[0]), q[1] == "turn", -units[q], q))


def correlated_qualities(rows: Sequence[CorrelationRow]) -> list[Quality]:
    """The qualities that scores were correlated with, the leading one first."""
    return rank_qualities({(r.quality, str(r.level)): r.n + r.nulls for r in rows})


def correlations_with_lead(rows: Sequence[CorrelationRow]) -> dict[str, CorrelationRow]:
    """The correlation of each score with the leading quality."""
    lead = correlated_qualities(rows)[:1]
    return {r.score: r for r in rows if (r.quality, str(r.level)) in lead}


def rating_direction(row: CorrelationRow | None, better: str | None) -> int | None:
    """1 where a score correlates significantly with ratings, -1 in the wrong direction, else 0.

    Where lower is better, falling as ratings rise is the right one. Null with too few ratings.
    """
    if row is None or row.n < RATED:
        return None
    if row.value is None or not is_significant(row.p_adjusted):
        return 0
    return 1 if (row.value > 0) == (better != "lower") else -1


def with_raters(d: Difference, row: CorrelationRow | None) -> Difference:
    """The difference, its evidence being what raters of this run say where they say anything."""
    direction = rating_direction(row, d.better)
    if direction == 1:
        return replace(d, evidence="follows these raters")
    return replace(d, evidence="weak") if direction == -1 and d.better else d
