"""The Inspect scorer and the Scout scanner in real evaluations of the model mockllm."""

import asyncio
import json
import math
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from types import SimpleNamespace

import pytest

import simpatico
from simpatico.errors import MissingResource
from tests.command_line import simpatico as call

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
inspect_ai = pytest.importorskip("inspect_ai")
METRICS = ["style_matching", "length", "agreeableness"]
REPLIES = ["Oh no, I am sorry to hear that you lost it.", "Good for you!", ""]
EARLIER = [("user", "Hello there"), ("assistant", "Hello, how are you today?")]


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """Three samples, with none, one and two exchanges before; the last reply is empty."""
    from inspect_ai.dataset import Sample
    from inspect_ai.log import read_eval_log
    from inspect_ai.model import (
        ChatMessageAssistant,
        ChatMessageUser,
        ModelOutput,
        ModelUsage,
        get_model,
    )

    folder = tmp_path_factory.mktemp("logs")
    kinds = {"user": ChatMessageUser, "assistant": ChatMessageAssistant}
    samples = [
        Sample(
            id=f"s{n}",
            input=[*(kinds[role](content=text) for role, text in EARLIER[: 2 * n]), ChatMessageUser(content=said)],
        )
        for n, said in enumerate(["I lost my dog.", "I won a prize!", "..."])
    ]  # fmt: skip
    outputs = [ModelOutput.from_content("mockllm/model", text) for text in REPLIES]
    for output in outputs:  # without a usage Inspect counts tokens, with a file of the network
        output.usage = ModelUsage()
    task = inspect_ai.Task(
        dataset=samples, scorer=simpatico_scorer(), name="chat", solver=inspect_ai.solver.generate()
    )
    model = get_model("mockllm/model", custom_outputs=outputs)
    (done,) = inspect_ai.eval(task, model=model, log_dir=str(folder), display="none", max_samples=1)
    assert done.status == "success", done.error
    return read_eval_log(done.location)


def simpatico_scorer():
    from simpatico.integrations.inspect_ai import conversation

    return conversation(metrics=METRICS)


def our_dialogs(log):
    """What `simpatico score` says of the same `.eval` file, by sample."""
    table = simpatico.score(Path(log.location), METRICS).at("dialog")
    rows = table.filter(system="mockllm/model").to_dicts()
    return {row["dialog"].partition(":")[0]: row for row in rows}


def test_the_log_is_read_as_the_turns_that_were_said(log):
    """Each sample's messages in their order; the last reply is empty and a turn all the same."""
    chunks = simpatico.Conversations((Path(log.location),)).chunks(1000)
    turns = [
        (turn.dialog.partition(":")[0], turn.turn, turn.speaker, turn.text)
        for chunk in chunks
        for turn in chunk.turns
    ]
    assert turns == [
        (sample.id, number, message.role, message.text)
        for sample in log.samples
        for number, message in enumerate(sample.messages)
    ]


def test_the_log_has_the_scores_of_simpatico_score_and_null_is_unscored(log):
    own = our_dialogs(log)
    assert len(own) == 3
    for sample in log.samples:
        score = sample.scores["conversation"]
        for name in METRICS:
            expected = own[sample.id][name]
            value = score.value[name]
            assert math.isnan(value) if expected is None else value == expected
            facts = score.metadata[name]
            assert facts["null_reason"] == own[sample.id][f"{name}_null"]
            assert facts["signature"] == simpatico.signature(simpatico.load(name))
    assert own["s0"]["agreeableness"] is None
    (results,) = {s.scorer for s in log.results.scores}
    assert results == "conversation"
    means = {s.name: s for s in log.results.scores}
    lengths = [own[f"s{n}"]["length"] for n in range(3)]
    assert means["length"].metrics["mean"].value == pytest.approx(sum(lengths) / 3)
    assert means["agreeableness"].unscored_samples == 3


def test_evidence_and_turns_name_messages_of_the_sample(log):
    sample = log.samples[0]
    facts = sample.scores["conversation"].metadata["style_matching"]
    by_id = {message.id: message for message in sample.messages}
    assert facts["evidence"]
    for row in facts["evidence"]:
        assert row["words"] in by_id[row["message"]].text
        assert by_id[row["message"]].role == "assistant"
    assert [by_id[row["message"]].text for row in facts["turns"]] == [REPLIES[0]]


def test_a_sample_in_which_nobody_speaks_is_unscored(log):
    score = asyncio.run(simpatico_scorer()(SimpleNamespace(messages=[]), None))
    assert math.isnan(score.value)
    assert score.reason == "no_messages"
    assert score.explanation == "the conversation has no message of a user or an assistant"


def test_inspect_finds_the_scorer_by_its_name_through_the_entry_point(log, tmp_path):
    if not entry_points(group="inspect_ai", name="simpatico"):
        pytest.skip("simpatico was installed before it had the entry point")
    out = tmp_path / "again.eval"
    inspect = Path(sys.executable).parent / "inspect"
    options = ["--scorer", "simpatico/conversation", "-S", "metrics=length,question_rate"]
    line = [inspect, "score", log.location, *options, "--output-file", out, "--action", "overwrite"]
    done = subprocess.run(line, capture_output=True, text=True)
    assert out.exists(), done.stdout + done.stderr
    sample = inspect_ai.log.read_eval_log(str(out)).samples[0]
    assert sample.scores["conversation"].value == {"length": 11, "question_rate": 0}


def test_scout_scans_the_same_log_with_the_same_values(log, tmp_path):
    scout = pytest.importorskip("inspect_scout")
    from simpatico.integrations.inspect_ai import conversation_scan

    status = scout.scan(
        scanners=[conversation_scan(metrics=METRICS)],
        transcripts=scout.transcripts_from(log.location),
        scans=str(tmp_path / "scans"),
        max_processes=1,
        display="none",
    )
    assert status.complete, status.errors
    frame = scout.scan_results_df(status.location).scanners["conversation_scan"]
    own, ids = our_dialogs(log), {sample.uuid: sample for sample in log.samples}
    rows = frame.to_dict("records")
    assert len(rows) == 9
    for row in rows:
        sample = ids[row["transcript_id"]]
        expected = own[sample.id][row["label"]]
        missing = row["value"] is None or row["value"] != row["value"]
        assert missing if expected is None else float(row["value"]) == expected
        for reference in json.loads(row["message_references"]):
            assert reference["id"] in {message.id for message in sample.messages}
    assert any(json.loads(row["message_references"]) for row in rows)


def test_two_logs_are_compared_sample_by_sample(tmp_path):
    """Ten samples; the replies of the second model have twice as many words."""
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    logs = []
    for name, times in (("short", 1), ("long", 2)):
        texts = ["I am sorry to hear it. " * times + "So sad. " * (n % 3) for n in range(10)]
        outputs = [ModelOutput.from_content(f"mockllm/{name}", text) for text in texts]
        for output in outputs:
            output.usage = ModelUsage()
        samples = [Sample(id=f"s{n}", input=f"I lost my {n} keys.") for n in range(10)]
        task = inspect_ai.Task(dataset=samples, scorer=simpatico_scorer(), name="chat")
        model = get_model(f"mockllm/{name}", custom_outputs=outputs)
        settings = {"log_dir": str(tmp_path), "display": "none", "max_samples": 1}
        (done,) = inspect_ai.eval(task, model=model, **settings)
        logs.append(done.location)
    compared = call("compare", *logs)
    assert compared.returncode == 0, compared.stderr
    lines = compared.stdout.splitlines()
    assert "mockllm/long vs. mockllm/short, up to 10 prompts that both replied to" in lines
    (length,) = [line.split() for line in lines if line.startswith("conversation_length ")][-1:]
    assert (length[0], length[-1]) == ("conversation_length", "10")
    assert any(
        line.startswith(
            "  mockllm/long has a higher conversation length than mockllm/short: +6.000"
        )
        for line in lines
    )


def test_a_missing_host_is_a_sentence():
    from simpatico.integrations import import_host

    with pytest.raises(MissingResource) as error:
        import_host("no_such_host", "no-such-host")
    assert str(error.value) == "no-such-host is not installed: pip install no-such-host"
