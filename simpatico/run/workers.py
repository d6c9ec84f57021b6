"""Score chunks on this machine: one after the other, or on several processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from multiprocessing import get_context
from threading import Thread
from time import sleep
from typing import Any, TypeVar

Result = TypeVar("Result")
SECONDS_BETWEEN_LOOKS = 0.5


def leave_with(parent: int) -> None:
    """Let this worker end soon after its parent did, even if that was killed.

    It works on one thread, since there are others beside it.
    """
    os.environ.setdefault("SIMPATICO_THREADS", "1")

    def watch() -> None:
        while os.getppid() == parent:
            sleep(SECONDS_BETWEEN_LOOKS)
        os._exit(1)

    Thread(target=watch, daemon=True).start()


def run(
    work: Callable[..., Result], tasks: Iterable[tuple[Any, ...]], *, jobs: int = 1
) -> Iterator[Result]:
    """The result of `work` for each task, in any order; at most `2 * jobs` tasks are in memory."""
    if jobs <= 1:
        yield from (work(*task) for task in tasks)
        return
    # Polars' thread pool does not survive a fork, so workers start afresh.
    start = get_context("spawn")
    with ProcessPoolExecutor(jobs, start, leave_with, (os.getpid(),)) as pool:
        waiting: set[Future[Result]] = set()
        for task in tasks:
            waiting.add(pool.submit(work, *task))
            while len(waiting) >= 2 * jobs:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
        yield from (future.result() for future in wait(waiting).done)
