"""The steps of action.yml, run as a GitHub runner runs them, on a base branch and a pull request."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

yaml = pytest.importorskip("yaml")
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
GH = """#!/bin/bash
printf '%s\\n' "$*" >> gh-calls.txt
if [[ "$*" == *--paginate* ]]; then cat gh-comment.txt; fi
"""


def run_step(name, folder, **env):
    """The script of a step by the shell that GitHub gives it; what it wrote to GITHUB_OUTPUT."""
    (folder / "bin").mkdir(exist_ok=True)
    gh = folder / "bin" / "gh"
    gh.write_text(GH)
    gh.chmod(0o755)
    path = os.pathsep.join([str(folder / "bin"), str(Path(sys.executable).parent), os.defpath])
    files = {"GITHUB_OUTPUT": "output.txt", "GITHUB_STEP_SUMMARY": "summary.md"}
    (folder / "output.txt").unlink(missing_ok=True)
    env = {**os.environ, **files, "GITHUB_REPOSITORY": "acme/bot", **env, "PATH": path}
    call = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEPS[name]["run"]]
    done = subprocess.run(call, cwd=folder, env=env, capture_output=True, text=True)
    output = folder / "output.txt"
    lines = output.read_text().splitlines() if output.exists() else []
    return done, dict(line.split("=", 1) for line in lines)


def write_chats(path, words):
    """Twelve chats; the replies to the k-th have `words` + k % 3 words."""
    reply = [" ".join(["word"] * (words + k % 3)) for k in range(12)]
    lines = [
        {"messages": [{"role": "user", "content": f"Hi {k}"}, {"role": "assistant", "content": r}]}
        for k, r in enumerate(reply)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def score(folder, words, metrics="length,question_rate"):
    (folder / "logs").mkdir(exist_ok=True)
    write_chats(folder / "logs" / "chats of today.jsonl", words)
    done, _ = run_step("Score", folder, CONVERSATIONS="logs/chats of*.jsonl\n", METRICS=metrics)
    assert done.returncode == 0, done.stderr


def gate(folder, **env):
    settings = {"RULES": "", "MARGINS": "", "BASELINE": "simpatico-baseline", **env}
    done, output = run_step("Gate", folder, **settings)
    assert done.returncode == 0, done.stderr
    return int(output["code"]), (folder / "simpatico-verdict.md").read_text()


def test_a_pull_request_is_compared_with_the_run_of_the_base_branch(tmp_path):
    """Means of words: 7 + 1 on the base branch, 4 + 1 after it: worse by 3 where 1 is allowed."""
    score(tmp_path, 7)
    assert run_step("Keep this run for later pull requests", tmp_path)[0].returncode == 0
    kept = {path.name for path in (tmp_path / "simpatico-baseline").iterdir()}
    assert kept == {"run.json", "turn.parquet", "dialog.parquet", "system.parquet"}
    score(tmp_path, 4)
    code, verdict = gate(tmp_path, RULES="length >= 2\n\nlength <= 9", MARGINS="length=1")
    assert code == 1
    lines = verdict.splitlines()
    assert lines[:2] == [
        "<!-- simpatico gate -->",
        "### The gate did not pass: 2 of 3 checks passed",
    ]
    assert lines[5].startswith("| ❌ failed | `assistant` | `length within 1 of the baseline` | ")
    assert lines[6].startswith("| ✅ passed | `assistant` | `length >= 2` | 5.000 (95% CI [")
    assert "Comparison with the base branch" in verdict
    assert "simpatico-baseline" in verdict.split("~~~~~~")[1]
    assert (tmp_path / "summary.md").read_text() == verdict
    assert 'tests="3" failures="1"' in (tmp_path / "simpatico-gate.xml").read_text()
    assert run_step("Fail unless the gate passed", tmp_path, CODE="1")[0].returncode == 1
    assert run_step("Fail unless the gate passed", tmp_path, CODE="0")[0].returncode == 0


def test_without_a_base_run_or_rules_and_with_wrong_rules_there_is_a_verdict_too(tmp_path):
    score(tmp_path, 4)
    none = "<!-- simpatico gate -->\n### No gate\n\n"
    end = "\nThe base branch has no run to compare with yet.\n"
    assert gate(tmp_path) == (0, none + end)
    code, verdict = gate(tmp_path, MARGINS="0.02", RULES="length >= 2")
    assert (code, verdict.splitlines()[1]) == (0, "### The gate passed: 1 of 1 check passed")
    wrong = (
        "`simpatico: the rule 'lenght >= 2' is about 'lenght', which the run does not have; "
        "did you mean 'length'?`\n"
    )
    assert gate(tmp_path, RULES="lenght >= 2") == (2, none + wrong + end)


def test_inputs_are_data_and_never_part_of_a_script(tmp_path):
    assert not [name for name, step in STEPS.items() if "${{" in step.get("run", "")]
    score(tmp_path, 4)
    code, verdict = gate(tmp_path, RULES="length >= $(touch pwned)`touch pwned`")
    assert code == 2
    assert not (tmp_path / "pwned").exists()
    assert "touch pwned" in verdict


@pytest.mark.parametrize(
    ("known", "last"),
    [
        ("", "api -X POST repos/acme/bot/issues/7/comments -F body=@simpatico-verdict.md --silent"),
        ("42\n43", "api -X PATCH repos/acme/bot/issues/comments/42 -F body=@simpatico-verdict.md --silent"),
    ],
)  # fmt: skip
def test_one_comment_is_kept_up_to_date(tmp_path, known, last):
    (tmp_path / "gh-comment.txt").write_text(known)
    done, _ = run_step("Comment", tmp_path, NUMBER="7")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "gh-calls.txt").read_text().splitlines()[-1] == last


def test_every_input_is_used_and_described():
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    for name, about in ACTION["inputs"].items():
        assert f"inputs.{name}" in text
        assert about["description"]
    assert set(STEPS["Gate"]["env"]) == {"RULES", "MARGINS", "BASELINE"}
