"""Checks of a metric's parameters, in one wording for all metrics.

They run when a metric is made, so that `--set deep_am.mode=contxt` fails before anything is scored.
What a parameter may be stands where it is declared: a Literal, or a number with its bounds.
"""

from __future__ import annotations

from dataclasses import field, fields
from numbers import Integral, Real
from typing import Any, Literal, get_args, get_origin, get_type_hints

from simpatico.errors import BadValue

MAX_SEED = 2**32 - 1


def bounded(default: float, low: float, high: float, *, open: bool = False) -> Any:
    """A parameter that is a number from `low` to `high`, or between them if `open`."""
    return field(default=default, metadata={"bounds": (low, high, open)})


def check_parameters(metric: Any) -> None:
    """Refuse a value that the type of a parameter, a Literal, does not list, or out of bounds."""
    types = get_type_hints(type(metric))
    for parameter in fields(metric):
        value, kind = getattr(metric, parameter.name), types[parameter.name]
        problem = ""
        if get_origin(kind) is Literal and value not in get_args(kind):
            *others, last = map(repr, get_args(kind))
            problem = f"{value!r}; it is {', '.join(others)} or {last}"
        elif "bounds" in parameter.metadata:
            problem = bounds_problem(value, kind, *parameter.metadata["bounds"])
        if problem:
            raise BadValue(f"{type(metric).name}.{parameter.name} is {problem}")


def bounds_problem(value: Any, kind: type, low: float, high: float, open: bool) -> str:
    """The value and what it should be; empty if it is that."""
    is_number = isinstance(value, Integral if kind is int else Real) and value is not True
    if is_number and low <= value <= high and not (open and value in (low, high)):
        return ""
    span = (f"{low:,.10g}", f"{high:,.10g}")
    where = f"it lies between {' and '.join(span)}" if open else f"it is from {' to '.join(span)}"
    return f"{value}; {where}"
