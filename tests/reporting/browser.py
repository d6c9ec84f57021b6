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
from typing import TYPE_CHECKING, NoReturn

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page, Playwright

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
FONT_SETS = {
    "dejavu": "DejaVuSans.ttf",
    "liberation": "LiberationSans-Regular.ttf",
    "noto": "NotoSans-Regular.ttf",
}
"""The fonts that pages are tested with, each set alone, by the file in whose folder they lie.

DejaVu is the widest of the common ones and all that a bare container has; Liberation is as wide as
Arial; Noto is in between and joins letters such as "fi". Chromium sees no other font, whatever is
installed.
"""
FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts")
FONTS_CONF = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>{fonts}</dir><cachedir>{cache}</cachedir></fontconfig>
"""
WATCH = """
window.__violations = [];
document.addEventListener('securitypolicyviolation', (event) =>
  window.__violations.push(event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample));
"""


def skip_or_fail(reason: str) -> NoReturn:
    """Without a browser and its fonts tests are skipped, or fail where these are required."""
    if os.environ.get("SIMPATICO_BROWSER") == "required":
        pytest.fail(reason)
    pytest.skip(reason)


def chromium_path() -> str:
    configured_path = os.environ.get("SIMPATICO_CHROMIUM")
    path = configured_path or shutil.which("chromium") or shutil.which("chromium-browser")
    if path and Path(path).is_file():
        return path
    skip_or_fail("no Chromium: apt-get install chromium")


def write_fonts_conf(fonts: str, folder: Path) -> Path:
    """A fontconfig file in `folder` that knows one set of fonts and nothing else."""
    files = (f for base in FONT_FOLDERS for f in Path(base).rglob(FONT_SETS[fonts]))
    regular = next(files, None)
    if regular is None:
        skip_or_fail(
            f"no {fonts} fonts: apt-get install fonts-dejavu-core fonts-liberation fonts-noto-core"
        )
    path = folder / f"{fonts}.conf"
    path.write_text(FONTS_CONF.format(fonts=regular.parent, cache=folder / "cache"))
    return path


class CallCounter(socketserver.ThreadingTCPServer):
    """A server that only counts who calls; evil.example leads here."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self) -> None:
        self.calls: list[bytes] = []
        super().__init__(("127.0.0.1", 0), CallHandler)


class CallHandler(socketserver.BaseRequestHandler):
    server: CallCounter

    def handle(self) -> None:
        self.request.settimeout(2)
        try:
            data = self.request.recv(1024)
        except OSError:
            data = b""
        self.server.calls.append(data.split(b"\r\n")[0])
        self.request.sendall(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")


@contextmanager
def sentinel() -> Iterator[CallCounter]:
    """The counting server, as long as it is needed."""
    with CallCounter() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


class Browsers:
    """One Chromium for each set of fonts, started when first asked for.

    The fonts of a process are set by its environment, so two sets need two processes; for all of
    them evil.example is at a port of this machine.
    """

    def __init__(self, driver: Playwright, port: int, folder: Path) -> None:
        self.driver, self.folder = driver, folder
        self.flags = [*FLAGS, f"--host-resolver-rules=MAP evil.example 127.0.0.1:{port}"]
        self.started: dict[str, Browser] = {}

    def __getitem__(self, fonts: str) -> Browser:
        if fonts not in self.started:
            conf = write_fonts_conf(fonts, self.folder)
            self.started[fonts] = self.driver.chromium.launch(
                executable_path=chromium_path(),
                args=self.flags,
                env={**os.environ, "FONTCONFIG_FILE": str(conf)},
            )
        return self.started[fonts]


@dataclass
class PageActivity:
    """What a page did: whom it asked, what it complained of, which windows it opened."""

    requests: list[str] = field(default_factory=list)
    console: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


@dataclass
class WatchedTab:
    """A tab whose doings are written down."""

    page: Page
    activity: PageActivity = field(default_factory=PageActivity)

    def open(self, path: Path) -> Page:
        """Load a file and forget what was seen before."""
        for log in vars(self.activity).values():
            log.clear()
        self.page.goto(path.as_uri(), wait_until="load")
        return self.page

    @property
    def violations(self) -> list[str]:
        events: list[str] = self.page.evaluate("window.__violations")
        signs = ("Content Security Policy", "Refused to")
        return [*events, *(c for c in self.activity.console if any(r in c for r in signs))]

    @property
    def strangers(self) -> list[str]:
        """Requests other than for the page itself."""
        return [r for r in self.activity.requests if r != self.page.url.partition("#")[0]]


def open_watched_tab(context: BrowserContext) -> WatchedTab:
    """A new tab of this context, under watch."""
    context.add_init_script(WATCH)
    tab = WatchedTab(context.new_page())
    tab.page.on("request", lambda r: tab.activity.requests.append(r.url))
    tab.page.on("console", lambda m: tab.activity.console.append(m.text))
    tab.page.on("pageerror", lambda e: tab.activity.errors.append(str(e)))
    tab.page.on("dialog", lambda d: (tab.activity.dialogs.append(d.message), d.dismiss()))
    return tab
