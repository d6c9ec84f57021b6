"""The measurement in Hugging Face's own `evaluate.load`, without a network."""

import json
import math
import os
import subprocess
import sys

import pytest

import simpatico
from simpatico.integrations.evaluate import measure
from tests.command_line import simpatico as call

USER = {"role": "user", "content": "I lost my dog."}
CONVERSATIONS = [
    [USER, {"role": "assistant", "content": "Oh no, I am so sorry!"}],
    [USER, {"role": "assistant", "content": "Where did you see it last, and when?"}],
    [USER, {"role": "assistant", "content": "..."}],
]
METRICS = ["style_matching", "length"]
LOADED = """
import json, evaluate
measurement = evaluate.load("./simpatico_measurement.py", module_type="measurement")
print(json.dumps(measurement.compute(conversations=%r, metrics=%r)))
print(measurement.module_type, list(measurement.features))
"""


def test_each_conversation_has_the_value_of_simpatico_score_and_null_its_reason():
    results = measure(CONVERSATIONS, METRICS)
    assert list(results) == METRICS
    for name in METRICS:
        rows = [
            simpatico.score(messages, name).at("dialog").filter(system="assistant").to_dicts()[0]
            for messages in CONVERSATIONS
        ]
        values = [row[name] for row in rows]
        known = [value for value in values if value is not None]
        assert results[name] == {
            "values": values,
            "null_reasons": [row[f"{name}_null"] for row in rows],
            "mean": pytest.approx(math.fsum(known) / len(known)),
            "n": len(known),
            "signature": simpatico.signature(simpatico.load(name)),
        }
    assert results["style_matching"]["null_reasons"] == [None, None, "no_words"]
    assert results["style_matching"]["n"] == 2
    assert measure(CONVERSATIONS[2:], "style_matching")["style_matching"]["mean"] is None


def test_init_writes_the_file_that_loads_it(tmp_path):
    done = call("init", "evaluate", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (
        0,
        "simpatico_measurement.py is written; load it in Python:\n",
    )
    assert done.stdout.startswith("import evaluate\n")
    assert 'evaluate.load("simpatico_measurement.py", module_type="measurement")' in done.stdout


@pytest.mark.slow
def test_evaluate_loads_and_computes_it_offline(tmp_path):
    pytest.importorskip("evaluate")
    assert call("init", "evaluate", cwd=tmp_path).returncode == 0
    offline = {"HF_EVALUATE_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HUB_OFFLINE": "1"}
    code = LOADED % (CONVERSATIONS, METRICS)
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | offline | {"HF_HOME": str(tmp_path / "hf")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    results, facts = done.stdout.splitlines()
    assert json.loads(results) == measure(CONVERSATIONS, METRICS)
    assert facts == "measurement ['conversations']"
