"""The formats that can be read: every module of this folder that holds a reader."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Iterator
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import ClassVar, Protocol, TypeGuard

from simpatico.errors import DataError, UnknownName
from simpatico.readers.input.record import Ledger, Utterance
from simpatico.readers.input.source import Head, Source

DEFAULT = "table"


class Reader(Protocol):
    """A format: how to tell it by its first bytes, and how to get dialogs out of it."""

    name: ClassVar[str]
    about: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]]

    @property
    def system(self) -> str | None: ...
    def matches(self, head: Head) -> bool: ...
    def dialogs(self, source: Source, ledger: Ledger) -> Iterator[list[Utterance]]: ...


@cache
def kinds() -> dict[str, type[Reader]]:
    """The reader classes by name, in alphabetical order."""
    found: dict[str, type[Reader]] = {}
    for _, name, _ in pkgutil.iter_modules(
        [str(Path(__file__).parent / "file_formats")], f"{__package__}.file_formats."
    ):
        for _, kind in inspect.getmembers(import_module(name), inspect.isclass):
            if kind.__module__ == name and is_reader(kind):
                found[kind.name] = kind
    return dict(sorted(found.items()))


def is_reader(kind: type) -> TypeGuard[type[Reader]]:
    """Whether a class has all a reader needs."""
    return not getattr(kind, "_is_protocol", False) and all(
        hasattr(kind, part) for part in ("name", "about", "suffixes", "matches", "dialogs")
    )


def formats() -> list[Reader]:
    """Every reader there is, with its defaults."""
    return [kind() for kind in kinds().values()]


def pick(
    source: Source,
    format: str | None = None,
    *,
    system: str | None = None,
) -> Reader:
    """The reader of this name, or the one that the file's suffix and shape tell."""
    if format is not None:
        return named(format, system)
    source.refused(Ledger())
    head = source.head
    fitting = [kind for kind in kinds().values() if made(kind, system).matches(head)]
    usual = [kind for kind in fitting if head.suffix in kind.suffixes] or fitting
    if not usual and unreadable(head):
        return named(DEFAULT, system)
    if len(usual) != 1:
        among = [kind.name for kind in usual] or list(kinds())
        why = "could be of several formats" if usual else "has the shape of no format we know"
        raise DataError(
            f"{source.name}:1: the input {why}; say which with --format: {', '.join(among)}"
        )
    return made(usual[0], system)


def named(name: str, system: str | None) -> Reader:
    """The reader of this name, or which names are near."""
    if name not in kinds():
        near = get_close_matches(name, kinds(), n=3) or list(kinds())
        raise UnknownName(f"no format {name!r}; did you mean {' or '.join(map(repr, near))}?")
    return made(kinds()[name], system)


def made(kind: type[Reader], system: str | None) -> Reader:
    """A reader that calls the evaluated side `system` where the file does not say."""
    return kind(system=system)  # type: ignore[call-arg]


def unreadable(head: Head) -> bool:
    """Whether no record could be looked at, so that only reading it will tell what is wrong."""
    tables = (".jsonl", ".ndjson", ".csv", ".tsv", ".parquet")
    return head.item is None and (head.suffix in tables or head.kind in ("lines", "parquet"))
