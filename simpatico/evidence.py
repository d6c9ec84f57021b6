"""How far scores follow people: correlations with human ratings on public data sets.

The figures are in `data/evidence.json`, made by `simpatico reproduce metrics-and-people
--write-evidence`. A score is graded by the mean of its rho over the sets of rated turns that its
model was not trained on:

- follows people: the mean is at least .1 in the better direction (a small effect; Cohen 1988), the
  95% CI of no set lies wholly on the other side of 0, and there are three sets or more
- weak: there are three sets or more, and not so
- unproven: there are fewer than three sets
- descriptive: the score has no better direction

The limit of .1, Cohen's small effect, was set with the figures in view: at .15,
predicted_rating[core] (.14) and emotional_consistency (.11) would be weak.
The interval of the mean is Student's t over the sets, which differ more than their own intervals.
Example: .1, .2 and .3 have the mean .2 and the SD .1: .2 ± 4.303 x .1 / sqrt(3) = [-.048, .448].
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import fsum
from pathlib import Path
from typing import Any, Literal

import msgspec

from simpatico.errors import DataError
from simpatico.files import write_atomically
from simpatico.wording import (
    format_correlation,
    format_correlation_interval,
    format_count,
)

Grade = Literal["follows people", "weak", "unproven", "descriptive"]

SHIPPED = Path(__file__).parent / "data" / "evidence.json"
MIN_MEAN, MEDIUM = 0.1, 0.3
"""Mean rho from which a score follows people, and below which its correlation is called small."""
MIN_SETS = 3
"""With fewer sets, a mean says more about these than about the score."""
CONFIDENCE = 0.95


class EvidenceRow(msgspec.Struct, frozen=True, kw_only=True):
    """Spearman's rho of a score with the mean rating of one data set, and its 95% CI.

    `without_length`: the partial rank correlation with length held constant; `scored`: the share of
    rated units that have the score; `trained_on`: the score's model has seen these ratings.
    """

    score: str
    data: str
    quality: str
    level: Literal["turn", "dialog"]
    rho: float
    low: float | None
    high: float | None
    without_length: float | None
    n: int
    scored: float
    date: str
    trained_on: bool = False

    @property
    def counts(self) -> bool:
        """Whether it is part of the mean: rated turns that the model has not seen."""
        return self.level == "turn" and not self.trained_on


@dataclass(frozen=True)
class ScoreEvidence:
    """The rows of one score, and their mean over the unseen sets of rated turns."""

    score: str
    rows: tuple[EvidenceRow, ...]

    @property
    def unseen(self) -> list[EvidenceRow]:
        return [row for row in self.rows if row.counts]

    @property
    def mean(self) -> float | None:
        """Mean rho; null where there is no set."""
        rhos = [row.rho for row in self.unseen]
        return fsum(rhos) / len(rhos) if rhos else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """95% CI of the mean, Student's t over the sets; null for fewer than three."""
        import numpy as np

        from simpatico.stats.means import mean_difference

        rhos = np.array([row.rho for row in self.unseen])
        if len(rhos) < MIN_SETS:
            return None
        mean = mean_difference(rhos, np.zeros(len(rhos)), paired=True)
        if mean is None:
            return None
        half = mean.half_width(CONFIDENCE)
        return mean.value - half, mean.value + half

    @property
    def without_length(self) -> float | None:
        """Mean with length held constant; null where that is undefined, as for length itself."""
        partial = [r.without_length for r in self.unseen if r.without_length is not None]
        return fsum(partial) / len(partial) if partial else None

    @property
    def above(self) -> int:
        """Sets whose 95% CI lies above 0."""
        return sum(row.low is not None and row.low > 0 for row in self.unseen)

    @property
    def below(self) -> int:
        """Sets whose 95% CI lies below 0."""
        return sum(row.high is not None and row.high < 0 for row in self.unseen)

    def grade(self, better: str | None) -> Grade:
        """How far the score follows people, by the rule of this module."""
        if better is None:
            return "descriptive"
        if self.mean is None or len(self.unseen) < MIN_SETS:
            return "unproven"
        mean, opposed = (self.mean, self.below) if better == "higher" else (-self.mean, self.above)
        return "follows people" if mean >= MIN_MEAN and not opposed else "weak"

    def figures(self) -> str:
        """Mean, interval, number of sets and how many lie apart from 0, as text."""
        n = len(self.unseen)
        sets = f"{format_count(n, 'data set')} of rated replies"
        if any(row.trained_on for row in self.rows):
            sets = f"{sets} it was not trained on"
        interval = (
            ""
            if self.interval is None
            else (f" (95% CI {format_correlation_interval(*self.interval)})")
        )
        length = (
            ""
            if self.without_length is None
            else (f"; {format_correlation(self.without_length)} with length held constant")
        )
        return (
            f"mean ρ {format_correlation(self.mean)}{interval} over {sets} "
            f"({self.above} above 0, {self.below} below{length})"
        )

    def sentence(self, better: str | None) -> str:
        """What a card says of it."""
        if not self.unseen:
            return "Unproven: not compared with human ratings of public data sets."
        small = abs(self.mean or 0.0) < MEDIUM
        opening = {
            "follows people": f"Follows people{', with a small correlation' if small else ''}",
            "weak": "Does not follow people reliably",
            "unproven": f"Unproven, with fewer than {MIN_SETS} data sets",
            "descriptive": "Descriptive, no better direction",
        }[self.grade(better)]
        direction = "; lower is better" if better == "lower" else ""
        return f"{opening}: {self.figures()}{direction}."

    def as_json(self, better: str | None) -> dict[str, Any]:
        """The grade, the mean and every row, for scripts."""
        low, high = self.interval or (None, None)
        return {
            "grade": self.grade(better),
            "mean_rho": self.mean,
            "low": low,
            "high": high,
            "without_length": self.without_length,
            "above": self.above,
            "below": self.below,
            "sets": len(self.unseen),
            "rows": [msgspec.structs.asdict(row) for row in self.rows],
        }


def evidence_of(score: str) -> ScoreEvidence:
    """The shipped evidence of a score; of another model in its brackets there is none."""
    return ScoreEvidence(score, tuple(row for row in read_evidence() if row.score == score))


def grade_of(score: str, better: str | None) -> Grade:
    """How far the shipped evidence says that a score follows people."""
    return evidence_of(score).grade(better)


@lru_cache(maxsize=2)
def read_evidence(path: Path = SHIPPED) -> tuple[EvidenceRow, ...]:
    """All rows of the file."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=tuple[EvidenceRow, ...])
    except (OSError, msgspec.DecodeError) as error:
        raise DataError(f"{path}: no evidence can be read ({error}); install again") from error


def update_evidence(path: Path, rows: Sequence[EvidenceRow]) -> None:
    """Write the rows; of a score and data set that the file has already, the new row stays."""
    old: Iterable[EvidenceRow] = read_evidence(path) if path.exists() else ()
    read_evidence.cache_clear()
    merged = {(row.score, row.data): row for row in (*old, *rows)}
    lines = [msgspec.json.encode(merged[key]).decode() for key in sorted(merged)]
    write_atomically(path, ("[\n" + ",\n".join(lines) + "\n]\n").encode(), public=True)
