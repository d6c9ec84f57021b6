"""Degenerate texts: loops and gibberish are found out, speech is left alone."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simpatico.features import Features
from simpatico.features.degenerate import Degenerate, degenerate_texts
from simpatico.features.words import Words
from simpatico.turns import Turns

SPEECH = [
    "",
    "Hi!",
    "No, no, no.",
    "so sad, so very sad",
    "Pizza.",
    "Climbing hall, language class, community garden, choir. Libraries keep free lists.",
    "I'm sorry to hear that. It must have been a hard day, and I hope tomorrow is better.",
]
DEGENERATE = [
    # d = 1 different word, 4 / 4 = 1
    "sad sad sad sad",
    # 10 words, t = 6 of 8 trigrams would pass; at 30 words t = 7 of 28, fewer than half
    "I am sorry to hear that you lost it. " * 3,
    # 0 of 3 words are known
    "asdf qwer zxcv",
    # 12 words without a function word
    "river happy stone angry table laughing window music garden winter paper horse",
    "Es tut mir leid, dass du das durchmachen musst.",
]


@pytest.mark.parametrize("text", SPEECH)
def test_speech_is_not_degenerate(text: str) -> None:
    assert not degenerate_texts([text])[0]


@pytest.mark.parametrize("text", DEGENERATE)
def test_loops_gibberish_and_lists_of_words_are(text: str) -> None:
    assert degenerate_texts([text])[0]


def test_the_feature_gives_a_value_for_each_turn() -> None:
    texts = [*SPEECH, *DEGENERATE]
    frame = pl.DataFrame({"dialog": "d", "speaker": "s", "text": texts})
    turns = Turns.from_utterances(frame, merge=False)
    values = Features(turns, frozenset({Degenerate(), Words()}))[Degenerate()]
    assert values.tolist() == [False] * len(SPEECH) + [True] * len(DEGENERATE)


@given(st.lists(st.sampled_from([*SPEECH, *DEGENERATE]), max_size=8))
def test_a_text_does_not_depend_on_its_neighbours(texts: list[str]) -> None:
    alone = [bool(degenerate_texts([text])[0]) for text in texts]
    assert np.array_equal(degenerate_texts(texts), np.array(alone, bool))
