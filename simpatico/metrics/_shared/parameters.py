"""Checks of a metric's parameters, in one wording for all metrics.

They run when a metric is made, so that `--set deep_am.mode=contxt` fails before anything is scored.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Literal, get_args, get_origin, get_type_hints

from simpatico.errors import BadValue


def check_choices(metric: Any) -> None:
    """Refuse a value that the type of a parameter, a Literal, does not list."""
    types = get_type_hints(type(metric))
    for field in fields(metric):
        choices, value = get_args(types[field.name]), getattr(metric, field.name)
        if get_origin(types[field.name]) is Literal and value not in choices:
            *others, last = map(repr, choices)
            raise BadValue(
                f"{type(metric).name}.{field.name} is {value!r}; "
                f"it is {', '.join(others)} or {last}"
            )


def check_minimum(metric: Any, **lowest: int) -> None:
    """Refuse a parameter below its lowest value."""
    for field, low in lowest.items():
        if (value := getattr(metric, field)) < low:
            raise BadValue(f"{type(metric).name}.{field} is {value}; it is {low} or more")
