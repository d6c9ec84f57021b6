"""Text without what a tokeniser left in it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simpatico.features.detokenise import detokenise, letters_and_digits


@pytest.mark.parametrize(
    ("tokens", "tidy"),
    [
        ("I do n't know _comma_ it 's  great !", "i don't know, it's great!"),
        ("I ’ m fine , thanks . You ?", "i'm fine, thanks. you?"),
        ("party_comma_but I don ’ t", "party, but i don't"),
        ("at 3 : 30 ( ok ) for $ 5", "at 3: 30 (ok) for $5"),
        ("the '80s 't was", "the '80s 't was"),
        ("`` Hi '' she said :) ;-)", '" hi " she said :) ;-)'),
        ("Oh!no , 1,000 at 10:30", "oh! no, 1,000 at 10:30"),
        ("say 't' or 's' now", "say 't' or 's' now"),
        ("  \t ", ""),
        ("嬉しい。", "嬉しい。"),
    ],
)
def test_what_is_made_of_text(tokens, tidy):
    assert detokenise(tokens) == tidy


def test_stored_in_two_ways_it_is_the_same():
    """A line of DailyDialog and one of EmpatheticDialogues as people would type them."""
    sentence = "I can't believe it, that's so good! Isn't it?"
    assert detokenise("I ca n't believe it , that ’ s so good ! Isn ’ t it ?") == sentence.lower()
    assert detokenise("I can't believe it_comma_ that's so good! Isn't it?") == sentence.lower()
    assert letters_and_digits(sentence) == "icantbelieveitthatssogoodisntit"
    assert letters_and_digits(":)") == ":)"


@given(st.text("abnst '\"`’.,!?:;()$_5", max_size=30))
def test_spaces_are_single_and_letters_stay(text):
    result = detokenise(text)
    assert "  " not in result
    assert result == result.strip()
    assert [c for c in result if c.isalnum()] == [c for c in text if c.isalnum()]
