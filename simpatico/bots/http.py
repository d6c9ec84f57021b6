"""One request over HTTP, bounded in time and size; nothing is followed, nothing is kept."""

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

LARGEST = 1_000_000
"""Bytes of an answer that are read at most."""


class Trouble(NoAnswer):
    """A call that failed, perhaps not for good: `again` when it may go well another time.

    `after` is how many seconds the server wants to be left alone; `away` when there is no server.
    """

    def __init__(
        self,
        message: str,
        *,
        why: str,
        again: bool = True,
        after: float | None = None,
        away: bool = False,
    ) -> None:
        super().__init__(message, why=why)
        self.again, self.after, self.away = again, after, away


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
        near = self.host in ("localhost", "::1") or self.host.startswith("127.")
        return self.scheme == "https" or near

    def connection(self, timeout: float) -> HTTPConnection:
        """A connection that is not open yet."""
        if self.scheme == "https":
            trusted = ssl.create_default_context()
            return HTTPSConnection(self.host, self.port, timeout=timeout, context=trusted)
        return HTTPConnection(self.host, self.port, timeout=timeout)


class Answer(NamedTuple):
    """What came back."""

    status: int
    body: bytes
    after: float | None


def post(address: Address, body: bytes, headers: Mapping[str, str], *, timeout: float) -> Answer:
    """Send a body and read what comes back, all within `timeout` seconds after connecting."""
    connection = address.connection(timeout)
    try:
        try:
            connection.connect()
        except OSError as error:
            raise away(address, error) from None
        return asked(connection, address, (body, headers), timeout)
    finally:
        connection.close()


def asked(
    connection: HTTPConnection,
    address: Address,
    sent: tuple[bytes, Mapping[str, str]],
    timeout: float,
) -> Answer:
    """What an open connection answers; a server that drips bytes is cut off all the same."""
    late = Event()
    line = connection.sock

    def cut() -> None:
        late.set()
        try:
            socket.socket.shutdown(line, socket.SHUT_RDWR)
        except OSError:  # it is closed already
            return

    clock = Timer(timeout, cut)
    clock.daemon = True
    clock.start()
    response: HTTPResponse | None = None
    try:
        connection.request("POST", address.path, sent[0], dict(sent[1]))
        response = connection.getresponse()
        data = response.read(LARGEST + 1)
        if late.is_set():
            raise slow(address, timeout)
        return whole(address, response, data)
    except TimeoutError:
        raise slow(address, timeout) from None
    except (OSError, HTTPException, ValueError):
        raise (slow(address, timeout) if late.is_set() else dropped(address)) from None
    finally:
        clock.cancel()
        if response is not None:
            response.close()


def whole(address: Address, response: HTTPResponse, data: bytes) -> Answer:
    """The answer, if all of it came and it is no larger than we read."""
    if len(data) > LARGEST:
        raise Trouble(
            f"{address} sent more than {LARGEST:,} bytes; lower --max-tokens",
            why="too large",
            again=False,
        )
    if response.length:
        raise dropped(address)
    return Answer(response.status, data, wait_told(response.headers.get("Retry-After")))


def wait_told(told: str | None) -> float | None:
    """Seconds that a Retry-After header asks for: a number of them, or a time."""
    if told is None:
        return None
    if told.strip().isascii() and told.strip().isdecimal():
        return float(told.strip()[:9])
    try:
        moment = parsedate_to_datetime(told)
        return max(0.0, (moment.astimezone(UTC) - datetime.now(UTC)).total_seconds())
    except (ValueError, OverflowError):
        return None


def away(address: Address, error: OSError) -> Trouble:
    """The sentence for a server that there is no connection to."""
    why = "timed out" if isinstance(error, TimeoutError) else error.strerror
    return Trouble(
        f"{address} cannot be reached ({why or type(error).__name__}); "
        "start the server or check the address",
        why="not reached",
        again=not isinstance(error, ssl.SSLError),
        away=True,
    )


def slow(address: Address, timeout: float) -> Trouble:
    return Trouble(f"{address} took longer than {timeout:g} seconds", why="too slow")


def dropped(address: Address) -> Trouble:
    return Trouble(f"{address} broke off the connection", why="broken off")
