"""Trying again: waits that double, with chance in them, and never sooner than a server asks."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from threading import Event, Lock
from time import monotonic
from typing import TypeVar

from simpatico.bots.http import Trouble
from simpatico.errors import NoAnswer, RunError

FIRST_WAIT = 1.0
LONGEST_WAIT = 30.0
LONGEST_ASKED = 300.0
"""Seconds a server may ask us to wait; if it wants more, the run stops and can go on later."""

Found = TypeVar("Found")


class Patience:
    """When a server may be asked next, for all threads that ask it."""

    def __init__(self, rng: Random | None = None) -> None:
        # chance only spreads the waits of several processes; no answer depends on it
        self.rng = rng or Random()  # noqa: S311
        self.given_up = Event()
        self._lock = Lock()
        self._not_before = 0.0

    def wait(self) -> None:
        """Stand still as long as the server wants to be left alone."""
        while (left := self._not_before - monotonic()) > 0:
            self.sleep(left)

    def sleep(self, seconds: float) -> None:
        """Stand still; an end of everything ends this too."""
        if self.given_up.wait(seconds):
            raise NoAnswer("given up, as the run was stopped", why="stopped")

    def leave_alone(self, seconds: float) -> None:
        """Ask nothing for so long, on any thread."""
        with self._lock:
            self._not_before = max(self._not_before, monotonic() + seconds)

    def backoff(self, tried: int) -> float:
        """The wait after so many failures: doubled each time, and between half and all of it."""
        most = min(LONGEST_WAIT, FIRST_WAIT * 2.0**tried)
        return most * (0.5 + self.rng.random() / 2)

    def persist(self, call: Callable[[], Found], retries: int) -> Found:
        """What `call` gives, tried again where that may help."""
        for tried in range(retries + 1):
            self.wait()
            try:
                return call()
            except Trouble as trouble:
                if trouble.after is not None and trouble.after > LONGEST_ASKED:
                    raise RunError(
                        f"{trouble}, and asks to be left alone for {trouble.after:,.0f} seconds; "
                        "the same command goes on then",
                        resumable=True,
                    ) from None
                if not trouble.again or tried == retries:
                    raise final(trouble, tried) from None
                if trouble.after is not None:
                    self.leave_alone(trouble.after)
                else:
                    self.sleep(self.backoff(tried))
        raise NoAnswer("never asked", why="stopped")


def final(trouble: Trouble, tried: int) -> Exception:
    """The error for a call that failed to the end."""
    if trouble.away:
        return RunError(str(trouble), resumable=trouble.again)
    times = f" (asked {tried + 1} times)" if tried else ""
    return NoAnswer(f"{trouble}{times}", why=trouble.why)
