"""Continuity's examples: who answered, what was known when, who is left out, and no future."""

from datetime import UTC, datetime, timedelta

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simpatico import Turns
from simpatico.errors import BadValue, DataError
from simpatico.training.users.continuity.data import Filters, split_outcomes
from simpatico.training.users.continuity.outcomes import Window, reply_outcomes
from simpatico.training.users.splits import (
    CutTimes,
    TimeSplit,
    cuts_at_dates,
    cuts_by_share,
    split_at_cuts,
)

START = datetime(2010, 1, 1, tzinfo=UTC)


def table(rows, timed=True):
    """Utterances (dialog, speaker, text, minute), each answering the one before of its dialog."""
    dialog, speaker, text, minute = zip(*rows, strict=True)
    columns = {"dialog": dialog, "speaker": speaker, "text": text}
    if timed:
        columns["time"] = [m if m is None else START + timedelta(minutes=m) for m in minute]
    return Turns.from_utterances(pl.DataFrame(columns))


def addressed(turns):
    """Every turn that answers somebody, and whom."""
    row = np.flatnonzero(turns.answered >= 0)
    return row, turns.frame["speaker"].gather(turns.answered[row]).to_list()


def of(turns, minutes=30.0, left=0.0):
    return reply_outcomes(turns, *addressed(turns), Window(minutes, left))


def split_by_time(outcomes, cuts):
    return TimeSplit.of(*split_at_cuts(outcomes.time, outcomes.known_from, cuts))


def at(minute):
    return START.timestamp() + 60 * minute


TALK = table(
    [
        ("d", "ann", "hi", 0),
        ("d", "bob", "hello", 1),
        ("d", "ann", "how are you", 2),
        ("d", "bob", "fine", 3),
        ("e", "ann", "a question", 10),
        ("e", "bob", "an answer", 50),
        ("e", "ann", "thanks", 81),
    ]
)


def test_intermediate_turns_are_answered_and_last_ones_are_not():
    """d: bob's hello is answered, ann's question is, bob's fine is the last. e: bob's answer gets
    thanks after 31 minutes, which is none; it came 40 minutes after the question itself."""
    result = of(TALK)
    assert result.row.tolist() == [1, 2, 3, 5, 6]
    assert result.user == ["ann", "bob", "ann", "ann", "bob"]
    assert result.has_reply.tolist() == [True, True, False, False, False]
    assert result.is_late.tolist() == [False, False, False, True, True]
    assert (result.known_from - result.time).tolist() == [1800.0] * 5


def test_without_a_limit_every_answer_counts_and_is_known_when_the_dialog_is_over():
    result = of(TALK, None)
    assert result.has_reply.tolist() == [True, True, False, True, False]
    assert not result.is_late.any()
    assert result.known_from.tolist() == [at(3)] * 3 + [at(81)] * 2


def test_an_answer_to_somebody_else_is_none():
    """ann asks, bob and eve answer; ann answers eve: bob's turn stays without answer."""
    rows = {
        "dialog": ["d"] * 4,
        "speaker": ["ann", "bob", "eve", "ann"],
        "text": ["why", "because", "no idea", "oh"],
        "id": ["1", "2", "3", "4"],
        "reply_to": [None, "1", "1", "3"],
    }
    result = of(Turns.from_utterances(pl.DataFrame(rows)))
    assert result.user == ["ann", "ann", "eve"]
    assert result.has_reply.tolist() == [False, True, False]


def test_an_answer_to_a_later_part_answers_the_earlier_ones():
    """bob answers ann in two parts with eve between them; ann answers the second, in 31 minutes
    from the first and 29 from the second."""
    rows = {
        "dialog": ["d"] * 5,
        "speaker": ["ann", "bob", "eve", "bob", "ann"],
        "text": ["why", "because", "no idea", "of rain", "oh"],
        "id": ["1", "2", "3", "4", "5"],
        "reply_to": [None, "1", "1", "2", "4"],
        "time": [START + timedelta(minutes=m) for m in (0, 1, 2, 3, 32)],
    }
    turns = Turns.from_utterances(pl.DataFrame(rows))
    assert of(turns, 31).has_reply.tolist() == [True, False, True, False]
    assert of(turns, 30).has_reply.tolist() == [False, False, True, False]


def test_a_log_that_falls_silent_may_have_been_cut_off():
    """After minute 3 nothing is said for 7 minutes, and after 10, 50 and 81 for longer. With 5
    minutes left of 30, a silence of more than 25 ends a log: at 10, at 50 and at 81. So there is
    more of it for all of d, and nothing after the turns of e."""
    assert of(TALK, left=5).is_cut.tolist() == [False, False, False, True, True]
    assert of(TALK, left=9).is_cut.tolist() == [False, True, True, True, True]
    assert not of(TALK).is_cut.any()


def test_dialogs_of_each_person_in_order():
    """ann and bob are asked in d0 to d5: d4 decides and d5 is held out; eve only in z."""
    turns = crowd()
    result = of(turns)
    split = split_outcomes(turns, result, "person", filters=Filters(repeated=1))
    names = [[(int(result.dialog[n]), result.user[n]) for n in side] for side in split[:3]]
    assert names[0] == [*((d, who) for d in range(4) for who in ("ann", "bob")), (6, "eve")]
    assert names[1:] == [[(4, "ann"), (4, "bob")], [(5, "ann"), (5, "bob")]]
    assert split.excluded["of a dialog that is later for somebody else"] == 0


def test_without_times_dialogs_follow_each_other():
    rows = [(d, s, "x", 0) for d in "abcdefghij" for s in ("ann", "bob", "ann")]
    result = of(table(rows, timed=False))
    assert result.time.tolist() == np.repeat(np.arange(10.0), 2).tolist()
    split = split_by_time(result, cuts_by_share(result.time))
    assert [len(side) for side in split[:3]] == [16, 2, 2]
    assert split.excluded == {"without a time": 0, "not known yet at a cut": 0}


def test_what_is_open_at_a_cut_is_on_no_side():
    """Said at minutes 1, 2, 3, 50 and 81, known half an hour later. With cuts at 32 and 60 two are
    known by the first, the third and the fourth are open at one of them, and the last is later."""
    result = of(TALK)
    split = split_by_time(result, CutTimes(at(32), at(60)))
    assert [side.tolist() for side in split[:3]] == [[0, 1], [], [4]]
    assert split.excluded == {"without a time": 0, "not known yet at a cut": 2}


def test_turns_without_a_time_among_others_are_set_aside():
    turns = table([("d", "ann", "hi", 0), ("d", "bob", "yes", None), ("d", "ann", "no", 2)])
    split = split_by_time(of(turns), CutTimes(at(100), at(200)))
    assert split.train.tolist() == [1]
    assert split.excluded["without a time"] == 1


def test_cuts_by_date_hold_what_is_said_at_the_date_for_later():
    cuts = cuts_at_dates(START + timedelta(minutes=31), START + timedelta(minutes=50))
    split = split_by_time(of(TALK), cuts)
    assert [side.tolist() for side in split[:3]] == [[], [], [3, 4]]
    assert split.excluded["not known yet at a cut"] == 3


def crowd():
    """ann and bob talk in 6 dialogs an hour apart; bob mostly says "ping"; eve comes at the end."""
    rows = []
    for n in range(6):
        rows += [(f"d{n}", "ann", f"question {n}", 60 * n), (f"d{n}", "bob", "ping", 60 * n + 1)]
        rows += [(f"d{n}", "ann", f"more {n}", 60 * n + 2)]
    return table([*rows, ("z", "eve", "hi", 400), ("z", "ann", "hello", 401)])


def test_who_is_left_out_is_decided_by_what_is_learned_from():
    turns, cuts = crowd(), CutTimes(at(290), at(350))
    result = of(turns)
    split = split_outcomes(turns, result, cuts, filters=Filters())
    assert [len(side) for side in split[:3]] == [0, 0, 1]
    assert split.excluded["said by or to somebody who repeats themselves"] == 12
    sooner = split_outcomes(turns, result, CutTimes(at(200), at(350)), filters=Filters())
    assert len(sooner.train) == 6, "bob's four turns by then are too few to tell"
    named = split_outcomes(turns, result, cuts, filters=Filters(bots=frozenset({"bob"})))
    assert named.excluded["said by or to a bot"] == 12


def test_few_and_many_dialogs_of_a_person():
    """Everybody may repeat themselves. Before the cut ann and bob have 5 dialogs, eve none; of
    each the last two are learned from, with a turn to ann and one to bob."""
    turns, cuts = crowd(), CutTimes(at(290), at(350))
    result = of(turns)
    free = split_outcomes(turns, result, cuts, filters=Filters(repeated=1))
    assert [len(side) for side in free[:3]] == [10, 2, 1]
    some = split_outcomes(turns, result, cuts, filters=Filters(repeated=1, fewest=1, most=2))
    assert [len(side) for side in some[:3]] == [4, 2, 0]
    assert result.dialog[some.train].tolist() == [3, 3, 4, 4]
    assert some.excluded["of a person with too few dialogs"] == 1
    assert some.excluded["of dialogs before a person's last ones"] == 6


SAID = st.lists(
    st.tuples(
        st.sampled_from("abc"),
        st.sampled_from(["ann", "bob", "eve"]),
        st.sampled_from(["ping", "pong", "what is it", "go on"]),
        st.integers(0, 300),
    ),
    min_size=2,
    max_size=40,
).map(lambda rows: sorted(rows, key=lambda row: row[3]))


@settings(max_examples=40)
@given(SAID, st.integers(30, 300), st.sampled_from([0, 1, 2]))
def test_the_future_changes_nothing_that_is_learned_from(rows, cut, fewest):
    """Whatever is said after a cut, or nothing: what is learned from, of whom and with which
    answer, stays the same."""
    filters, cuts = Filters(repeated=0.6, fewest=fewest, most=2), CutTimes(at(cut), at(cut + 50))
    turns = table(rows)
    later = pl.col("time") > START + timedelta(minutes=cut)
    ended = Turns(turns.frame.filter(~later))
    other = Turns(
        turns.frame.with_columns(text=pl.when(later).then(pl.lit("ping")).otherwise("text"))
    )
    if len(ended):
        assert training_examples(turns, cuts, filters) == training_examples(ended, cuts, filters)
    assert training_examples(turns, cuts, filters) == training_examples(other, cuts, filters)


def training_examples(turns, cuts, filters):
    result = of(turns, left=5)
    names = turns.frame.select("dialog", "turn").rows()
    split = split_outcomes(turns, result, cuts, filters=filters)
    return [(names[result.row[n]], result.user[n], bool(result.has_reply[n])) for n in split.train]


def test_whole_sentences():
    with pytest.raises(
        BadValue, match=r"^replies within 0 minutes; give a positive number or no limit$"
    ):
        of(TALK, 0)
    for left, minutes, most in ((30, 30, "30"), (5, None, "none")):
        with pytest.raises(BadValue) as error:
            of(TALK, minutes, left)
        assert str(error.value) == (
            f"at least {left} minutes of log after a turn; give fewer than the limit for replies, {most}"
        )
    with pytest.raises(BadValue, match=r"^share of repeated turns is 2; give 0 to 1$"):
        Filters(repeated=2)
    with pytest.raises(BadValue) as error:
        Filters(fewest=30, most=3)
    assert str(error.value) == (
        "minimum 30 and maximum 3 dialogs of a user; the maximum must be 1 or more and not below "
        "the minimum"
    )
    with pytest.raises(BadValue) as error:
        cuts_at_dates(START, START)
    assert str(error.value) == (
        "validation from 2010-01-01 and test from 2010-01-01; the test set must begin later"
    )
    with pytest.raises(BadValue) as error:
        cuts_by_share(np.arange(3.0), (0.8, 0.3, 0.1))
    assert str(error.value) == (
        "shares (0.8, 0.3, 0.1) must be above 0 and add up to 1, such as (0.8, 0.1, 0.1)"
    )
    with pytest.raises(DataError) as error:
        cuts_by_share(np.zeros(0))
    assert str(error.value) == "no example has a time, which a split by time needs"
