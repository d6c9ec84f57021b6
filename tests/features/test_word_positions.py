"""Places of words: the same words as everywhere, at the characters they were made from."""

from __future__ import annotations

import time
from itertools import pairwise

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from simpatico.features.word_positions import word_positions
from simpatico.features.words import cut_words
from tests.test_any_text import NAUGHTY

tricky = st.sampled_from(
    ["'", "’", "‘", "ʼ", "＇", "a", "B", "7", " ", "\n", "\t", "_", "é", "e\u0301", "\u0301", "\u0323",
     "İ", "ß", "Σ", "ŉ", "ﬁ", "ﬃ", "Ⅷ", "½", "①", "㏂", "你", "好", "、", "ا", "ﷺ", "؟", "ש", "क्", "ো",
     "😀", "👩‍👧", "👍🏽", "🇩🇪", "\x00", "\u200b", "\u200d", "\ufe0f", "\u202e", "\u00ad", "한", "\u1112",
     "\u1161", "\u11ab", "ﾊ", "ﾞ", "ￂ", "\U00016d63", "\U00016d67", "\U0001e5ff", "\u0378", "Å"]
)  # fmt: skip
anything = st.one_of(
    st.text(),
    st.text(st.characters(categories=("L", "M", "N"))),
    st.lists(tricky, max_size=30).map("".join),
)


def check(text: str) -> None:
    table = cut_words(pl.Series([text], dtype=pl.String))
    positions = word_positions(text)
    assert [p.word for p in positions] == table.vocabulary.gather(table.codes).to_list()
    assert all(0 <= p.start < p.end <= len(text) for p in positions)
    for one, two in pairwise(positions):
        assert one.start <= two.start
        assert one.end <= two.end
        if two.start < one.end:
            assert splits_alone(text[two.start : one.end])


def splits_alone(shared: str) -> bool:
    """Whether these characters become several words by themselves, as ½ becomes 1 and 2."""
    return len(cut_words(pl.Series([f"a{shared}b"])).codes) > 1


@given(anything)
@settings(max_examples=300)
@example("\u200b")
@example("\U00016d63\U00016d67\U00016d67 a")
def test_words_are_those_of_the_tokeniser_and_places_lie_in_order(text: str) -> None:
    check(text)


@pytest.mark.parametrize("text", NAUGHTY, ids=range(len(NAUGHTY)))
def test_naughty_strings(text: str) -> None:
    check(text)
    check(f"love {text} don’t {text}{text}")


@given(st.lists(anything, min_size=1, max_size=5))
def test_words_between_plain_spaces_stand_where_they_stood(parts: list[str]) -> None:
    """Each part is cut as it is alone, moved by what stands before it."""
    before, expected = 0, []
    for part in parts:
        expected += [(before + p.start, before + p.end, p.word) for p in word_positions(part)]
        before += len(part) + 3
    assert [tuple(p) for p in word_positions(" . ".join(parts))] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("I don't.", [(0, 1, "i"), (2, 7, "don't")]),
        ("don’t 'tis", [(0, 5, "don't"), (7, 10, "tis")]),
        ("😀 cafe\u0301!", [(2, 7, "café")]),
        ("👩‍👧 hi", [(4, 6, "hi")]),
        ("so ﬁne", [(0, 2, "so"), (3, 6, "fine")]),
        ("lo\u200bve\u200b x", [(0, 5, "love"), (7, 8, "x")]),
        ("e\u200d\u0301!", [(0, 3, "é")]),
        ("İl ΣΑΣ", [(0, 2, "i̇l"), (3, 6, "σας")]),
        ("\u1112\u1161\u11ab 한", [(0, 3, "한"), (4, 5, "한")]),
        ("ﾊﾞｽ", [(0, 3, "バス")]),
        ("日本、語", [(0, 2, "日本"), (3, 4, "語")]),
        ("x½y", [(0, 2, "x1"), (1, 3, "2y")]),
        ("a \u0301", [(0, 1, "a"), (2, 3, "\u0301")]),
        ("a ﾞ", [(0, 1, "a"), (2, 3, "\u3099")]),
        ("a \u0301\u0323", [(0, 1, "a"), (2, 4, "\u0323\u0301")]),
    ],
)
def test_places_by_hand(text: str, expected: list[tuple[int, int, str]]) -> None:
    assert [tuple(p) for p in word_positions(text)] == expected


@pytest.mark.timing
@pytest.mark.parametrize("unit", ["a ", "é ", "’", "日", "😀 ", "ﬁ\u0301 ", "a\u0301", "\u0301"])
def test_time_is_linear_in_the_length(unit: str) -> None:
    """Ten times the text takes at most thirty times the time; quadratic would take a hundred."""

    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        start = time.process_time()
        word_positions(text)
        return time.process_time() - start

    seconds(1_000)
    short, long = (min(seconds(size) for _ in range(3)) for size in (10_000, 100_000))
    assert long < 30 * max(short, 0.01)
