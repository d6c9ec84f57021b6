"""Work in several processes."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from importlib import import_module
from multiprocessing import get_context
from multiprocessing.synchronize import Semaphore
from multiprocessing.util import Finalize
from threading import Thread
from typing import Any, Self, TypeVar

from simpatico.errors import RunError

SECONDS_BETWEEN_CHECKS = 0.5
"""How soon a worker notices that its parent is gone."""
TRIM_THRESHOLD, MMAP_THRESHOLD = (-1, 2**30), (-3, 2**25)
"""Parameters of glibc's malloc, as malloc.h numbers them: bytes that stay with the process once
they are free, and bytes from which an array is mapped by itself, as many as it admits."""
WORKER_VARIABLES = {
    # one core a worker; read where libraries are loaded, which here they are already
    **dict.fromkeys(("POLARS_MAX_THREADS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1"),
    # an interrupted run leaves its semaphores to Python's tracker, which would complain of them
    "PYTHONWARNINGS": "ignore::UserWarning:multiprocessing.resource_tracker",
}
"""What workers find in their environment, unless the user has set it."""
LAST = -1_000
"""The priority of what a process does when it has nothing left to do."""
Result = TypeVar("Result")


class Workers:
    """Processes of this machine, on one core each; one is this process itself, which starts none.

    They begin with the first task, or earlier, and end with the context. Without a number of them
    this process does the work, and models use all cores.
    """

    def __init__(self, jobs: int | None) -> None:
        self.jobs, self.on_one_core = jobs or 1, jobs == 1
        if self.on_one_core:
            os.environ.setdefault("SIMPATICO_THREADS", "1")
        # Polars' thread pool does not survive a fork, so workers start afresh
        self.context = get_context("spawn")
        self.pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: type[BaseException] | None, *rest: object) -> None:
        pool, self.pool = self.pool, None  # not once more, should Ctrl-C come again meanwhile
        if pool:
            if error:  # what workers have in hand may take long, and is of no use now
                for _ in range(self.jobs):
                    self.stop.release()
            # Ctrl-C may have come while a lock was taken, which is then never given back
            pool.shutdown(wait=error is not KeyboardInterrupt)

    def start(self) -> None:
        """Start the processes, which load what they need while this one does something else."""
        if self.jobs > 1 and not self.pool:
            for name, value in WORKER_VARIABLES.items():
                os.environ.setdefault(name, value)
            # an event would wait until each worker has noticed, and one that was killed never does
            self.stop = self.context.Semaphore(0)
            begin = begin_worker, (os.getpid(), self.stop)
            self.pool = ProcessPoolExecutor(self.jobs, self.context, *begin)
            self.pool.submit(os.getpid)

    def map(
        self, work: Callable[..., Result], tasks: Iterable[tuple[Any, ...]]
    ) -> Iterator[Result]:
        """The result of `work` for each task, in any order; two a process are in memory at most."""
        self.start()
        if not self.pool:
            yield from (work(*task) for task in tasks)
            return
        waiting: set[Future[Result]] = set()
        try:
            for task in tasks:
                waiting.add(self.pool.submit(work, *task))
                while len(waiting) >= 2 * self.jobs:  # one being scored and one at hand for each
                    done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                    yield from (future.result() for future in done)
            while waiting:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
        except BrokenProcessPool:
            raise RunError(
                f"one of {self.jobs} worker processes was ended from outside, often for lack of "
                "memory; run the same command again to resume, with fewer --jobs if it happens "
                "again",
                resumable=True,
            ) from None


def keep_memory() -> None:
    """Let memory of this process go from one array to the next, not back to the system each time.

    It saves a third of the time that the system takes; only glibc can be told so.
    """
    with suppress(AttributeError, OSError, TypeError):
        allocator = ctypes.CDLL(None)
        for parameter in (TRIM_THRESHOLD, MMAP_THRESHOLD):
            allocator.mallopt(*parameter)


def run_task(variables: Mapping[str, str], references: list[Any]) -> Any:
    """Run a function of Ray's store with its arguments in a worker of Ray.

    They come as references, and this module needs no libraries, so that those are loaded after the
    variables that they read are set.
    """
    import ray

    os.environ.update(variables)
    keep_memory()
    function, *arguments = ray.get(references)
    return function(*arguments)


def begin_worker(parent: int, stop: Semaphore) -> None:
    """Let this worker end at once when it has to, and soon after its parent, if that was killed."""
    os.environ.setdefault("SIMPATICO_THREADS", "1")  # the other workers use the other cores
    keep_memory()

    def watch() -> None:
        while os.getppid() == parent and not stop.acquire(timeout=SECONDS_BETWEEN_CHECKS):
            pass
        os._exit(1)

    Thread(target=watch, daemon=True).start()
    # taking down the libraries would take .2 s; what is written is on the disk
    Finalize(None, os._exit, args=(0,), exitpriority=LAST)
    import_module("simpatico.run.parts")  # what the first task needs
