"""A bot that counts what it is asked, and what the tests with it share."""

import json
import threading
import time

from simpatico.bots import Message, Reply
from simpatico.bots.prompts import Prompt
from simpatico.errors import NoAnswer, RunError


def prompts(texts):
    return [Prompt(f"p{n}", (Message("user", text),)) for n, text in enumerate(texts)]


def rows(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def everything(folder):
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


class CountingBot:
    """A bot that counts what it is asked, and fails as it is told."""

    name, description, max_parallel = "counted", {"kind": "test"}, None

    def __init__(self, *, fails=(), stops=(), delay=lambda text: 0.0):
        self.fails, self.stops, self.delay = set(fails), set(stops), delay
        self.asked, self.lock = [], threading.Lock()

    def __call__(self, dialog):
        text = dialog[-1].text
        with self.lock:
            self.asked.append(text)
        time.sleep(self.delay(text))
        if text in self.stops:
            raise RunError("the bot is away", resumable=True)
        if text in self.fails:
            raise NoAnswer("no answer to this one", why="mood")
        return Reply(f"re {text}", 3, 2)

    def close(self):
        pass
