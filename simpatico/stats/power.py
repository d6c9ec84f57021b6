"""Power analysis before collecting data: the difference that n units detect, and the n it needs."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, isfinite, sqrt

POWER = 0.8
MAX_UNITS = 10**9
BISECTIONS = 60


@dataclass(frozen=True)
class Design:
    """A planned comparison: paired or not, how many tests are corrected for, level and power."""

    paired: bool = True
    family: int = 1
    alpha: float = 0.05
    power: float = POWER

    @property
    def level(self) -> float:
        """The level that a single test must reach: the first step of Holm, alpha / family."""
        return self.alpha / self.family

    def standard_error(self, sd: float, n: int) -> float:
        """Standard error of the difference with n units of each system.

        `sd` is that of the pair differences, or that of the values within a system.
        """
        return sd * sqrt(1 / n if self.paired else 2 / n)

    def df(self, n: int) -> int:
        return n - 1 if self.paired else 2 * n - 2

    def allows(self, n: int) -> bool:
        """Whether a permutation test with n units of each system can reach the level at all."""
        if n > 64:  # 2^-64 is below any level, and the binomials need not be computed
            return True
        arrangements = 2**n if self.paired else comb(2 * n, n)
        return n >= 2 and 2 / arrangements <= self.level

    def detects(self, n: int, *, sd: float, difference: float) -> bool:
        """Whether n units of each system find this difference with the design's power."""
        if not self.allows(n):
            return False
        shift = difference / self.standard_error(sd, n)
        # far beyond the level the noncentral t has no digits left, and every study finds it
        return shift > 1e3 or t_test_power(shift, self.df(n), self.level) >= self.power


def t_test_power(shift: float, df: float, level: float) -> float:
    """Power of a two-sided t-test whose true difference is `shift` standard errors.

    1 - F(t) + F(-t), F being the noncentral t distribution and t its central 1 - level/2 quantile
    (Cohen 1988; the same as statsmodels' TTestPower).
    """
    from scipy.special import nctdtr, stdtrit

    quantile = float(stdtrit(df, 1 - level / 2))
    below, far = (float(nctdtr(df, shift, t)) for t in (quantile, -quantile))
    # SciPy has NaN where these are smaller than its sums resolve, and they are 0 to 1e-12 there
    return 1 - (below if isfinite(below) else 0.0) + (far if isfinite(far) else 0.0)


def detectable_at_error(
    standard_error: float, df: float, n: int, *, design: Design
) -> float | None:
    """The difference that a study with this standard error finds; null where it can find none.

    By bisection over the true difference in standard errors, as power rises with it.
    """
    if not design.allows(n) or not standard_error > 0:
        return None
    low, high = 0.0, 4.0
    while t_test_power(high, df, design.level) < design.power:
        high *= 2
        if high > 1e5:
            return None
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        if t_test_power(middle, df, design.level) < design.power:
            low = middle
        else:
            high = middle
    return high * standard_error


def detectable_difference(sd: float, n: int, *, design: Design) -> float | None:
    """The smallest true difference found with the design's power by n units of each system."""
    if n < 2:
        return None
    return detectable_at_error(design.standard_error(sd, n), design.df(n), n, design=design)


def units_needed(sd: float, difference: float, *, design: Design) -> int | None:
    """Units of each system that find this difference; null if more than a thousand million."""
    if not difference or not sd > 0:
        return None
    low, high = 1, 2
    while not design.detects(high, sd=sd, difference=abs(difference)):
        low, high = high, high * 2
        if high > MAX_UNITS:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        enough = design.detects(middle, sd=sd, difference=abs(difference))
        low, high = (low, middle) if enough else (middle, high)
    return high
