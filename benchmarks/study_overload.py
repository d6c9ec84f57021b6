"""A study that is asked for twice as many answers as its server can take.

    python benchmarks/study_overload.py [--seconds 60] [--store URL]

First the capacity: answers a second to forty clients that each wait for theirs. Then requests come
on a schedule, whether or not those before have been answered: at half the capacity, at twice, and
at half again five seconds later. At twice, each has to be answered with 200, or with 503 and
Retry-After; every answer of 200 has to be in the store; the server's memory may not grow with the
requests. Exit 1 if one of these does not hold.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from collections import Counter, deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from study_load import (
    Client,
    OpenStudy,
    answer_body,
    held_by,
    serve,
    take,
    write_study,
)

from simpatico.study import schema as db
from simpatico.study.store import Store

RATERS, CLIENTS, RECOVERY_SECONDS, IDLE_SECONDS = 1200, 40, 5, 5
MOST_MEGABYTES = 50
"""By which the server may grow: 200 requests of 64 kB, their threads and connections."""


class Line:
    """A connection that says, beside the status, whether the server wants to be asked again."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer, self.used = reader, writer, time.perf_counter()

    async def post(self, port: int, token: str, body: dict[str, Any]) -> tuple[int, bool, bool]:
        """Status, whether there is a Retry-After, and whether the connection stays open."""
        data = json.dumps(body).encode()
        head = (
            f"POST /api/answer HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
            f"Authorization: Bearer {token}\r\nContent-Length: {len(data)}\r\n\r\n"
        )
        self.writer.write(head.encode() + data)
        answer = (await self.reader.readuntil(b"\r\n\r\n")).lower()
        length = int(answer.partition(b"content-length: ")[2].split()[0])
        await self.reader.readexactly(length)
        self.used = time.perf_counter()
        return int(answer.split()[1]), b"retry-after: 1" in answer, b": close" not in answer


@dataclass
class Person:
    """A rater with a dialog at hand, whose answers are changed over and over."""

    token: str
    unit: str
    places: list[tuple[int, str]]
    revisions: list[int]
    turn: int = 0


@dataclass
class Phase:
    """What came back while requests came at one rate."""

    rate: float = 0.0
    seconds: float = 0.0
    accepted: list[float] = field(default_factory=list)
    refused: list[float] = field(default_factory=list)
    other: Counter[str] = field(default_factory=Counter)
    cpu: float = 0.0

    def report(self) -> dict[str, Any]:
        """Milliseconds from when a request was due, and requests a second."""
        return {
            "asked": round(self.rate),
            "accepted": round(len(self.accepted) / self.seconds),
            "refused": round(len(self.refused) / self.seconds),
            "p50": percentile(self.accepted, 50),
            "p99": percentile(self.accepted, 99),
            "p99_of_refusals": percentile(self.refused, 99),
            "other": dict(self.other),
            "cpu_seconds": round(self.cpu, 1),
        }


def cpu_seconds(process: int) -> float:
    """What a process has used, user and system: more of a measure than time on a shared machine."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def percentile(seconds: list[float], p: float) -> float | None:
    return round(1000 * sorted(seconds)[int(len(seconds) * p / 100)], 1) if seconds else None


@dataclass
class Crowd:
    """Everybody who rates, and the connections that are open at the moment."""

    port: int
    server: int
    free: deque[Person]
    keys: set[str] = field(default_factory=set)
    lines: list[Line] = field(default_factory=list)

    async def line(self) -> Line:
        """A connection that the server is not about to close, as it does after ten seconds."""
        while self.lines:
            line = self.lines.pop()
            if time.perf_counter() - line.used < IDLE_SECONDS:
                return line
            line.writer.close()
        return Line(*await asyncio.open_connection("127.0.0.1", self.port))

    async def answer(self, due: float, phase: Phase) -> None:
        """One answer of whoever has waited longest."""
        if not self.free:
            phase.other["everybody waits"] += 1
            return
        person = self.free.popleft()
        place = person.turn % len(person.places)
        body = answer_body(person.unit, *person.places[place], person.revisions[place])
        try:
            line = await self.line()
            status, again, stays = await line.post(self.port, person.token, body)
        except (OSError, asyncio.IncompleteReadError) as error:
            phase.other[type(error).__name__] += 1
        else:
            seconds = time.perf_counter() - due
            if status == 200:
                self.keys.add(body["key"])
                person.revisions[place] += 1
                person.turn += 1
                phase.accepted.append(seconds)
            elif status == 503 and again:
                phase.refused.append(seconds)
            else:
                phase.other[f"status {status}"] += 1
            if stays:
                self.lines.append(line)
            else:
                line.writer.close()
        self.free.append(person)

    async def ask(self, rate: float, seconds: float) -> Phase:
        """Requests at this rate, whatever becomes of those before."""
        phase, running = Phase(rate, seconds), set[asyncio.Task[None]]()
        start, cpu = time.perf_counter(), cpu_seconds(self.server)
        for n in range(round(rate * seconds)):
            due = start + n / rate
            if (wait := due - time.perf_counter()) > 0:
                await asyncio.sleep(wait)
            task = asyncio.create_task(self.answer(due, phase))
            running.add(task)
            task.add_done_callback(running.discard)
        await asyncio.gather(*running)
        phase.cpu = cpu_seconds(self.server) - cpu
        return phase

    async def capacity(self, seconds: float) -> float:
        """Answers a second to people who wait for theirs."""
        phase, end = Phase(seconds=seconds), time.perf_counter() + seconds

        async def client() -> None:
            while (now := time.perf_counter()) < end:
                await self.answer(now, phase)

        await asyncio.gather(*(client() for _ in range(CLIENTS)))
        return len(phase.accepted) / seconds


async def run(study: OpenStudy, seconds: float) -> tuple[dict[str, Any], set[str]]:
    """The phases, one after the other."""
    people = deque[Person]()
    for token in study.tokens:
        unit, places = await take(client := Client(study.port, token))
        client.writer.close()
        people.append(Person(token, unit, places, [0] * len(places)))
    crowd = Crowd(study.port, study.process.pid, people)
    await crowd.capacity(3)  # warm
    capacity = await crowd.capacity(10)
    half = await crowd.ask(capacity / 2, seconds / 4)
    before = held_by(study.process.pid)
    twice = await crowd.ask(2 * capacity, seconds)
    after = held_by(study.process.pid)
    await asyncio.sleep(RECOVERY_SECONDS)
    again = await crowd.ask(capacity / 2, seconds / 4)
    answer = half.cpu / len(half.accepted)
    refusal = (twice.cpu - answer * len(twice.accepted)) / max(1, len(twice.refused))
    return {
        "capacity": round(capacity),
        "cpu_milliseconds": {
            "answer": round(1000 * answer, 2),
            "refusal": round(1000 * refusal, 2),
        },
        "half": half.report(),
        "twice": twice.report(),
        "half_again": again.report(),
        "megabytes": [round(before[0]), round(after[0])],
        "threads": [before[2], after[2], held_by(study.process.pid)[2]],
    }, crowd.keys


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--store", help="postgresql://USER@HOST/NAME, an empty database")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        study = write_study(Path(folder), "overload", RATERS // 3)
        url = options.store or str(Path(folder) / "overload.sqlite")
        with serve(study, url, RATERS) as server:
            facts, acknowledged = asyncio.run(run(server, options.seconds))
        store = Store(url)
        keys = [row.key for row in store.rows("overload", db.ANSWERS)[0]]
        store.close()
    facts |= {"lost": len(acknowledged - set(keys)), "doubled": len(keys) - len(set(keys))}
    print(json.dumps(facts, indent=1))
    grown = facts["megabytes"][1] - facts["megabytes"][0]
    wrong = [facts["lost"], facts["doubled"], facts["twice"]["other"], grown > MOST_MEGABYTES]
    return int(any(wrong))


if __name__ == "__main__":
    sys.exit(main())
