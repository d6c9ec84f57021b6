"""Files of judges' answers: repeats, orders, failures, and whole sentences for what is wrong."""

import json

import polars as pl
import pytest

from simpatico.errors import SimpaticoError
from simpatico.judge_answers import stack_answers
from simpatico.readers.judge_answer_files import read_judge_answers
from simpatico.readers.judgement_files import has_preferences, read_judgements, read_preferences

ROW = {
    "dialog": "d1",
    "turn": 1,
    "quality": "warm",
    "judge": "m@1f2e3d4c",
    "judge_kind": "model",
    "value": 3,
    "scale_min": 1,
    "scale_max": 5,
    "repeat": 1,
    "null_reason": None,
}
PAIR = {
    "dialog_a": "d2",
    "dialog_b": "d1",
    "quality": "warm",
    "judge": "m@1f2e3d4c",
    "judge_kind": "model",
    "preferred": "a",
    "order": "ab",
    "repeat": 1,
}


def write(folder, *rows, name="judged.jsonl"):
    path = folder / name
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def test_repeats_are_one_judgement_and_stay_apart_in_the_answers(tmp_path):
    path = write(
        tmp_path,
        ROW | {"expected": 3.5, "probabilities": {"3": 0.5, "4": 0.5}, "evidence": "so kind"},
        ROW | {"value": 4, "repeat": 2, "expected": 4.5},
        ROW | {"judge": "n@1f2e3d4c", "value": 5},
        ROW | {"judge": "n@1f2e3d4c", "repeat": 2, "expected": 1.5},
        ROW | {"dialog": "d2", "value": None, "null_reason": "not_an_answer"},
    )
    answers = read_judge_answers(path)
    assert answers.frame["repeat"].to_list() == [1, 2, 1, 2, 1]
    assert answers.frame["null_reason"].to_list() == [None] * 4 + ["not_an_answer"]
    judgements = read_judgements(path)
    assert judgements.frame["value"].to_list() == [3.5, 4.0, None]
    assert judgements.notes == ("5 answers of judges averaged to 3, one a unit",)
    # the second judge has no expected value beside its first answer
    assert answers.with_expected().judgements().frame["value"].to_list() == [4.0, 4.0, None]


def test_a_win_that_does_not_survive_the_swap_is_a_tie(tmp_path):
    """d2 ~ d1 is named d1 ~ d2, so that a preferred d2 is −1 there."""
    path = write(
        tmp_path,
        PAIR,
        PAIR | {"order": "ba"},
        PAIR | {"dialog_b": "d3"},
        PAIR | {"dialog_b": "d3", "order": "ba", "preferred": "b"},
        PAIR | {"dialog_b": "d4", "preferred": None, "null_reason": "no_answer"},
    )
    assert has_preferences(path)
    answers = read_judge_answers(path)
    assert answers.of_pairs
    assert answers.frame["order"].to_list() == ["ba", "ab", "ab", "ba", "ab"]
    values = answers.judgements().frame.select("dialog", "value").rows()
    assert values == [("d1 ~ d2", -1.0), ("d2 ~ d3", 0.0), ("d2 ~ d4", None)]
    preferences = read_preferences(path).frame
    assert preferences["preferred"].to_list() == ["a", "tie", None]
    assert preferences["dialog_a"].to_list() == ["d2"] * 3


@pytest.mark.parametrize(
    ("ab", "ba", "choice"),
    [
        ("aab", "aaa", "a"),  # most repeats of an order say what it says
        ("aab", "abb", "tie"),
        ("ab", "aa", "tie"),  # this order has no winner
        (["a", None], "a", "a"),
        ("a", [None], None),  # nobody knows whether the win survives the swap
        ("b", "", "b"),  # only asked in one order
    ],
)
def test_preferences_and_audits_have_one_rule_for_repeats_and_orders(tmp_path, ab, ba, choice):
    rows = [
        PAIR | {"order": order, "repeat": n, "preferred": preferred}
        for order, answers in (("ab", ab), ("ba", ba))
        for n, preferred in enumerate(answers, 1)
    ]
    path = write(tmp_path, *rows)
    assert read_preferences(path).frame["preferred"].to_list() == [choice]
    # named in alphabetical order, these sides change places
    value = read_judge_answers(path).judgements().frame["value"].to_list()
    assert value == [{"a": -1.0, "b": 1.0, "tie": 0.0, None: None}[choice]]


def test_tables_of_ratings_are_files_of_judges_too(tmp_path):
    long = tmp_path / "gpt.csv"
    long.write_text("dialog,quality,value\nd1,warm,4\n", encoding="utf-8")
    wide = tmp_path / "claude.csv"
    wide.write_text("session,warm,clear\nd1,4,2\n", encoding="utf-8")
    both = stack_answers(
        [read_judge_answers(long), read_judge_answers(wide, columns={"dialog": "session"})]
    )
    assert both.frame.select("judge", "judge_kind", "quality", "value").rows() == [
        ("gpt", "model", "warm", 4.0),
        ("claude", "model", "warm", 4.0),
        ("claude", "model", "clear", 2.0),
    ]


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (
            [ROW, ROW],
            "2 of 2 answers repeat the unit, quality, judge, repeat and order of another one; "
            "number the repeats of a judge in the field 'repeat'",
        ),
        (
            [ROW | {"value": 9}],
            "{path}:1: the value 9 is outside its scale, 1 to 5",
        ),
        (
            [ROW, ROW | {"repeat": 1.5}],
            "{path}:2: 'repeat' must be the number of a repeat, counted from 1",
        ),
        (
            [PAIR | {"order": "first"}],
            "{path}:1: 'order' must be ab or ba",
        ),
        (
            [ROW | {"value": "good"}],
            "{path}:1: 'value' must be a number, or empty for 'not rated'",
        ),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(tmp_path, rows, sentence):
    path = write(tmp_path, *rows)
    with pytest.raises(SimpaticoError) as error:
        read_judge_answers(path)
    assert str(error.value) == sentence.format(path=path)


def test_pairs_and_units_are_not_one_file(tmp_path):
    units, pairs = write(tmp_path, ROW), write(tmp_path, PAIR, name="pairs.jsonl")
    with pytest.raises(SimpaticoError) as error:
        stack_answers([read_judge_answers(units), read_judge_answers(pairs)])
    assert str(error.value) == (
        "answers about pairs and about single units; audit them one after the other"
    )


def test_a_table_with_a_quality_called_expected_is_no_file_of_judges(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text("dialog,expected\nd1,3\n", encoding="utf-8")
    assert read_judgements(path).frame.select("quality", "value").rows() == [("expected", 3.0)]
    assert read_judgements(path).frame.schema["turn"] == pl.Int32
