"""Texts in another script, found without a second look at those that need none."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simpatico.features import Features, closure
from simpatico.features.script import LATIN_SHARE, OtherScript
from simpatico.features.words import normalise_texts
from simpatico.turns import Turns

PIECES = st.sampled_from(
    ["a", "don’t ", "’", "é", "ﬁ", "Ａ", "你", "Привет", "ا", "😀", "\u200b", "7"]
)


def other_script(texts: list[str]) -> list[bool]:
    turns = Turns(pl.DataFrame({"text": pl.Series(texts, dtype=pl.String)}))
    return OtherScript().compute(turns, Features(turns, closure([OtherScript()]))).tolist()


@pytest.mark.parametrize(
    ("text", "is_other"),
    [
        ("", False),
        ("don’t", False),
        ("你好", True),
        ("你 hi", False),
        ("你好 I", True),
        ("😀", False),
    ],
)
def test_fewer_than_half_of_the_letters_are_latin(text, is_other):
    assert other_script([text]) == [is_other]


@given(st.lists(st.one_of(st.lists(PIECES).map("".join), st.text()), max_size=6))
@settings(deadline=None)
def test_equal_to_the_definition(texts):
    clean = normalise_texts(pl.Series(texts, dtype=pl.String))
    letters, latin = (clean.str.count_matches(p).to_list() for p in (r"\p{L}", r"\p{Latin}"))
    expected = [a < LATIN_SHARE * b for a, b in zip(latin, letters, strict=True)]
    assert other_script(texts) == expected
