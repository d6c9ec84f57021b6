"""Correlations with ratings as a forest plot: on a page, in a notebook or a figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from simpatico.charts.forest import Forest, ForestRow, forest_table
from simpatico.charts.html import el
from simpatico.charts.svg import notebook_frame
from simpatico.validation.correlations import CorrelationRow
from simpatico.validation.raters.agreement import AgreementRow, find_statistic
from simpatico.wording import format_count, title_from_name

if TYPE_CHECKING:
    from simpatico.validation.evidence import Evidence

ALPHA = 0.05
"""Corrected p-values below this are findings."""
MISSING = {
    "too_few": "too few rated {unit}s",
    "degenerate": "it or the rating does not vary",
    "not_converged": "no answer",
}
Quality = tuple[str, str]
"""The name of a quality and the level it was rated at."""


def is_significant(p: float | None) -> bool:
    """Whether a corrected p is below 5%."""
    return p is not None and p < ALPHA


def quality_statistic(
    rows: Sequence[AgreementRow], quality: Quality, score: str
) -> AgreementRow | None:
    """A statistic of the agreement of those who rated a quality."""
    return find_statistic(rows, *quality, score)


def correlation_forest(
    evidence: Evidence,
    quality: Quality,
    titles: Mapping[str, str] | None = None,
    kinds: Mapping[str, str] | None = None,
) -> Forest:
    """Every score's correlation with one quality, highest first, and what raters reach."""
    rows = [r for r in evidence.correlations if (r.quality, r.level) == quality]
    one = quality_statistic(evidence.agreement, quality, "one_more_judge")
    top = quality_statistic(evidence.agreement, quality, "ceiling")
    ordered = sorted(rows, key=lambda r: -(r.value if r.value is not None else -2))
    return Forest(
        rows=tuple(forest_row(r, quality[1], titles or {}, kinds or {}) for r in ordered),
        one_more=None if one is None or one.value is None else (one.value, one.low, one.high),
        ceiling=top.value if top else None,
        caption=f"Correlation of each metric with “{quality[0]}”",
    )


def forest_row(
    row: CorrelationRow, unit: str, titles: Mapping[str, str], kinds: Mapping[str, str]
) -> ForestRow:
    """One score's line of the forest; without a value it says why."""
    title = titles.get(row.score) or title_from_name(row.score)
    why = MISSING.get(row.status, "").format(unit=unit)
    kind = kinds.get(row.score, "O")
    return ForestRow(
        title, kind, row.value, row.low, row.high, row.n, is_significant(row.p_adjusted), why
    )


def evidence_notebook(evidence: Evidence) -> str:
    """A forest for every quality, as a notebook shows it."""
    parts = []
    for quality in dict.fromkeys((r.quality, str(r.level)) for r in evidence.correlations):
        plot = correlation_forest(evidence, quality)
        n = max((r.n for r in plot.rows), default=0)
        about = f"“{quality[0]}”: r with the judgement, {format_count(n, f'rated {quality[1]}')}"
        parts.append([el("p", {"class": "lead"}, about), forest_table(plot)])
    return notebook_frame(parts)
