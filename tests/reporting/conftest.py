"""One browser for all tests of pages, from the first that needs it to the last test of this folder."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.reporting.browser import Heard, Watched, chromium, launched, sentinel, watched
from tests.reporting.pages import made


@pytest.fixture(scope="package")
def heard() -> Iterator[Heard]:
    """Who called evil.example."""
    chromium()
    with sentinel() as server:
        yield server


@pytest.fixture(scope="package")
def browser(heard: Heard) -> Iterator[Any]:
    with launched(heard.server_address[1]) as found:
        yield found


@pytest.fixture(scope="package")
def _tabs(browser: Any) -> Iterator[dict[tuple, Watched]]:
    tabs: dict[tuple, Watched] = {}
    yield tabs
    for tab in tabs.values():
        tab.page.context.close()


@pytest.fixture
def tab(browser: Any, _tabs: dict[tuple, Watched]) -> Callable[..., Watched]:
    """Tabs by their settings, each made once: `tab(color_scheme="dark")`."""

    def opened(**settings: Any) -> Watched:
        key = tuple(sorted((k, str(v)) for k, v in settings.items()))
        if key not in _tabs:
            _tabs[key] = watched(browser.new_context(**settings))
        return _tabs[key]

    return opened


@pytest.fixture
def show(tab: Callable[..., Watched]) -> Callable[..., Any]:
    """The page of a kind in the browser: `show("demo", width=390, color_scheme="dark")`."""

    def opened(kind: str, *, width: int = 1400, height: int = 900, **settings: Any) -> Any:
        page = tab(**settings).page
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(media="screen", color_scheme=settings.get("color_scheme", "light"))
        return tab(**settings).open(made(kind).path)

    return opened
