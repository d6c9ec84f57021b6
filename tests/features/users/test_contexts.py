"""What is known of a turn when it has just been said, by hand and for any conversation."""

from dataclasses import replace
from datetime import UTC, datetime
from math import log, log1p

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simpatico import Turns
from simpatico.features.users.contexts import (
    COVARIATES,
    contains_name,
    mask_name,
    name_pattern,
    turn_contexts,
)
from tests.conftest import talk

NOON, SIX = datetime(2024, 5, 1, 12, tzinfo=UTC), datetime(2024, 5, 1, 18, tzinfo=UTC)


def circumstances(turns, at):
    """The circumstances of one turn by name."""
    contexts = turn_contexts(turns)
    return dict(zip(COVARIATES, contexts.covariates[at].tolist(), strict=True))


def test_who_is_meant_is_whoever_said_what_is_answered():
    contexts = turn_contexts(talk("ann: hello", "bob: hi", "cyd: and me"))
    assert contexts.user == ["", "ann", "bob"]
    assert contexts.previous == ["", "hello", "hi"]
    assert contexts.text == ["hello", "hi", "and me"]


def test_who_is_named_as_interlocutor_is_meant_whatever_the_speaker_is_called():
    rows = {
        "dialog": ["d"] * 2,
        "speaker": ["human", "bot"],
        "text": ["hello?", "hi"],
        "system": [None, "bot"],
        "interlocutor": [None, "w17"],
        "profile": [None, "likes tea"],
    }
    contexts = turn_contexts(Turns.from_utterances(pl.DataFrame(rows)))
    assert (contexts.row.tolist(), contexts.user, contexts.profile) == ([1], ["w17"], ["likes tea"])
    now = dict(zip(COVARIATES, contexts.covariates[0], strict=True))
    assert (now["asked"], now["own_turns"], now["own_length"]) == (1.0, log(2), log(7))


def test_circumstances_by_hand():
    """bob's second turn is the fourth; ann answered his first one, so (1 + .5) / (1 + 1) = .75."""
    turns = talk("ann: hello there", "bob: yes", "ann: Bob, why?", "bob: why, ANN?")
    now = circumstances(turns, 3)
    assert now == pytest.approx(
        {
            "length": log1p(len("why, ANN?")),
            "question": 1.0,
            "named": 1.0,
            "asked": 1.0,
            "called": 1.0,
            "turns": log(4),
            "own_turns": log(3),
            "other_turns": log(2),
            "own_length": log1p(len("Bob, why?")),
            "since": log(2),
            "answered": 0.75,
            "pause": 0.0,
            "away": 0.0,
            "timed": 0.0,
            "hour_sin": 0.0,
            "hour_cos": 0.0,
        }
    )


def test_an_opening_has_nothing_before_it():
    now = circumstances(talk("ann: hello there"), 0)
    assert {name for name, value in now.items() if value} == {"length", "answered"}
    assert now["answered"] == 0.5


def test_the_clock():
    """Six hours after noon the hand has gone three quarters round: sine -1, cosine 0."""
    rows = {"dialog": ["d"] * 2, "speaker": ["a", "b"], "text": ["x", "y"], "time": [NOON, SIX]}
    now = circumstances(Turns.from_utterances(pl.DataFrame(rows)), 1)
    assert [now[name] for name in ("pause", "away", "timed")] == pytest.approx(
        [log1p(21_600), log1p(21_600), 1.0]
    )
    assert [now["hour_sin"], now["hour_cos"]] == pytest.approx([-1.0, 0.0], abs=1e-12)


def test_what_the_person_said_counts_even_where_another_spoke_since():
    """Carl talks to dave, who asked 19 letters two turns ago; ann's "nice day" is between them."""
    turns = talk("dave: where is my parcel?", "ann: nice day", "carl: dave, here")
    person = pl.Series([None, None, "dave"])
    now = circumstances(Turns(turns.frame.with_columns(interlocutor=person)), 2)
    assert (now["asked"], now["turns"], now["own_turns"]) == (1.0, log1p(2), log1p(1))
    assert (now["own_length"], now["since"]) == (log1p(19), log1p(2))


def test_other_words_change_only_what_depends_on_them():
    contexts = turn_contexts(talk("ann: hello", "bob: yes"))
    other = replace(contexts, text=["hello", "really, ann?"])
    assert other.covariates[1, :3].tolist() == [log1p(12), 1.0, 1.0]
    assert np.array_equal(other.covariates[:, 3:], contexts.covariates[:, 3:])


@pytest.mark.parametrize(
    ("text", "person", "masked"),
    [
        ("so, Ann: why?", "ann", "so, @: why?"),
        ("any planning?", "an", "any planning?"),
        ("a", "a", "a"),
        ("田中さんは", "田中", "@さんは"),
        ("a.c or abc", "a.c", "@ or abc"),
        ("ann", "", "ann"),
    ],
)
def test_a_name_is_a_mark_where_it_is_no_part_of_another_word(text, person, masked):
    assert mask_name(text, person) == masked
    assert contains_name(text, person) == (text != masked)


line = st.fixed_dictionaries(
    {
        "dialog": st.sampled_from("de"),
        "speaker": st.sampled_from(["ann", "bob", "cyd"]),
        "text": st.sampled_from(["", "hi", "ann?", "why, bob?", "yes " * 9]),
        "interlocutor": st.sampled_from([None, "ann", "w1"]),
        "time": st.one_of(st.none(), st.datetimes(datetime(2020, 1, 1), datetime(2021, 1, 1))),
    }
)
logs = st.lists(line, min_size=1, max_size=14)
KINDS = {"time": pl.Datetime("us"), "interlocutor": pl.String}


def of(rows) -> Turns:
    frame = pl.DataFrame(rows, schema_overrides=KINDS)
    return Turns.from_utterances(frame, merge=False)


@given(past=logs, one=logs, other=logs)
@settings(max_examples=30, deadline=None)
def test_nothing_that_is_said_later_changes_what_is_known_of_a_turn(past, one, other):
    both = [turn_contexts(of([*past, *rest])) for rest in (one, other)]
    frames = [of([*past, *rest]).frame for rest in (one, other)]
    for dialog in "de":
        count = sum(row["dialog"] == dialog for row in past)
        first, second = (
            contexts.take(np.flatnonzero((frame["dialog"] == dialog).to_numpy())[:count])
            for contexts, frame in zip(both, frames, strict=True)
        )
        assert np.array_equal(first.covariates, second.covariates)
        assert (first.user, first.previous, first.text, first.profile) == (
            second.user,
            second.previous,
            second.text,
            second.profile,
        )


@given(st.text("aKk1_ -.\u212a\u017fsS", max_size=8), st.text("aKk1_\u212asS", max_size=3))
def test_who_is_named_is_whom_the_pattern_finds(text, person):
    """The sign of a kelvin is a k, and the old long s an s, where a letter's case is ignored."""
    name = name_pattern(person)
    assert contains_name(text, person) == (name is not None and name.search(text) is not None)
    assert mask_name(text, person) == (text if name is None else name.sub("@", text))
