"""A real HTTP server that judges, well or badly.

What it does follows from a word such as "ill-prose" in the conversation; see `REPLIES` and the ills
of `tests.bots.server`. A judge of its own mind reads nothing that stands between two fences.
"""

import json
import re
from contextlib import contextmanager

from tests.bots import server as bots

FENCE = re.compile(r"^(======== [0-9a-f]{16} ========)\n(.*?)\n\1$", re.MULTILINE | re.DOTALL)
ILL = re.compile(r"ill-([a-z]+)(-once)?")
REPLIES = {
    "prose": 'Let me see.\n```json\n{"answer": 4}\n```\nI hope that this helps: 5 stars!',
    "key": '{"score": 4}',
    "range": '{"answer": 9}',
    "words": '{"answer": "Very good"}',
    "bare": " 2. ",
    "number": "I would give it 4 of 5.",
    "both": '{"answer": 4} or rather {"answer": 2}',
    "cut": '{"answer',
    "null": '{"answer": null}',
    "fraction": '{"answer": 3.5}',
    "thought": '<think>{"answer": 1}? No.</think>{"answer": 5}',
}


class Handler(bots.Handler):
    def do_POST(self):  # noqa: N802
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt = body["messages"][-1]["content"]
        with self.server.lock:
            self.server.asked[prompt] += 1
            self.server.seen.append((self.path, dict(self.headers), body))
        bots.time.sleep(self.server.delay)
        found = ILL.search(prompt)
        name, once = found.groups() if found else ("", None)
        if name in REPLIES:
            reason = "length" if name == "cut" else "stop"
            self.send(200, self.judgement(REPLIES[name], reason))
        elif name in bots.ILLS and not (once and self.server.asked[prompt] > 1):
            bots.ILLS[name](self, prompt)
        else:
            self.send(200, self.judgement(self.server.verdict(FENCE.sub("", prompt), prompt)))

    def judgement(self, text, reason="stop"):
        response = bots.completion(text)
        response["choices"][0] |= {"finish_reason": reason, "logprobs": self.server.logprobs}
        return response


@contextmanager
def judging():
    """The server; `verdict` gets the prompt without its data, and the whole prompt."""
    with bots.serving() as server:
        server.RequestHandlerClass = Handler
        server.logprobs = None
        server.verdict = lambda rules, prompt: '{"answer": 3}'
        yield server
