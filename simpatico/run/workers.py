"""Work in several processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from threading import Thread
from typing import Any, TypeVar

from simpatico.errors import RunError

SECONDS_BETWEEN_CHECKS = 0.5
"""How soon a worker notices that its parent is gone."""
Result = TypeVar("Result")


def map_parallel(
    work: Callable[..., Result], tasks: Iterable[tuple[Any, ...]], *, jobs: int | None = None
) -> Iterator[Result]:
    """The result of `work` for each task, in any order; at most `2 * jobs` tasks are in memory.

    One job is one process on one core; without a number, models use all cores.
    """
    if jobs == 1:
        os.environ.setdefault("SIMPATICO_THREADS", "1")
    if jobs is None or jobs <= 1:
        yield from (work(*task) for task in tasks)
        return
    # Polars' thread pool does not survive a fork, so workers start afresh.
    start = get_context("spawn")
    # one core a worker; read where libraries are loaded, which here they are already
    for name in ("POLARS_MAX_THREADS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    # an interrupted run leaves its semaphores to Python's tracker, which would complain of them
    os.environ.setdefault("PYTHONWARNINGS", "ignore::UserWarning:multiprocessing.resource_tracker")
    stop = start.Event()
    try:
        with ProcessPoolExecutor(jobs, start, begin_worker, (os.getpid(), stop)) as pool:
            waiting: set[Future[Result]] = set()
            try:
                for task in tasks:
                    waiting.add(pool.submit(work, *task))
                    while len(waiting) >= 2 * jobs:  # one being scored and one at hand for each
                        done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                        yield from (future.result() for future in done)
                while waiting:
                    done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                    yield from (future.result() for future in done)
            except BaseException:
                stop.set()  # what workers have in hand may take them long, and is of no use now
                raise
    except BrokenProcessPool:
        raise RunError(
            f"one of {jobs} worker processes was ended from outside, often for lack of memory; run "
            "the same command again to resume, with fewer --jobs if it happens again",
            resumable=True,
        ) from None


def begin_worker(parent: int, stop: Event) -> None:
    """Let this worker end at once when it has to, and soon after its parent, if that was killed.

    A worker uses one thread, since the other workers use the other cores.
    """
    os.environ.setdefault("SIMPATICO_THREADS", "1")  # unless the user has set it

    def watch() -> None:
        while os.getppid() == parent and not stop.wait(SECONDS_BETWEEN_CHECKS):
            pass
        os._exit(1)

    Thread(target=watch, daemon=True).start()
