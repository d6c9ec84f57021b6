"""Work on several items at the same time, each on one thread."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import TypeVar

THREADS = "SIMPATICO_THREADS"

Item = TypeVar("Item")
Output = TypeVar("Output")


def thread_count() -> int:
    """How many items are worked on at the same time: SIMPATICO_THREADS, else one a processor."""
    setting = os.environ.get(THREADS, "")
    return int(setting) if setting.isdecimal() and int(setting) else len(os.sched_getaffinity(0))


def map_threads(
    work: Callable[[Item], Output],
    items: Iterable[Item],
    *,
    start: Callable[[], object] = lambda: None,
) -> Iterator[Output]:
    """The output of `work` for each item, in order; `start` is called once on every thread.

    Unlike `Executor.map`, it takes items only as fast as outputs are used, so that a long input
    does not fill the memory.
    """
    workers = thread_count()
    with ThreadPoolExecutor(workers, initializer=start) as pool:
        waiting: deque[Future[Output]] = deque()
        try:
            for item in items:
                waiting.append(pool.submit(work, item))
                if len(waiting) > 2 * workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


class OneThread:
    """While anybody is inside, torch adds up on one thread, so that no sum depends on its order.

    The last one to leave restores the former number: `set_num_threads` partly holds for the whole
    process, so that two callers must not restore it under each other's feet.
    """

    def __init__(self) -> None:
        self._lock, self._inside, self._before = Lock(), 0, 1

    def __enter__(self) -> None:
        import torch

        with self._lock:
            if not self._inside:
                self._before = torch.get_num_threads()
            self._inside += 1
            torch.set_num_threads(1)

    def __exit__(self, *error: object) -> None:
        import torch

        with self._lock:
            self._inside -= 1
            if not self._inside:
                torch.set_num_threads(self._before)


ONE_THREAD = OneThread()
