"""Figures for papers: the charts of the page, each alone and as wide as a column.

They are laid out anew for their width instead of scaled, so that letters keep the size of print.
What the page would not draw for lack of data is refused here as well, with the minimum it needs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from simpatico.charts.differences import difference_figure
from simpatico.charts.dots import dots_figure
from simpatico.charts.forest import forest_figure, kinds_legend
from simpatico.charts.heatmap import heatmap_figure
from simpatico.charts.html import Html
from simpatico.charts.incremental import incremental_figure
from simpatico.charts.radar import radar_figure
from simpatico.charts.svg import mm_to_pixels
from simpatico.comparison.chart import pair_table
from simpatico.errors import BadValue, DataError, UnknownName, suggest_names
from simpatico.reporting import minimum_data as minimum
from simpatico.reporting.findings import Findings
from simpatico.reporting.sections.incremental import gain_blocks
from simpatico.reporting.sections.overlap import heatmap_data, largest_pair_count
from simpatico.reporting.sections.side_by_side import build_radars, metric_groups
from simpatico.validation.chart import SYMBOLS, Quality, correlation_forest

NARROWEST, WIDEST = 40, 400
"""Millimetres: half a column of a journal, and the width of an A3 sheet."""


def draw_figure(
    findings: Findings, kind: str, *, quality: str | None = None, width: float = 84
) -> Html:
    """The figure called `kind`, so many millimetres wide; 84 is a column of most journals."""
    if kind not in FIGURES:
        raise UnknownName(f"no figure {kind!r}; {suggest_names(kind, FIGURES)}")
    if not NARROWEST <= width <= WIDEST:  # not a number is neither
        raise BadValue(f"a figure is {NARROWEST} to {WIDEST} millimetres wide, not {width:g}")
    return FIGURES[kind](findings, quality, mm_to_pixels(width))


def draw_dots(findings: Findings, quality: str | None, width: float) -> Html:
    """Means and intervals of every metric; needs no minimum, as intervals say what is not known."""
    return dots_figure(metric_groups(findings), width)


def draw_radar(findings: Findings, quality: str | None, width: float) -> Html:
    """The radar of the first kind of metric that has enough of them."""
    if radars := build_radars(findings, metric_groups(findings)):
        return radar_figure(radars[0], width)
    raise DataError(
        f"a radar needs {minimum.RADAR_DIALOGS} dialogs per system and {minimum.RADAR_METRICS} "
        "metrics that all its systems have; use figure dots instead"
    )


def draw_heatmap(findings: Findings, quality: str | None, width: float) -> Html:
    """Correlations between the metrics, clustered."""
    n = largest_pair_count(findings.structure)
    if n < minimum.HEAT_DIALOGS:
        minimum_size = f"{minimum.HEAT_DIALOGS} dialogs with two scores"
        raise DataError(f"a heat map needs {minimum_size}; there are {n}")
    chart = heatmap_data(findings)
    caption = f"{chart.caption}. {kinds_legend(chart.kinds)}."
    return heatmap_figure(replace(chart, caption=caption), width)


def draw_forest(findings: Findings, quality: str | None, width: float) -> Html:
    """Correlations with human ratings; without ratings the differences between two systems."""
    if findings.judgements is None and findings.preferences is None:
        if findings.main is None:
            raise DataError("there are no two systems to compare, and no --judgements were given")
        chart = pair_table(findings.pairs[findings.main], findings.styles)
        return difference_figure(chart, width)
    name, level = find_quality(findings, quality)
    evidence = findings.required_evidence
    forest = correlation_forest(evidence, (name, level), findings.titles, findings.kinds)
    n = max((r.n for r in forest.rows), default=0)
    if n < minimum.RATED:
        raise DataError(f"{name!r} has {n} rated {level}s; a forest needs {minimum.RATED}")
    legend = kinds_legend(r.kind for r in forest.rows)
    hollow = "" if all(r.clear for r in forest.rows) else " Hollow: not significant."
    caption = f"{forest.caption}. {legend}.{hollow}"
    symbol = SYMBOLS[findings.correlation]
    return forest_figure(replace(forest, caption=caption, symbol=symbol), width)


def draw_incremental(findings: Findings, quality: str | None, width: float) -> Html:
    """Adjusted R² with and without each psychological metric, for one quality or for all."""
    qualities = [find_quality(findings, quality)] if quality else findings.qualities
    if not findings.required_evidence.incremental:
        qualities = []
    blocks = gain_blocks(findings, qualities)
    if not blocks:
        raise DataError(
            f"T, P and P+T need {minimum.RATED_MODELS} rated units, and scores of traditional and "
            "of other metrics; add --metrics length,question_rate when scoring"
        )
    return incremental_figure(blocks, width)


def find_quality(findings: Findings, name: str | None) -> Quality:
    """The quality by name, or the one the page leads with."""
    if not findings.required_evidence.correlations:
        raise DataError("no rated dialog or turn has a score")
    if name is None:
        return findings.qualities[0]
    by_name = {q[0]: q for q in reversed(findings.qualities)}  # rated at two levels: the first
    if name not in by_name:
        names = [q[0] for q in findings.qualities]
        raise UnknownName(f"no ratings of quality {name!r}; {suggest_names(name, names)}")
    return by_name[name]


FIGURES: dict[str, Callable[[Findings, str | None, float], Html]] = {
    "radar": draw_radar,
    "heatmap": draw_heatmap,
    "forest": draw_forest,
    "dots": draw_dots,
    "tpt": draw_incremental,
}
"""All by their names on the command line; `quality` is what forest and tpt are about."""
