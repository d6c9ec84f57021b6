"""A real HTTP server on this machine that answers chat completions, well or badly.

What it does follows from the text it is asked, such as "drop once: Hi"; see `ILLS`.
"""

import json
import threading
import time
from collections import Counter
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Server(ThreadingHTTPServer):
    """Counts what it is asked, and keeps the headers and bodies that it got."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.lock, self.asked, self.seen = threading.Lock(), Counter(), []
        self.delay, self.at_once, self.most_at_once = 0.0, 0, 0

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, request, client_address):
        """A client that has gone away is part of the test."""


@contextmanager
def serving():
    server = Server()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    busy = False

    def log_message(self, *arguments):
        """Nothing is printed."""

    def do_GET(self):  # a redirect would be followed with this
        self.send(200, completion("followed"))

    def do_POST(self):
        server = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = body["messages"][-1]["content"]
        with server.lock:
            server.asked[text] += 1
            server.seen.append((self.path, dict(self.headers), body))
            server.at_once += 1
            server.most_at_once = max(server.most_at_once, server.at_once)
        self.busy = True
        time.sleep(server.delay)
        try:
            ill = text.partition(":")[0]
            name, _, once = ill.partition(" ")
            if name in ILLS and not (once and server.asked[text] > 1):
                ILLS[name](self, text)
            else:
                self.send(200, completion(f"You said {text}."))
        finally:
            self.done()

    def done(self):
        """No longer at work: before an answer goes out, since the client may ask again at once."""
        with self.server.lock:
            self.server.at_once -= self.busy
            self.busy = False

    def send(self, status, body, **headers):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content_Length": len(data), **headers}.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.done()
        self.end_headers()
        self.wfile.write(data)

    def drop(self):
        self.done()
        self.close_connection = True
        self.connection.shutdown(2)


def completion(text, **more):
    return {
        "model": "test-model",
        "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 5},
        **more,
    }


def slow(handler, text):
    time.sleep(1.5)
    handler.send(200, completion("late"))


def drip(handler, text):
    """A byte at a time, each in time, all of them never."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
    for _ in range(40):
        handler.wfile.write(b"x")
        time.sleep(0.05)


def events(handler, text):
    """The rest of the text as a stream of events, three characters each, with noise between them."""
    said = text.partition(": ")[2].replace("KEY", handler.headers["Authorization"] or "")
    pieces = [said[i : i + 3] for i in range(0, len(said), 3)]
    lines = [{"choices": [{"delta": {"role": "assistant"}}]}, {"choices": []}]
    lines += [{"choices": [{"delta": {"content": piece}}]} for piece in pieces]
    body = b": hello\n\n" + b"".join(b"data: %s\n\n" % json.dumps(x).encode() for x in lines)
    handler.send(200, body + b"data: {\n\ndata: [DONE]\n\n", Content_Type="text/event-stream")


def half(handler, text):
    handler.send(200, completion("x" * 500), Content_Length=5000)
    handler.drop()


def key_back(handler, text):
    """The key itself, in every place where a server can put text."""
    key = handler.headers["Authorization"].removeprefix("Bearer ")
    response = completion(f"your key is {key}!", model=f"m-{key}")
    response["choices"][0]["finish_reason"] = key
    handler.send(200, response)


def key_error(handler, text):
    key = handler.headers["Authorization"].removeprefix("Bearer ")
    handler.send(400, {"error": {"message": f"bad key {key}", "type": key, "code": key}})


ILLS = {
    "events": events,
    "slow": slow,
    "drip": drip,
    "drop": lambda h, t: h.drop(),
    "half": half,
    "busy": lambda h, t: h.send(429, {}, Retry_After=0),
    "later": lambda h, t: h.send(429, {}, Retry_After=1),
    "tomorrow": lambda h, t: h.send(429, {}, Retry_After=86400),
    "ill": lambda h, t: h.send(500, b"<html>sorry</html>"),
    "bad": lambda h, t: h.send(400, {"error": {"code": "context_length_exceeded"}}),
    "malformed": lambda h, t: h.send(200, b'{"choices": [{"message": {"con'),
    "other": lambda h, t: h.send(200, {"choices": "none"}),
    "nothing": lambda h, t: h.send(200, {"choices": []}),
    "null": lambda h, t: h.send(200, completion(None)),
    "empty": lambda h, t: h.send(200, completion("  ")),
    "bytes": lambda h, t: h.send(200, b"\xff\xfe\x00"),
    "deep": lambda h, t: h.send(200, b"[" * 100_000),
    "big": lambda h, t: h.send(200, completion("x" * 1_000_000)),
    "key": key_back,
    "wrong": key_error,
    "moved": lambda h, t: h.send(302, b"", Location=f"{h.server.url}/elsewhere"),
    "refused": lambda h, t: h.send(401, {"error": {"message": h.headers["Authorization"]}}),
    "gone": lambda h, t: h.send(404, b""),
    "surrogate": lambda h, t: h.send(200, b'{"choices":[{"message":{"content":"a\\ud800b"}}]}'),
    "parts": lambda h, t: h.send(
        200, completion([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}])
    ),
    "uncounted": lambda h, t: h.send(200, completion("no usage", usage=None)),
}
