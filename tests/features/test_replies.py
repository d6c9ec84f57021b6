"""Columns of replies, by hand where the model of words allows it."""

from math import log

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simpatico.features.chat_words import load_chat_words, shuffled_rows
from simpatico.features.replies import (
    Replies,
    column_names,
    own_sentences,
    reply_columns,
    word_table,
)

WORDS = load_chat_words()
QUESTION = "Tea or coffee? Do you like green tea?"


def replies(*texts, answered=QUESTION, earlier=()):
    n = len(texts)
    return Replies(np.arange(n), texts, [answered] * n, [earlier] * n, np.zeros(n))


def columns(*texts, **context):
    return reply_columns(replies(*texts, **context), WORDS)


def test_sentences_that_stand_before_are_left_out_and_counted():
    """Of 3 + 5 words, the 5 of the second sentence are copied; alone, it is kept to be read."""
    text = "I like tea. Do you like green tea?"
    assert own_sentences(text, [QUESTION]) == ("I like tea.", 5 / 8)
    assert own_sentences("do you like green tea", [QUESTION]) == ("do you like green tea", 1.0)
    assert own_sentences("I like it here. I like it here.", []) == ("I like it here.", 0.5)
    # three words may be said by both
    assert own_sentences("How are you?", ["How are you?"]) == ("How are you?", 0.0)


def test_columns_by_hand():
    """Four words, all different; love, green and tea are content words.

    Of the answered turn's content words tea, coffee, like and green the reply takes up two.
    """
    row = {name: values[0] for name, values in columns("I love green tea!").items()}
    assert row["content_words"] == pytest.approx(log(4))
    assert row["repeated_words"] == row["repeated_pairs"] == row["copied"] == 0
    assert row["exclamation"] == row["overlap_any"] == 1
    assert row["short"] == pytest.approx(log(6) - log(5))
    assert row["long"] == 0
    idf = dict(
        zip(
            ["tea", "coffee", "like", "green", "love"],
            idfs("tea coffee like green love"),
            strict=True,
        )
    )
    shared = idf["tea"] + idf["green"]
    answered = shared + idf["coffee"] + (idf["like"] if content("like") else 0)
    own = shared + idf["love"]
    assert row["overlap"] == pytest.approx(shared / answered)
    assert row["overlap_reply"] == pytest.approx(shared / own)


def idfs(text):
    table = word_table([text])
    return [WORDS.idf(table)[code] for code in table.codes]


def content(word):
    from simpatico.features.replies import content_words

    return bool(content_words(word_table([word]))[0])


def test_a_reply_that_only_echoes_has_no_fit():
    row = columns("Do you like green tea?")
    assert [row[name][0] for name in ("copied", "overlap", "overlap_reply", "overlap_any")] == [
        1,
        0,
        0,
        0,
    ]
    # what the speaker said earlier is repetition, not an echo of the user
    row = columns("I really like green tea.", earlier=("I really like green tea.",))
    assert row["copied"][0] == 1
    assert row["overlap"][0] > 0


def test_tokenised_text_has_the_columns_of_plain_text():
    both = columns("I don't like it, it's cold.", "i do n't like it , it 's cold .")
    for values in both.values():
        assert values[0] == pytest.approx(values[1])


def test_words_in_no_order_are_told_from_a_sentence():
    sentence = "I think you should give him some time and then talk to him about it"
    shuffled = "him about time should then I it to you think give talk some and him"
    found = shuffled_rows(word_table([sentence, shuffled, "tea him you"]), WORDS)
    assert found.tolist() == [False, True, False]


def test_the_first_word_follows_the_boundary_and_the_end_is_one():
    """Two words have three neighbours: boundary-I, I-think, think-boundary."""
    row, association = WORDS.associations_of(word_table(["I think", "", "xyzzy"]))
    assert row.tolist() == [0, 0, 0, 2, 2]
    assert np.all(association >= log(0.3) - 1e-9)
    assert association[1] > 1  # "I think" is far more common than chance


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.sampled_from(["i like tea", "so do you", "what a day!", "no", "why?"]),
        min_size=1,
        max_size=5,
    )
)
def test_columns_do_not_depend_on_what_else_is_scored(texts):
    together = columns(*texts)
    for at, text in enumerate(texts):
        alone = columns(text)
        assert {name: values[at] for name, values in together.items()} == {
            name: values[0] for name, values in alone.items()
        }


def test_sums_of_idf_are_exact_so_that_their_order_does_not_matter():
    idf = WORDS.idf(word_table(["the cat sat on a mat while zyzzyvas and gnus watched it all"]))
    assert (idf * 2**20 == np.round(idf * 2**20)).all()
    assert idf.sum() == idf[::-1].sum() == np.random.default_rng(0).permutation(idf).sum()


def test_without_replies_there_are_empty_columns():
    assert {name: len(values) for name, values in columns().items()} == dict.fromkeys(
        column_names(False), 0
    )


def test_shipped_counts_are_of_plain_words():
    table = word_table(["the zyzzyva"])
    the, rare = WORDS.idf(table)[pl.Series(table.vocabulary).index_of("the")], max(WORDS.idf(table))
    assert the < 2 < rare == pytest.approx(log(WORDS.texts + 1))
