"""The process of a server: where it listens, and what ends a client that only holds a line."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

from simpatico.addresses import is_loopback
from simpatico.errors import BadValue, RunError
from simpatico.serve.security import App

if TYPE_CHECKING:
    import uvicorn

REQUEST_SECONDS = 20
"""Within which the head of a request has to be there."""
STOP_SECONDS = 8
MAX_HEAD = 32 * 1024


def browser_origins(host: str, port: int, public: str | None) -> frozenset[str]:
    """The addresses under which browsers see the server: behind a proxy, only the public one."""
    if public is None:
        if not is_loopback(host):
            raise BadValue(
                f"--host {host} can be reached by others, who would talk to it without encryption; "
                "put a proxy with HTTPS before it and name its address with --public https://…"
            )
        names = {host, "127.0.0.1", "localhost"} if ":" not in host else {f"[{host}]"}
        return frozenset(f"http://{name}:{port}" for name in names)
    scheme, separator, rest = public.rstrip("/").partition("://")
    plain = not rest or "/" in rest or "@" in rest or not rest.isascii() or " " in rest
    if not separator or scheme not in ("https", "http") or plain:
        raise BadValue(f"--public {public} is not an address such as https://study.example.org")
    if scheme == "http" and not is_loopback(rest.rpartition(":")[0] or rest):
        raise BadValue("--public needs https://, as tokens must not be sent in the open")
    return frozenset({f"{scheme}://{rest.lower()}"})


def listen(host: str, port: int) -> socket.socket:
    """The socket; refused with a sentence when the port is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    line = socket.socket(family)
    line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        line.bind((host, port))
    except OSError as error:
        line.close()
        raise RunError(
            f"cannot listen on {host}:{port}: {error.strerror}; choose another --port",
            resumable=True,
        ) from None
    return line


def build_server(app: App) -> uvicorn.Server:
    """The server, not yet running; it finishes open requests when it is stopped."""
    import uvicorn
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class ImpatientProtocol(H11Protocol):
        """uvicorn waits for ever for the head of a first request; here a timer ends it."""

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self.loop.call_later(REQUEST_SECONDS, self.close_if_silent)

        def close_if_silent(self) -> None:
            if self.cycle is None and not self.transport.is_closing():
                self.transport.close()

    config = uvicorn.Config(
        app,
        http=ImpatientProtocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=10,
        timeout_graceful_shutdown=STOP_SECONDS,
        h11_max_incomplete_event_size=MAX_HEAD,
        backlog=256,
    )
    return uvicorn.Server(config)
