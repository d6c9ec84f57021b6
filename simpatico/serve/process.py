"""The process of a server: where it listens, and what ends a client that only holds a line."""

from __future__ import annotations

import errno
import re
import socket
from ipaddress import ip_address
from typing import TYPE_CHECKING

from simpatico.addresses import is_loopback
from simpatico.errors import BadValue, RunError
from simpatico.serve.security import MAX_HEAD, App

if TYPE_CHECKING:
    import uvicorn

STOP_SECONDS = 8
"""Within which open requests are finished when the server is stopped."""
BACKLOG = 256
SAME = frozenset({"127.0.0.1", "localhost"})
USUAL_PORTS = {"http": 80, "https": 443}
ADDRESS = re.compile(r"(https?)://([a-z0-9.-]+|\[[0-9a-f:.]+\])(?::([0-9]{1,5}))?")


def browser_origins(host: str, port: int, public: str | None) -> frozenset[str]:
    """The addresses under which browsers see the server: behind a proxy, only the public one."""
    if public is None:
        if not is_loopback(host):
            raise BadValue(
                f"--host {host} can be reached by others, who would talk to it without encryption; "
                "put a proxy with HTTPS before it and name its address with --public https://…"
            )
        name = f"[{ip_address(host)}]" if ":" in host else host
        return frozenset(origin("http", n, port) for n in (SAME if name in SAME else {name}))
    match = ADDRESS.fullmatch(public.rstrip("/").lower())
    if not match:
        raise BadValue(f"--public {public} is not an address such as https://study.example.org")
    scheme, name, number = match.groups()
    if scheme == "http" and not is_loopback(name.strip("[]")):
        raise BadValue(
            f"--public {public} would send the secrets of the links in the open; name an address "
            "that begins with https://"
        )
    return frozenset({origin(scheme, name, int(number or USUAL_PORTS[scheme]))})


def origin(scheme: str, name: str, port: int) -> str:
    """An origin as browsers write it: without the port that goes without saying."""
    return f"{scheme}://{name}" + (f":{port}" if port != USUAL_PORTS[scheme] else "")


def listen(host: str, port: int) -> socket.socket:
    """The socket; refused with a sentence when the port is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends without delay only where the protocol is named: else an answer takes 40 ms more
    line = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # a small buffer, so that little of what is too large is read before it is refused
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16 * 1024)
    try:
        line.bind((host, port))
        line.listen(BACKLOG)  # from now on nobody who follows a printed link is refused
    except OSError as error:
        line.close()
        option = "--port" if error.errno in (errno.EADDRINUSE, errno.EACCES) else "--host"
        raise RunError(
            f"cannot listen on {host}:{port}: {error.strerror}; choose another {option}",
            resumable=True,
        ) from None
    return line


def build_server(app: App) -> uvicorn.Server:
    """The server, not yet running; it finishes open requests when it is stopped."""
    import uvicorn

    from simpatico.serve.protocol import ImpatientProtocol

    config = uvicorn.Config(
        app,
        http=ImpatientProtocol,
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="critical",  # its errors come with texts, which may hold what somebody said
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=10,
        timeout_graceful_shutdown=STOP_SECONDS,
        h11_max_incomplete_event_size=MAX_HEAD,
        backlog=BACKLOG,
    )
    return uvicorn.Server(config)
