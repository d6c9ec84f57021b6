"""Scores of another program beside ours: by dialog, by turn, and what does not match."""

import json

import pytest

from simpatico import Run
from simpatico.errors import DataError
from simpatico.features.outside_scores import read_outside_scores
from simpatico.metrics._shared.outside import outside_metrics
from simpatico.scoring import score
from tests.conftest import talk

ROWS = [
    {"dialog": d, "speaker": s, "text": t}
    for d in ("d1", "d2")
    for s, t in (("user", "hi"), ("bot", "hello"), ("user", "so"), ("bot", "well then"))
]


@pytest.fixture
def chats(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def score_with(call, chats, table, *more):
    file = chats.parent / "scores.csv"
    file.write_text(table)
    out = chats.parent / "run"
    line = ["score", chats, "--metrics", "length", "--scores", file, "--out", out, *more]
    return (*call(*line), out)


def test_scores_of_dialogs_are_those_of_its_system(chats, call):
    table = "dialog,grade,comment\nd1,3.5,good\nd2,,bad\nd9,1,other\n"
    code, _, err, out = score_with(call, chats, table)
    assert code == 0, err
    assert "1 of 3 rows are about dialogs that are not in the input, such as 'd9'." in err
    frame = Run(out).at("dialog", ["dialog", "speaker", "grade", "grade_null"])
    assert frame.rows() == [
        ("d1", "user", None, "no_row"),
        ("d1", "bot", 3.5, None),
        ("d2", "user", None, "no_row"),
        ("d2", "bot", None, "no_row"),
    ]
    assert "scores_sha256:" in Run(out).facts["metrics"]["grade"]["signature"]
    code, out_text, err = call("show", out)
    assert "grade" in out_text


def test_scores_of_turns_have_their_mean_in_a_dialog(tmp_path):
    file = tmp_path / "s.csv"
    file.write_text("dialog,turn,g\nd,1,3\nd,3,4\n")
    (metric,) = outside_metrics(str(file))
    assert metric.level == "turn"
    table = score(talk("user: a", "bot: b", "user: c", "bot: d"), [metric])
    assert table.at("turn")["g"].to_list() == [None, 3.0, None, 4.0]
    assert table.at("dialog").filter(speaker="bot")["g"].to_list() == [3.5]


def test_scores_of_other_dialogs_are_refused_and_leave_nothing(chats, call):
    code, _, err, out = score_with(call, chats, "dialog,g\nx,1\n")
    assert code == 2
    assert err == (
        f"simpatico: none of the 1 rows of {chats.parent / 'scores.csv'} is about a dialog of the "
        "input; dialog ids must be the same ('x' has scores, 'd1' was read)\n"
    )
    assert not out.exists()


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        (
            "id,g\nd,1\n",
            ":1: there is no column 'dialog'; outside scores need dialog, and one column of numbers "
            "for each score (optionally turn and speaker)",
        ),
        ("dialog,g\nd,good\n", ":1: no column of numbers beside dialog; 'g' has text in it"),
        ("dialog,g\nd,1\nd,2\n", ": 2 rows are about the same dialog; keep one"),
    ],
)
def test_tables_that_are_no_scores(tmp_path, table, reason):
    file = tmp_path / "s.csv"
    file.write_text(table)
    with pytest.raises(DataError) as error:
        read_outside_scores(str(file))
    assert str(error.value) == f"{file}{reason}"
