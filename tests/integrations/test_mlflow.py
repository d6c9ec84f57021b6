"""MLflow's evaluation with our scorers, in a local store."""

import pytest

import simpatico
from simpatico.errors import DataError
from simpatico.integrations.mlflow import input_messages, reply_message, session_scorer, turn_scorer

pytestmark = pytest.mark.filterwarnings("ignore")
SAID = [("I lost my dog.", "Oh no, I am so sorry!"), ("Yes.", "Where did you see it last?")]
METRICS = ["style_matching", "length", "agreeableness"]


@pytest.fixture
def traces(tmp_path, monkeypatch):
    """Two traces of one session."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    monkeypatch.setenv("MLFLOW_ENABLE_ASYNC_TRACE_LOGGING", "false")
    monkeypatch.setenv("MLFLOW_EXPERIMENT_ID", "")  # MLflow sets it, and that has to end here
    monkeypatch.delenv("MLFLOW_EXPERIMENT_ID")
    mlflow = pytest.importorskip("mlflow")
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/mlflow.db")
    mlflow.set_experiment("chats")

    @mlflow.trace
    def reply(question):
        mlflow.update_current_trace(metadata={"mlflow.trace.session": "s1"})
        return dict(SAID)[question]

    for question, _ in SAID:
        reply(question)
    yield mlflow.search_traces(return_type="list")
    mlflow.set_tracking_uri(None)


def ours(messages):
    """The scores of `simpatico score`."""
    table = simpatico.score(messages, METRICS).at("dialog")
    return table.filter(system="assistant").to_dicts()[0]


def assessments(traces):
    """The feedback that the store has, by trace and name."""
    import mlflow

    stored = [mlflow.get_trace(trace.info.trace_id) for trace in traces]
    return [{a.name: a for a in trace.info.assessments if a.name in METRICS} for trace in stored]


@pytest.mark.slow
def test_a_turn_is_scored_as_a_reply_and_null_has_an_error(traces):
    import mlflow

    mlflow.genai.evaluate(data=traces, scorers=[turn_scorer(METRICS)])
    for trace, feedback in zip(traces, assessments(traces), strict=True):
        question = trace.data.spans[0].inputs["question"]
        user = {"role": "user", "content": question}
        row = ours([user, {"role": "assistant", "content": dict(SAID)[question]}])
        assert row["agreeableness"] is None
        for name in METRICS:
            assert feedback[name].value == row[name]
            assert feedback[name].source.source_type == "CODE"
            signature = simpatico.signature(simpatico.load(name))
            assert feedback[name].metadata["signature"] == signature
        assert feedback["length"].rationale == f"length = {row['length']:.3f}"
        error = feedback["agreeableness"].error
        assert (error.error_code, error.error_message) == (
            "TOO_FEW_WORDS",
            "agreeableness is not scored: too few words",
        )


@pytest.mark.slow
def test_a_session_is_scored_as_a_conversation(traces):
    import mlflow

    mlflow.genai.evaluate(data=traces, scorers=[session_scorer(METRICS)])
    messages = [
        {"role": role, "content": text}
        for exchange in SAID
        for role, text in zip(("user", "assistant"), exchange, strict=True)
    ]
    row = ours(messages)
    (feedback,) = [found for found in assessments(traces) if found]
    assert {name: feedback[name].value for name in METRICS} == {name: row[name] for name in METRICS}


CHAT = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hi"}]


@pytest.mark.parametrize(
    ("inputs", "messages"),
    [
        ("Hi", [{"role": "user", "content": "Hi"}]),
        ({"question": "Hi", "k": 3}, [{"role": "user", "content": "Hi"}]),
        ({"messages": CHAT, "model": "m"}, CHAT),
    ],
)
def test_inputs_are_messages_or_one_text(inputs, messages):
    assert input_messages(inputs) == messages


@pytest.mark.parametrize(
    "outputs",
    [
        "Hello!",
        {"answer": "Hello!", "tokens": 2},
        {"choices": [{"message": {"role": "assistant", "content": "Hello!"}}], "model": "m"},
        {"messages": [*CHAT, {"role": "assistant", "content": "Hello!"}]},
    ],
)
def test_outputs_are_a_text_a_completion_or_messages(outputs):
    assert reply_message(outputs) == {"role": "assistant", "content": "Hello!"}


@pytest.mark.parametrize(
    ("value", "n"), [(None, 0), ({}, 0), ({"a": "x", "b": "y"}, 2), (["x"], 0)]
)
def test_other_forms_are_refused_instead_of_scored_as_json(value, n):
    with pytest.raises(DataError) as error:
        input_messages(value)
    assert str(error.value) == (
        f"the inputs of a trace have {n} texts and no messages; simpatico needs a text, an object "
        "with one text, or messages with role and content"
    )
