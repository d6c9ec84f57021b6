"""Feelings turned round by rules."""

import re
import time

import pytest

from simpatico.perturbation.flip import flip_feeling, match_case
from simpatico.perturbation.opposites import NEGATED, opposites, phrases


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("That's great! I'm so happy for you.", "That's terrible! I'm so sorry for you."),
        ("I'm so sorry to hear that.", "I'm so glad to hear that."),
        ("Oh no, what an awful day.", "Oh great, what a wonderful day."),
        ("What a useful book.", "What a useless book."),  # said with a y, so "a"
        ("It's not bad.", "It's bad."),  # a negation is taken back, and the word stays
        ("I wasn't very happy.", "I was very happy."),
        ("I do n't like it .", "I do like it ."),
        ("He won't fail; he never fails.", "He will fail; he always fails."),
        ("You are so supportive.", "You are not so supportive."),
        ("I can’t wait to see you!", "I dread to see you!"),
        ("Can ' t wait to see you !", "Dread to see you !"),
        ("THAT IS GREAT", "THAT IS TERRIBLE"),
        ("Isn't it lovely? :)", "Isn't it nasty? :("),
        ("Don't feel too bad, i hate it.", "Do feel too bad, i love it."),
        ("Not  a good idea.", "A good idea."),
    ],
)
def test_an_answer_gets_the_opposite_feeling(before, after):
    assert flip_feeling(before) == after


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The train leaves at nine.",
        "What would you like to drink?",
        "Looks like rain.",
        "a goodbye",
        "a best-seller",
        "dein gutes Recht",
    ],
)
def test_nothing_is_made_up_where_no_rule_applies(text):
    assert flip_feeling(text) is None


def test_every_word_and_phrase_of_the_lists_is_turned_into_what_stands_beside_it():
    for word, other in opposites().items():
        assert flip_feeling(f"so {word}.") in {f"so {other}.", flip_feeling(word)}
        assert word != other
    for phrase, other in phrases().items():
        assert flip_feeling(phrase).lower() == other.lower()
    for word in NEGATED.split():
        assert flip_feeling(f"We are {word}.") == f"We are not {word}."


def test_words_that_are_each_others_opposites_come_back():
    for word, other in opposites().items():
        if opposites().get(other) == word:
            assert flip_feeling(flip_feeling(f"the {word} one")) == f"the {word} one"


def test_letters_keep_their_size():
    assert match_case("bad", "Good") == "Bad"
    assert match_case("bad", "GOOD") == "BAD"
    assert match_case("i hate", "i like") == "i hate"


def test_the_rest_of_the_text_stays_as_it_was():
    text = "Wört\u0130 😀 \t—good\n\nnews\u2028x"
    assert flip_feeling(text) == re.sub("good", "bad", text)


@pytest.mark.parametrize("text", ["not ", "a ", "is so ", "can't", " ", "no\t", ":'", "good"])
def test_the_work_grows_no_faster_than_the_text(text):
    """20,000 times took a tenth of a second; growing with the square it would take minutes."""
    start = time.process_time()
    flip_feeling(text * 20_000)
    assert time.process_time() - start < 3
