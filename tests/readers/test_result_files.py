"""Scores of other tools: read as a run, compared, gated and validated; and the recipes of the docs.

The files are those of tests/readers/file_formats/test_results.py.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from simpatico import read
from simpatico.errors import DataError
from simpatico.readers.result_files import read_results
from tests.command_line import simpatico
from tests.conftest import ROOT
from tests.readers.files import write_file

FILES = ROOT / "tests" / "readers" / "file_formats" / "files"
RECIPES = (ROOT / "docs" / "traces.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^(simpatico .*)$", RECIPES, re.MULTILINE)


def test_promptfoo_scores_and_a_test_that_failed_to_run() -> None:
    """acme-2 fails on the test about tea: promptfoo says 0, and there is no score."""
    results = read_results(FILES / "promptfoo.json")
    assert results.format == "promptfoo"
    assert results.scores == dict.fromkeys(("score", "thanks", "length"), "higher")
    frame = results.frame.sort("system", "prompt")
    assert frame.select("dialog", "system", "prompt").rows()[:2] == [
        ("0:0", "acme-1", "0"),
        ("1:0", "acme-1", "1"),
    ]
    # 'yes' has 3 characters of 40, 'oh' has 2
    assert frame["length"].to_list()[:3] == [3 / 40, 3 / 40, 2 / 40]
    failed = frame.filter(system="acme-2", prompt="1")
    assert failed.select("length", "score", "thanks").row(0) == (None, None, None)


def test_deepeval_scores_and_an_error(tmp_path: Path) -> None:
    results = read_results(FILES / "deepeval_turns.json")
    assert results.frame.select("dialog", "system", "Warmth").rows() == [
        ("c1", "deepeval_turns", 0.4),
        ("c2", "deepeval_turns", 0.2),
    ]
    file = json.loads((FILES / "deepeval_turns.json").read_text())
    file["testRunData"]["conversationalTestCases"][0]["metricsData"][0]["error"] = "no model"
    broken = read_results(write_file(tmp_path / "d.json", file))
    assert broken.frame["Warmth"].to_list() == [None, 0.2]


def test_promptfoo_as_lines(tmp_path: Path) -> None:
    """`--output results.jsonl` has a result a line, with the evaluation's id in each."""
    rows = json.loads((FILES / "promptfoo.json").read_text())["results"]["results"]
    path = write_file(
        tmp_path / "r.jsonl", [{**row, "evalId": "e", "persisted": True} for row in rows]
    )
    assert read_results(path).frame.equals(read_results(FILES / "promptfoo.json").frame)
    assert [t.text for t in read(path)] == [t.text for t in read(FILES / "promptfoo.json")]


@pytest.mark.parametrize(
    ("score", "threshold", "success", "better"),
    [
        *[(0.4, 0.5, False, "higher"), (0.4, 0.5, True, "lower"), (0.9, 0.5, False, "lower")],
        *[(0.5, 0.5, True, None), (0.4, None, True, None), (None, 0.5, False, None)],
    ],
)
def test_the_threshold_tells_which_deepeval_scores_are_better(
    tmp_path: Path, score: float | None, threshold: float | None, success: bool, better: str | None
) -> None:
    """A metric such as toxicity passes below its threshold."""
    file = json.loads((FILES / "deepeval_turns.json").read_text())
    for case in file["testRunData"]["conversationalTestCases"]:
        data = {"score": score, "threshold": threshold, "success": success}
        case["metricsData"] = [{"name": "Toxicity", **data}]
    results = read_results(write_file(tmp_path / "d.json", file))
    assert results.scores == {"Toxicity": better}


def test_inspect_scores() -> None:
    """includes is C where the last answer has the word six: the first answer's q0, not q1's."""
    results = read_results(FILES / "inspect_acme-1.eval")
    assert results.scores == {"includes": "higher"}
    assert results.frame.select("dialog", "system", "prompt", "includes").rows() == [
        ("q0:1", "mockllm/acme-1", "task:q0", 1.0),
        ("q1:1", "mockllm/acme-1", "task:q1", 0.0),
        ("q0:2", "mockllm/acme-1", "task:q0", 1.0),
        ("q1:2", "mockllm/acme-1", "task:q1", 0.0),
    ]


TABLE = "system,test,Warm-th,passed,note\n" + "".join(
    f"{system},{test},{value},{'yes' if value > 0.5 else 'no'},x\n"
    for system, values in (
        ("a", (0.5, 0.6, 0.4, 0.5, 0.6, 0.4)),
        ("b", (0.7, 0.9, 0.8, 0.7, 0.8, 0.9)),
    )
    for test, value in enumerate(values)
)


def test_a_table(tmp_path: Path) -> None:
    results = read_results(write_file(tmp_path / "t.csv", TABLE))
    assert results.scores == {"Warm_th": None, "passed": None}  # a table does not say
    assert results.frame.select("dialog", "prompt", "Warm_th", "passed").row(1) == (
        *("a:1:1", "1", 0.6, 1.0),
    )


def test_nothing_to_compare(tmp_path: Path) -> None:
    path = write_file(tmp_path / "t.csv", "system,test\na,1\n")
    with pytest.raises(DataError) as error:
        read_results(path)
    assert str(error.value) == f"{path}:1: there are no scores of tests in this file"


def test_rows_that_repeat_a_dialog(tmp_path: Path) -> None:
    path = write_file(tmp_path / "t.csv", "system,dialog,x\na,1,2\na,1,3\n")
    with pytest.raises(DataError) as error:
        read_results(path)
    assert str(error.value) == (
        f"{path}: 2 rows repeat the test and system of another one; give each row a 'dialog' of "
        "its own"
    )


def test_compare_pairs_by_test(tmp_path: Path) -> None:
    """Six differences of mean (.2 + .3 + .4 + .2 + .2 + .5) / 6 = .3, all of one sign: p = 2/64."""
    path = write_file(tmp_path / "t.csv", TABLE)
    done = simpatico("compare", path, "--scores", "Warm_th", "--json")
    (row,) = json.loads(done.stdout)
    assert (row["a"], row["b"], row["paired"], row["n_a"], row["unit"]) == (
        "a",
        "b",
        True,
        6,
        "prompt",
    )
    assert row["difference"] == pytest.approx(-0.3)
    assert row["p_value"] == pytest.approx(2 / 64)
    planned = simpatico("compare", path, "--plan")
    assert planned.returncode == 0
    assert "Smallest detectable difference" in planned.stdout


def test_two_providers_and_two_logs_in_sentences() -> None:
    done = simpatico("compare", FILES / "promptfoo.json")
    assert done.returncode == 0, done.stderr
    assert "acme-2" in done.stdout
    assert "6 prompts" in done.stdout  # of seven, as one has no score of acme-2
    logs = simpatico("compare", *(FILES / f"inspect_acme-{n}.eval" for n in (1, 2)))
    assert logs.returncode == 0, logs.stderr
    assert "mockllm/acme-1 vs. mockllm/acme-2" in logs.stdout


def test_the_gate_takes_results_and_a_baseline_of_results(tmp_path: Path) -> None:
    path = write_file(tmp_path / "t.csv", TABLE)
    kept = simpatico("gate", path, "--system", "b", "--rule", "Warm_th >= 0.6")
    assert (kept.returncode, kept.stdout.splitlines()[-1]) == (0, "Passed: 1 of 1 check passed.")
    broken = simpatico("gate", path, "--system", "a", "--rule", "Warm_th >= 0.6")
    assert broken.returncode == 1


def test_validate_scores_of_another_tool(tmp_path: Path) -> None:
    ratings = [
        {"dialog": f"{n}:0", "quality": "good", "value": v}
        for n, v in enumerate((1, 2, 1, 3, 1, 4, 2))
    ]
    ratings += [
        {"dialog": f"{n}:1", "quality": "good", "value": v} for n, v in ((0, 4), (2, 3), (3, 5))
    ]
    judged = write_file(tmp_path / "r.jsonl", ratings)
    done = simpatico("validate", FILES / "promptfoo.json", "--judgements", judged)
    assert done.returncode == 0, done.stderr
    assert "length" in done.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_every_recipe_runs(tmp_path: Path, command: str) -> None:
    shutil.copytree(FILES, tmp_path / "here")
    done = simpatico(*shlex.split(command)[1:], cwd=tmp_path / "here")
    assert done.returncode in (0, 1), done.stderr  # 1 is a gate that does not pass
    assert done.stdout
    assert "Traceback" not in done.stderr


def test_there_are_recipes() -> None:
    assert len(COMMANDS) >= 12


def test_a_sample_of_inspect_that_is_unscored_has_no_score(tmp_path: Path) -> None:
    """Inspect writes NaN; one in a text is what somebody said."""
    said = [{"role": "user", "content": 'Is "NaN": NaN?'}, {"role": "assistant", "content": "Yes."}]
    samples = [
        {"id": n, "epoch": 1, "messages": said, "scores": {"kind": {"value": value}}}
        for n, value in enumerate([0.5, float("nan"), float("-inf")])
    ]
    path = tmp_path / "log.json"
    path.write_text(json.dumps({"version": 2, "eval": {"model": "acme"}, "samples": samples}))
    results = read_results(path)
    assert results.frame["kind"].to_list() == [0.5, None, None]
    assert results.scores == {"kind": None}  # of a number nobody knows which are better
    assert read(path).frame["text"].to_list() == ['Is "NaN": NaN?', "Yes."] * 3
