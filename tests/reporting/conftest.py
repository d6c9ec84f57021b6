"""Tabs of Chromium for tests of pages, shared by their settings."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.reporting.browser import WatchedTab, open_watched_tab
from tests.reporting.pages import example_page


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
