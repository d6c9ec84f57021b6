"""`Result`, which every statistic returns: a value or the reason for none, interval, p, n, method.

It is the only type for a value with an interval. Statistics build it with `make_result` (which
drops what is not a usable number) or `no_result`; the bootstrap builds it from draws. Trainings,
tables and cards read its fields, or unpack `value_and_interval`:

    made = evaluate_runs("engagement", runs)
    made.auc.value, made.auc.low, made.auc.high
    Cell(*spot, paper, *made.auc.value_and_interval, made.n, note)
    recipe["auc"] = list(made.auc.value_and_interval)

A record in a file (a recipe's `heldout`) keeps its own fields and is filled from a Result.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from math import isfinite, nan
from typing import Any, Literal

Status = Literal["ok", "degenerate", "too_few", "not_converged"]

ValueAndInterval = tuple[float | None, float | None, float | None]


@dataclass(frozen=True)
class Result:
    """One statistic with its 95% interval. `value` is null where there is none; `status` says why.

    `degenerate`: the data do not vary in the way the statistic needs; `too_few`: there are not
    enough of them; `not_converged`: the computation gave no answer. A value may have no interval or
    no p (then these are null). NaN, infinities and p = 0 never occur.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    n: int = 0
    status: Status = "ok"
    method: str = ""

    @property
    def value_and_interval(self) -> ValueAndInterval:
        """(value, low, high), the order in which tables and recipes list them."""
        return self.value, self.low, self.high

    @property
    def numbers(self) -> tuple[float, float, float]:
        """(value, low, high) with NaN for null, to format, to compare or for records of floats."""
        value, low, high = (nan if x is None else x for x in self.value_and_interval)
        return value, low, high

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def with_method(self, method: str) -> Result:
        return replace(self, method=method)


ROW_FIELDS = (
    *("quality", "score", "value", "low", "high", "p_value", "p_adjusted"),
    *("n", "status", "method", "level"),
)
"""The order of a row's fields in JSON; those of subclasses follow."""


@dataclass(frozen=True, kw_only=True)
class Row(Result):
    """A result with the names of what it is about: a quality that people rated, and a score.

    `p_adjusted` is corrected over a family of tests; `level` names the units (turn, dialog,
    system) where these are not evident.
    """

    quality: str
    score: str
    p_adjusted: float | None
    level: str | None = None

    def as_json(self) -> dict[str, Any]:
        fields = asdict(self)
        return {name: fields.pop(name) for name in ROW_FIELDS} | fields


def make_result(
    value: float,
    *,
    n: int,
    method: str,
    interval: tuple[float, float] | None = None,
    p_value: float | None = None,
) -> Result:
    """A result of raw numbers, without an interval of no width or a p outside (0, 1]."""
    if not isfinite(value):
        return no_result("degenerate", n=n, method=method)
    low, high = interval or (float("nan"), float("nan"))
    spans = isfinite(low) and isfinite(high) and low < high
    return Result(
        value=float(value),
        low=float(low) if spans else None,
        high=float(high) if spans else None,
        p_value=float(p_value) if p_value is not None and 0 < p_value <= 1 else None,
        n=n,
        method=method,
    )


def no_result(status: Status, *, n: int, method: str) -> Result:
    """No value, and why."""
    return Result(None, n=n, status=status, method=method)
