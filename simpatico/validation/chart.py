"""Correlations with ratings as a forest plot: on a page, in a notebook or a figure.

The chart also shows what raters reach on the same quality: one more rater, and the noise ceiling.
Both are missing where each unit has one rater.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from simpatico.charts.forest import Forest, ForestRow, forest_table
from simpatico.charts.html import el
from simpatico.charts.svg import notebook_frame
from simpatico.validation.raters.agreement import find_statistic
from simpatico.wording import format_count, title_from_name

if TYPE_CHECKING:
    from simpatico.validation.evidence import Evidence

ALPHA = 0.05
"""Corrected p-values below this are findings."""
MISSING = {
    "too_few": "too few rated {unit}s",
    "degenerate": "metric or rating does not vary",
    "not_converged": "did not converge",
}
"""Why there is no correlation, by its status; short, as it stands in a row of the plot."""
SYMBOLS = {"pearson": "r", "spearman": "ρ", "kendall": "τ"}
"""The heading of a column says which coefficient it is; their sizes are not comparable."""
Quality = tuple[str, str]
"""The name of a quality and the level it was rated at."""


def is_significant(p: float | None) -> bool:
    """Whether a corrected p is below 5%."""
    return p is not None and p < ALPHA


def correlation_forest(
    evidence: Evidence,
    quality: Quality,
    titles: Mapping[str, str] | None = None,
    kinds: Mapping[str, str] | None = None,
) -> Forest:
    """Every score's correlation with one quality, highest first, and what raters reach.

    Scores without a title are shown by their names, and without a kind as "other" (O).
    """
    rows = [r for r in evidence.correlations if (r.quality, r.level) == quality]
    one = find_statistic(evidence.agreement, *quality, "one_more_judge")
    top = find_statistic(evidence.agreement, *quality, "ceiling")
    return Forest(
        rows=tuple(
            ForestRow(
                title=(titles or {}).get(row.score) or title_from_name(row.score),
                kind=(kinds or {}).get(row.score, "O"),
                value=row.value,
                low=row.low,
                high=row.high,
                n=row.n,
                clear=is_significant(row.p_adjusted),
                why=MISSING.get(row.status, "").format(unit=quality[1]),
                partial=row.length_held_constant.value if row.length_held_constant else None,
            )
            # Scores without a value come last: no correlation is below −1.
            for row in sorted(rows, key=lambda r: -(r.value if r.value is not None else -2))
        ),
        one_more=None if one is None or one.value is None else (one.value, one.low, one.high),
        ceiling=top.value if top else None,
        caption=f"Correlation of each metric with “{quality[0]}”",
    )


def evidence_notebook(evidence: Evidence) -> str:
    """A forest for every quality, as a notebook shows it."""
    parts = []
    for quality in dict.fromkeys((r.quality, str(r.level)) for r in evidence.correlations):
        plot = correlation_forest(evidence, quality)
        n = max((r.n for r in plot.rows), default=0)
        units = format_count(n, f"rated {quality[1]}")
        about = f"“{quality[0]}”: correlation with human ratings, {units}"
        parts.append([el("p", {"class": "lead"}, about), forest_table(plot)])
    return notebook_frame(parts)
