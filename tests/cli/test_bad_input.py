"""Every bad input through the command line: one line `file:line: reason`, exit 2, nothing lost."""

import json
import re

import pytest

from simpatico import Run
from tests.readers.bad_inputs import CANARY, FILES, GOOD, LINES

METRICS = ["--metrics", "style_matching"]


def assert_refusal(code, out, err, path):
    assert code == 2
    assert out == ""
    (line,) = err.strip().splitlines()
    assert re.match(rf"simpatico: {re.escape(str(path))}:\d+: .", line), line
    assert CANARY not in err
    return line


@pytest.mark.parametrize("bad", LINES, ids=lambda b: b.name)
def test_a_bad_line_is_refused_or_skipped_and_listed(bad, call, tmp_path):
    path = tmp_path / "talk.jsonl"
    good = [json.dumps(row).encode() for row in GOOD]
    path.write_bytes(b"\n".join([good[0], bad.record, good[1], b""]))
    line = assert_refusal(*call("score", path, "--out", tmp_path / "run", *METRICS), path)
    assert f"{path}:2: {bad.reason}" in line
    assert not (tmp_path / "run").exists()
    code, _, err = call("score", path, "--out", tmp_path / "run", "--on-error", "skip", *METRICS)
    assert code == 0, err
    assert CANARY not in err
    run = Run(tmp_path / "run")
    assert run.at("turn")["speaker"].to_list() == ["ann", "bob"]
    (reject,) = map(json.loads, (tmp_path / "run" / "rejects.jsonl").read_text().splitlines())
    assert (reject["line"], reject["byte"], reject["code"]) == (2, len(good[0]) + 1, bad.code)
    assert run.facts["alignment"]["rejected"] == {bad.code: 1}
    assert CANARY not in (tmp_path / "run" / "rejects.jsonl").read_text()
    assert CANARY not in (tmp_path / "run" / "run.json").read_text()


@pytest.mark.parametrize("bad", FILES, ids=lambda b: b.name)
def test_a_bad_file_is_refused(bad, call, tmp_path):
    path = tmp_path / f"talk{bad.suffix}"
    path.write_bytes(bad.content)
    assert_refusal(*call("score", path, "--out", tmp_path / "no", *METRICS), path)
