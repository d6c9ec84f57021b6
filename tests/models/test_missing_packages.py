"""Without an optional package its metrics are left out of presets, and asking for one is a sentence."""

import subprocess
import sys

import pytest

from simpatico.models.names import why_missing
from tests.models.texts import SAMPLES, write_few_dialogs
from tests.models.tiny import tiny

CODE = """
import sys
for name in {hidden!r}:
    sys.modules[name] = None
sys.argv = ["simpatico", *{arguments!r}]
from simpatico.cli import main
main()
"""


def without(hidden, *arguments):
    """The command line where these packages cannot be imported."""
    code = CODE.format(hidden=hidden, arguments=[str(a) for a in arguments])
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


@pytest.mark.parametrize(
    ("hidden", "metric", "sentence"),
    [
        (
            ["onnxruntime"],
            "coherence",
            "package:minilm needs the package onnxruntime; pip install 'simpatico[neural]'",
        ),
        (
            ["tokenizers"],
            "coherence",
            "package:minilm needs the package tokenizers; pip install 'simpatico[neural]'",
        ),
        (
            ["sacrebleu"],
            "bleu",
            "comparing with references needs the package sacrebleu; pip install 'simpatico[neural]'",
        ),
    ],
)
def test_a_missing_package_is_one_sentence_and_exit_2(hidden, metric, sentence, tmp_path):
    done = without(hidden, "score", SAMPLES, "--metrics", metric, "--out", tmp_path / "run")
    assert done.returncode == 2, done.stderr
    assert done.stderr == f"simpatico: {sentence}\n"
    listed = without(hidden, "list")
    assert listed.returncode == 0
    assert metric in listed.stdout


def test_a_model_for_torch_says_that_torch_is_missing(tmp_path):
    name = f"path:{tiny('bert')}"
    asked = ["score", SAMPLES, "--metrics", "coherence", "--set", f"coherence.model={name}"]
    done = without(["torch", "transformers"], *asked, "--out", tmp_path / "run")
    assert done.returncode == 2, done.stderr
    assert done.stderr == (
        f"simpatico: {name} needs the package torch; pip install 'simpatico[torch]'\n"
    )


def test_the_neural_preset_runs_without_torch(tmp_path):
    """What `pip install 'simpatico[neural]'` brings is enough for the default encoder."""
    done = without(
        ["torch", "transformers"],
        "score",
        write_few_dialogs(tmp_path),
        "--preset",
        "neural",
        "--out",
        tmp_path / "run",
    )
    assert done.returncode == 0, done.stderr
    assert "coherence: " in done.stderr


def test_without_onnxruntime_the_preset_leaves_its_metrics_out(tmp_path):
    done = without(["onnxruntime"], "score", SAMPLES, "--preset", "all", "--out", tmp_path / "run")
    assert done.returncode == 0, done.stderr
    assert "coherence" not in done.stderr


def test_without_an_encoder_the_demo_still_leads_with_a_predicted_rating(tmp_path):
    assert without(["onnxruntime"], "demo", "--out", tmp_path / "run").returncode == 0
    done = without(["onnxruntime"], "compare", tmp_path / "run")
    assert done.stdout.startswith(
        "harbor is predicted to be rated higher than brisk. Descriptive: "
    )
    assert "predicted_rating[core]" in done.stdout


def test_what_is_here_is_not_absent():
    assert why_missing("package:minilm") is None
