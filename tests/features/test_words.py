"""The tokeniser against its specification, read character by character."""

from __future__ import annotations

import re
import unicodedata

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from simpatico.features.words import APOSTROPHES, INVISIBLE, WordTable, cut_words

NOBODY_SEES = re.compile(INVISIBLE)
ANY_APOSTROPHE = re.compile(APOSTROPHES)
SEEN_AS_NOTHING = [chr(c) for c in range(0xE0200) if NOBODY_SEES.match(chr(c))]

assigned = st.characters(exclude_categories=("Cs", "Cn"))
tricky = st.sampled_from(
    ["'", "’", "‘", "ʼ", "´", "\u1ffd", "＇", "a", "B", "7", " ", "\n", "_", "-", "é", "e\u0301",
     "İ", "ß", "Σ", "ŉ", "ﬁ", "Ⅷ", "½", "①", "你", "ا", "क्", "😀", "👩‍👧", "\x00", "\u200b",
     "\u00ad"]
)  # fmt: skip
anything = st.one_of(
    st.text(assigned),
    st.lists(tricky).map("".join),
    st.text(st.sampled_from("aB9' ,.")),
    st.text(st.sampled_from("ab"), min_size=6, max_size=90),
)


@pytest.fixture(autouse=True)
def in_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIMPATICO_WORDS", "numpy")


def reference(text: str) -> list[str]:
    """The words of a text by the letter of the specification."""
    text = NOBODY_SEES.sub("", ANY_APOSTROPHE.sub("'", text))
    text = unicodedata.normalize("NFKC", text).lower()
    tokens, word = [], ""
    for place, character in enumerate(text):
        inner = character == "'" and bool(word) and is_letter(text[place + 1 : place + 2])
        if is_letter(character) or inner:
            word += character
        elif word:
            tokens.append(word)
            word = ""
    return [*tokens, word] if word else tokens


def is_letter(character: str) -> bool:
    return character != "" and unicodedata.category(character)[0] in "LMN"


def spelled_out(table: WordTable) -> list[list[str]]:
    """Each text's words as text."""
    every = table.vocabulary.gather(table.codes).to_list()
    return [every[a:b] for a, b in zip(table.ends[:-1], table.ends[1:], strict=True)]


def token_lists(*texts: str) -> list[list[str]]:
    return spelled_out(cut_words(pl.Series(texts, dtype=pl.String)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("I don't know.", ["i", "don't", "know"]),
        ("y’all’d‘ve", ["y'all'd've"]),
        ("'tis rock 'n' roll' o''clock", ["tis", "rock", "n", "roll", "o", "clock"]),
        ("snake_case, e-mail; 3.5 & C3PO", ["snake", "case", "e", "mail", "3", "5", "c3po"]),
        ("Cafe\u0301 CAFÉ", ["café", "café"]),
        ("ＦＵＬＬ ﬁne x²", ["full", "fine", "x2"]),
        ("so\u00adft in\u200bvisible ❤\ufe0f", ["soft", "invisible"]),
        ("ΣΑΣ", ["σας"]),
        ("Привет, 你好!", ["привет", "你好"]),
        ("😀 … —", []),
        ("a\x00b\ta\r\nb", ["a", "b", "a", "b"]),
    ],
)
def test_words_of_a_text(text: str, expected: list[str]) -> None:
    assert token_lists(text) == [expected]


def test_no_texts_at_all() -> None:
    table = cut_words(pl.Series([], dtype=pl.String))
    assert (len(table.codes), table.ends.tolist(), len(table.vocabulary)) == (0, [0], 0)
    assert table.sums(np.zeros((0, 2))).shape == (0, 2)


@given(st.lists(anything, max_size=6))
@example(["a'", "'b"])
@example(["x" * 63, "x" * 64, "x" * 65, "x" * 72, "x" * 73, "x" * 500])
@settings(max_examples=500, deadline=None)
def test_equal_to_the_reference(texts: list[str]) -> None:
    assert token_lists(*texts) == [reference(t) for t in texts]


def test_every_character_by_itself_and_between_letters() -> None:
    characters = [
        c for c in map(chr, range(0x110000)) if unicodedata.category(c) not in ("Cs", "Cn")
    ]
    texts = [f"{c} a{c}b a'{c}" for c in characters]
    wrong = [
        c
        for c, got in zip(characters, token_lists(*texts), strict=True)
        if got != reference(f"{c} a{c}b a'{c}")
    ]
    assert wrong == []


@given(anything)
@settings(deadline=None)
def test_composed_and_decomposed_are_the_same(text: str) -> None:
    forms = [text, unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)]
    first, *others = token_lists(*forms)
    assert all(first == other for other in others)


@given(st.lists(st.tuples(anything, st.sampled_from(SEEN_AS_NOTHING)), max_size=6))
@settings(deadline=None)
def test_invisible_characters_change_nothing(parts: list[tuple[str, str]]) -> None:
    with_them = "".join(text + unseen for text, unseen in parts)
    without = "".join(NOBODY_SEES.sub("", text) for text, _ in parts)
    assert token_lists(with_them) == token_lists(without)


@given(st.lists(anything, max_size=6), st.lists(anything, max_size=6))
@settings(deadline=None)
def test_chunks_are_cut_like_the_whole(first: list[str], second: list[str]) -> None:
    assert token_lists(*first) + token_lists(*second) == token_lists(*first, *second)


@given(st.lists(anything, max_size=8))
@settings(deadline=None)
def test_the_vocabulary_has_every_word_once(texts: list[str]) -> None:
    table = cut_words(pl.Series(texts, dtype=pl.String))
    assert sorted(table.vocabulary) == sorted({w for t in texts for w in reference(t)})


@pytest.mark.parametrize("longest", [4, 12, 30, 100])
def test_many_random_words_get_codes_of_their_own(longest: int) -> None:
    rng = np.random.default_rng(longest)
    lengths = rng.integers(1, longest + 1, 200_000)
    letters = rng.integers(97, 101, lengths.sum(), dtype=np.uint8).tobytes().decode()
    ends = np.cumsum(lengths)
    word_list = [letters[e - n : e] for e, n in zip(ends, lengths, strict=True)]
    table = cut_words(pl.Series([" ".join(word_list)]))
    assert table.vocabulary.n_unique() == len(table.vocabulary) == len(set(word_list))
    assert table.vocabulary.gather(table.codes).to_list() == word_list


def test_sums_add_up_the_weights_of_each_turn() -> None:
    table = cut_words(pl.Series(["good good bad", "", "Bad."]))
    weights = {"good": (1.0, 0.0), "bad": (0.5, 2.0)}
    rows = np.array([weights[word] for word in table.vocabulary])
    assert table.sums(rows).tolist() == [[2.5, 2.0], [0.0, 0.0], [0.5, 2.0]]
    assert table.counts.tolist() == [3, 0, 1]
