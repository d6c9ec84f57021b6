"""How utterances become turns, and which turn each turn answers."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simpatico import Turns, read
from simpatico.errors import DataError


def turns(rows, columns, **options):
    """Speaker, text and what is answered, of each turn."""
    frame = pl.DataFrame(rows, schema=columns, orient="row", infer_schema_length=None)
    table = Turns.from_utterances(frame.with_columns(dialog=pl.lit("d")), **options)
    return [(t.speaker, t.text, t.answers) for t in table]


def test_consecutive_messages_of_one_speaker_are_one_turn():
    rows = [("a", "1"), ("a", "2"), ("b", "3"), ("a", "4")]
    assert turns(rows, ["speaker", "text"]) == [("a", "1\n2", None), ("b", "3", 0), ("a", "4", 1)]


def test_unmerged_each_message_answers_the_last_one_by_somebody_else():
    rows = [("a", "1"), ("a", "2"), ("b", "3"), ("b", "4")]
    assert turns(rows, ["speaker", "text"], merge=False) == [
        ("a", "1", None),
        ("a", "2", None),
        ("b", "3", 1),
        ("b", "4", 1),
    ]


def test_another_system_is_another_turn():
    """One speaker's name can stand for two models; each is scored for its own words."""
    rows = [("user", None, "1"), ("bot", "m1", "2"), ("bot", "m2", "3"), ("bot", None, "4")]
    frame = pl.DataFrame(rows, schema=["speaker", "system", "text"], orient="row")
    table = Turns.from_utterances(frame.with_columns(dialog=pl.lit("d")))
    assert [(t.system, t.text, t.answers) for t in table] == [
        (None, "1", None),
        ("m1", "2", 0),
        ("m2", "3", 0),
        (None, "4", 0),
    ]


def test_words_to_somebody_else_are_another_turn():
    """Who is not named once is still meant; who is named later was meant from the start."""
    rows = [
        ("user", None, "0"),
        ("bot", None, "1"),
        ("bot", "ann", "2"),
        ("bot", None, "3"),
        ("bot", "ann", "4"),
        ("bot", "bob", "5"),
        ("user", None, "6"),
        ("bot", None, "7"),
    ]
    frame = pl.DataFrame(rows, schema=["speaker", "interlocutor", "text"], orient="row")
    table = Turns.from_utterances(frame.with_columns(dialog=pl.lit("d"))).frame
    columns = ["interlocutor", "text", "answers"]
    assert table.select(columns).rows() == [
        (None, "0", None),
        ("ann", "1\n2\n3\n4", 0),
        ("bob", "5", 0),
        (None, "6", 2),
        (None, "7", 3),
    ]


def test_an_answer_to_something_else_is_another_turn():
    columns = ["speaker", "text", "id", "reply_to"]
    rows = [
        ("a", "root", "1", None),
        ("c", "other", "2", "1"),
        ("b", "to root", "3", "1"),
        ("b", "to other", "4", "2"),
        ("b", "and more", "5", "4"),
        ("a", "to the last", "6", "5"),
    ]
    assert turns(rows, columns) == [
        ("a", "root", None),
        ("c", "other", 0),
        ("b", "to root", 0),
        ("b", "to other\nand more", 1),
        ("a", "to the last", 3),
    ]


def test_a_reply_to_oneself_answers_what_one_answered():
    columns = ["speaker", "text", "id", "reply_to"]
    rows = [("a", "1", "1", None), ("b", "2", "2", "1"), ("c", "3", "3", "1"), ("b", "4", "4", "2")]
    assert turns(rows, columns)[-1] == ("b", "4", 0)
    assert turns(rows, columns, merge=False)[-1] == ("b", "4", 0)


def test_a_reply_to_nothing_known_answers_nothing():
    columns = ["speaker", "text", "id", "reply_to"]
    rows = [("a", "1", "1", None), ("b", "2", "2", "99"), ("a", "3", "3", "3")]
    assert [answers for _, _, answers in turns(rows, columns)] == [None, None, None]


def test_a_bad_row_is_a_gap_over_which_nothing_is_joined_or_answered(tmp_path):
    path = tmp_path / "hole.jsonl"
    row = '{"dialog": "d", "speaker": "%s", "text": "%s"}\n'
    path.write_text(row % ("user", "1") + "{bad\n" + row % ("user", "2") + row % ("bot", "3"))
    table = read(path, on_error="skip")
    assert [(t.speaker, t.text, t.answers) for t in table] == [
        ("user", "1", None),
        ("user", "2", None),
        ("bot", "3", 1),
    ]


def test_a_message_without_text_was_answered_all_the_same(tmp_path):
    path = tmp_path / "picture.jsonl"
    path.write_text(
        '{"messages": [{"role": "user", "content": "look"}, {"role": "assistant", "content": "where"},'
        ' {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]},'
        ' {"role": "assistant", "content": "a dog"}]}\n'
    )
    assert [(t.speaker, t.text, t.answers) for t in read(path)] == [
        ("user", "look", None),
        ("assistant", "where", 0),
        ("user", "", 1),
        ("assistant", "a dog", 2),
    ]


def test_dialogs_that_are_mixed_up_are_brought_together():
    frame = pl.DataFrame({"dialog": list("abab"), "speaker": list("xyyx"), "text": list("1234")})
    table = Turns.from_utterances(frame)
    assert [(t.dialog, t.text, t.answers) for t in table] == [
        ("a", "1", None),
        ("a", "3", 0),
        ("b", "2", None),
        ("b", "4", 0),
    ]


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz")), min_size=1, max_size=25))
def test_an_answer_is_to_an_earlier_turn_by_somebody_else_in_the_same_dialog(rows):
    frame = pl.DataFrame(rows, schema=["dialog", "speaker"], orient="row").with_columns(
        text=pl.lit("t")
    )
    for merge in (True, False):
        table = Turns.from_utterances(frame, merge=merge)
        all_of = list(table)
        for turn, answered_row in zip(all_of, table.answered, strict=True):
            if answered_row >= 0:
                assert all_of[answered_row].dialog == turn.dialog
                assert all_of[answered_row].speaker != turn.speaker
                assert all_of[answered_row].turn < turn.turn
            else:
                before = [t for t in all_of if t.dialog == turn.dialog and t.turn < turn.turn]
                assert all(t.speaker == turn.speaker for t in before)


def test_a_column_that_is_not_there_is_named():
    with pytest.raises(DataError) as error:
        Turns.from_utterances(pl.DataFrame({"dialog": ["d"], "text": ["t"]}))
    assert str(error.value) == "no column ['speaker']; the table has ['dialog', 'text']"
