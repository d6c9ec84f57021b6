"""Many processes on one store, some of them killed at any moment; prints what was acknowledged.

A program of its own, as it forks: it has no thread when it does. `python -m tests.study.torture`
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path

import sqlalchemy as sa

from simpatico.study import database
from simpatico.study import schema as db
from simpatico.study.answers import Entry, save_answer
from simpatico.study.design import Design
from simpatico.study.loans import finish_unit, holders, skip_unit, take_unit
from simpatico.study.store import Conflict, Gone, Rater, Store

SPEED = 12_000
"""How much faster the clock of the races goes: a lease of ten minutes lasts 0.05 s."""


def fork(work: Callable[[], None], errors: Path) -> int:
    """A process that does this; what it raises is written down."""
    if pid := os.fork():
        return pid
    try:
        work()
        os._exit(0)
    except BaseException as error:
        append(errors, f"{type(error).__name__}: {error}")
        os._exit(1)


def append(path: Path, line: str) -> None:
    """Add a line by one write, which outlives a process that is killed."""
    file = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    os.write(file, f"{line}\n".encode())
    os.close(file)


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


# -- answers, each sent three times, by processes that are killed ----------------------------------


def send_answers(url: str, token: str, unit: str, number: int, log: Path) -> None:
    """Send every answer that is not acknowledged yet: twice at the same moment, then once more."""
    store = Store(url)
    rater = store.rater(token)
    design = store.design("s")
    with ThreadPoolExecutor(2) as pool:
        for n in range(len(lines(log)), number):
            entry = Entry(unit, n, "warmth", float(n % 5 + 1), "given", 0, f"{rater.rater}-{n:012}")
            twice = [pool.submit(save_answer, store, rater, design, entry) for _ in range(2)]
            revisions = [f.result() for f in twice] + [save_answer(store, rater, design, entry)]
            append(log, f"{n} {revisions}")


def torture_answers(url: str, folder: Path, facts: dict) -> None:
    """One process a rater; whenever a share of the work is done, one of them is killed."""
    tokens, number, kills = facts["tokens"], facts["answers"], facts["kills"]
    chance, errors = random.Random(7340), folder / "errors"
    logs = [folder / f"acknowledged-{n}" for n in range(len(tokens))]

    def start(n: int) -> int:
        return fork(lambda: send_answers(url, tokens[n], facts["unit"], number, logs[n]), errors)

    running = {start(n): n for n in range(len(tokens))}
    killed = 0
    while running:
        done = sum(len(lines(log)) for log in logs)
        if killed < kills and done >= killed * number * len(tokens) * 0.98 / kills:
            time.sleep(chance.random() * 0.01)
            os.kill(chance.choice(sorted(running)), signal.SIGKILL)
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            time.sleep(0.001)
            continue
        n = running.pop(pid)
        if os.WIFSIGNALED(status):
            killed += 1
            running[start(n)] = n
    sys.stdout.write(json.dumps({"killed": killed, "acknowledged": [lines(log) for log in logs]}))


# -- races for units -------------------------------------------------------------------------------


def race(url: str, tokens: list[str], number: int, log: Path) -> None:
    """Take units as fast as possible; answer, finish, give back or leave them."""
    store = Store(url, clock=lambda: time.time() * SPEED)
    design, chance = store.design("s"), random.Random(tokens[0])
    raters = [r for token in tokens if (r := store.rater(token))]
    late = 0
    for _ in range(number):
        rater = chance.choice(raters)
        lease = take_unit(store, rater, design)
        if lease is None:
            append(log, "none")
            continue
        most = count_holders(store, lease.unit)
        try:
            late += act(store, rater, design, lease.unit, chance)
        except Gone:
            late += 1
        most = max(most, count_holders(store, lease.unit))
        append(log, f"taken {most} {late}")
        late = 0


def act(store: Store, rater: Rater, design: Design, unit: str, chance: random.Random) -> int:
    """What a rater does with a unit; 1 if it came too late, which is told."""
    what = chance.random()
    if what < 0.4:
        skip_unit(store, rater, unit)
    elif what < 0.7:
        time.sleep(chance.random() * 0.1)  # a lease lasts 0.05 s
        entry = Entry(unit, -1, "overall", 1.0, "given", 0, f"{chance.random():.17f}"[:32])
        with suppress(Conflict):  # this rater has answered before
            save_answer(store, rater, design, entry)
        if what > 0.68:
            finish_unit(store, rater, design, unit)
    return 0


def count_holders(store: Store, unit: str) -> int:
    """How many have a unit or had it whole; the clock is read after the state is fixed, as a lease
    that ran out before the state was may have been given to somebody else."""
    with store.read() as c:
        c.execute(sa.select(db.STUDIES.c.study))
        query = holders("s", store.clock()).where(db.LEASES.c.unit == unit)
        row = c.execute(query).first()
    return row.n if row else 0


def torture_races(url: str, folder: Path, facts: dict) -> None:
    shares = [facts["tokens"][n :: facts["processes"]] for n in range(facts["processes"])]
    each = facts["races"] // facts["processes"]
    log, errors = folder / "races", folder / "errors"
    # each process has raters of its own, and two have the first's too: tabs of the same person
    shares[1] += shares[0][:5]
    running = [fork(lambda s=s: race(url, s, each, log), errors) for s in shares]
    for pid in running:
        os.waitpid(pid, 0)
    sys.stdout.write(json.dumps({"races": lines(log)}))


# -- migrations, killed at every statement ---------------------------------------------------------


def migrate_until(url: str, statement: int) -> None:
    """Open a store; the process ends itself before the n-th thing that it does."""
    left = statement

    def step(*_: object, **__: object) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    for event in ("before_cursor_execute", "commit"):
        sa.event.listen(sa.Engine, event, step)
    replace, back_up = Path.replace, database.back_up

    def slow_replace(*arguments: Path) -> object:
        step()
        moved = replace(*arguments)
        step()
        return moved

    Path.replace = slow_replace
    database.back_up = lambda *arguments: (step(), back_up(*arguments))
    Store(url).close()


def torture_migrations(url: str, folder: Path, facts: dict) -> None:
    """Open one store after the other, each killed one statement later, until one is opened."""
    for n, one in enumerate(facts["urls"]):
        _, status = os.waitpid(fork(partial(migrate_until, one, n), folder / "errors"), 0)
        if not os.WIFSIGNALED(status):
            sys.stdout.write(json.dumps({"killed": n}))
            return


if __name__ == "__main__":
    name, url, folder, facts = sys.argv[1:]
    globals()[name](url, Path(folder), json.loads(facts))
