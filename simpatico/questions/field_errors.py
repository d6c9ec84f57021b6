"""What is wrong with a field of a file: where it stands, what it is, and what it may be."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import inspect

from simpatico.errors import suggest_names

STEP = re.compile(r"\.(\w+)|\[(\d+)\]")
NAMED = re.compile(r"Object (contains unknown|missing required) field `(.+)`", re.DOTALL)
MAX_SHOWN = 60


def describe_error(
    error: msgspec.ValidationError, facts: Any, kind: type, *, whole: str = "a study"
) -> str:
    """A sentence for what msgspec found in these facts, which should have been of this kind."""
    text, _, place = str(error).partition(" - at `$")
    value, info_of_whole = facts, inspect.type_info(kind)
    info: inspect.Type = info_of_whole
    for name, number in STEP.findall(place):
        value, info = value[name or int(number)], part_of(info, name)
    where = place.rstrip("`").removeprefix(".")
    if found := NAMED.match(text):
        problem, name = found.groups()
        if problem.startswith("missing"):
            return f"{where + '.' if where else ''}{name} is missing; add it"
        homes = [home for home, names in tables_of(info_of_whole) if name in names]
        hint = f"it belongs {homes[0]}" if homes else suggest_names(name, names_of(info))
        return f"{where or whole} has no field {name!r}; {hint}"
    return f"{where} is {show_value(value)}; write {describe_type(info)}"


def without_null(info: inspect.Type) -> inspect.Type:
    """The type that an optional field has where it is there."""
    if isinstance(info, inspect.UnionType):
        return next(t for t in info.types if not isinstance(t, inspect.NoneType))
    return info


def plain_type(info: inspect.Type) -> inspect.Type:
    """The type without its description."""
    info = without_null(info)
    return info.type if isinstance(info, inspect.Metadata) else info


def part_of(info: inspect.Type, name: str) -> inspect.Type:
    """The type of a field, or of the items of a list."""
    match plain_type(info):
        case inspect.StructType(fields=fields):
            return next(f.type for f in fields if f.name == name)
        case inspect.VarTupleType(item_type=item):
            return item
        case inspect.TupleType(item_types=items):
            return items[0]
    return info


def names_of(info: inspect.Type) -> list[str]:
    """The fields of a table."""
    info = plain_type(info)
    return [f.name for f in info.fields] if isinstance(info, inspect.StructType) else []


def tables_of(whole: inspect.Type) -> Iterator[tuple[str, list[str]]]:
    """The fields at the top and of each table, with the place in words."""
    yield "at the top, before the first [table]", names_of(whole)
    for name in names_of(whole):
        yield f"in [{name}]", names_of(part_of(whole, name))


def show_value(value: object) -> str:
    """A value as TOML writes it, if it is short."""
    if isinstance(value, dict):
        return "a table"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"


def describe_type(info: inspect.Type) -> str:
    """What may stand somewhere, in words."""
    info = without_null(info)
    if isinstance(info, inspect.Metadata) and info.extra_json_schema:
        return str(info.extra_json_schema["description"])
    match plain_type(info):
        case inspect.LiteralType(values=values):
            return " or ".join(json.dumps(v) for v in values)
        case inspect.IntType(ge=None):
            return "a whole number"
        case inspect.IntType(ge=low, le=high):
            return f"a whole number from {low:,} to {high:,}"
        case inspect.FloatType():
            return "a number"
        case inspect.BoolType():
            return "true or false"
        case inspect.StrType(min_length=low, max_length=high) if high:
            return f"a text of {low:,} to {high:,} characters"
        case inspect.StrType():
            return "a text in quotes"
        case inspect.TupleType(item_types=items):
            return f"a list of {len(items)}, each {describe_type(items[0])}"
        case inspect.VarTupleType(item_type=item):
            return f"a list, each of it {describe_type(item)}"
    return "a table of fields"
