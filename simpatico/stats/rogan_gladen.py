"""The true share of yes where a judge's yes and no are sometimes wrong (Rogan & Gladen 1978).

    share = (p + TNR − 1) / (TPR + TNR − 1)

p is the judge's share of yes among unrated units, TPR and TNR are how often it says yes where
people do, and no where they do. The interval counts all three as estimates (Lang & Reiczigel 2014):
each is moved towards 1/2 by a few imagined units, and the standard error is that of the ratio.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from simpatico.stats.result import Result, make_result, no_result

METHOD = "Rogan-Gladen; Lang-Reiczigel interval"
MOVER = "difference of Rogan-Gladen shares; MOVER interval"


@dataclass(frozen=True)
class JudgeCounts:
    """Unrated units and the judge's yes among them; rated ones and the judge's hits, by answer."""

    unrated: int
    judge_yes: int
    people_yes: int
    both_yes: int
    people_no: int
    both_no: int

    @property
    def rates(self) -> tuple[float, float, float]:
        """Judge's share of yes, TPR, TNR."""
        return (
            self.judge_yes / self.unrated,
            self.both_yes / self.people_yes,
            self.both_no / self.people_no,
        )

    @property
    def usable(self) -> bool:
        """Whether there is anything to divide by."""
        return min(self.unrated, self.people_yes, self.people_no) > 0

    @property
    def informative(self) -> bool:
        """Whether the judge is better than a coin: TPR + TNR above 1."""
        return self.usable and sum(self.rates[1:]) > 1


def rogan_gladen(counts: JudgeCounts, confidence: float = 0.95) -> Result:
    """The share of yes that people would give, between 0 and 1; none for a judge like a coin.

    With z the normal quantile: p' of n + z² units with z²/2 more yes, TPR' and TNR' of two more
    units with one more hit; share' + δ ± z √(…), δ = 2 z² (share' v₁ − (1 − share') v₀), v being
    TPR' (1 − TPR') / n₁' and the same of TNR'.
    """
    from scipy.special import ndtri

    n = counts.people_yes + counts.people_no
    if not counts.informative:
        return no_result("degenerate" if counts.usable else "too_few", n=n, method=METHOD)
    p, tpr, tnr = counts.rates
    value = min(max((p + tnr - 1) / (tpr + tnr - 1), 0.0), 1.0)
    z = float(ndtri((1 + confidence) / 2))
    total, yes, no = counts.unrated + z**2, counts.people_yes + 2, counts.people_no + 2
    p = (counts.judge_yes + z**2 / 2) / total
    tpr, tnr = (counts.both_yes + 1) / yes, (counts.both_no + 1) / no
    informedness = tpr + tnr - 1
    if informedness <= 0:
        return no_result("degenerate", n=n, method=METHOD)
    share = (p + tnr - 1) / informedness
    v_yes, v_no = tpr * (1 - tpr) / yes, tnr * (1 - tnr) / no
    shift = 2 * z**2 * (share * v_yes - (1 - share) * v_no)
    variance = p * (1 - p) / total + (1 - share) ** 2 * v_no + share**2 * v_yes
    half = z * sqrt(variance) / informedness
    low, high = (min(max(share + shift + side * half, 0.0), 1.0) for side in (-1, 1))
    return make_result(value, n=n, method=METHOD, interval=(low, high))


def difference_of_shares(a: Result, b: Result) -> Result:
    """a − b with the interval of Zou & Donner (2008), which combines both intervals (MOVER)."""
    n = a.n + b.n
    if None in (*a.value_and_interval, *b.value_and_interval):
        few = "too_few" in (a.status, b.status)
        return no_result("too_few" if few else "degenerate", n=n, method=MOVER)
    (x, x_low, x_high), (y, y_low, y_high) = a.numbers, b.numbers
    low = x - y - sqrt((x - x_low) ** 2 + (y_high - y) ** 2)
    high = x - y + sqrt((x_high - x) ** 2 + (y - y_low) ** 2)
    return make_result(x - y, n=n, method=MOVER, interval=(low, high))
