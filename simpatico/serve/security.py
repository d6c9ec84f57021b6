"""Who may ask, how much, and what every answer says of itself; one layer around all routes.

A server on this machine can be reached by any web page that its user opens: by a name that resolves
to 127.0.0.1 (DNS rebinding) or by a form that posts across sites. So the Host has to be one that we
serve, and whatever a browser says about the origin of a request has to be this server.
"""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Callable, Coroutine, MutableMapping
from dataclasses import dataclass, field
from typing import Any

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Coroutine[Any, Any, Message]]
Send = Callable[[Message], Coroutine[Any, Any, None]]
App = Callable[[Scope, Receive, Send], Coroutine[Any, Any, None]]

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
MAX_BODY = 64 * 1024
"""Bytes of a request; an answer has a few hundred, and what a person says at most some thousand."""
MAX_HEAD = 32 * 1024
"""Bytes of the head of a request."""
MAX_WAITING = 200
"""Requests that wait for their answer to begin; more are asked to come back."""
PIECE = 64 * 1024
"""Bytes of an answer that are sent at a time."""
BODY_SECONDS = 20.0
"""Within which the body of a request has to be there."""
ONCE = ("host", "origin", "content-length", "authorization", "sec-fetch-site", "sec-fetch-mode")
"""Headers of which a second one could say the opposite of the first."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Limits:
    """How much a client may send, and how many requests, and streams, there are at a time."""

    body: int = MAX_BODY
    waiting: int = MAX_WAITING


class TooLarge(Exception):
    """A body beyond the limit, whatever its Content-Length says."""


@dataclass
class Guard:
    """Checks a request, limits its body, and puts the headers on every answer.

    `origins` are the addresses under which browsers see this server, such as
    `http://127.0.0.1:8000`; `pages` are paths that a link from elsewhere may open, as they hold
    nothing; `files` are those and what they are made of, which nobody has to wait for: a page whose
    script was refused would stay empty.
    """

    app: App
    origins: frozenset[str]
    pages: frozenset[str]
    files: frozenset[str]
    limits: Limits = field(default_factory=Limits)
    _waiting: int = 0

    @property
    def hosts(self) -> frozenset[str]:
        """The Host headers that belong to the origins."""
        return frozenset(origin.partition("://")[2] for origin in self.origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # there are no web sockets
            await send({"type": "websocket.close", "code": 1008})
            return
        if refusal := self.refusal(scope):
            await answer(send, *refusal)
            return
        try:
            body = await read_body(receive, self.limits.body)
        except (TooLarge, TimeoutError) as error:
            late = isinstance(error, TimeoutError)
            await answer(send, *((408, "too slow") if late else (413, "too large")))
            return
        if body is None:
            return
        # counted from here on: whoever sends drop by drop takes nobody's place
        counts = scope["path"] not in self.files
        if counts and self._waiting >= self.limits.waiting:
            # the line stays: to open another one would cost more than the refusal
            await answer(send, 503, "busy", {"Retry-After": "1"}, stays=True)
            return
        self._waiting += counts
        await self.answer_request(scope, replay(body, receive), send, place=counts)

    async def answer_request(
        self, scope: Scope, receive: Receive, send: Send, *, place: bool
    ) -> None:
        """Run the application; every answer of it gets the headers, and gives the place of its
        request free when it begins: a bot may take minutes, and so may a client that reads."""
        begun = False

        def begin() -> None:
            nonlocal begun
            self._waiting -= place and not begun
            begun = True

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                begin()
                message["headers"] = [*message.get("headers", []), *encode_headers(HEADERS)]
            body = message.get("body", b"")
            # in pieces: whether a client reads on can be seen only between two of them
            for start in range(0, len(body) - PIECE, PIECE):
                piece = body[start : start + PIECE]
                await send({"type": message["type"], "body": piece, "more_body": True})
                message["body"] = body[start + PIECE : start + 2 * PIECE]
            await send(message)

        try:
            await self.app(scope, receive, guarded)
        except Exception as error:
            log_error(error)  # an answer that has begun stays unfinished: the line is closed
            if not begun:
                await answer(send, 500, "internal error")
        finally:
            begin()

    def refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Why a request is not for us; null if it is."""
        headers: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        if any(len(headers.get(name, [])) > 1 for name in ONCE):
            return 400, "repeated header"
        if sum(len(n) + len(v) for n, v in scope["headers"]) > MAX_HEAD:
            return 431, "too large"
        host = headers.get("host", [""])[0].lower()
        if host not in self.hosts:
            return 421, "unknown host"
        origin = headers.get("origin", [None])[0]
        # the page of another name of this machine is another page, maybe of another server
        own = {own for own in self.origins if own.partition("://")[2] == host}
        if origin is not None and origin.lower() not in own:
            return 403, "cross-origin request"
        site = headers.get("sec-fetch-site", ["same-origin"])[0]
        opens_page = scope["method"] == "GET" and scope["path"] in self.pages
        if site not in ("same-origin", "none") and not (
            opens_page and headers.get("sec-fetch-mode") == ["navigate"]
        ):
            return 403, "cross-site request"
        if "content-length" in headers and "transfer-encoding" in headers:
            return 400, "two lengths"  # which a proxy may have read the other way
        if int(headers.get("content-length", ["0"])[0][:20]) > self.limits.body:
            return 413, "too large"
        return None


async def read_body(receive: Receive, limit: int) -> bytes | None:
    """The whole body, in time; null if the client has left before its end."""
    body, more = bytearray(), True
    async with asyncio.timeout(BODY_SECONDS):
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            body += message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) > limit:
                raise TooLarge
    return bytes(body)


def replay(body: bytes, receive: Receive) -> Receive:
    """What the application receives: the body in one piece, then whatever comes after it."""
    parts: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def next_message() -> Message:
        return parts.pop() if parts else await receive()

    return next_message


def log_error(error: BaseException) -> None:
    """Where something failed, without the error's text, which may hold what somebody said."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    logger.error("%s in %s:%s", type(error).__name__, place.filename, place.lineno)


def encode_headers(headers: dict[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.lower().encode(), value.encode()) for name, value in headers.items()]


def refusal_parts(
    problem: str, headers: dict[str, str] | None = None, *, stays: bool = False
) -> tuple[list[tuple[bytes, bytes]], bytes]:
    """Headers and body of an answer that ends the line, as there may be a body nobody reads; where
    it has been read, the line may stay."""
    body = f'{{"problem":"{problem}"}}'.encode()
    own = {"Content-Type": "application/json", "Content-Length": str(len(body))}
    end = {} if stays else {"Connection": "close"}
    return encode_headers({**own, **end, **HEADERS, **(headers or {})}), body


async def answer(
    send: Send,
    status: int,
    problem: str,
    headers: dict[str, str] | None = None,
    *,
    stays: bool = False,
) -> None:
    """An answer of the guard itself."""
    start, body = refusal_parts(problem, headers, stays=stays)
    await send({"type": "http.response.start", "status": status, "headers": start})
    await send({"type": "http.response.body", "body": body})
