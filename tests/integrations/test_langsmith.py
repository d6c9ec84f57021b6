"""LangSmith's own client against a server on this machine: what it sends is what we read."""

import json
import threading
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from uuid import UUID

import pytest

import simpatico
from tests.integrations.test_recipes import blocks

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
KEY = "lsv2-test"
TALK = [("I lost my dog.", "Oh no, I am so sorry!"), ("Yes.", "Where did you see it last?")]
NEEDED = {"id", "trace_id", "dotted_order", "name", "run_type", "inputs", "start_time"}

LIMITS = {
    "use_multipart_endpoint": False,
    "size_limit": 100,
    "size_limit_bytes": 1 << 20,
    "scale_up_qsize_trigger": 1000,
    "scale_up_nthreads_limit": 2,
    "scale_down_nempty_trigger": 4,
}
"""How the client may send runs: as JSON, in batches."""


class LangSmith(ThreadingHTTPServer):
    """Takes runs in batches and keeps them by id, changes over what came before."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.runs, self.problems = {}, []


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *arguments):
        """Nothing is printed."""

    def answer(self, value, status=200):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path == "/info":
            self.answer({"version": "0.16.0", "batch_ingest_config": LIMITS})
        else:
            run = self.server.runs.get(self.path.rsplit("/", 1)[-1])
            self.answer(run or {"detail": "Run not found"}, 200 if run else 404)

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/runs/batch" or self.headers["x-api-key"] != KEY:
            self.server.problems.append((self.path, self.headers["x-api-key"]))
        for run in body.get("post", []):
            if missing := NEEDED - run.keys():
                self.server.problems.append((run.get("name"), missing))
        for run in [*body.get("post", []), *body.get("patch", [])]:
            check_ids(run, self.server.problems)
            known = self.server.runs.setdefault(run["id"], {})
            known |= {name: value for name, value in run.items() if value is not None}
        self.answer({"message": "Runs batch ingested"}, 202)


def check_ids(run, problems):
    """The dotted order of a run ends in its own id and begins with that of its trace."""
    parts = [str(UUID(part[-36:])) for part in run["dotted_order"].split(".")]
    if (parts[0], parts[-1]) != (run["trace_id"], run["id"]):
        problems.append(run["dotted_order"])


@pytest.fixture
def server():
    server = LangSmith()
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def test_the_runs_of_a_thread_are_its_dialog(server, tmp_path, monkeypatch):
    """Two traces of one thread, each a chain around a call of a model; both name both messages."""
    langsmith = pytest.importorskip("langsmith")
    monkeypatch.setenv("LANGSMITH_DISABLE_RUN_COMPRESSION", "true")
    client = langsmith.Client(api_url=f"http://127.0.0.1:{server.server_port}", api_key=KEY)
    told = {"client": client, "enabled": True}
    history = []

    @langsmith.traceable(run_type="llm", name="acme-2", metadata={"ls_model_name": "acme-2"})
    def model(messages):
        return {"role": "assistant", "content": dict(TALK)[messages[-1]["content"]]}

    @langsmith.traceable(run_type="chain", name="bot")
    def bot(messages):
        return {"messages": [*messages, model(messages)]}

    with langsmith.tracing_context(**told, metadata={"thread_id": "c1", "user_id": "u1"}):
        for said, answer in TALK:
            history.append({"role": "user", "content": said})
            bot(list(history))
            history.append({"role": "assistant", "content": answer})
    client.flush(timeout=60)
    assert server.problems == []
    assert len(server.runs) == 4
    runs = [client.read_run(run) for run in server.runs]
    monkeypatch.chdir(tmp_path)
    (recipe,) = blocks("langsmith", "python")
    exec(recipe, {"runs": runs})  # as the page has it
    table = simpatico.score(tmp_path / "runs.jsonl", "length")
    rows = table.at("turn").sort("turn").to_dicts()
    assert [(row["dialog"], row["speaker"], row["system"]) for row in rows] == [
        ("c1", "user", "human"),
        ("c1", "assistant", "acme-2"),
    ] * 2
    words = [len(text.rstrip("!?.").split()) for exchange in TALK for text in exchange]
    assert [row["length"] for row in rows] == words
    models = {run["id"] for run in server.runs.values() if run["run_type"] == "llm"}
    chains = {run["id"] for run in server.runs.values() if run["run_type"] == "chain"}
    assert (len(models), len(chains)) == (2, 2)
    for run in server.runs.values():
        assert run["extra"]["metadata"]["thread_id"] == "c1"
        assert datetime.fromisoformat(run["start_time"]) <= datetime.fromisoformat(run["end_time"])
