"""A server that runs for long holds no more than one that has just begun."""

import json
import resource
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.serve.site import Client, ask, bearer, request
from tests.serve.test_stop import Command

ROUNDS = 40
MOST_BYTES = 16_000_000
"""By which its memory may grow over more than a thousand requests of up to 60,000 bytes."""


@pytest.fixture
def server(tmp_path):
    command = Command(tmp_path)
    yield command
    command.process.kill()
    command.process.communicate()


def held(process):
    """Descriptors, threads and bytes of a process."""
    place = Path(f"/proc/{process}")
    pages = int((place / "statm").read_text().split()[1])
    return (
        len(list((place / "fd").iterdir())),
        len(list((place / "task").iterdir())),
        pages * resource.getpagesize(),
    )


def come_and_go(server, unit, number):
    """What a server sees in a day: raters, an owner, what is wrong, and people who leave halfway."""
    port, known = server.port, bearer(server.outsider)
    client = Client(port)
    for path in ("/", "/static/rater.js", "/api/me", "/nothing"):
        assert client.ask("GET", path, known).status == (404 if path == "/nothing" else 200)
    answer = {
        "unit": unit, "turn": 1, "question": "warmth", "value": 1, "state": "given",
        "revision": number, "key": f"{number:032}",
    }  # fmt: skip
    for _ in range(20):  # the same one, which is saved once
        body = json.dumps(answer).encode()
        assert json.loads(client.ask("POST", "/api/answer", known, body=body).body) == {
            "revision": number + 1
        }
    client.close()
    owner = bearer(server.owner)
    assert ask(port, "GET", "/api/owner/overview", owner).status == 200
    for body in (b"{", b"[" * 60_000, b"x" * 70_000):
        assert ask(port, "POST", "/api/next", known, body=body).status in (400, 413)
    server.begin_talk("Hello").close()  # the reply is not waited for
    half = Client(port)
    half.send(request(port, "POST", "/api/next", known, body=b"x" * 60_000)[:-1])
    half.close()


def settled(server, before):
    """What it holds once those who left are gone, as a server notices that a moment later."""
    for _ in range(100):
        now = held(server.process.pid)
        if now[0] <= before[0] and now[1] <= before[1]:
            break
        time.sleep(0.1)
    return now


def test_what_comes_and_goes_leaves_nothing(server):
    facts = ask(server.port, "POST", "/api/next", bearer(server.outsider)).body
    unit = json.loads(facts)["unit"]
    paths = {"/api/me": server.outsider, "/api/owner/overview": server.owner}
    with ThreadPoolExecutor(30) as many:  # threads and connections of the store are made once
        for path, token in paths.items():
            many.map(lambda _, p=path, t=token: ask(server.port, "GET", p, bearer(t)), range(100))
    for number in range(ROUNDS // 4):
        come_and_go(server, unit, number)
    time.sleep(0.5)
    before = held(server.process.pid)
    for number in range(ROUNDS // 4, ROUNDS):
        come_and_go(server, unit, number)
    after = settled(server, before)
    assert [now <= then for now, then in zip(after[:2], before[:2], strict=True)] == [True, True]
    assert after[2] - before[2] < MOST_BYTES
