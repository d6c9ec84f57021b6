"""Before collecting data: which difference would show with n, and which n a difference needs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import comb, isfinite, sqrt

POWER = 0.8
MOST = 10**9
STEPS = 60


@dataclass(frozen=True)
class Design:
    """A planned comparison: in pairs or not, how many tests are corrected for, level and power."""

    paired: bool = True
    family: int = 1
    alpha: float = 0.05
    power: float = POWER

    @property
    def level(self) -> float:
        """The level that a single test must reach: the first step of Holm, alpha / family."""
        return self.alpha / self.family

    def error(self, sd: float, n: int) -> float:
        """Standard error of the difference with n units of each system.

        `sd` is that of the pair differences, or that of the values within a system.
        """
        return sd * sqrt(1 / n if self.paired else 2 / n)

    def freedom(self, n: int) -> int:
        return n - 1 if self.paired else 2 * n - 2

    def allows(self, n: int) -> bool:
        """Whether a permutation test with n units of each system can reach the level at all."""
        if n > 64:
            return True
        arrangements = 2**n if self.paired else comb(2 * n, n)
        return n >= 2 and 2 / arrangements <= self.level


def chance(shift: float, freedom: float, level: float) -> float:
    """Power of a two-sided t-test whose true difference is `shift` standard errors.

    1 - F(t) + F(-t), F being the noncentral t distribution and t its central 1 - level/2 point
    (Cohen 1988; the same as statsmodels' TTestPower).
    """
    from scipy.special import nctdtr, stdtrit

    point = float(stdtrit(freedom, 1 - level / 2))
    below, far = (float(nctdtr(freedom, shift, t)) for t in (point, -point))
    # SciPy has NaN where these are smaller than its sums resolve, and they are 0 to 1e-12 there
    return 1 - (below if isfinite(below) else 0.0) + (far if isfinite(far) else 0.0)


def shift_for(freedom: float, level: float, power: float) -> float | None:
    """The true difference in standard errors that is found with this power, by halving."""
    low, high = 0.0, 4.0
    while chance(high, freedom, level) < power:
        high *= 2
        if high > 1e5:
            return None
    for _ in range(STEPS):
        middle = (low + high) / 2
        if chance(middle, freedom, level) < power:
            low = middle
        else:
            high = middle
    return high if isfinite(high) else None


def detectable_with(error: float, freedom: float, n: int, *, design: Design) -> float | None:
    """The difference that a study with this standard error finds; null where it can find none."""
    if not design.allows(n) or not error > 0:
        return None
    shift = shift_for(freedom, design.level, design.power)
    return None if shift is None else shift * error


def detectable(sd: float, n: int, *, design: Design) -> float | None:
    """The smallest true difference found with the design's power by n units of each system."""
    if n < 2:
        return None
    return detectable_with(design.error(sd, n), design.freedom(n), n, design=design)


def needed(sd: float, difference: float, *, design: Design) -> int | None:
    """Units of each system that find this difference; null if more than a thousand million."""
    finds = partial(found_with, sd=sd, difference=abs(difference), design=design)
    if not difference or not sd > 0:
        return None
    low, high = 1, 2
    while not finds(high):
        low, high = high, high * 2
        if high > MOST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if finds(middle) else (middle, high)
    return high


def found_with(n: int, *, sd: float, difference: float, design: Design) -> bool:
    if not design.allows(n):
        return False
    shift = difference / design.error(sd, n)
    # far beyond the level the noncentral t has no digits left, and every study finds it
    return shift > 1e3 or chance(shift, design.freedom(n), design.level) >= design.power
