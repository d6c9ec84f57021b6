"""Figures of metrics and people as evidence: rows for `data/evidence.json`, and their summary."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from simpatico.evidence import EvidenceRow, ScoreEvidence
from simpatico.reproduction.cells import Cell
from simpatico.reproduction.metrics_and_people import MEAN, PUBLISHED
from simpatico.reproduction.psychological_metrics.data import SETS

TRAINED_ON = {
    "predicted_rating": ("D7",),
    "predicted_rating[core]": ("D7",),
}
"""Data sets whose ratings a shipped model has seen; such figures are left out of every mean.

The models of engagement, emotions and traits were trained on other data (see their cards)."""
DIGITS = 4


def evidence_rows(cells: Sequence[Cell]) -> list[EvidenceRow]:
    """The figures of metrics that were run here in their usual mode, with the mean of judges."""
    data_sets, today = {s.name: s for s in SETS}, date.today().isoformat()

    def rounded(value: float | None) -> float | None:
        return None if value is None else round(value, DIGITS)

    return [
        EvidenceRow(
            score=cell.column,
            data=cell.row,
            quality=" and ".join(data_sets[cell.row].qualities),
            level="dialog" if data_sets[cell.row].rates_dialogs else "turn",
            rho=round(cell.ours, DIGITS),
            low=rounded(cell.low),
            high=rounded(cell.high),
            without_length=rounded(cell.without_length),
            n=cell.n,
            scored=round(cell.scored or 0.0, DIGITS),
            date=today,
            trained_on=cell.row in TRAINED_ON.get(cell.column, ()),
        )
        for cell in cells
        if cell.table == MEAN
        and cell.ours is not None
        and ", " not in cell.column
        and PUBLISHED not in cell.note
    ]


def summary_rows(rows: Sequence[EvidenceRow]) -> list[ScoreEvidence]:
    """The evidence of each score, the largest mean rho first; those without a mean last."""
    names = dict.fromkeys(row.score for row in rows)
    all_scores = [ScoreEvidence(name, tuple(r for r in rows if r.score == name)) for name in names]
    return sorted(all_scores, key=lambda e: (e.mean is None, -(e.mean or 0.0), e.score))
