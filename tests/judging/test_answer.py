"""Replies read strictly: what cannot be read is null, with its reason, and never a default."""

import json
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simpatico.bots.bot import Reply, TokenAlternatives
from simpatico.judging.answer import Answer, read_answer, stands_in
from tests.judging.conftest import rubric
from tests.judging.server import REPLIES

OVERALL, PART, CHANCE, PAIR = (
    rubric(name).question for name in ("overall", "interpretation", "will_answer", "preferred")
)
TEXT = "I failed again.\nIt’s “hard”\u00a0for you,   I can tell."


def read(text, question=OVERALL, **more):
    return read_answer(Reply(text, **more), question, TEXT)


READINGS = {
    REPLIES["prose"]: 4,
    REPLIES["words"]: 5,
    REPLIES["bare"]: 2,
    REPLIES["thought"]: 5,
    '{"answer": "4"}': 4,
    '{"answer": 4.0}': 4,
    '{"answer": 4} {"answer": 4}': 4,
    '{ {"answer": 1}': 1,
    '{"why": "they said \\"answer\\": 5", "answer": 2}': 2,
    "Fair.": 3,
    REPLIES["key"]: "not_an_answer",
    REPLIES["number"]: "not_an_answer",
    REPLIES["fraction"]: "not_an_answer",
    REPLIES["cut"]: "not_an_answer",
    '{"result": {"answer": 4}}': "not_an_answer",
    '{"answer": true}': "not_an_answer",
    '{"answer": [4]}': "not_an_answer",
    '{"answer": NaN}': "not_an_answer",
    '{"answer": 1e999}': "not_an_answer",
    '{"answer": "4 or 5"}': "not_an_answer",
    "[" * 5000: "not_an_answer",
    '{"a":' * 5000: "not_an_answer",
    "very good, or good": "not_an_answer",
    REPLIES["range"]: "out_of_range",
    '{"answer": 0}': "out_of_range",
    '{"answer": -3}': "out_of_range",
    '{"answer": 100000000000000000000}': "out_of_range",
    REPLIES["both"]: "contradictory",
    REPLIES["null"]: "cannot_tell",
}


@pytest.mark.parametrize("text", READINGS, ids=lambda text: text[:30])
def test_a_reply_is_an_answer_or_a_reason(text):
    expected = READINGS[text]
    if isinstance(expected, int):
        assert read(text) == Answer(value=expected)
    else:
        assert read(text) == Answer(null_reason=expected)


def test_a_reply_that_was_cut_off_says_so():
    assert read(REPLIES["cut"], stop_reason="length").null_reason == "truncated"
    assert read('{"answer": 4} and', stop_reason="length").value == 4


@given(st.text(max_size=300))
def test_any_reply_is_read(text):
    answer = read(text)
    assert (answer.value is None) != (answer.null_reason is None)
    assert answer.value in (None, 1, 2, 3, 4, 5)


QUOTATIONS = {
    ('it\'s "hard" for you', 1): None,  # quotes and spaces may differ
    ("IT’S “HARD” FOR YOU, I can tell.", 2): None,
    ("I failed again. It's", 2): None,  # across lines
    ("", 0): None,  # the lowest answer needs none
    ("nowhere", 0): None,
    ("", 1): "no_quotation",
    ('"..."', 1): "no_quotation",
    ("you are sad", 1): "quotation_not_found",
    ("fail", 2): "quotation_not_found",  # whole words only
}


@pytest.mark.parametrize(("quoted", "number"), QUOTATIONS)
def test_a_quotation_stands_in_the_text(quoted, number):
    answer = read(json.dumps({"quotation": quoted, "answer": number}), PART)
    reason = QUOTATIONS[quoted, number]
    assert (answer.value, answer.null_reason) == (None if reason else number, reason)
    expected = None if reason == "no_quotation" or not number else quoted.strip()
    assert answer.evidence == expected


@given(st.data())
def test_words_of_a_text_stand_in_it(data):
    words = data.draw(
        st.lists(st.text("abcé.,'\"?", min_size=1, max_size=6), min_size=3, max_size=9)
    )
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first, len(words) - 1))
    assert stands_in(" ".join(words[first : last + 1]), "  ".join(words))


def tokens(*pieces, at, likely):
    """The tokens of a reply; at one place, with what was likely there."""
    return tuple(
        TokenAlternatives(
            piece, {t: log(p) for t, p in likely.items()} if n == at else {piece: 0.0}
        )
        for n, piece in enumerate(pieces)
    )


def test_probabilities_are_those_in_place_of_the_answer():
    """.6 and .2 and .1 of the answers 4, 5 and 3 are 2/3, 2/9 and 1/9 of their .9, and their mean
    is (4 x 6 + 5 x 2 + 3) / 9 = 37/9; `{"` and 7, which is off the scale, do not count."""
    likely = {"4": 0.6, "5": 0.2, "3": 0.1, '{"': 0.05, "7": 0.03}
    made = tokens('{"', "answer", '":', " ", "4", "}", at=4, likely=likely)
    answer = read('{"answer": 4}', alternatives=made)
    assert answer.probabilities == pytest.approx({3: 1 / 9, 4: 6 / 9, 5: 2 / 9})
    assert answer.expected == pytest.approx(37 / 9)
    assert answer.value == 4


def test_probabilities_where_tokens_are_cut_otherwise():
    """A token may hold what stands before or after the number; only like beginnings compare."""
    likely = {' "4"}': 0.5, ' "2"}': 0.25, " null": 0.2, "3": 0.05}
    made = tokens(" \n", '{"answer":', ' "4"}', at=2, likely=likely)
    answer = read('{"answer": "4"}', alternatives=made)
    assert answer.probabilities == pytest.approx({2: 1 / 3, 4: 2 / 3})
    assert read("2", alternatives=tokens("2", at=0, likely={"2": 1.0})).expected == 2


@pytest.mark.parametrize(
    ("question", "text", "made"),
    [
        (CHANCE, '{"answer": 1}', tokens('{"answer": ', "1", "}", at=1, likely={"1": 0.9})),
        (OVERALL, '{"answer": 4}', tokens("something", " else", at=0, likely={"4": 0.9})),
        (OVERALL, '{"answer": 4}', tokens('{"answer": ', "4}", at=1, likely={"null": 0.9})),
        (OVERALL, '{"answer": 4}', ()),
    ],
)
def test_no_probabilities_rather_than_wrong_ones(question, text, made):
    """1 may be the beginning of 10; the tokens are of another text; none is an answer; none."""
    answer = read(text, question, alternatives=made)
    assert (answer.probabilities, answer.expected) == (None, None)
    assert answer.value is not None


def test_nothing_that_a_server_sends_is_above_a_probability_of_one():
    made = (TokenAlternatives("4", {"4": 1e9, "3": float("-inf")}),)
    assert read("4", alternatives=made).probabilities == {3: 0.0, 4: 1.0}


def test_a_pair_is_answered_by_number_or_in_words():
    assert [read(t, PAIR).value for t in ('{"answer": 2}', "the first", '{"answer": 0}')] == [
        2,
        1,
        0,
    ]
