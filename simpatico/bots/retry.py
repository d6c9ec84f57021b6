"""Trying again: exponential backoff with jitter, and never sooner than a server asks."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from threading import Event, Lock
from time import monotonic
from typing import TypeVar

from simpatico.bots.http import RequestFailed
from simpatico.errors import NoAnswer, RunError

FIRST_DELAY = 1.0
MAX_DELAY = 30.0
MAX_RETRY_AFTER = 300.0
"""Seconds a server may ask us to wait; if it wants more, the run stops and can go on later."""

Value = TypeVar("Value")


class Backoff:
    """When a server may be asked next, for all threads that ask it."""

    def __init__(self, rng: Random | None = None) -> None:
        # jitter only spreads the retries of several processes; no answer depends on it
        self.rng = rng or Random()  # noqa: S311
        self.stop = Event()
        self._lock = Lock()
        self._not_before = 0.0

    def sleep(self, seconds: float) -> None:
        """Wait; setting `stop` ends the wait at once."""
        if self.stop.wait(seconds):
            raise NoAnswer("given up, as the run was stopped", why="stopped")

    def pause(self, seconds: float) -> None:
        """Ask nothing for so long, on any thread."""
        with self._lock:
            self._not_before = max(self._not_before, monotonic() + seconds)

    def delay(self, failures: int) -> float:
        """The wait after so many failures: doubled each time, at random from half to all of it."""
        longest = min(MAX_DELAY, FIRST_DELAY * 2.0**failures)
        return longest * (0.5 + self.rng.random() / 2)

    def retry(self, call: Callable[[], Value], retries: int) -> Value:
        """What `call` returns, tried again where that may help."""
        for attempt in range(retries + 1):
            while (seconds := self._not_before - monotonic()) > 0:
                self.sleep(seconds)
            try:
                return call()
            except RequestFailed as error:
                wait = error.retry_after
                if wait is not None and wait > MAX_RETRY_AFTER:
                    raise RunError(
                        f"{error}, and asks to wait {wait:,.0f} seconds; "
                        "run the same command again then to resume",
                        resumable=True,
                    ) from None
                if not error.retryable or attempt == retries:
                    raise final_error(error, attempt) from None
                if wait is not None:
                    self.pause(wait)
                else:
                    self.sleep(self.delay(attempt))
        raise NoAnswer("never asked", why="stopped")


def final_error(error: RequestFailed, attempt: int) -> Exception:
    """What is raised for a call that failed to the end: for all prompts if there is no server."""
    if error.unreachable:
        return RunError(str(error), resumable=error.retryable)
    times = f" (asked {attempt + 1} times)" if attempt else ""
    return NoAnswer(f"{error}{times}", why=error.why)
