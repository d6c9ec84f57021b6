"""A study under load: 200 raters who answer every two seconds, all on one server process.

    python benchmarks/study_load.py [--raters 200] [--seconds 60] [--rounds 3] [--store URL]

Starts `simpatico study serve` on loopback; the store is a new SQLite file unless --store names an
empty PostgreSQL database. Raters answer on a schedule whether or not the answer before has come
back, and the time of an answer runs from when it was due, so that a server that stalls cannot hide
it. Everybody has a dialog at hand when the clock starts, gives it back after some answers, another
number each, and from then on rates dialogs whole, so that not all take the next at the same moment.
At the end the store is read: every answer that was acknowledged has to be there, once.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from math import ceil
from pathlib import Path
from typing import Any
from uuid import uuid4

from simpatico.study import schema as db
from simpatico.study.store import Store

EVERY, MOST_MILLISECONDS = 2.0, 100.0
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


class Client:
    """One rater's browser: a connection that is kept, and the unit at hand."""

    def __init__(self, port: int, token: str) -> None:
        self.port, self.token = port, token
        self.reader: asyncio.StreamReader | None = None
        self.busy = asyncio.Lock()
        self.first: tuple[str, list[tuple[int, str]]] = ("", [])

    async def post(self, name: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """An answer of the server; a connection that it closed is opened again."""
        data = json.dumps(body).encode()
        head = (
            f"POST /api/{name} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
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


async def work(client: Client, start: float, seconds: float, out: dict[str, list[Any]]) -> None:
    """Rate one dialog after the other, an answer every two seconds."""
    (unit, places), leave, due = client.first, "skip", start
    while due < start + seconds:
        await asyncio.sleep(due - time.perf_counter())
        if not places:
            status, _ = await client.post(leave, {"unit": unit})
            out["left" if status == 200 else "problems"].append(unit)
            leave = "finish"
            unit, places = await take(client)
        turn, question = places.pop()
        key = uuid4().hex
        body = {
            "unit": unit, "question": question, "turn": turn, "value": 3, "state": "given",
            "revision": 0, "key": key, "milliseconds": 1500,
        }  # fmt: skip
        out["sent"].append(key)
        status, _ = await client.post("answer", body)
        out["milliseconds"].append(1000 * (time.perf_counter() - due))
        out["acknowledged" if status == 200 else "problems"].append(key)
        due += EVERY


async def load(port: int, tokens: list[str], seconds: float) -> dict[str, list[Any]]:
    """All raters, their answers spread evenly over the two seconds."""
    names = ("sent", "acknowledged", "problems", "milliseconds", "left")
    out: dict[str, list[Any]] = {name: [] for name in names}
    for _ in range(300):  # until the server listens
        try:
            (await asyncio.open_connection("127.0.0.1", port))[1].close()
            break
        except ConnectionError:
            await asyncio.sleep(0.1)
    clients = [Client(port, token) for token in tokens]
    for n, client in enumerate(clients):
        unit, places = await take(client)
        client.first = unit, places[: 1 + n % len(places)]
    start, step = time.perf_counter() + 1, EVERY / len(tokens)
    await asyncio.gather(
        *(work(client, start + n * step, seconds, out) for n, client in enumerate(clients))
    )
    return out


def measure(folder: Path, url: str | None, raters: int, seconds: float) -> dict[str, Any]:
    """One round on a new study."""
    name = f"load-{uuid4().hex[:8]}"
    # three people rate a dialog, which takes each of them 48 seconds: nobody runs out of dialogs
    study = write_study(folder, name, raters * ceil(seconds / 100))
    url = url or str(folder / f"{name}.sqlite")
    command = [sys.executable, "-m", "simpatico", "study", "serve", str(study), "--store", url]
    server = subprocess.Popen(
        [*command, "--outsiders", str(raters), "--port", "0"], stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    tokens, port = [], 0
    for line in server.stdout or ():
        if found := re.search(r":(\d+)/(owner)?#(\S+)", line):
            port = int(found[1])
            if found[2]:  # the owner's link is the last
                break
            tokens.append(found[3])
    try:
        out = asyncio.run(load(port, tokens, seconds))
    finally:
        server.terminate()
        server.wait(30)
    cpu = os.times()
    store = Store(url)
    keys = [row.key for row in store.rows(name, db.ANSWERS)[0]]
    store.close()
    times = sorted(out["milliseconds"])
    return {
        "store": store.engine.dialect.name, "raters": len(tokens), "sent": len(out["sent"]),
        "stored": len(keys), "lost": len(set(out["acknowledged"]) - set(keys)),
        "doubled": len(keys) - len(set(keys)), "problems": len(out["problems"]),
        **{f"p{p:g}": round(times[int(len(times) * p / 100)], 1) for p in (50, 95, 99)},
        "most": round(times[-1], 1), "load": round(os.getloadavg()[0], 1),
        "server_cpu_seconds": round(cpu.children_user + cpu.children_system, 1),
    }  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--raters", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--store", help="postgresql://USER@HOST/NAME, an empty database")
    arguments = parser.parse_args()
    rounds = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(arguments.rounds):
            rounds.append(
                measure(Path(folder), arguments.store, arguments.raters, arguments.seconds)
            )
            print(json.dumps(rounds[-1]), flush=True)
    lost = any(r["lost"] or r["doubled"] or r["problems"] for r in rounds)
    return int(lost or min(r["p99"] for r in rounds) > MOST_MILLISECONDS)


if __name__ == "__main__":
    sys.exit(main())
