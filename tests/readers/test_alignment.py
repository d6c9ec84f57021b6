"""What the alignment counts."""

import json

from simpatico.readers import Alignment
from tests.conftest import talk


def test_the_parts_add_up() -> None:
    one = Alignment.of(talk("a: 1", "b: 2", "a: 3"), utterances=4)
    two = Alignment.of(talk("a: 1", "c: 2"), utterances=2)
    both = one + two
    assert (both.dialogs, both.turns, both.utterances, both.merged) == (2, 5, 6, 1)
    assert both.speakers == 4
    assert both.systems == {"a": 3, "b": 1, "c": 1}
    assert both.answers == {
        "a opens the dialog": 2,
        "b answers a": 1,
        "a answers b": 1,
        "c answers a": 1,
    }
    assert Alignment() + one == one + Alignment() == one
    assert json.loads(json.dumps(both.as_json())) == both.as_json()


def test_people_get_the_largest_first_and_a_count_of_the_rest() -> None:
    lines = [f"s{i:02}: x" for i in range(12)] + ["s00: y"]
    sentences = Alignment.of(talk(*lines), utterances=1300).sentences()
    assert sentences[0] == (
        "1 dialog, 12 speakers, 1,300 utterances in 13 turns: 13 scored, 0 context only."
    )
    assert sentences[1] == (
        "Systems: s00 (2 turns), s01 (1 turn), s02 (1 turn), s03 (1 turn), s04 (1 turn), "
        "and 7 more."
    )
    assert sentences[-1] == "8 more combinations of who replies to whom."


def test_nothing_was_read() -> None:
    assert Alignment().sentences() == [
        "0 dialogs, 0 speakers, 0 utterances in 0 turns: 0 scored, 0 context only."
    ]
