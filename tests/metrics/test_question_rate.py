"""Golden numbers for the share of turns that ask."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simpatico import Turns, load, score
from simpatico.metric import collect_evidence
from tests.conftest import talk

PIECES = [
    "?",
    "？",
    "؟",
    "\u037e",
    ";",
    " ",
    "www.",
    "http://",
    "HTTPS://",
    "a.org/",
    "b=c",
    "é",
    ")",
    ".",
]


def asks(text):
    turns = Turns.from_utterances(pl.DataFrame({"dialog": "d", "speaker": "x", "text": text}))
    return score(turns, [load("question_rate")]).at("turn")["question_rate"][0]


def test_the_share_of_turns_that_ask():
    """y asks in 1 of 3 turns, twice in that one; x in none of 2."""
    turns = talk("y: Tea? Or coffee?", "x: Tea.", "y: Good.", "x: Well", "y: ...")
    table = score(turns, [load("question_rate")])
    assert table.at("turn")["question_rate"].to_list() == [1.0, 0.0, 0.0, 0.0, 0.0]
    assert table.at("dialog")["question_rate"].to_list() == [pytest.approx(1 / 3), 0.0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0.0),
        ("?", 1.0),
        ("元気ですか？", 1.0),
        ("كيف حالك؟", 1.0),
        ("Τι κάνεις\u037e", 1.0),
        ("first; second", 0.0),
        ("See http://a.org/?b=c", 0.0),
        ("See www.a.org/x?b=c.", 0.0),
        ("Seen https://a.org/?b=c?", 1.0),
        ("(Seen HTTP://a.org/x?)", 1.0),
        ("見た？https://a.org/?b=c", 1.0),
        ("https://a.org/b？見た", 1.0),
        ("www.?", 1.0),
    ],
)
def test_question_marks_of_web_addresses_do_not_ask(text, expected):
    assert asks(text) == expected


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_there_is_evidence_for_whatever_asks_and_it_adds_up_to_the_score(text):
    turns = Turns.from_utterances(pl.DataFrame({"dialog": "d", "speaker": "x", "text": text}))
    evidence = collect_evidence(load("question_rate"), turns)
    assert evidence["weight"].sum() == pytest.approx(asks(text))
    assert all(text[s:e] in "?？؟\u037e" for s, e in evidence.select("start", "end").iter_rows())


def test_evidence_is_each_mark_with_its_part():
    """Two marks at 5 and 16, counted in characters: the emoji is one."""
    turns = talk("x: 😀 Tea? Or coffee?")
    assert collect_evidence(load("question_rate"), turns).rows() == [
        (0, 5, 6, 0.5),
        (0, 16, 17, 0.5),
    ]
