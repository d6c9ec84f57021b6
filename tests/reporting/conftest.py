"""Chromium for all tests of pages: started once a session, its tabs shared by their settings."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.reporting.browser import (
    Browsers,
    CallCounter,
    WatchedTab,
    chromium_path,
    open_watched_tab,
    sentinel,
)
from tests.reporting.pages import example_page


@pytest.fixture(scope="session")
def call_counter() -> Iterator[CallCounter]:
    """Who called evil.example."""
    chromium_path()
    with sentinel() as server:
        yield server


@pytest.fixture(scope="session")
def browsers(
    call_counter: CallCounter, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Browsers]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browsers = Browsers(
            driver, call_counter.server_address[1], tmp_path_factory.mktemp("fonts")
        )
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


@pytest.fixture(scope="session")
def _tabs() -> dict[tuple, WatchedTab]:
    return {}


@pytest.fixture
def tab(browser: Any, _tabs: dict[tuple, WatchedTab]) -> Callable[..., WatchedTab]:
    """Tabs by their settings, each made once: `tab(color_scheme="dark")`."""

    def open_tab(**settings: Any) -> WatchedTab:
        key = (id(browser), *sorted((k, str(v)) for k, v in settings.items()))
        if key not in _tabs:
            _tabs[key] = open_watched_tab(browser.new_context(**settings))
        return _tabs[key]

    return open_tab


@pytest.fixture
def show(tab: Callable[..., WatchedTab]) -> Callable[..., Any]:
    """The page of a kind in the browser: `show("demo", width=390, color_scheme="dark")`."""

    def open_page(kind: str, *, width: int = 1400, height: int = 900, **settings: Any) -> Any:
        page = tab(**settings).page
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(media="screen", color_scheme=settings.get("color_scheme", "light"))
        return tab(**settings).open(example_page(kind).path)

    return open_page
