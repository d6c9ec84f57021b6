"""Everything simpatico raises on purpose.

SimpaticoError
├── DataError        the conversations, judgements or resources cannot be read as given
│   └── RecordError  one record in them is wrong, so that the file has to change
├── BadValue         a parameter has a value that makes no sense
├── UnknownName      no metric, feature, format or level has this name
├── MissingResource  a metric needs a model, lexicon or optional package that is absent
├── RunError         a run folder cannot be used: locked, of another run, no space left
├── NoAnswer         a bot gave no answer to one prompt; others may have one
└── ContractError    a metric broke the rules every metric follows
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class SimpaticoError(Exception):
    """Base of every error raised on purpose; the command line prints it as one line."""


class DataError(SimpaticoError): ...


class RecordError(DataError): ...


class BadValue(SimpaticoError): ...


class UnknownName(SimpaticoError): ...


class MissingResource(SimpaticoError): ...


class RunError(SimpaticoError):
    """`resumable` when the same command can go on once the cause, such as a full disk, is gone."""

    def __init__(self, message: str, *, resumable: bool = False) -> None:
        super().__init__(message)
        self.resumable = resumable


class NoAnswer(SimpaticoError):
    """`why` is the reason in two or three words, by which failures are counted."""

    def __init__(self, message: str, *, why: str) -> None:
        super().__init__(message)
        self.why = why


class ContractError(SimpaticoError): ...


def suggest_names(name: str, names: Iterable[str]) -> str:
    """How to go on after a name that does not exist: the nearest names, or all of them."""
    names = list(names)
    begun = [n for n in names if name and n.startswith(name)]
    if near := get_close_matches(name, names, n=3) or begun[:3]:
        return f"did you mean {' or '.join(map(repr, near))}?"
    return f"there are {', '.join(names)}"
