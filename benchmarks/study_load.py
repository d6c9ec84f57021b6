"""A study under load: 200 raters who answer every two seconds, all on one server process.

    python benchmarks/study_load.py [--raters 200] [--seconds 60] [--rounds 3] [--store URL]
                                    [--owner] [--every 2]

Starts `simpatico study serve` on loopback; the store is a new SQLite file unless --store names an
empty PostgreSQL database. Raters answer on a schedule whether or not the answer before has come
back, and the time of an answer runs from when it was due, so that a server that stalls cannot hide
it. Everybody has a dialog at hand when the clock starts, gives it back after some answers, another
number each, and from then on rates dialogs whole, so that not all take the next at the same moment.
At the end the store is read: every answer that was acknowledged has to be there, once. --owner
looks at the owner's page all the while, as often as that page itself does.

As a soak (`--seconds 1800 --rounds 1 --every 5 --owner`) it says what the server holds, too:
memory, descriptors and threads, as medians of the second and the last fifth of the time, and by
how much memory grew in between.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from math import ceil
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple
from uuid import uuid4

from simpatico.study import schema as db
from simpatico.study.store import Store

MOST_MILLISECONDS = 100.0
SOAK_SECONDS, MOST_MEGABYTES_A_MINUTE = 300, 1.0
"""From how long on a run says something of growth, and how much of it is too much."""
OWNER_SECONDS = 10.0
"""How often the owner's page asks."""
STUDY = """
name = "{name}"
title = "Load"
question_sets = ["tbd"]
[rate]
source = "chats.jsonl"
raters = 3
[checks]
every = 0
"""


def write_study(folder: Path, name: str, dialogs: int) -> Path:
    """Dialogs of ten turns."""
    with (folder / "chats.jsonl").open("w") as file:
        for n in range(10 * dialogs):
            turn, dialog = n % 10, n // 10
            who = ("ann", "bot")[turn % 2]
            row = {"dialog": f"d{dialog}", "speaker": who, "text": f"Turn {turn} of {dialog}. " * 8,
                   "system": ("human", "bot")[turn % 2]}  # fmt: skip
            file.write(json.dumps(row) + "\n")
    path = folder / f"{name}.toml"
    path.write_text(STUDY.format(name=name))
    return path


Out = dict[str, list[Any]]


class Client:
    """One rater's browser: a connection that is kept, and the unit at hand."""

    def __init__(self, port: int, token: str) -> None:
        self.port, self.token = port, token
        self.reader: asyncio.StreamReader | None = None
        self.busy = asyncio.Lock()
        self.first: tuple[str, list[tuple[int, str]]] = ("", [])

    async def post(self, name: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """An answer of the server; a connection that it closed is opened again."""
        return await self.ask("POST", name, json.dumps(body).encode())

    async def ask(self, method: str, name: str, data: bytes) -> tuple[int, dict[str, Any]]:
        head = (
            f"{method} /api/{name} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
            f"Authorization: Bearer {self.token}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(data)}\r\n\r\n"
        )
        async with self.busy:
            for _ in range(5):
                try:
                    if self.reader is None:
                        line = await asyncio.open_connection("127.0.0.1", self.port)
                        self.reader, self.writer = line
                    self.writer.write(head.encode() + data)
                    answer = await self.reader.readuntil(b"\r\n\r\n")
                    length = int(re.findall(rb"content-length: (\d+)", answer)[0])
                    content = await self.reader.readexactly(length)
                    return int(answer.split()[1]), json.loads(content)
                except (ConnectionError, asyncio.IncompleteReadError):
                    self.reader = None
        raise ConnectionError(f"no answer to {name}")


async def take(client: Client) -> tuple[str, list[tuple[int, str]]]:
    """The next unit, and what is asked about it."""
    status, facts = await client.post("next", {})
    if status != 200 or facts["state"] != "work":
        raise SystemExit(f"no unit: {status} {facts}")
    turns = [line["turn"] for line in facts["sides"][0] if line["rated"]]
    of_turns = ("appropriateness", "content", "grammar", "relevance")
    of_dialog = ("coherence", "informativeness", "likability", "overall")
    places = [(t, q) for t in turns for q in of_turns] + [(-1, q) for q in of_dialog]
    return facts["unit"], places


async def work(client: Client, due: float, end: float, every: float, out: Out) -> None:
    """Rate one dialog after the other, an answer whenever one is due."""
    (unit, places), leave = client.first, "skip"
    while due < end:
        await asyncio.sleep(due - time.perf_counter())
        if not places:
            status, _ = await client.post(leave, {"unit": unit})
            out["left" if status == 200 else "problems"].append(unit)
            leave = "finish"
            unit, places = await take(client)
        body = answer_body(unit, *places.pop())
        out["sent"].append(body["key"])
        status, _ = await client.post("answer", body)
        out["milliseconds"].append(1000 * (time.perf_counter() - due))
        out["acknowledged" if status == 200 else "problems"].append(body["key"])
        due += every


def answer_body(unit: str, turn: int, question: str, revision: int = 0) -> dict[str, Any]:
    """An answer as the page sends it."""
    return {
        "unit": unit, "question": question, "turn": turn, "value": 3, "state": "given",
        "revision": revision, "key": uuid4().hex, "milliseconds": 1500,
    }  # fmt: skip


async def look(owner: Client, end: float, out: Out) -> None:
    """The owner's page, open all the while."""
    while time.perf_counter() < end:
        begun = time.perf_counter()
        status, _ = await owner.ask("GET", "owner/overview", b"")
        out["owner" if status == 200 else "problems"].append(1000 * (time.perf_counter() - begun))
        await asyncio.sleep(OWNER_SECONDS)


async def sample(server: int, end: float, out: Out) -> None:
    """What the server's process holds, once a second."""
    while time.perf_counter() < end:
        out["held"].append((time.perf_counter(), *held_by(server)))
        await asyncio.sleep(1)


def held_by(process: int) -> tuple[float, int, int]:
    """Resident memory of a process in MB, its descriptors and its threads."""
    place = Path(f"/proc/{process}")
    pages = int((place / "statm").read_text().split()[1])
    megabytes = pages * resource.getpagesize() / 1e6
    return megabytes, len(list((place / "fd").iterdir())), len(list((place / "task").iterdir()))


def held_report(held: list[tuple[float, float, int, int]]) -> dict[str, Any]:
    """The second fifth beside the last one, and how fast memory grew from the one to the other."""
    fifth = max(1, len(held) // 5)
    second, last = (
        [median(column) for column in zip(*part, strict=True)]
        for part in (held[fifth : 2 * fifth] or held, held[-fifth:])
    )
    minutes = (last[0] - second[0]) / 60
    return {
        "second": [round(value, 1) for value in second[1:]],
        "last": [round(value, 1) for value in last[1:]],
        "megabytes_a_minute": round((last[1] - second[1]) / max(minutes, 1 / 60), 2),
    }


async def load(study: OpenStudy, seconds: float, every: float, *, with_owner: bool) -> Out:
    """All raters, their answers spread evenly over the time between two of one rater."""
    names = ("sent", "acknowledged", "problems", "milliseconds", "left", "owner", "held")
    out: Out = {name: [] for name in names}
    clients = [Client(study.port, token) for token in study.tokens]
    for n, client in enumerate(clients):
        unit, places = await take(client)
        client.first = unit, places[: 1 + n % len(places)]
    start, step = time.perf_counter() + 1, every / len(clients)
    end = start + seconds
    people = [work(c, start + n * step, end, every, out) for n, c in enumerate(clients)]
    if with_owner:
        people.append(look(Client(study.port, study.owner), end, out))
    await asyncio.gather(*people, sample(study.process.pid, end, out))
    return out


class OpenStudy(NamedTuple):
    """A study that is open in a process of its own."""

    process: subprocess.Popen[str]
    port: int
    tokens: list[str]
    owner: str


@contextmanager
def serve(study: Path, url: str, raters: int) -> Iterator[OpenStudy]:
    """`simpatico study serve` with this many links."""
    command = [sys.executable, "-m", "simpatico", "study", "serve", str(study), "--store", url]
    server = subprocess.Popen(
        [*command, "--outsiders", str(raters), "--port", "0"], stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    found = []
    for line in server.stdout or ():
        found += re.findall(r":(\d+)/(owner)?#(\S+)", line)
        if found and found[-1][1]:  # the owner's link is the last
            break
    tokens = [token for _, _, token in found]
    try:
        yield OpenStudy(server, int(found[0][0]), tokens[:-1], tokens[-1])
    finally:
        server.terminate()
        server.wait(30)


def measure(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """One round on a new study."""
    name = f"load-{uuid4().hex[:8]}"
    # three people rate a dialog of 24 questions: nobody runs out of dialogs
    dialogs = options.raters * ceil(options.seconds / (50 * options.every))
    study = write_study(folder, name, dialogs)
    url = options.store or str(folder / f"{name}.sqlite")
    before = os.times()
    with serve(study, url, options.raters) as server:
        run = load(server, options.seconds, options.every, with_owner=options.owner)
        out = asyncio.run(run)
    cpu = os.times()
    store = Store(url)
    keys = [row.key for row in store.rows(name, db.ANSWERS)[0]]
    store.close()
    times = sorted(out["milliseconds"])
    return {
        "store": store.engine.dialect.name, "raters": len(server.tokens), "sent": len(out["sent"]),
        "stored": len(keys), "lost": len(set(out["acknowledged"]) - set(keys)),
        "doubled": len(keys) - len(set(keys)), "problems": len(out["problems"]),
        **{f"p{p:g}": round(times[int(len(times) * p / 100)], 1) for p in (50, 95, 99)},
        "most": round(times[-1], 1), "load": round(os.getloadavg()[0], 1),
        "server_cpu_seconds": round(sum(cpu[2:4]) - sum(before[2:4]), 1),
        **({"owner_median": round(median(out["owner"]))} if out["owner"] else {}),
        **held_report(out["held"]),
    }  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--raters", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--every", type=float, default=2, help="seconds between answers of one rater"
    )
    parser.add_argument("--owner", action="store_true", help="look at the owner's page meanwhile")
    parser.add_argument("--store", help="postgresql://USER@HOST/NAME, an empty database")
    arguments = parser.parse_args()
    rounds = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(arguments.rounds):
            rounds.append(measure(Path(folder), arguments))
            print(json.dumps(rounds[-1]), flush=True)
    lost = any(r["lost"] or r["doubled"] or r["problems"] for r in rounds)
    grown = arguments.seconds >= SOAK_SECONDS and any(has_grown(r) for r in rounds)
    return int(lost or grown or min(r["p99"] for r in rounds) > MOST_MILLISECONDS)


def has_grown(facts: dict[str, Any]) -> bool:
    """Whether a server holds more and more; one connection of the owner may come and go."""
    growth = [b - a for a, b in zip(facts["second"], facts["last"], strict=True)]
    return facts["megabytes_a_minute"] > MOST_MEGABYTES_A_MINUTE or max(growth[1:]) > 2


if __name__ == "__main__":
    sys.exit(main())
