"""Answers in pieces that may take long, such as those of a bot: each in a thread of its own.

The threads that answer everything else are few and quick; a slow bot would soon hold them all. A
stream goes on to its end even where the client has left, so that what it saves is saved.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import suppress
from threading import BoundedSemaphore, Thread
from typing import Any

import msgspec

from simpatico.serve.security import log_error


class StreamThreads:
    """As many streams at the same time as `limit` says, whether or not somebody still listens."""

    def __init__(self, limit: int) -> None:
        self.free = BoundedSemaphore(limit)

    def start(self, pieces: Iterator[Mapping[str, Any]]) -> AsyncIterator[bytes] | None:
        """The pieces, a JSON object a line; null if there are too many streams already."""
        if not self.free.acquire(blocking=False):
            return None
        loop, lines = asyncio.get_running_loop(), asyncio.Queue[bytes]()

        def put(line: bytes) -> None:
            with suppress(RuntimeError):  # the server has stopped, and nobody listens any more
                loop.call_soon_threadsafe(lines.put_nowait, line)

        def run() -> None:
            try:
                for piece in pieces:
                    put(msgspec.json.encode(piece) + b"\n")
            except Exception as error:
                log_error(error)
                put(b'{"problem":"internal error"}\n')
            finally:
                self.free.release()
                put(b"")

        Thread(target=run, name="stream", daemon=True).start()  # the end of the process ends it
        return read_lines(lines)


async def read_lines(lines: asyncio.Queue[bytes]) -> AsyncIterator[bytes]:
    """The lines up to the empty one."""
    while line := await lines.get():
        yield line
