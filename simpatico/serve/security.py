"""Who may ask, how much, and what every answer says of itself; one layer around all routes.

A server on this machine can be reached by any web page that its user opens: by a name that resolves
to 127.0.0.1 (DNS rebinding) or by a form that posts across sites. So the Host has to be one that we
serve, and whatever a browser says about the origin of a request has to be this server.
"""

from __future__ import annotations

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
MAX_WAITING = 200
"""Requests at the same time; more are asked to come back."""


@dataclass(frozen=True)
class Limits:
    """How much a client may send, and how many may wait at the same time."""

    body: int = MAX_BODY
    waiting: int = MAX_WAITING


class TooLarge(Exception):
    """A body beyond the limit, whatever its Content-Length says."""


@dataclass
class Guard:
    """Checks a request, limits its body, and puts the headers on every answer.

    `origins` are the addresses under which browsers see this server, such as
    `http://127.0.0.1:8000`; `pages` are paths that a link from elsewhere may open, as they hold
    nothing.
    """

    app: App
    origins: frozenset[str]
    pages: frozenset[str]
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
        if self._waiting >= self.limits.waiting:
            await answer(send, 503, "busy", {"Retry-After": "1"})
            return
        self._waiting += 1
        try:
            await self.answer_request(scope, receive, send)
        finally:
            self._waiting -= 1

    async def answer_request(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the application on a request whose body is counted as it comes."""
        size, begun = 0, False

        async def counted() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > self.limits.body:
                raise TooLarge
            return message

        async def guarded(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                message["headers"] = [*message.get("headers", []), *encode_headers(HEADERS)]
            await send(message)

        try:
            await self.app(scope, counted, guarded)
        except TooLarge:
            if not begun:
                await answer(send, 413, "too large")
        except Exception:
            # no details: they may hold what somebody said
            if not begun:
                await answer(send, 500, "internal error")
            raise

    def refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Why a request is not for us; null if it is."""
        headers: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        if any(len(headers.get(name, [])) > 1 for name in ("host", "origin", "content-length")):
            return 400, "repeated header"
        if headers.get("host", [""])[0].lower() not in self.hosts:
            return 421, "unknown host"
        origin = headers.get("origin", [None])[0]
        if origin is not None and origin.lower() not in self.origins:
            return 403, "cross-origin request"
        site = headers.get("sec-fetch-site", ["same-origin"])[0]
        opens_page = scope["method"] == "GET" and scope["path"] in self.pages
        if site not in ("same-origin", "none") and not opens_page:
            return 403, "cross-site request"
        length = headers.get("content-length", ["0"])[0]
        if not length.isascii() or not length.isdigit():
            return 400, "bad content length"
        if int(length[:12]) > self.limits.body:
            return 413, "too large"
        return None


def encode_headers(headers: dict[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.lower().encode(), value.encode()) for name, value in headers.items()]


async def answer(
    send: Send, status: int, problem: str, headers: dict[str, str] | None = None
) -> None:
    """An answer of the guard itself."""
    body = f'{{"problem":"{problem}"}}'.encode()
    own = {"Content-Type": "application/json", "Content-Length": str(len(body))}
    start = encode_headers({**own, **HEADERS, **(headers or {})})
    await send({"type": "http.response.start", "status": status, "headers": start})
    await send({"type": "http.response.body", "body": body})
