"""What several tests need: a small conversation, and where the real data stand if they are here."""

import atexit
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import settings

from simpatico import Turns
from simpatico.cli import main
from tests.reporting.browser import Browsers, CallCounter, chromium_path, sentinel

settings.register_profile("calm", deadline=None)  # the machines are shared and noisy
settings.load_profile("calm")

ROOT = Path(__file__).parent.parent
DATA = Path(os.environ.get("SIMPATICO_DATA", ROOT.parent / "shared" / "data"))
"""Where the real data sets stand, if they are here."""
os.environ["SIMPATICO_CACHE"] = "off"  # tests of the cache choose a folder of their own
STATE = tempfile.TemporaryDirectory()
atexit.register(STATE.cleanup)
os.environ["XDG_STATE_HOME"] = STATE.name  # the cache's secret is not the user's own
# tests run in as many processes as there are cores: torch's threads would wait for each other,
# which takes several times the work; tests of threads choose a number of their own
os.environ.setdefault("SIMPATICO_THREADS", "1")


def talk(*lines: str, dialog: str = "d") -> Turns:
    """A dialog of "speaker: text" lines."""
    rows = [line.partition(": ") for line in lines]
    return Turns.from_utterances(
        pl.DataFrame(
            {
                "dialog": [dialog] * len(rows),
                "speaker": [r[0] for r in rows],
                "text": [r[2] for r in rows],
            }
        )
    )


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data sets; tests that need it are skipped where it is not."""
    if not DATA.is_dir():
        pytest.skip(f"no data sets in {DATA}; set SIMPATICO_DATA to their folder")
    return DATA


@pytest.fixture
def call(capsys, monkeypatch):
    """The command line within this process: exit code, stdout, stderr."""
    before = signal.getsignal(signal.SIGTERM)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["simpatico", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        out, err = capsys.readouterr()
        return left.value.code or 0, out, err

    yield run
    signal.signal(signal.SIGTERM, before)


@pytest.fixture(scope="session")
def driver() -> Iterator[Any]:
    """Playwright, of which a process can have one at a time."""
    from playwright.sync_api import sync_playwright

    chromium_path()
    with sync_playwright() as driver:
        yield driver


@pytest.fixture(scope="session")
def call_counter() -> Iterator[CallCounter]:
    """Who called evil.example."""
    chromium_path()
    with sentinel() as server:
        yield server


@pytest.fixture(scope="session")
def browsers(
    driver: Any, call_counter: CallCounter, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Browsers]:
    """Chromium with each set of fonts, started when it is asked for."""
    port, folder = call_counter.server_address[1], tmp_path_factory.mktemp("fonts")
    browsers = Browsers(driver, port, folder)
    yield browsers
    for browser in browsers.started.values():
        browser.close()


@pytest.fixture
def fonts() -> str:
    """The fonts of the browser; tests of the layout are parametrized over all sets."""
    return "dejavu"


@pytest.fixture
def browser(browsers: Browsers, fonts: str) -> Any:
    return browsers[fonts]
