"""Degenerate texts: loops and gibberish are found out, speech is left alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from simpatico.features import Features, closure
from simpatico.features.chat_words import load_chat_words, shuffled_rows
from simpatico.features.degenerate import (
    SPEAKER_ASSOCIATION,
    Degenerate,
    DegenerateSpeaker,
    degenerate_texts,
)
from simpatico.features.lexicon import load_lexicon
from simpatico.features.words import cut_words
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
    values = Features(turns, closure([Degenerate()]))[Degenerate()]
    assert values.tolist() == [False] * len(SPEECH) + [True] * len(DEGENERATE)


@given(st.lists(st.sampled_from([*SPEECH, *DEGENERATE]), max_size=8))
def test_a_text_does_not_depend_on_its_neighbours(texts: list[str]) -> None:
    alone = [bool(degenerate_texts([text])[0]) for text in texts]
    assert np.array_equal(degenerate_texts(texts), np.array(alone, bool))


FUNCTION = set(load_lexicon("function_words").rows)
KNOWN = FUNCTION | set(load_lexicon("emotions").rows)
ANY_WORDS = st.lists(
    st.sampled_from(["so", "sad", "the", "of", "happy", "zxcv", *(f"w{i}" for i in range(30))])
    | st.sampled_from(["so", "sad"]),
    max_size=60,
)


def is_degenerate(words: Sequence[str]) -> bool:
    """The definition, word by word."""
    n, distinct = len(words), len(set(words))
    trigrams = set(zip(words, words[1:], words[2:], strict=False))
    known, function = (sum(word in some for word in words) for some in (KNOWN, FUNCTION))
    return (
        (n >= 4 and distinct <= min(n, 100) / 4)
        or (n >= 8 and len(trigrams) < (n - 2) / 2)
        or (n >= 3 and known < 0.3 * n)
        or (n >= 12 and function < 0.12 * n)
    )


@given(st.lists(ANY_WORDS, max_size=5), st.integers(1, 4))
@example([["the", "sad"] * 200, [f"w{i}" for i in range(30)] * 10], 1)
def test_texts_are_judged_by_the_definition(texts: list[list[str]], times: int) -> None:
    texts = [words * times for words in texts]
    got = degenerate_texts([" ".join(words) for words in texts])
    assert got.tolist() == [is_degenerate(words) for words in texts]


UTTERANCES = st.tuples(
    st.sampled_from("de"),
    st.sampled_from("ab"),
    st.sampled_from([*SPEECH, *DEGENERATE, "hear to sorry I'm that", "so sad", "hall you the"]),
)


@given(st.lists(UTTERANCES, max_size=30))
def test_turns_of_a_speaker_are_judged_together_too(rows: list[tuple[str, str, str]]) -> None:
    rows = sorted(rows, key=lambda row: row[0])
    frame = pl.DataFrame(rows, ["dialog", "speaker", "text"], orient="row")
    frame = frame.cast(pl.String)
    turns = Turns.from_utterances(frame, merge=False)
    got = Features(turns, closure([DegenerateSpeaker()]))[DegenerateSpeaker()]
    all_of = {(d, s): " ".join(t for e, r, t in rows if (e, r) == (d, s)) for d, s, _ in rows}
    table, chat = cut_words(pl.Series(list(all_of.values()), dtype=pl.String)), load_chat_words()
    shuffled = shuffled_rows(table, chat, below=SPEAKER_ASSOCIATION)
    together = dict(zip(all_of, degenerate_texts(list(all_of.values())) | shuffled, strict=True))
    alone = degenerate_texts([text for *_, text in rows])
    expected = [bool(a or together[d, s]) for a, (d, s, _) in zip(alone, rows, strict=True)]
    assert got.tolist() == expected
