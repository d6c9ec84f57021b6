"""Which format a file has: the folder `file_formats` is the registry, one module a format.

By shape rather than by suffix alone, as most formats are called .json. Two formats that fit are an
error: a wrong guess would go unnoticed.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from simpatico.errors import DataError, UnknownName, suggest_names
from simpatico.readers import file_formats
from simpatico.readers.input.record import Ledger, Reader
from simpatico.readers.input.source import Source

TABLES = (".jsonl", ".ndjson", ".csv", ".tsv", ".parquet")
"""Suffixes of files that hold a table, whatever is in it."""


def format_names() -> list[str]:
    """Every format, by its file's name; modules with a leading underscore are shared code."""
    names = (module.name for module in iter_modules(file_formats.__path__))
    return sorted(name.replace("_", "-") for name in names if not name.startswith("_"))


def make_reader(name: str, system: str | None) -> Reader:
    """A reader that calls the evaluated side `system` where the file does not say."""
    module = import_module(f"{file_formats.__name__}.{name.replace('-', '_')}")
    (cls,) = (c for c in vars(module).values() if getattr(c, "name", None) == name)
    reader: Reader = cls(system=system)
    return reader


def all_readers(system: str | None = None) -> list[Reader]:
    """A reader of every format."""
    return [make_reader(name, system) for name in format_names()]


def pick_reader(source: Source, format: str | None = None, *, system: str | None = None) -> Reader:
    """The reader of this name, or the one that the file's suffix and shape tell."""
    if format is not None:
        if format not in (names := format_names()):
            raise UnknownName(f"no format {format!r}; {suggest_names(format, names)}")
        return make_reader(format, system)
    source.is_rejected(Ledger())
    head = source.head
    by_shape = [reader for reader in all_readers(system) if reader.matches(head)]
    matches = [reader for reader in by_shape if head.suffix in reader.suffixes] or by_shape
    is_table = head.suffix in TABLES or head.kind in ("lines", "parquet")
    if not matches and head.item is None and is_table:
        # there is no record to look at: reading the file will tell what is wrong with it
        return make_reader("table", system)
    if len(matches) != 1:
        among = [reader.name for reader in matches] or format_names()
        why = "ambiguous input format" if matches else "unrecognised input format"
        raise DataError(f"{source.name}:1: {why}; choose one with --format: {', '.join(among)}")
    return matches[0]
