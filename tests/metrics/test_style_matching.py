"""Golden numbers for language style matching, derived by hand."""

from functools import reduce
from operator import add
from pathlib import Path

import polars as pl
import pytest

import simpatico
from simpatico import load, read, score
from simpatico.metric import collect_evidence
from simpatico.metrics.style_matching import COLUMNS
from simpatico.turns import Turns
from tests.conftest import talk

SAMPLE = Path(simpatico.__file__).parent / "data" / "samples" / "conversations.jsonl"

NINE = ("ppron", "ipron", "article", "conj", "prep", "auxverb", "adverb", "negate", "quant")


def last(turns, **parameters):
    return score(turns, [load("style_matching", **parameters)]).at("turn").row(-1, named=True)


def test_no_and_yes_share_nothing_and_yet_match_by_seven_ninths():
    """ "no" is a negation and a quantifier; "yes" is in none of the nine.

    negate and quant: a = 100, b = 0, so 1 - 100 / 100.0001 = 9.99999e-7 each. The seven others are
    0 on both sides: 1 - 0 / 0.0001 = 1 each, a perfect match on absence. Mean: (7 + 2e-6) / 9.
    """
    row = last(talk("x: Yes.", "y: No."))
    assert row["style_matching_negate"] == pytest.approx(1 - 100 / 100.0001, abs=1e-15)
    assert row["style_matching_quant"] == row["style_matching_negate"]
    assert row["style_matching"] == pytest.approx((7 + 2 * (1 - 100 / 100.0001)) / 9, abs=1e-15)
    assert row["style_matching"] == pytest.approx(0.7778, abs=1e-4)
    assert row["style_matching_empty"] == 7


def test_dropping_empty_categories_shows_that_nothing_matched():
    row = last(talk("x: Yes.", "y: No."), empty="drop")
    assert row["style_matching"] == pytest.approx(1e-6, rel=1e-3)
    assert row["style_matching_article"] is None


def test_percentages_not_counts_are_compared():
    """the cat sat on a mat: 6 words, articles the, a: 33.33; the dog: 2 words, article the: 50.

    1 - 16.6667 / (83.3333 + 0.0001) = 0.80000024. prep: on is 16.67 against 0: 1 - 16.6667/16.6668.
    """
    row = last(talk("x: the cat sat on a mat", "y: the dog"))
    a, b = 100 * 2 / 6, 50
    assert row["style_matching_article"] == pytest.approx(1 - (b - a) / (a + b + 0.0001), abs=1e-15)
    assert row["style_matching_prep"] == pytest.approx(
        1 - (100 / 6) / (100 / 6 + 0.0001), abs=1e-12
    )


def test_contractions_count_in_every_class_they_belong_to():
    """ "don't" is auxiliary verb and negation, with either apostrophe."""
    for text in ("don't", "don’t", "DON'T"):
        row = last(talk(f"x: {text}", f"y: {text} cats"))
        empty = [c for c in NINE if row[f"style_matching_{c}"] == 1.0]
        assert set(NINE) - set(empty) == {"auxverb", "negate"}


def test_a_dialog_pools_its_exchanges_before_comparing():
    """y's turns: "the dog", "a cat": articles 2 of 4 words = 50. Heard: "the a" and "x y": 2 of 4."""
    turns = talk("x: the a", "y: the dog", "x: x y", "y: a cat")
    dialogs = score(turns, [load("style_matching")]).at("dialog")
    assert dialogs["style_matching_article"].to_list()[1] == 1.0


def test_the_first_turn_answers_nothing():
    table = score(talk("x: hello you", "y: hi"), [load("style_matching")]).at("turn")
    assert table["style_matching"].is_null().to_list() == [True, False]
    assert table["style_matching_null"].to_list() == ["answers_nothing", None]


def test_the_nine_are_added_from_left_to_right():
    """To the last bit: added in another order, a third of these means differ in it.

    Polars' own horizontal mean adds in an order that depends on the number of threads.
    """
    table = score(read(SAMPLE), [load("style_matching")]).at("turn")
    rows = table.drop_nulls("style_matching").select(f"style_matching_{c}" for c in NINE).rows()
    means = [reduce(add, row) / 9 for row in rows]
    assert len(means) > 200
    assert table["style_matching"].drop_nulls().to_list() == means


def test_as_many_turns_as_columns_are_no_other_table():
    # Polars takes a square array for one of columns if its memory is in that order
    rows = [("d", "ab"[n % 2], f"I am with you at {n}, and it is not for me") for n in range(22)]
    longer, square = (
        Turns.from_utterances(pl.DataFrame(rows[:n], ["dialog", "speaker", "text"], orient="row"))
        for n in (22, len(COLUMNS))
    )
    metric = load("style_matching")
    alone, beside = (collect_evidence(metric, turns) for turns in (square, longer))
    assert alone.equals(beside.filter(pl.col("row") < len(COLUMNS)))
