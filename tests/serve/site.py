"""A real study behind a real server on this machine, and a client that normalises nothing."""

import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

from simpatico.bots.spec import load_bot
from simpatico.serve.process import browser_origins, build_server, listen
from simpatico.study import schema as db
from simpatico.study.design import read_design
from simpatico.study.panel import new_panel_token
from simpatico.study.server import study_app
from simpatico.study.store import Store
from simpatico.study.units import build_units

CHATS = """{"dialog": "d1", "speaker": "ann", "text": "Hello there", "system": "human"}
{"dialog": "d1", "speaker": "bot", "text": "Hi, how are you?", "system": "acme"}
{"dialog": "d2", "speaker": "ann", "text": "Rain again", "system": "human"}
{"dialog": "d2", "speaker": "bot", "text": "Take an umbrella.", "system": "acme"}
"""
STUDY = """name = "%s"
title = "Probe"
[rate]
source = "chats.jsonl"
[talk]
bots = [{name = "waiting", spec = "command:%s bot.py"}]
dialogs_per_bot = 500
min_turns = 2
max_turns = 10
[panel]
max_raters = 3
parameter = "PROLIFIC_PID"
[[questions]]
name = "warmth"
unit = "turn"
roles = ["outsider", "interlocutor"]
text = "How warm is this reply?"
answers = ["cold", "warm"]
"""
BOT = """import json, sys, time
for line in sys.stdin:
    said = json.loads(line)["messages"][-1]["content"]
    time.sleep(float(said.split()[-1]) if said.startswith("wait") else 0)
    print(json.dumps({"text": "You said: " + said}), flush=True)
"""


class Answer(NamedTuple):
    """What came back; a status of 0 if nothing did."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes

    def values(self, name: str) -> list[str]:
        return [value for key, value in self.headers if key == name.lower()]


class Client:
    """One connection; closed by the server or by `close`."""

    def __init__(self, port: int, seconds: float = 60) -> None:
        self.port, self.line = port, socket.create_connection(("127.0.0.1", port), seconds)
        self.buffer = b""

    def send(self, data: bytes) -> None:
        self.line.sendall(data)

    def more(self) -> bool:
        try:
            data = self.line.recv(1 << 16)
        except ConnectionError:
            data = b""
        self.buffer += data
        return bool(data)

    def until(self, mark: bytes) -> bytes:
        while mark not in self.buffer and self.more():
            pass
        found, _, self.buffer = self.buffer.partition(mark)
        return found

    def read(self, method: str = "GET") -> Answer:
        """The next answer on this line."""
        first, *lines = self.until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        if not first:
            return Answer(0, [], b"")
        pairs = [line.partition(":") for line in lines]
        headers = [(name.lower(), value.strip()) for name, _, value in pairs]
        answer = Answer(int(first.split()[1]), headers, b"")
        if method == "HEAD":
            return answer
        if answer.values("transfer-encoding"):
            body = b""
            while size := int(self.until(b"\r\n") or b"0", 16):
                while len(self.buffer) < size + 2 and self.more():
                    pass
                body, self.buffer = body + self.buffer[:size], self.buffer[size + 2 :]
            self.until(b"\r\n")
            return answer._replace(body=body)
        size = int((answer.values("content-length") or ["0"])[0])
        while len(self.buffer) < size and self.more():
            pass
        body, self.buffer = self.buffer[:size], self.buffer[size:]
        return answer._replace(body=body)

    def ask(self, method: str, path: str, *headers: str, body: bytes | None = None) -> Answer:
        """One request with these headers and no others, but for Host and Content-Length."""
        self.send(request(self.port, method, path, *headers, body=body))
        return self.read(method)

    def close(self) -> None:
        self.line.close()

    __del__ = close  # a test that fails should show its failure only


def request(port: int, method: str, path: str, *headers: str, body: bytes | None = None) -> bytes:
    """The bytes of a request; a header `Host…` replaces ours, and `Host-` leaves it out."""
    lines = [f"{method} {path} HTTP/1.1"]
    if not any(h.startswith("Host") for h in headers):
        lines.append(f"Host: 127.0.0.1:{port}")
    lines += [h for h in headers if h != "Host-"]
    if body is not None:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + (body or b"")


def ask(port: int, method: str, path: str, *headers: str, body: bytes | None = None) -> Answer:
    """One request on a line of its own."""
    client = Client(port)
    try:
        return client.ask(method, path, *headers, body=body)
    finally:
        client.close()


def bearer(token: str) -> str:
    return f"Authorization: Bearer {token}"


@contextmanager
def serving(make_app: Callable[[frozenset[str]], object]) -> Iterator[int]:
    """The port of a running server."""
    line = listen("127.0.0.1", 0)
    port = line.getsockname()[1]
    server = build_server(make_app(browser_origins("127.0.0.1", port, None)))
    thread = Thread(target=server.run, args=([line],))
    thread.start()
    try:
        yield port
    finally:
        server.should_exit = True
        thread.join()


def write_study(folder: Path, name: str = "probe") -> Path:
    """The files of a small study that outsiders rate and interlocutors talk in."""
    (folder / "chats.jsonl").write_text(CHATS)
    (folder / "bot.py").write_text(BOT)
    path = folder / f"{name}.toml"
    path.write_text(STUDY % (name, sys.executable))
    return path


class Site(NamedTuple):
    """A study that is open; `stranger`, `landlord` and `other_panel` belong to another study of its store."""

    port: int
    app: object
    store: Store
    owner: str
    outsiders: list[str]
    talkers: list[str]
    stranger: str
    landlord: str
    panel: str
    other_panel: str

    def ask(self, method: str, path: str, *headers: str, body: bytes | None = None) -> Answer:
        return ask(self.port, method, path, *headers, body=body)

    def rows(self, table: str) -> list[Any]:
        """The rows of a table of the store."""
        (rows,) = self.store.rows("probe", db.METADATA.tables[f"{db.STUDY}_{table}"])
        return rows

    def routes(self, start: str = "/") -> list[tuple[str, str]]:
        """Method and path of everything that the application answers, below this path.

        It is the application's own table, so that tests of all routes have the newest too.
        """
        table = self.app.app.routes
        pairs = [(min(route.methods - {"HEAD"}), route.path) for route in table]
        return [(method, path) for method, path in pairs if path.startswith(start)]

    def token_for(self, path: str) -> str:
        """The token that opens a path."""
        match path.split("/")[2:]:
            case ["owner", _]:
                return self.owner
            case ["enrol"]:
                return self.panel
            case ["say" | "end"]:
                return self.talkers[0]
        return self.outsiders[0]


@contextmanager
def open_site(folder: Path) -> Iterator[Site]:
    design = read_design(write_study(folder))
    other = read_design(write_study(folder, "other"))
    store = Store(str(folder / "store.sqlite"))
    owner, landlord = (store.add_study(d, build_units(d, folder)) for d in (design, other))
    people = [token for _, token in store.add_raters("probe", "outsider", 10)]
    talkers = [token for _, token in store.add_raters("probe", "interlocutor", 70)]
    panels = [new_panel_token(store, name) for name in ("probe", "other")]
    stranger = store.add_raters("other", "outsider", 1)[0][1]
    bot = load_bot(f"command:{sys.executable} {folder / 'bot.py'}")
    apps = []

    def make(origins: frozenset[str]) -> object:
        apps.append(study_app(store, design, {"waiting": bot}, origins=origins))
        return apps[0]

    with serving(make) as port:
        yield Site(port, apps[0], store, owner, people, talkers, stranger, landlord, *panels)
    bot.close()
    store.close()
