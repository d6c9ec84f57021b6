"""One request over HTTP, bounded in time and size; redirects are not followed, nothing is kept.

`http.client` rather than a library: its timeout is per read, so that a server which drips bytes
could hold a run for hours; here a timer cuts the connection after `timeout` seconds in all.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from threading import Event, Timer
from typing import NamedTuple

from simpatico.errors import NoAnswer

MAX_BYTES = 1_000_000
"""Bytes of a response that are read at most."""


class RequestFailed(NoAnswer):
    """A request that failed: `retryable` when it may succeed another time.

    `retry_after` is how many seconds the server asks for; `unreachable` when there is no server.
    """

    def __init__(
        self,
        message: str,
        *,
        why: str,
        retryable: bool = True,
        retry_after: float | None = None,
        unreachable: bool = False,
    ) -> None:
        super().__init__(message, why=why)
        self.retryable, self.retry_after, self.unreachable = retryable, retry_after, unreachable


@dataclass(frozen=True)
class Address:
    """Where a server is; without credentials, query and fragment."""

    scheme: str
    host: str
    port: int | None
    path: str

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port is None else f":{self.port}"
        return f"{self.scheme}://{host}{port}{self.path}"

    @property
    def private(self) -> bool:
        """Whether nobody on the way can read along."""
        loopback = self.host in ("localhost", "::1") or self.host.startswith("127.")
        return self.scheme == "https" or loopback

    def connection(self, timeout: float) -> HTTPConnection:
        """A connection that is not open yet."""
        if self.scheme == "https":
            context = ssl.create_default_context()
            return HTTPSConnection(self.host, self.port, timeout=timeout, context=context)
        return HTTPConnection(self.host, self.port, timeout=timeout)


class ServerResponse(NamedTuple):
    """Status, body, and the seconds that a Retry-After header asks for."""

    status: int
    body: bytes
    retry_after: float | None


def post(
    address: Address, body: bytes, headers: Mapping[str, str], *, timeout: float
) -> ServerResponse:
    """Send a body and read the response, all within `timeout` seconds after connecting."""
    connection = address.connection(timeout)
    try:
        try:
            connection.connect()
        except OSError as error:
            why = "timed out" if isinstance(error, TimeoutError) else error.strerror
            raise RequestFailed(
                f"{address} cannot be reached ({why or type(error).__name__}); "
                "start the server or check the address",
                why="not reached",
                retryable=not isinstance(error, ssl.SSLError),
                unreachable=True,
            ) from None
        return send_request(connection, address, body, headers=headers, timeout=timeout)
    finally:
        connection.close()


def send_request(
    connection: HTTPConnection,
    address: Address,
    body: bytes,
    *,
    headers: Mapping[str, str],
    timeout: float,
) -> ServerResponse:
    """The response over an open connection, which is cut off after `timeout` seconds."""
    expired = Event()
    line = connection.sock

    def cut() -> None:
        expired.set()
        try:
            # not SSLSocket.shutdown, which also drops the SSL object the other thread reads from
            socket.socket.shutdown(line, socket.SHUT_RDWR)
        except OSError:  # it is closed already
            return

    timer = Timer(timeout, cut)
    timer.daemon = True
    timer.start()
    response: HTTPResponse | None = None
    slow = RequestFailed(f"{address} took longer than {timeout:g} seconds", why="too slow")
    dropped = RequestFailed(f"{address} broke off the connection", why="broken off")
    try:
        connection.request("POST", address.path, body, dict(headers))
        response = connection.getresponse()
        data = response.read(MAX_BYTES + 1)
        if expired.is_set():
            raise slow
        if len(data) > MAX_BYTES:
            raise RequestFailed(
                f"{address} sent more than {MAX_BYTES:,} bytes; lower --max-tokens",
                why="too large",
                retryable=False,
            )
        if response.length:  # bytes that the header promised did not come
            raise dropped
        retry_after = parse_retry_after(response.headers.get("Retry-After"))
        return ServerResponse(response.status, data, retry_after)
    except TimeoutError:
        raise slow from None
    except (OSError, HTTPException, ValueError):
        raise (slow if expired.is_set() else dropped) from None
    finally:
        timer.cancel()
        if response is not None:
            response.close()


def parse_retry_after(header: str | None) -> float | None:
    """Seconds that a Retry-After header asks for: a number of them, or an HTTP date (RFC 9110)."""
    if header is None:
        return None
    if header.strip().isascii() and header.strip().isdecimal():
        return float(header.strip()[:9])
    try:
        moment = parsedate_to_datetime(header)
        return max(0.0, (moment.astimezone(UTC) - datetime.now(UTC)).total_seconds())
    except (ValueError, OverflowError):
        return None
