"""A real Chromium that cannot reach the network, and a watch over all that a page tries to do."""

from __future__ import annotations

import os
import shutil
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
MISSING = "no Chromium: apt-get install chromium"
WATCH = """
window.__violations = [];
document.addEventListener('securitypolicyviolation', (event) =>
  window.__violations.push(event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample));
"""


def chromium() -> str:
    """Where the browser is; without one tests are skipped, or fail where one is required."""
    asked = os.environ.get("SIMPATICO_CHROMIUM")
    found = asked or shutil.which("chromium") or shutil.which("chromium-browser")
    if found and Path(found).is_file():
        return found
    if os.environ.get("SIMPATICO_BROWSER") == "required":
        pytest.fail(MISSING)
    pytest.skip(MISSING)


class Heard(socketserver.ThreadingTCPServer):
    """A server that only counts who calls; evil.example leads here."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self) -> None:
        self.calls: list[bytes] = []
        super().__init__(("127.0.0.1", 0), Caller)


class Caller(socketserver.BaseRequestHandler):
    server: Heard

    def handle(self) -> None:
        self.request.settimeout(2)
        try:
            said = self.request.recv(1024)
        except OSError:
            said = b""
        self.server.calls.append(said.split(b"\r\n")[0])
        self.request.sendall(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")


@contextmanager
def sentinel() -> Iterator[Heard]:
    """The counting server, as long as it is needed."""
    with Heard() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def launched(port: int) -> Iterator[Browser]:
    """Chromium, for which evil.example is at a port of this machine."""
    from playwright.sync_api import sync_playwright

    rules = f"--host-resolver-rules=MAP evil.example 127.0.0.1:{port}"
    path = chromium()
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=[*FLAGS, rules])
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Seen:
    """What a page did: whom it asked, what it complained of, which windows it opened."""

    requests: list[str] = field(default_factory=list)
    console: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


@dataclass
class Watched:
    """A tab whose doings are written down."""

    page: Page
    seen: Seen = field(default_factory=Seen)

    def open(self, path: Path) -> Page:
        """Load a file and forget what was seen before."""
        for told in vars(self.seen).values():
            told.clear()
        self.page.goto(path.as_uri(), wait_until="load")
        return self.page

    @property
    def violations(self) -> list[str]:
        found: list[str] = self.page.evaluate("window.__violations")
        refused = ("Content Security Policy", "Refused to")
        return [*found, *(c for c in self.seen.console if any(r in c for r in refused))]

    @property
    def strangers(self) -> list[str]:
        """Requests other than for the page itself."""
        return [r for r in self.seen.requests if r != self.page.url.partition("#")[0]]


def watched(context: BrowserContext) -> Watched:
    """A new tab of this context, under watch."""
    context.add_init_script(WATCH)
    tab = Watched(context.new_page())
    tab.page.on("request", lambda r: tab.seen.requests.append(r.url))
    tab.page.on("console", lambda m: tab.seen.console.append(m.text))
    tab.page.on("pageerror", lambda e: tab.seen.errors.append(str(e)))
    tab.page.on("dialog", lambda d: (tab.seen.dialogs.append(d.message), d.dismiss()))
    return tab
