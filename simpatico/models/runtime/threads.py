"""Work on several items at the same time, each on one thread."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

THREADS = "SIMPATICO_THREADS"

Item = TypeVar("Item")
Said = TypeVar("Said")


def threads() -> int:
    """How many items are worked on at the same time: as many as told, else one a processor."""
    told = os.environ.get(THREADS, "")
    return int(told) if told.isdecimal() and int(told) else len(os.sched_getaffinity(0))


def side_by_side(
    work: Callable[[Item], Said],
    items: Iterable[Item],
    *,
    start: Callable[[], object] = lambda: None,
) -> Iterator[Said]:
    """What `work` gives for each item, in order; `start` is called once on every thread."""
    workers = threads()
    with ThreadPoolExecutor(workers, initializer=start) as pool:
        waiting: deque[Future[Said]] = deque()
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
