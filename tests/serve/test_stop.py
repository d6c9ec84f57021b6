"""The command itself: what it prints, and that nothing is lost when it is ended."""

import json
import re
import signal
import subprocess
import sys

import pytest

from tests.serve.site import Client, ask, bearer, request, write_study

CANARY = "Zebra-4711"


class Command:
    """`simpatico study serve` as a process, and the tokens of the links that it printed."""

    def __init__(self, folder):
        command = [sys.executable, "-m", "simpatico", "study", "serve", str(write_study(folder))]
        options = ["--port", "0", "--outsiders", "1", "--interlocutors", "1"]
        self.process = subprocess.Popen(
            [*command, *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
        )
        self.lines = [self.process.stdout.readline() for _ in range(4)]
        self.tokens = [line.rpartition("#")[2].strip() for line in self.lines]
        self.outsider, self.talker, self.panel, self.owner = self.tokens
        self.port = int(re.search(r"127\.0\.0\.1:(\d+)/", self.lines[0])[1])

    def begin_talk(self, text):
        """A client whose request to say something is with the bot."""
        unit = json.loads(ask(self.port, "POST", "/api/next", bearer(self.talker)).body)["unit"]
        body = json.dumps({"unit": unit, "position": 0, "text": text}).encode()
        client = Client(self.port)
        client.send(request(self.port, "POST", "/api/say", bearer(self.talker), body=body))
        client.until(b"\r\n\r\n")  # the head comes before the bot has answered
        return client

    def stop(self):
        self.process.send_signal(signal.SIGTERM)

    def end(self):
        """What it has written after the links, once it has ended; it has ten seconds for that."""
        out, err = self.process.communicate(timeout=20)
        return out, err


@pytest.fixture
def command(tmp_path):
    command = Command(tmp_path)
    yield command
    command.process.kill()
    command.process.communicate()


def send_tokens_and_texts(command):
    """Everything that a careless log would keep."""
    port = command.port
    for token in (*command.tokens, CANARY):
        for method, path in (
            ("GET", "/api/me"),
            ("POST", "/api/answer"),
            ("GET", "/api/owner/overview"),
        ):
            ask(
                port,
                method,
                f"{path}?{CANARY}",
                bearer(token),
                body=f'{{"unit":"{CANARY}"}}'.encode(),
            )
            ask(port, method, f"/{CANARY}", "Host: evil.example", f"Cookie: {token}")
    broken = Client(port)
    broken.send(f"{CANARY} {command.owner}\r\n\r\n".encode())
    assert broken.read().status == 400
    upgrade = ask(port, "GET", f"/?{command.owner}", "Connection: Upgrade", "Upgrade: websocket")
    assert upgrade.status == 200


def test_what_is_under_way_is_finished_and_saved_and_nothing_private_is_logged(command, tmp_path):
    send_tokens_and_texts(command)
    client, idle = command.begin_talk(f"wait for {CANARY} 1"), Client(command.port)
    command.stop()
    while client.more():
        pass
    assert b'{"done":true}' in client.buffer
    assert not idle.more()
    assert command.end() == (
        "",
        "The platform has to write each person's id in place of ID.\n"
        f"Probe is open at http://127.0.0.1:{command.port}; Ctrl-C closes it.\n"
        "Closed. The same command opens the study again where it was.\n",
    )
    assert command.process.returncode == 0
    stored = b"".join(path.read_bytes() for path in tmp_path.glob("probe.sqlite*"))
    assert f"You said: wait for {CANARY} 1".encode() in stored
    assert not [token for token in command.tokens if token.encode() in stored]


@pytest.mark.slow
def test_a_bot_that_never_answers_does_not_keep_it(command):
    """The server waits eight seconds for what is under way, and then goes."""
    client = command.begin_talk("wait for 300")
    command.stop()
    command.end()
    assert command.process.returncode == 0
    assert client.buffer == b""
