"""Texts that run at the same time, each on one thread of torch, whoever has started them."""

from __future__ import annotations

from threading import Lock
from types import TracebackType


class OneThread:
    """While anybody is inside, torch adds up on one thread, so that no sum depends on its order.

    What it used before is set again by whoever leaves last: some of it holds for all threads.
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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        import torch

        with self._lock:
            self._inside -= 1
            if not self._inside:
                torch.set_num_threads(self._before)


ONE_THREAD = OneThread()
