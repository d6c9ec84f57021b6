"""Drift: a lock holds verdicts without text; those that changed are listed, and a gate bounds them."""

import json

import pytest

from simpatico.errors import DataError
from simpatico.judging.lock import RATES, measure_drift, read_lock
from simpatico.judging.runner import read_rows
from tests.command_line import simpatico
from tests.judging.conftest import dialogs
from tests.judging.test_judge import write

N = 40


@pytest.fixture
def place(server, tmp_path):
    """40 dialogs, judged and locked by the server's first verdicts; later ones differ in four."""
    write(tmp_path / "chats.jsonl", dialogs([f"secret {n}." for n in range(N)]))
    done = again(server, tmp_path, "first")
    assert done.returncode == 0, done.stderr
    assert f"{N} verdicts locked in judge.lock\n" in done.stderr
    answers = {"secret 3.": '{"answer": 4}', "secret 5.": '{"answer": 2}', "secret 7.": "what?"}
    answers["secret 11."] = '{"answer": 1}'
    server.verdict = lambda rules, prompt: next(
        (answer for text, answer in answers.items() if text in prompt), '{"answer": 3}'
    )
    return tmp_path


def again(server, folder, name, *more):
    line = ["judge", "chats.jsonl", "--rubric", "overall", "--bot", f"{server.url}?model=m"]
    return simpatico(*line, "--lock", "judge.lock", "--out", f"{name}.jsonl", *more, cwd=folder)


def test_changed_verdicts_are_listed_with_their_rate(server, place):
    """4 of 40 changed. Wilson: (.1 + z²/80 ± z sqrt(.09/40 + z²/6400)) / (1 + z²/40), z = 1.95996:
    (.1480 ± .1069) / 1.0960, that is .040 to .231."""
    done = again(server, place, "second")
    assert done.returncode == 0, done.stderr
    cells = [line.split() for line in done.stdout.splitlines()]
    for row in (["d3,", "quality", "overall,", "repeat", "1", "3", "4"],
                ["d7,", "quality", "overall,", "repeat", "1", "3", "–"]):  # fmt: skip
        assert ["dialog", *row] in cells
    assert "4 of 40 verdicts changed: 0.100 [0.040, 0.231]" in done.stdout
    facts = json.loads(again(server, place, "second", "--json").stdout)["drift"]
    assert facts["changes"][0] == {
        "dialog": "d3", "quality": "overall", "repeat": 1, "before": 3.0, "now": 4,
    }  # fmt: skip
    assert (len(facts["changes"]), facts["anchors"], facts["flips"]["n"]) == (4, 40, 40)
    assert "secret" not in (place / "judge.lock").read_text()


RULES = {
    "judge.flips <= 0.25": (0, "passed     judge: judge.flips <= 0.25: 0.100 (95% CI [0.040, 0.231]), "
                               "40 dialogs"),
    "judge.flips <= 0.2": (1, "undecided  judge: judge.flips <= 0.2: 0.100 (95% CI [0.040, 0.231]), "
                              "40 dialogs; the upper bound of the CI violates the rule; at this mean "
                              "about 69 dialogs are needed"),
    "judge.nulls <= 0.01": (1, "failed     judge: judge.nulls <= 0.01: 0.025 (95% CI [0.004, 0.129]), "
                               "40 dialogs; the mean violates the rule"),
}  # fmt: skip


@pytest.mark.parametrize("rule", RULES)
def test_a_gate_bounds_the_rates(server, place, rule):
    again(server, place, "second")
    files = ["--judged", "second.jsonl", "--lock", "judge.lock"]
    done = simpatico("gate", *files, "--rule", rule, cwd=place)
    code, line = RULES[rule]
    assert (done.returncode, done.stdout.splitlines()[0]) == (code, line)


def test_another_model_is_said(server, place):
    done = simpatico(
        "judge", "chats.jsonl", "--rubric", "overall", "--bot", f"{server.url}?model=newer",
        "--lock", "judge.lock", "--out", "second.jsonl", cwd=place,
    )  # fmt: skip
    assert "The judge is another one: model was 'm' and is 'newer'.\n" in done.stderr
    assert "4 of 40 verdicts changed" in done.stdout


def test_what_was_not_asked_again_is_refused(server, place):
    done = again(server, place, "fewer", "--sample", 39)
    assert done.returncode == 2
    assert "1 of 40 anchors of the lock were not judged, the first of them [" in done.stderr
    done = again(server, place, "other", "--eyes", "interlocutor")
    assert done.stderr.splitlines()[-1] == (
        "simpatico: 40 of 40 anchors were asked in other words than when they were locked, the "
        'first of them ["d0",null,null,null,"overall",1,null]: the text or the rubric has changed; '
        "make a new lock"
    )


def test_turns_of_one_dialog_count_once(server, tmp_path):
    rows = [
        dict(row, dialog="d", text=f"{row['text']} {n}")
        for n in range(20)
        for row in dialogs(["a"])
    ]
    write(tmp_path / "chats.jsonl", rows)
    line = ["judge", "chats.jsonl", "--rubric", "grammar", "--bot", f"{server.url}?model=m"]
    simpatico(*line, "--lock", "judge.lock", "--out", "a.jsonl", cwd=tmp_path)
    drift = measure_drift(read_lock(tmp_path / "judge.lock"), read_rows(tmp_path / "a.jsonl"))
    assert (len(drift.rows), drift.changes) == (20, [])
    assert [drift.rate(name).n for name in RATES] == [1, 1]


def test_what_is_no_lock_is_refused(tmp_path):
    path = tmp_path / "judge.lock"
    for content in (b"{}", b"\xff", b"[" * 100_000):
        path.write_bytes(content)
        with pytest.raises(DataError) as caught:
            read_lock(path)
        assert str(caught.value) == (
            f"{path} is not a lock of `simpatico judge`; name another file or delete this one"
        )
