"""A real Phoenix server on this machine: spans in, scores out as annotations, and read back."""

import json
import os
import socket
import subprocess
import sys
import time
from importlib.util import find_spec

import pytest

import simpatico
from simpatico.integrations.exports import Export
from simpatico.integrations.exports.phoenix import score_bodies
from tests.command_line import simpatico as call

EXCHANGES = [
    ("s1", "I lost my dog.", "Oh no, I am so sorry!"),
    ("s1", "Yes.", "Where did you see it last?"),
    ("s2", "Hello", "..."),
]
METRICS = "style_matching,length"
NAMES = ["length", "style_matching"]
STARTUP = 240
"""Seconds until a server on a busy machine has to answer."""


def span(number, session, said, answer):
    """A call of a model, in the attributes of OpenInference."""
    attributes = {
        "session.id": session,
        "openinference.span.kind": "LLM",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": said,
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": answer,
    }
    times = {f"{end}_time": f"2026-01-02T03:0{number}:0{n}+00:00" for n, end in enumerate(["start", "end"])}  # fmt: skip
    ids = {"trace_id": f"{number:032x}", "span_id": f"{number:016x}"}
    kind = {"name": "chat", "span_kind": "LLM", "parent_id": None, "status_code": "OK"}
    return {**kind, **times, "context": ids, "attributes": attributes}


SPANS = [span(number, *exchange) for number, exchange in enumerate(EXCHANGES, 1)]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The spans as Phoenix's API gives them, scored."""
    folder = tmp_path_factory.mktemp("phoenix")
    (folder / "spans.jsonl").write_text("".join(json.dumps(span) + "\n" for span in SPANS))
    done = call("score", "spans.jsonl", "--out", "run", "--metrics", METRICS, cwd=folder)
    assert done.returncode == 0, done.stderr
    return simpatico.Run(folder / "run")


def push(run, *options):
    return call("export", run.folder, "--to", "phoenix", *options)


def test_an_annotation_has_an_id_of_its_own_and_null_has_a_reason_and_no_score(run):
    export = Export(run, "dialog", ("assistant",))
    bodies = list(score_bodies(export))
    row = run.at("dialog").filter(dialog="s1", system="assistant").to_dicts()[0]
    assert [(body["session_id"], body["name"]) for body in bodies] == [
        (session, name) for session in ("s1", "s2") for name in NAMES
    ]
    for body in bodies[:2]:
        assert body["annotator_kind"] == "CODE"
        assert body["result"] == {"score": row[body["name"]]}
        facts = {"speaker": "assistant", "system": "assistant"}
        assert body["metadata"] == {**facts, "signature": export.signatures[body["name"]]}
    assert bodies[3]["result"] == {"explanation": "not scored: no words"}
    assert bodies[3]["metadata"]["null_reason"] == "no_words"
    assert len({body["identifier"] for body in bodies}) == 4
    assert list(score_bodies(export)) == bodies


def test_turns_are_annotations_of_the_spans_that_gave_them(run):
    bodies = list(score_bodies(Export(run, "turn", ("human", "assistant"), ("length",))))
    assert [body["span_id"] for body in bodies] == [span["context"]["span_id"] for span in SPANS]


@pytest.mark.parametrize("server", ["langfuse", "mlflow", "phoenix"])
def test_nothing_that_was_said_is_sent(run, server):
    printed = call("export", run.folder, "--to", server, "--with-human", "--dry-run").stdout
    assert len(printed.splitlines()) >= 5
    assert not [text for _, *exchange in EXCHANGES for text in exchange if text in printed]


def test_the_ids_of_spans_are_kept_and_nothing_is_grouped_by_them(run):
    done = call("show", run.folder, "--by", "source_id")
    assert (done.returncode, done.stderr) == (
        2,
        f"simpatico: --by source_id: no such column in {run.folder}; there are week, month\n",
    )
    turns = run.at("turn").filter(speaker="assistant")
    assert turns["source_id"].to_list() == [span["context"]["span_id"] for span in SPANS]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ([], "--to phoenix needs the address of a server: set PHOENIX_ENDPOINT, or use --dry-run"),
        (["--as", "trace"], "--as is for --to langfuse; leave it out with --to phoenix."),
        (["--out", "x"], "--to phoenix writes no file; leave out --out."),
    ],
)
def test_what_is_refused(run, options, sentence):
    done = push(run, *options)
    assert (done.returncode, done.stderr) == (2, f"simpatico: {sentence}\n")


def test_turns_of_a_file_that_names_no_spans_are_refused(tmp_path):
    (tmp_path / "x.csv").write_text("dialog,speaker,text\na,user,Hi\na,bot,Hello\n")
    assert (
        call("score", "x.csv", "--out", "run", "--metrics", "length", cwd=tmp_path).returncode == 0
    )
    done = call("export", "run", "--to", "phoenix", "--level", "turn", "--dry-run", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (
        2,
        "simpatico: run does not say which span a turn was; score what the tool itself exported, "
        "or send the scores of dialogs (leave out --level)\n",
    )


def test_a_missing_client_is_a_sentence(run, monkeypatch):
    if find_spec("phoenix"):
        pytest.skip("Phoenix's client is installed")
    monkeypatch.setenv("PHOENIX_ENDPOINT", "http://127.0.0.1:9")
    done = push(run)
    assert (done.returncode, done.stderr) == (
        2,
        "simpatico: arize-phoenix-client is not installed: pip install arize-phoenix-client\n",
    )


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The address of a Phoenix server with a store of its own, and nothing sent anywhere else."""
    for module in ("phoenix.server", "phoenix.client"):
        pytest.importorskip(module)
    port = free_port()
    settings = {
        "PHOENIX_HOST": "127.0.0.1",
        "PHOENIX_PORT": str(port),
        "PHOENIX_GRPC_PORT": str(free_port()),
        "PHOENIX_WORKING_DIR": str(tmp_path_factory.mktemp("store")),
        "PHOENIX_TELEMETRY_ENABLED": "false",
        "PHOENIX_ALLOW_EXTERNAL_RESOURCES": "false",
    }
    line = [sys.executable, "-m", "phoenix.server.main", "serve"]
    log = tmp_path_factory.mktemp("log") / "server.txt"
    with log.open("w") as out:
        process = subprocess.Popen(line, env=os.environ | settings, stdout=out, stderr=out)
        try:
            end = time.monotonic() + STARTUP
            while not answers(port):
                assert process.poll() is None, log.read_text()
                assert time.monotonic() < end, log.read_text()
                time.sleep(0.2)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait()


def answers(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


@pytest.fixture
def client(server, monkeypatch):
    monkeypatch.setenv("PHOENIX_ENDPOINT", server)
    import phoenix.client

    return phoenix.client.Client()


def stored(client, what, ids):
    """The annotations of sessions or spans that the server has."""
    url, query = f"v1/projects/default/{what}_annotations", {f"{what}_ids": ids, "limit": 100}
    answer = client._client.get(url, params=query)
    answer.raise_for_status()
    keys = (f"{what}_id", "name", "identifier", "result", "metadata", "annotator_kind")
    rows = [{key: row[key] for key in keys} for row in answer.json()["data"]]
    return sorted(rows, key=lambda row: (row[keys[0]], row["name"]))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_spans_in_scores_out_and_a_second_push_doubles_nothing(client, tmp_path):
    """Every score of two sessions and three spans, and again after one of its scores was edited."""
    client.spans.log_spans(project_identifier="default", spans=SPANS)
    end = time.monotonic() + STARTUP
    while len(frame := client.spans.get_spans_dataframe(project_identifier="default")) < 3:
        assert time.monotonic() < end
        time.sleep(0.1)
    frame.to_parquet(tmp_path / "spans.parquet")
    scored = call("score", "spans.parquet", "--out", "run", "--metrics", METRICS, cwd=tmp_path)
    assert scored.returncode == 0, scored.stderr
    run = simpatico.Run(tmp_path / "run")
    for level, what, ids in (
        ("dialog", "session", ["s1", "s2"]),
        ("turn", "span", [span["context"]["span_id"] for span in SPANS]),
    ):
        own = list(score_bodies(Export(run, level, ("assistant",))))
        for _ in range(2):
            done = push(run, "--level", level)
            assert (done.returncode, done.stderr) == (0, f"{len(own)} scores sent.\n")
            rows = stored(client, what, ids)
            assert len(rows) == len(own) == 2 * len(ids)
            for row, body in zip(rows, sorted(own, key=lambda b: (b[f"{what}_id"], b["name"])), strict=True):  # fmt: skip
                result = {k: v for k, v in row["result"].items() if v is not None}
                assert row | {"result": result} == body
    validated = call("show", "run", "--level", "dialog", "--format", "csv", cwd=tmp_path)
    assert "s1,assistant,assistant" in validated.stdout


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_each_unknown_session_is_a_line_and_the_others_are_there(client, tmp_path):
    client.spans.log_spans(project_identifier="default", spans=[span(9, "s9", "Hi", "Hello there")])
    rows = [span(9, "s9", "Hi", "Hello there"), span(8, "s8", "Hi", "Hello you")]
    (tmp_path / "x.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert (
        call("score", "x.jsonl", "--out", "run", "--metrics", METRICS, cwd=tmp_path).returncode == 0
    )
    end = time.monotonic() + STARTUP
    while (done := push(simpatico.Run(tmp_path / "run"))).stderr.count("refused") == 3:
        assert time.monotonic() < end  # spans are stored a moment after they were taken
    assert (done.returncode, done.stderr) == (
        2,
        "refused: Phoenix has no session 's8'\n2 scores sent.\n"
        "simpatico: Phoenix refused 2 scores; the others are there\n",
    )
    assert len(stored(client, "session", ["s9"])) == 2


@pytest.mark.slow
def test_no_server_and_no_encryption_are_sentences(run, monkeypatch):
    pytest.importorskip("phoenix.client")
    monkeypatch.setenv("PHOENIX_ENDPOINT", "http://127.0.0.1:9")
    done = push(run)
    assert (done.returncode, done.stderr) == (
        3,
        "simpatico: Phoenix cannot be reached (ConnectError) after 0 scores; run the same command again\n",
    )
    monkeypatch.setenv("PHOENIX_ENDPOINT", "http://phoenix.example")
    monkeypatch.setenv("PHOENIX_API_KEY", "secret")
    done = push(run)
    assert (done.returncode, done.stderr) == (
        2,
        "simpatico: PHOENIX_ENDPOINT is not https, and the keys would be sent in the clear\n",
    )
