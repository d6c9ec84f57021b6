"""Which format a file has: the folder `file_formats` is the registry, one module a format.

By shape rather than by suffix alone, as most formats are called .json. Two formats that fit are an
error: a wrong guess would go unnoticed.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import cast

from simpatico.errors import BadValue, DataError, UnknownName, suggest_names
from simpatico.readers import file_formats
from simpatico.readers.input.record import Ledger, Reader
from simpatico.readers.input.source import Source

TABLES = (".jsonl", ".ndjson", ".csv", ".tsv", ".parquet")
"""Suffixes of files that hold a table, whatever is in it."""


@cache
def format_names() -> list[str]:
    """Every format, by its file's name; modules with a leading underscore are shared code."""
    names = (module.name for module in iter_modules(file_formats.__path__))
    return sorted(name.replace("_", "-") for name in names if not name.startswith("_"))


Mapping = tuple[tuple[str, str], ...]


def make_reader(name: str, system: str | None, mapping: Mapping = ()) -> Reader:
    """A reader that calls the evaluated side `system` where the file does not say."""
    return reader_class(name)(system=system, mapping=mapping)


@cache
def reader_class(name: str) -> type[Reader]:
    """The class in the file of this format."""
    module = import_module(f"{file_formats.__name__}.{name.replace('-', '_')}")
    (cls,) = (c for c in vars(module).values() if getattr(c, "name", None) == name)
    return cast(type[Reader], cls)


def all_readers(system: str | None = None) -> list[Reader]:
    """A reader of every format."""
    return [make_reader(name, system) for name in format_names()]


def pick_reader(
    source: Source,
    format: str | None = None,
    *,
    system: str | None = None,
    mapping: Mapping = (),
) -> Reader:
    """The reader of this name, or the one that the file's suffix and shape tell.

    With `mapping` it is that of tables, as no other format has columns.
    """
    if format is None and not mapping:
        source.is_rejected(Ledger())
    matches = matching_readers(source, format, system=system, mapping=mapping)
    if len(matches) != 1:
        among = [reader.name for reader in matches] or format_names()
        why = "ambiguous input format" if matches else "unrecognised input format"
        raise DataError(f"{source.name}:1: {why}; choose one with --format: {', '.join(among)}")
    return matches[0]


def matching_readers(
    source: Source, format: str | None, *, system: str | None, mapping: Mapping = ()
) -> list[Reader]:
    """The readers that a file may be for: the one of this name, else by its suffix and shape."""
    if mapping and format not in (None, "table"):
        raise BadValue(f"--columns is for tables; files of format {format!r} have no columns")
    if format is not None or mapping:
        format = format or "table"
        if format not in (names := format_names()):
            raise UnknownName(f"no format {format!r}; {suggest_names(format, names)}")
        return [make_reader(format, system, mapping)]
    head = source.head
    by_shape = [reader for reader in all_readers(system) if reader.matches(head)]
    matches = [reader for reader in by_shape if head.suffix in reader.suffixes] or by_shape
    is_table = head.suffix in TABLES or head.kind in ("lines", "parquet")
    if not matches and head.item is None and is_table:
        # there is no record to look at: reading the file will tell what is wrong with it
        return [make_reader("table", system)]
    return matches
