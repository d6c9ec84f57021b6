"""Golden numbers for repetition."""

from time import process_time

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simpatico import Turns, load, score
from simpatico.errors import BadValue
from simpatico.metric import collect_evidence
from tests.conftest import talk


def values(*lines, **parameters):
    return (
        score(talk(*lines), [load("repetition", **parameters)]).at("turn")["repetition"].to_list()
    )


def test_what_the_speaker_said_before_counts_and_what_others_said_does_not():
    """x repeats i-like-tea, one of i-like-tea, like-tea-a, tea-a-lot; y says it first herself."""
    rates = values("x: I like tea", "y: I like tea", "x: I like tea a lot")
    assert rates == [0.0, 0.0, pytest.approx(1 / 3)]


def test_within_a_turn_the_second_time_counts():
    """no no no no: two triples, the second is the first again."""
    assert values("x: no no no no") == [0.5]


def test_fewer_words_than_n_are_null_with_a_reason():
    table = score(talk("x: so be it", "y: hi you", "x: ..."), [load("repetition")]).at("turn")
    assert table["repetition"].to_list() == [0.0, None, None]
    assert table["repetition_null"].to_list() == [None, "too_short", "no_words"]


def test_a_dialog_has_the_share_over_all_its_turns():
    """x: 0 of 1 triple, then 1 of 3: 1/4, not the mean of 0 and 1/3."""
    table = score(talk("x: I like tea", "y: ok", "x: I like tea a lot"), [load("repetition")])
    assert table.at("dialog")["repetition"].to_list() == [0.25, None]


def test_the_repeated_stretches_are_shown_and_make_up_the_score():
    turns = talk("x: I like tea", "y: oh", "x: Well, I like TEA, I like tea!")
    evidence = collect_evidence(load("repetition"), turns)
    assert evidence.select("row", "start", "end").rows() == [(2, 6, 16), (2, 18, 28)]
    assert evidence["weight"].to_list() == [pytest.approx(1 / 5)] * 2
    assert score(turns, [load("repetition")]).at("turn")["repetition"][2] == pytest.approx(2 / 5)


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=7), min_size=1, max_size=6))
def test_it_equals_a_loop(turns):
    lines = [f"{'xy'[i % 2]}: {' '.join(words)}" for i, words in enumerate(turns)]
    history = {"x": set(), "y": set()}
    expected = []
    for i, words in enumerate(turns):
        own, before = [tuple(words[j : j + 3]) for j in range(len(words) - 2)], history["xy"[i % 2]]
        again = 0
        for triple in own:
            again += triple in before
            before.add(triple)
        expected.append(again / len(own) if own else None)
    assert values(*lines) == [None if w is None else pytest.approx(w) for w in expected]


def test_n_is_at_least_one():
    with pytest.raises(BadValue) as error:
        load("repetition", n=0)
    assert str(error.value) == "repetition.n is 0; it is from 1 to 20"


@pytest.mark.timing
def test_evidence_takes_linear_time():
    """20,000 turns of one dialog within 5 CPU seconds; a scan of all turns for each takes 30."""
    rows = [("d", "xy"[i % 2], f"I like tea {'and milk ' * (i % 7)}") for i in range(20_000)]
    frame = pl.DataFrame(rows, ["dialog", "speaker", "text"], orient="row")
    turns, start = Turns.from_utterances(frame), process_time()
    assert len(collect_evidence(load("repetition"), turns)) > 10_000
    assert process_time() - start < 5
