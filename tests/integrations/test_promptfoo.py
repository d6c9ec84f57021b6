"""promptfoo's assertion: what it answers to each form of a test, and a real evaluation."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from simpatico.integrations.promptfoo import conversation_of_test, get_assert
from tests.command_line import simpatico as call

USER, REPLY = "I lost my keys.", "Oh no. Did you look in the car?"
CHAT = [{"role": "user", "content": USER}]
ASSISTANT = {"role": "assistant", "content": REPLY}
CONFIG = """\
prompts: ["{{line}}"]
providers: [echo]
tests:
  - vars: {line: "one two three four"}
    assert: &ours
      - type: python
        value: file://simpatico_assert.py
        config: {metrics: [length, style_matching], rules: ["length >= 4"]}
  - vars: {line: "one"}
    assert: *ours
"""


@pytest.mark.parametrize(
    ("context", "messages"),
    [
        ({"prompt": USER}, [*CHAT, ASSISTANT]),
        ({"prompt": json.dumps(CHAT)}, [*CHAT, ASSISTANT]),
        ({"prompt": '["no", "messages"]'}, [{"role": "user", "content": '["no", "messages"]'}, ASSISTANT]),
        (
            {"prompt": "And you?", "vars": {"_conversation": [{"input": USER, "output": "Oh."}]}},
            [*CHAT, {"role": "assistant", "content": "Oh."}, {"role": "user", "content": "And you?"}, ASSISTANT],
        ),
        (
            {"prompt": "x", "providerResponse": {"metadata": {"messages": [*CHAT, ASSISTANT]}}},
            [*CHAT, ASSISTANT],
        ),
    ],
    ids=["prompt", "chat", "json that is no chat", "earlier turns", "simulated user"],
)  # fmt: skip
def test_the_conversation_of_a_test(context, messages):
    assert conversation_of_test(REPLY, context) == messages


def test_rules_are_components_and_null_is_no_number():
    """The reply has 8 words, too few for a trait."""
    config = {"metrics": ["length", "agreeableness"], "rules": ["length >= 9", "length < 9", "agreeableness > 0"]}  # fmt: skip
    result = get_assert(REPLY, {"prompt": USER, "config": config})
    assert result == {
        "pass": False,
        "score": 1 / 3,
        "reason": "length = 8.000; agreeableness is not scored: too few words",
        "named_scores": {"length": 8.0},
        "component_results": [
            {"pass": False, "score": 0.0, "reason": "length = 8.000; the rule is length >= 9"},
            {"pass": True, "score": 1.0, "reason": "length = 8.000; the rule is length < 9"},
            {
                "pass": False,
                "score": 0.0,
                "reason": "agreeableness is not scored: too few words; the rule is agreeableness > 0",
            },
        ],
    }
    without_rules = get_assert(REPLY, {"prompt": USER, "config": {"metrics": ["agreeableness"]}})
    assert (without_rules["pass"], without_rules["score"], without_rules["named_scores"]) == (
        True,
        1.0,
        {},
    )


def test_what_is_wrong_is_the_reason():
    result = get_assert(REPLY, {"prompt": USER, "config": {"rules": ["lenght >= 4"]}})
    assert result == {
        "pass": False,
        "score": 0.0,
        "reason": "simpatico: no metric 'lenght'; did you mean 'length'?",
    }


def test_init_writes_the_file_once_and_replaces_only_its_own(tmp_path):
    done = call("init", "promptfoo", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(
        "assert:\n  - type: python\n    value: file://simpatico_assert.py\n"
    )
    assert call("init", "promptfoo", cwd=tmp_path).returncode == 0
    (tmp_path / "simpatico_assert.py").write_text("my own\n")
    again = call("init", "promptfoo", cwd=tmp_path)
    assert (again.returncode, again.stderr) == (
        2,
        "simpatico: --out simpatico_assert.py was not written by `simpatico init`; name another "
        "file, or overwrite it with --force\n",
    )


@pytest.fixture(scope="module")
def promptfoo(tmp_path_factory):
    """promptfoo of npm: the one on the PATH, or installed for the test."""
    if found := shutil.which("promptfoo"):
        return found
    if not (npm := shutil.which("npm")):
        pytest.skip("no npm to install promptfoo with")
    folder = tmp_path_factory.mktemp("npm")
    done = subprocess.run(
        [npm, "install", "--no-audit", "--no-fund", "promptfoo"], cwd=folder, capture_output=True, text=True
    )  # fmt: skip
    if done.returncode:
        pytest.skip("npm can install no promptfoo here")
    return str(folder / "node_modules" / ".bin" / "promptfoo")


@pytest.mark.slow
def test_promptfoo_runs_the_assertion(promptfoo, tmp_path):
    assert call("init", "promptfoo", cwd=tmp_path).returncode == 0
    (tmp_path / "promptfooconfig.yaml").write_text(CONFIG)
    env = {
        **os.environ,
        "PROMPTFOO_PYTHON": sys.executable,
        "PROMPTFOO_CONFIG_DIR": str(tmp_path / "config"),
        "PROMPTFOO_DISABLE_TELEMETRY": "1",
        "PROMPTFOO_DISABLE_UPDATE": "1",
    }
    command = [promptfoo, "eval", "--no-cache", "--no-progress-bar", "--output", "results.json"]
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert (tmp_path / "results.json").exists(), done.stdout + done.stderr
    rows = json.loads((tmp_path / "results.json").read_text())["results"]["results"]
    first, second = sorted(rows, key=lambda row: row["testIdx"])
    assert (first["success"], second["success"]) == (True, False)
    assert first["namedScores"] == {"length": 4, "style_matching": pytest.approx(1, abs=1e-3)}
    assert second["namedScores"]["length"] == 1
    (ours,) = second["gradingResult"]["componentResults"][:1]
    assert "length = 1.000" in json.dumps(second["gradingResult"])
    assert not ours["pass"]
