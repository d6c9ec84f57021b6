"""Scores pushed by Langfuse's own client to a server on this machine that checks the wire form."""

import base64
import json
import threading
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

import simpatico
from tests.command_line import simpatico as call

KEYS = {"LANGFUSE_PUBLIC_KEY": "pk-test", "LANGFUSE_SECRET_KEY": "sk-test"}
ROWS = [
    ("a", "user", "I lost my dog.", "2026-01-02T03:04:05Z"),
    ("a", "bot", "Oh no, I am so sorry!", "2026-01-02T03:04:09Z"),
    ("b", "user", "Hello", "2026-01-03T03:04:05Z"),
    ("b", "bot", "", "2026-01-03T03:04:06Z"),
]


class Langfuse(ThreadingHTTPServer):
    """Keeps scores by id, as Langfuse does; what it answers can be set."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.scores, self.requests, self.status, self.answer = {}, [], 202, {"message": "Accepted"}


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *arguments):
        """Nothing is printed."""

    def do_POST(self):
        server, length = self.server, int(self.headers["Content-Length"])
        body = json.loads(self.rfile.read(length))
        server.requests.append((self.path, self.headers["Authorization"], body))
        if server.status < 300:
            server.scores |= {(score["id"], score["timestamp"]): score for score in body}
        answer = json.dumps(server.answer).encode()
        self.send_response(server.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Location", "http://localhost:1/elsewhere")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)


@pytest.fixture
def server(monkeypatch):
    server = Langfuse()
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    monkeypatch.setenv("LANGFUSE_BASE_URL", f"http://127.0.0.1:{server.server_port}")
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("langfuse")
    lines = [dict(zip(("dialog", "speaker", "text", "time"), row, strict=True)) for row in ROWS]
    (folder / "x.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    metrics = "style_matching,emotional_entropy"
    line = ["score", "x.jsonl", "--out", "run", "--metrics", metrics, "--system", "bot"]
    done = call(*line, cwd=folder)
    assert done.returncode == 0, done.stderr
    return simpatico.Run(folder / "run")


def push(run, *options):
    return call("export", run.folder, "--to", "langfuse", "--system", "bot", *options)


def test_the_scores_have_ids_of_their_own_and_a_second_push_changes_nothing(server, run):
    """Only dialog a has scores: the reply in b has no words."""
    pytest.importorskip("langfuse")
    done = push(run)
    assert (done.returncode, done.stderr) == (0, "2 scores sent.\n")
    (path, authorisation, body) = server.requests[0]
    assert path == "/api/public/scores"
    assert base64.b64decode(authorisation.removeprefix("Basic ")) == b"pk-test:sk-test"
    row = run.at("dialog").filter(dialog="a", system="bot").to_dicts()[0]
    for score in body:
        assert score["sessionId"] == "a"
        assert "traceId" not in score
        assert score["dataType"] == "NUMERIC"
        assert score["value"] == row[score["name"]]
        signature = run.facts["metrics"][score["name"]]["signature"]
        assert score["metadata"] == {"speaker": "bot", "system": "bot", "signature": signature}
        assert datetime.fromisoformat(score["timestamp"]).isoformat() == "2026-01-02T03:04:05+00:00"
    stored = dict(server.scores)
    assert len(stored) == 2
    assert push(run).returncode == 0
    assert server.scores == stored
    assert push(run, "--as", "trace").returncode == 0
    assert len(server.scores) == 4
    assert {score["traceId"] for score in server.requests[-1][2]} == {"a"}


def test_a_dry_run_prints_the_scores_and_needs_neither_keys_nor_langfuse(run, monkeypatch):
    for name in (*KEYS, "LANGFUSE_BASE_URL", "LANGFUSE_HOST"):
        monkeypatch.delenv(name, raising=False)
    done = push(run, "--dry-run")
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(line["session_id"], line["name"]) for line in lines] == [
        ("a", "emotional_entropy"),
        ("a", "style_matching"),
    ]
    assert len({line["id"] for line in lines}) == 2
    done = push(run)
    assert (done.returncode, done.stderr) == (
        2,
        "simpatico: --to langfuse needs the address and the keys of a project: set LANGFUSE_BASE_URL, "
        "LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY, or use --dry-run\n",
    )


def test_each_refusal_is_a_line(server, run):
    pytest.importorskip("langfuse")
    server.status = 207
    server.answer = {"accepted": 1, "rejected": 1, "errors": [{"message": "name is reserved"}]}
    done = push(run)
    assert done.returncode == 2
    assert done.stderr == (
        "refused: name is reserved\n1 score sent.\nsimpatico: Langfuse refused 1 score; the others are there\n"
    )


@pytest.mark.parametrize("status", [400, 401, 307])
def test_a_refused_request_is_a_sentence_and_no_redirect_gets_the_keys(server, run, status):
    pytest.importorskip("langfuse")
    server.status, server.answer = status, {"message": "no"}
    done = push(run)
    assert (done.returncode, done.stderr) == (
        3,
        f"simpatico: Langfuse refused the request (HTTP {status}) after 0 scores; check address and "
        "keys, and run the same command again\n",
    )
    assert len(server.requests) == 1


def test_no_server_and_no_encryption_are_sentences(server, run, monkeypatch):
    pytest.importorskip("langfuse")
    monkeypatch.setenv("LANGFUSE_BASE_URL", "http://127.0.0.1:9")
    done = push(run)
    assert (done.returncode, done.stderr) == (
        3,
        "simpatico: Langfuse cannot be reached (ConnectError) after 0 scores; run the same command again\n",
    )
    monkeypatch.setenv("LANGFUSE_BASE_URL", "http://langfuse.example")
    done = push(run)
    assert (done.returncode, done.stderr) == (
        2,
        "simpatico: LANGFUSE_BASE_URL is not https, and the keys would be sent in the clear\n",
    )
    assert server.requests == []


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--to", "langfuse", "--out", "x"], "--to langfuse writes no file; leave out --out."),
        (["--to", "otlp"], "--to otlp writes a file: name it with --out."),
        (["--to", "langfuse", "--level", "turn", "--dry-run"], "--to langfuse takes the scores of dialogs; leave out --level"),
    ],
)  # fmt: skip
def test_what_is_refused(run, options, sentence):
    done = call("export", run.folder, *options)
    assert (done.returncode, done.stderr) == (2, f"simpatico: {sentence}\n")
