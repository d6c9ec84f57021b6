"""What every statistic returns: a value or null with the reason, n, an interval, a p, a method."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from math import isfinite
from typing import Any, Literal

from simpatico.turns import Level

Status = Literal["ok", "degenerate", "too_few", "not_converged"]


@dataclass(frozen=True)
class Result:
    """One statistic. Null where there is none, and `status` says why.

    `degenerate`: the data do not vary in the way the statistic needs; `too_few`: there are not
    enough of them; `not_converged`: the computation gave no answer. A value may be there without an
    interval or a p (then these are null); NaN, infinities, p = 0, intervals of no width never are.
    """

    value: float | None
    low: float | None
    high: float | None
    p_value: float | None
    n: int
    status: Status
    method: str

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def named(self, method: str) -> Result:
        """The same figures under another name of the method."""
        return replace(self, method=method)


@dataclass(frozen=True, kw_only=True)
class Row:
    """A result under the names of what it is about, as scripts read it.

    `p_adjusted` is corrected over a family; `level` says of what units, where that is not plain.
    """

    quality: str
    score: str
    value: float | None
    low: float | None
    high: float | None
    p_value: float | None
    p_adjusted: float | None
    n: int
    status: Status
    method: str
    level: Level | None = None

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def result(
    value: float,
    *,
    n: int,
    method: str,
    interval: tuple[float, float] | None = None,
    p_value: float | None = None,
) -> Result:
    """A result made of raw figures, with everything removed that is no honest number."""
    if not isfinite(value):
        return nothing("degenerate", n=n, method=method)
    low, high = interval or (float("nan"), float("nan"))
    spans = isfinite(low) and isfinite(high) and low < high
    return Result(
        value=float(value),
        low=float(low) if spans else None,
        high=float(high) if spans else None,
        p_value=float(p_value) if p_value is not None and 0 < p_value <= 1 else None,
        n=n,
        status="ok",
        method=method,
    )


def nothing(status: Status, *, n: int, method: str) -> Result:
    """No value, and why."""
    return Result(None, None, None, None, n, status, method)


def holds(results: Iterable[Result]) -> list[Result]:
    """Those that have a value."""
    return [r for r in results if r.value is not None]
