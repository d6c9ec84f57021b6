"""A study that is open on loopback, and the browser of the page tests."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any, NamedTuple

import pytest

from simpatico.serve.process import browser_origins, build_server, listen
from simpatico.study.design import Design, read_design
from simpatico.study.server import load_bots, study_app
from simpatico.study.store import Store
from simpatico.study.units import build_units

CHATS = """\
{"dialog": "a", "speaker": "ann", "text": "I moved to Leeds.", "system": "human"}
{"dialog": "a", "speaker": "x", "text": "Who did you talk to before?", "system": "x"}
{"dialog": "a", "speaker": "ann", "text": "My sister, on the bus.", "system": "human"}
{"dialog": "a", "speaker": "x", "text": "Buses have wheels.", "system": "x"}
{"dialog": "b", "speaker": "ann", "text": "My dog is ill.", "system": "human"}
{"dialog": "b", "speaker": "y", "text": "I am so sorry. What does he have?", "system": "y"}
"""


class OpenStudy(NamedTuple):
    """A study that is open: where, and by which tokens."""

    design: Design
    store: Store
    file: Path
    address: str
    owner: str

    def links(self, role: str, number: int) -> list[str]:
        people = self.store.add_raters(self.design.name, role, number)
        return [f"{self.address}/#{token}" for _, token in people]


@contextmanager
def serve(file: Path) -> Iterator[OpenStudy]:
    design = read_design(file)
    store = Store(str(file.with_suffix(".sqlite")))
    owner = store.add_study(design, build_units(design, file.parent))
    bots = load_bots(design)
    with listen("127.0.0.1", 0) as line:
        port = line.getsockname()[1]
        origins = browser_origins("127.0.0.1", port, None)
        server = build_server(study_app(store, design, bots, origins=origins))
        thread = Thread(target=server.run, args=([line],), daemon=True)
        thread.start()
        while not server.started:
            sleep(0.01)
        address = f"http://127.0.0.1:{port}"
        yield OpenStudy(design, store, file, address, f"{address}/owner#{owner}")
        server.should_exit = True
        thread.join()
    store.close()


@pytest.fixture
def open_study(tmp_path: Path) -> Iterator[Callable[[str], OpenStudy]]:
    """Open a study described by TOML, with two chats in `chats.jsonl`."""
    from contextlib import ExitStack

    with ExitStack() as stack:

        def start(text: str) -> OpenStudy:
            (tmp_path / "chats.jsonl").write_text(CHATS, encoding="utf-8")
            file = tmp_path / "study.toml"
            file.write_text(text, encoding="utf-8")
            return stack.enter_context(serve(file))

        yield start


@pytest.fixture
def visit(browser: Any) -> Iterator[Callable[..., Any]]:
    """Open a link as somebody with a browser of their own; errors in the page fail the test."""
    contexts, errors = [], list[str]()

    def go(link: str, width: int = 1400, scheme: str = "light", script: str = "") -> Any:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
        )
        contexts.append(context)
        context.add_init_script(script)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(link)
        return page

    yield go
    for context in contexts:
        context.close()
    assert errors == []
