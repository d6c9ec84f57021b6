"""Progress of slow work, reported to whoever listens: a progress bar, or nobody.

A context variable, so that a model deep down reports without passing a bar through every function.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple, TypeVar

Item = TypeVar("Item")


class Step(NamedTuple):
    """Progress of a piece of work: its name, how many items are done, and how many there are."""

    what: str
    done: int
    total: int


Listener = Callable[[Step], object]
_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listen(listener: Listener) -> Iterator[None]:
    """Report every step in this context to `listener`."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def track(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Track work on `total` items; call the function with the number of items just done."""
    listener, done = _listener.get(), 0

    def tick(more: int = 1) -> None:
        nonlocal done
        done += more
        if listener:
            listener(Step(what, done, total))

    yield tick


def track_each(what: str, items: Collection[Item]) -> Iterator[Item]:
    """The items, one step for each that is done."""
    with track(what, len(items)) as tick:
        for item in items:
            yield item
            tick(1)
