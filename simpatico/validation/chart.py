"""Scores against judgements as a drawing: the forest of a page, a notebook or a figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from simpatico.charts.forest import Forest, Reach, forest
from simpatico.charts.html import el
from simpatico.charts.notebook import framed
from simpatico.validation.correlations import Correlated
from simpatico.validation.raters.agreement import AgreementRow, statistic
from simpatico.wording import format_count, title_from_name

if TYPE_CHECKING:
    from simpatico.validation.evidence import Evidence

CLEAR = 0.05
WHY = {
    "too_few": "too few rated {unit}s",
    "degenerate": "it or the rating does not vary",
    "not_converged": "no answer",
}
Quality = tuple[str, str]


def clear(p: float | None) -> bool:
    """Whether a corrected p makes a finding."""
    return p is not None and p < CLEAR


def agreed(rows: Sequence[AgreementRow], quality: Quality, score: str) -> AgreementRow | None:
    """A figure of how far the judges of a quality agree."""
    return statistic(rows, *quality, score)


def forest_of(
    evidence: Evidence,
    quality: Quality,
    titles: Mapping[str, str] | None = None,
    kinds: Mapping[str, str] | None = None,
) -> Forest:
    """Every score against one quality, the highest first, beside what judges themselves reach."""
    rows = [r for r in evidence.correlations if (r.quality, r.level) == quality]
    one = agreed(evidence.agreement, quality, "one_more_judge")
    top = agreed(evidence.agreement, quality, "ceiling")
    ordered = sorted(rows, key=lambda r: -(r.value if r.value is not None else -2))
    return Forest(
        rows=tuple(reach(r, quality[1], titles or {}, kinds or {}) for r in ordered),
        one_more=None if one is None or one.value is None else (one.value, one.low, one.high),
        ceiling=top.value if top else None,
        caption=f"Correlation of each metric with “{quality[0]}”",
    )


def reach(row: Correlated, unit: str, titles: Mapping[str, str], kinds: Mapping[str, str]) -> Reach:
    title = titles.get(row.score) or title_from_name(row.score)
    why = WHY.get(row.status, "").format(unit=unit)
    kind = kinds.get(row.score, "O")
    return Reach(title, kind, row.value, row.low, row.high, row.n, clear(row.p_adjusted), why)


def notebook(evidence: Evidence) -> str:
    """A forest for every quality, as a notebook shows it."""
    parts = []
    for quality in dict.fromkeys((r.quality, str(r.level)) for r in evidence.correlations):
        drawn = forest_of(evidence, quality)
        n = max((r.n for r in drawn.rows), default=0)
        about = f"“{quality[0]}”: r with the judgement, {format_count(n, f'rated {quality[1]}')}"
        parts.append([el("p", {"class": "lead"}, about), forest(drawn)])
    return framed(parts)
