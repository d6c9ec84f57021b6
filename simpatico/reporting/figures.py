"""Figures for papers: the drawings of the page, each alone and as wide as a column."""

from __future__ import annotations

from collections.abc import Callable

from simpatico.charts import differences as gaps
from simpatico.charts import dots, forest, radar
from simpatico.charts import heatmap as heat
from simpatico.charts import incremental as tpt
from simpatico.charts.html import Html
from simpatico.charts.svg import mm_to_pixels
from simpatico.charts.systems import assign_styles
from simpatico.comparison.chart import pair_table
from simpatico.errors import BadValue, DataError, UnknownName, suggest_names
from simpatico.reporting.findings import Findings
from simpatico.reporting.minimum_data import (
    HEAT_DIALOGS,
    RADAR_DIALOGS,
    RADAR_METRICS,
    RATED,
    RATED_MODELS,
)
from simpatico.reporting.sections.incremental import gain_block
from simpatico.reporting.sections.overlap import heatmap_data as heat_of
from simpatico.reporting.sections.overlap import largest_pair_count
from simpatico.reporting.sections.side_by_side import build_radars, metric_groups, radar_systems
from simpatico.validation.chart import Quality, correlation_forest

NARROWEST, WIDEST = 40, 400
"""Millimetres."""


def draw_figure(
    found: Findings, kind: str, *, quality: str | None = None, width: float = 84
) -> Html:
    """The figure called `kind`, so many millimetres wide."""
    if kind not in FIGURES:
        raise UnknownName(f"no figure {kind!r}; {suggest_names(kind, FIGURES)}")
    if not NARROWEST <= width <= WIDEST:  # not a number is neither
        raise BadValue(f"a figure is {NARROWEST} to {WIDEST} millimetres wide, not {width:g}")
    return FIGURES[kind](found, quality, mm_to_pixels(width))


def draw_dots(found: Findings, quality: str | None, width: float) -> Html:
    return dots.dots_figure(
        metric_groups(found, assign_styles(found.systems, found.main or ())), width
    )


def draw_radar(found: Findings, quality: str | None, width: float) -> Html:
    """The radar of the first kind of metric that has enough of them."""
    who = assign_styles(found.systems, found.main or ())
    enough = radar_systems(found)
    drawn = [
        r
        for r in build_radars(metric_groups(found, who), enough, who)
        if len(r.spokes) >= RADAR_METRICS
    ]
    if not enough or not drawn:
        raise DataError(
            f"a radar needs {RADAR_DIALOGS} dialogs per system and {RADAR_METRICS} metrics that "
            "all its systems have; use figure dots instead"
        )
    return radar.radar_figure(drawn[0], width)


def draw_heatmap(found: Findings, quality: str | None, width: float) -> Html:
    n = largest_pair_count(found.structure)
    if n < HEAT_DIALOGS:
        raise DataError(f"a heat map needs {HEAT_DIALOGS} dialogs with two scores; there are {n}")
    return heat.heatmap_figure(heat_of(found), width)


def draw_forest(found: Findings, quality: str | None, width: float) -> Html:
    """Correlations with human ratings; without ratings the differences between two systems."""
    if found.judgements is None:
        if found.main is None:
            raise DataError("there are no two systems to compare, and no --judgements were given")
        who = assign_styles(found.systems, found.main)
        return gaps.difference_figure(pair_table(found.pairs[found.main], who), width)
    chosen = find_quality(found, quality)
    kinds = {s.name: s.kind for s in found.scores}
    drawn = correlation_forest(found.required_evidence, chosen, found.titles, kinds)
    n = max((r.n for r in drawn.rows), default=0)
    if n < RATED:
        raise DataError(f"{chosen[0]!r} has {n} rated {chosen[1]}s; a forest needs {RATED}")
    return forest.forest_figure(drawn, width)


def draw_incremental(found: Findings, quality: str | None, width: float) -> Html:
    wanted = [find_quality(found, quality)] if quality else found.qualities
    if not found.required_evidence.incremental:
        wanted = []
    blocks = [b for q in wanted if (b := gain_block(found, q))]
    if not blocks:
        raise DataError(
            f"T, P and P+T need {RATED_MODELS} rated units, and scores of traditional and of other "
            "metrics; add --metrics length,question_rate when scoring"
        )
    return tpt.incremental_figure(blocks, width)


def find_quality(found: Findings, quality: str | None) -> Quality:
    """The quality by name, or the one the page leads with."""
    if not found.required_evidence.correlations:
        raise DataError("no rated dialog or turn has a score")
    if quality is None:
        return found.qualities[0]
    for known in found.qualities:
        if known[0] == quality:
            return known
    names = [q[0] for q in found.qualities]
    raise UnknownName(f"no ratings of quality {quality!r}; {suggest_names(quality, names)}")


FIGURES: dict[str, Callable[[Findings, str | None, float], Html]] = {
    "radar": draw_radar,
    "heatmap": draw_heatmap,
    "forest": draw_forest,
    "dots": draw_dots,
    "tpt": draw_incremental,
}
