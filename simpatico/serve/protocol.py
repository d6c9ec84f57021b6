"""The line to a client: what ends one that holds it without sending or reading."""

from __future__ import annotations

import asyncio
import sys

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from simpatico.serve.security import refusal_parts

CLIENT_SECONDS = 20
"""Within which the head of a request has to be there, and an answer has to be read on."""


class ImpatientProtocol(H11Protocol):
    """HTTP/1.1 of uvicorn, which waits for ever for a head that has begun and for a reader."""

    silence: asyncio.TimerHandle | None = None
    pause: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.silence = self.loop.call_later(CLIENT_SECONDS, self.end_if_silent)

    def on_response_complete(self) -> None:
        if self.silence:
            self.silence.cancel()
        self.silence = self.loop.call_later(CLIENT_SECONDS, self.end_if_silent)
        super().on_response_complete()

    def end_if_silent(self) -> None:
        if self.cycle is None or self.cycle.response_complete:
            self.transport.abort()  # `close` would wait until everything is read

    def pause_writing(self) -> None:
        super().pause_writing()
        self.pause = self.loop.call_later(CLIENT_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self.pause:
            self.pause.cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        for timer in (self.silence, self.pause):
            if timer:
                timer.cancel()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """The answer to what is no HTTP, with the headers of every answer."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            long = getattr(sys.exception(), "error_status_hint", 400) == 431
            headers, body = refusal_parts("too large" if long else "bad request")
            start = h11.Response(status_code=431 if long else 400, headers=headers)
            for event in (start, h11.Data(data=body), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
