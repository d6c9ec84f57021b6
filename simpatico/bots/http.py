"""Requests over HTTP, bounded in time and size, and tried again where that may help.

Redirects are not followed, and nothing is kept. Waits grow exponentially, with jitter, and are
never shorter than a server asks for.

`http.client` rather than a library: its timeout is per read, so that a server which drips bytes
could hold a run for hours; here a timer cuts the connection after `timeout` seconds in all.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from random import Random
from threading import Event, Lock, Timer
from time import monotonic
from typing import NamedTuple, TypeVar

from simpatico.addresses import is_loopback
from simpatico.errors import NoAnswer, RunError

MAX_BYTES = 1_000_000
"""Bytes of a response that are read at most."""
FIRST_DELAY = 1.0
MAX_DELAY = 30.0
"""Seconds of the first wait, and of the longest: min(30, 2^n) with equal jitter, as in Brooker
(2015), Exponential backoff and jitter: half of it is fixed, so that no wait is too short."""
MAX_RETRY_AFTER = 300.0
"""Seconds a server may ask us to wait; if it wants more, the run stops and can go on later."""

Value = TypeVar("Value")


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
        return self.scheme == "https" or is_loopback(self.host)

    def connection(self, timeout: float) -> HTTPConnection:
        """A connection that is not open yet; that of HTTPS checks the certificate."""
        if self.scheme == "https":
            context = ssl.create_default_context()
            return HTTPSConnection(self.host, self.port, timeout=timeout, context=context)
        return HTTPConnection(self.host, self.port, timeout=timeout)


class ServerResponse(NamedTuple):
    """Status, body, and the seconds that a Retry-After header asks for."""

    status: int
    body: bytes
    retry_after: float | None


@contextmanager
def cut_off_after(seconds: float, line: socket.socket) -> Iterator[Event]:
    """Shut a connection down after so many seconds; the event says whether it was."""
    time_is_up = Event()

    def cut_off() -> None:
        time_is_up.set()
        with suppress(OSError):  # it is closed already
            # not SSLSocket.shutdown, which also drops the SSL object the other thread reads from
            socket.socket.shutdown(line, socket.SHUT_RDWR)

    timer = Timer(seconds, cut_off)
    timer.daemon = True
    timer.start()
    try:
        yield time_is_up
    finally:
        timer.cancel()


@contextmanager
def open_response(
    address: Address, body: bytes, headers: Mapping[str, str], *, timeout: float
) -> Iterator[HTTPResponse]:
    """Send a body; the response may be read within `timeout` seconds after connecting."""
    slow = RequestFailed(f"{address} took longer than {timeout:g} seconds", why="too slow")
    broken_off = RequestFailed(f"{address} broke off the connection", why="broken off")
    with closing(address.connection(timeout)) as connection:
        try:
            # by itself, as a server that is not there ends the run, and one that fails does not
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
        with cut_off_after(timeout, connection.sock) as time_is_up:
            try:
                connection.request("POST", address.path, body, dict(headers))
                with connection.getresponse() as response:
                    yield response
            except TimeoutError:
                raise slow from None
            except (OSError, HTTPException, ValueError):
                raise (slow if time_is_up.is_set() else broken_off) from None
            if time_is_up.is_set():
                raise slow


def post(
    address: Address, body: bytes, headers: Mapping[str, str], *, timeout: float
) -> ServerResponse:
    """Send a body and read the response, all within `timeout` seconds after connecting."""
    with open_response(address, body, headers, timeout=timeout) as response:
        return read_response(address, response)


def read_response(address: Address, response: HTTPResponse) -> ServerResponse:
    """The whole of a response."""
    data = response.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise too_large(address)
    if response.length:  # bytes that the header promised did not come
        raise RequestFailed(f"{address} broke off the connection", why="broken off")
    retry_after = parse_retry_after(response.headers.get("Retry-After"))
    return ServerResponse(response.status, data, retry_after)


def read_lines(address: Address, response: HTTPResponse) -> Iterator[bytes]:
    """The lines of a response as they come."""
    left = MAX_BYTES
    while line := response.readline(left + 1):
        left -= len(line)
        if left < 0:
            raise too_large(address)
        yield line


def too_large(address: Address) -> RequestFailed:
    reason = f"{address} sent more than {MAX_BYTES:,} bytes; lower --max-tokens"
    return RequestFailed(reason, why="too large", retryable=False)


def parse_retry_after(header: str | None) -> float | None:
    """Seconds that a Retry-After header asks for: a number of them, or an HTTP date (RFC 9110)."""
    if header is None:
        return None
    if header.strip().isascii() and header.strip().isdecimal():
        return float(header.strip()[:9])  # thirty years: no number of digits gives infinity
    try:
        moment = parsedate_to_datetime(header)
        return max(0.0, (moment.astimezone(UTC) - datetime.now(UTC)).total_seconds())
    except (ValueError, OverflowError):
        return None


class Backoff:
    """When a server may be asked next, for all threads that ask it."""

    def __init__(self, rng: Random | None = None) -> None:
        # jitter only spreads the retries of several processes; no answer depends on it
        self.rng = rng or Random()  # noqa: S311
        self.stop = Event()
        self._lock = Lock()
        self._not_before = 0.0

    def sleep(self, seconds: float) -> None:
        """Wait; setting `stop` ends the wait at once."""
        if self.stop.wait(seconds):
            raise NoAnswer("stopped, as the run was interrupted", why="stopped")

    def delay(self, failures: int) -> float:
        """The wait after so many failures: doubled each time, at random from half to all of it."""
        longest = min(MAX_DELAY, FIRST_DELAY * 2.0**failures)
        return longest * (0.5 + self.rng.random() / 2)

    def retry(self, call: Callable[[], Value], retries: int) -> Value:
        """What `call` returns, tried again where that may help."""
        for attempt in range(retries + 1):
            # not once: while this thread slept, the server may have asked another to wait longer
            while (seconds := self._not_before - monotonic()) > 0:
                self.sleep(seconds)
            try:
                return call()
            except RequestFailed as error:
                wait = error.retry_after
                if wait is not None and wait > MAX_RETRY_AFTER:
                    raise RunError(
                        f"{error}, and asks to wait {wait:,.0f} seconds; "
                        "run the same command again then to resume",
                        resumable=True,
                    ) from None
                if not error.retryable or attempt == retries:
                    if error.unreachable:  # there is no server, so no prompt will have an answer
                        raise RunError(str(error), resumable=error.retryable) from None
                    times = f" (asked {attempt + 1} times)" if attempt else ""
                    raise NoAnswer(f"{error}{times}", why=error.why) from None
                if wait is None:
                    self.sleep(self.delay(attempt))
                    continue
                with self._lock:  # the server is asked nothing for so long, on any thread
                    self._not_before = max(self._not_before, monotonic() + wait)
        raise NoAnswer("never asked", why="stopped")
