"""Scores as feedback in a local MLflow store: logged, read back, and logged again without doubles."""

import json
from importlib.util import find_spec

import pytest

import simpatico
from simpatico.integrations.exports import Export
from simpatico.integrations.exports.mlflow import OWN_ID, score_bodies
from tests.command_line import simpatico as call

pytestmark = pytest.mark.filterwarnings("ignore")
EXCHANGES = [
    ("s1", "I lost my dog.", "Oh no, I am so sorry!"),
    ("s1", "Yes.", "Where did you last see it, do you think?"),
    (None, "Hello", "..."),
]
"""The last trace is of no session, and nothing in its reply can be scored."""
METRICS = "style_matching,length"
NAMES = ["length", "style_matching"]


def trace(number, session, said, answer):
    """A trace as MLflow writes it."""
    start = 1_767_323_000_000_000_000 + number * 10**10
    attributes = {"mlflow.spanInputs": json.dumps(said), "mlflow.spanOutputs": json.dumps(answer)}
    span = {"span_id": f"{number}", "parent_span_id": None, "attributes": attributes}
    times = {"start_time_unix_nano": start, "end_time_unix_nano": start + 10**9}
    metadata = {} if session is None else {"mlflow.trace.session": session}
    info = {"trace_id": f"tr-{number}", "trace_metadata": metadata}
    return {"info": info, "data": {"spans": [span | times]}}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mlflow")
    traces = [trace(number, *exchange) for number, exchange in enumerate(EXCHANGES)]
    return score(folder, "".join(json.dumps(one) + "\n" for one in traces))


def score(folder, lines):
    (folder / "traces.jsonl").write_text(lines)
    done = call("score", "traces.jsonl", "--out", "run", "--metrics", METRICS, cwd=folder)
    assert done.returncode == 0, done.stderr
    return simpatico.Run(folder / "run")


def push(run, *options):
    return call("export", run.folder, "--to", "mlflow", *options)


def test_each_score_has_an_id_and_null_has_its_reason(run):
    export = Export(run, "dialog", ("assistant",))
    bodies = list(score_bodies(export))
    assert [(body["session"], body["name"]) for body in bodies] == [
        (session, name) for session in ("s1", "tr-2") for name in NAMES
    ]
    assert len({body["metadata"][OWN_ID] for body in bodies}) == 4
    assert [(body["value"], body["null_reason"]) for body in bodies[2:]] == [
        (0.0, None),
        (None, "no_words"),
    ]
    turns = score_bodies(Export(run, "turn", ("assistant", "human"), ("length",)))
    assert [body["trace"] for body in turns] == ["tr-0", "tr-1", "tr-2"]


def test_a_store_has_to_be_named(run, monkeypatch):
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    done = push(run)
    assert (done.returncode, done.stderr) == (
        2,
        "simpatico: --to mlflow needs a store: set MLFLOW_TRACKING_URI (and MLFLOW_EXPERIMENT_NAME), "
        "or use --dry-run\n",
    )
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://mlflow.example")
    monkeypatch.setenv("MLFLOW_TRACKING_TOKEN", "secret")
    done = push(run)
    assert (done.returncode, done.stderr) == (
        2,
        "simpatico: MLFLOW_TRACKING_URI is not https, and the keys would be sent in the clear\n",
    )
    if not find_spec("mlflow"):
        monkeypatch.setenv("MLFLOW_TRACKING_URI", "sqlite:///x.db")
        done = push(run)
        assert (done.returncode, done.stderr) == (
            2,
            "simpatico: mlflow is not installed: pip install mlflow\n",
        )


@pytest.fixture
def store(tmp_path, monkeypatch):
    """A local store with the traces of the exchanges, and the lines that export them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    monkeypatch.setenv("MLFLOW_ENABLE_ASYNC_TRACE_LOGGING", "false")
    monkeypatch.setenv("MLFLOW_EXPERIMENT_ID", "")  # MLflow sets it, and that has to end here
    monkeypatch.delenv("MLFLOW_EXPERIMENT_ID")
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path}/mlflow.db")
    monkeypatch.setenv("MLFLOW_EXPERIMENT_NAME", "chats")
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/mlflow.db")
    mlflow.set_experiment("chats")

    @mlflow.trace
    def reply(question, session, answer):
        if session:
            mlflow.update_current_trace(metadata={"mlflow.trace.session": session})
        span = mlflow.get_current_active_span()
        span.set_inputs(question)
        return answer

    for session, question, answer in EXCHANGES:
        reply(question, session, answer)
    yield mlflow
    mlflow.set_tracking_uri(None)


def traces_of(mlflow):
    return mlflow.search_traces(return_type="list", order_by=["timestamp_ms ASC"])


def feedback(mlflow, level):
    """Our feedback in the store: trace, name, value, error and metadata."""
    return sorted(
        (trace.info.trace_id, a.name, a.value, a.error and a.error.error_message, a.metadata["signature"])
        for trace in traces_of(mlflow)
        for a in trace.info.assessments
        if ("mlflow.trace.session" in a.metadata) == (level == "dialog")
    )  # fmt: skip


@pytest.mark.slow
def test_feedback_is_read_back_and_a_second_push_changes_nothing(store, tmp_path):
    lines = "".join(trace.to_json() + "\n" for trace in traces_of(store))
    run = score(tmp_path, lines)
    ids = [trace.info.trace_id for trace in traces_of(store)]
    for level, places in (("dialog", [ids[0], ids[2]]), ("turn", ids)):
        rows = run.at(level).filter(system="assistant").to_dicts()
        assert len(rows) == len(places)
        expected = [
            (place, name, row[name], None if row[name] is not None else "not scored: no words",
             run.facts["metrics"][name]["signature"])
            for place, row in zip(places, rows, strict=True)
            for name in NAMES
        ]  # fmt: skip
        for _ in range(2):
            done = push(run, "--level", level)
            assert (done.returncode, done.stderr) == (0, f"{len(expected)} scores sent.\n")
            assert feedback(store, level) == sorted(expected)
    whole = [a for trace in traces_of(store) for a in trace.info.assessments]
    assert len(whole) == 10
    assert {a.source.source_id for a in whole} == {"simpatico"}


@pytest.mark.slow
def test_a_session_that_went_on_has_its_feedback_replaced_and_unknown_ones_are_lines(
    store, tmp_path
):
    """Its replies have 6 words, then 6 and 9, 7.5 on average."""
    first, *others = traces_of(store)
    (tmp_path / "one").mkdir()
    run = score(tmp_path / "one", first.to_json() + "\n")
    assert push(run).returncode == 0
    (length,) = [row for row in feedback(store, "dialog") if row[1] == "length"]
    assert length[2] == 6
    lines = [trace.to_json() for trace in (first, *others)]
    gone = json.dumps(trace(7, "s7", "Hi", "Hello you"))
    run = score(tmp_path, "\n".join([*lines, gone]) + "\n")
    done = push(run)
    assert (done.returncode, done.stderr) == (
        2,
        "refused: the experiment has no session 's7'\n" * 2
        + "4 scores sent.\nsimpatico: MLflow refused 2 scores; the others are there\n",
    )
    lengths = [row[2] for row in feedback(store, "dialog") if row[1] == "length"]
    assert sorted(lengths) == [0, 7.5]


@pytest.mark.slow
def test_no_server_and_no_experiment_are_sentences(run, monkeypatch, tmp_path):
    pytest.importorskip("mlflow")
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://127.0.0.1:9")
    done = push(run)
    assert (done.returncode, done.stderr) == (
        3,
        "simpatico: MLflow cannot be reached or refused the request (INTERNAL_ERROR) after 0 scores; "
        "check address and keys, and run the same command again\n",
    )
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path}/mlflow.db")
    monkeypatch.setenv("MLFLOW_EXPERIMENT_NAME", "talks")
    done = push(run)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (
        2,
        "simpatico: MLFLOW_EXPERIMENT_NAME 'talks': MLflow has no such experiment",
    )
