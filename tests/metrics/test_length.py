"""Golden numbers for the length of turns."""

import polars as pl
from polars.testing import assert_frame_equal

from simpatico import load, score
from simpatico.metric import EVIDENCE, collect_evidence
from tests.conftest import talk


def test_a_dialog_has_the_mean_length_of_its_turns():
    """y: 1 word ("don't" is one), then 4, so 5 words in 2 turns: 2.5."""
    table = score(talk("x: Well?", "y: Don't!", "x: ...", "y: I think so, too."), [load("length")])
    assert table.at("turn")["length"].to_list() == [1.0, 1.0, 0.0, 4.0]
    assert table.at("dialog")["length"].to_list() == [0.5, 2.5]


def test_no_words_are_a_length_and_another_script_is_none():
    table = score(talk("x: ", "y: Сегодня хорошая погода", "x: 😀"), [load("length")])
    assert table.at("turn")["length"].to_list() == [0.0, None, 0.0]
    assert table.at("turn")["length_null"].to_list() == [None, "other_script", None]


def test_a_turn_in_another_script_is_left_out_of_the_mean():
    """x: 2 words and a turn that cannot be counted: 2, not 1."""
    table = score(talk("x: good day", "y: hi", "x: хорошая погода"), [load("length")])
    assert table.at("dialog")["length"].to_list() == [2.0, 1.0]


def test_it_describes_and_has_no_evidence():
    metric = load("length")
    assert (metric.card.kind, metric.scores[0].better) == ("traditional", None)
    assert_frame_equal(collect_evidence(metric, talk("x: hi")), pl.DataFrame(schema=EVIDENCE))
