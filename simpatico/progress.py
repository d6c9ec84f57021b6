"""How far slow work is, told to whoever listens: a progress bar, or nobody."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple


class Step(NamedTuple):
    """A piece of slow work: what it is, how much of it is done, and how much there is."""

    what: str
    done: int
    total: int


Listener = Callable[[Step], object]
_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Tell `listener` of every step taken in this context."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def step(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Do `total` things; the function that it gives is to be told whenever some are done."""
    listener, done = _listener.get(), 0

    def tick(more: int = 1) -> None:
        nonlocal done
        done += more
        if listener:
            listener(Step(what, done, total))

    yield tick
