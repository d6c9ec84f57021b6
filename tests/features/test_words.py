"""The tokeniser against its specification, read character by character."""

from __future__ import annotations

import re
import unicodedata
from importlib.util import find_spec

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from simpatico.errors import MissingResource
from simpatico.features import Features, closure
from simpatico.features import words_numba as words_fast
from simpatico.features.words import APOSTROPHES, INVISIBLE, Words, WordTable, cut_words
from simpatico.turns import Turns

NUMBA = pytest.mark.skipif(find_spec("numba") is None, reason="needs the extra `fast`")

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


@NUMBA
@given(st.lists(anything, max_size=6))
@settings(max_examples=300, deadline=None)
def test_the_kernel_finds_the_same_words(texts: list[str]) -> None:
    series = pl.Series(texts, dtype=pl.String)
    assert spelled_out(words_fast.cut_words_numba(series)) == spelled_out(cut_words(series))


@NUMBA
def test_the_kernel_grows_its_table() -> None:
    word_list = [f"w{number}" for number in range(200_000)]
    table = words_fast.cut_words_numba(pl.Series([" ".join(word_list), "w7 w199999"]))
    assert spelled_out(table) == [word_list, ["w7", "w199999"]]
    assert table.vocabulary.to_list() == word_list


@given(st.lists(anything, max_size=3))
@settings(max_examples=50, deadline=None)
def test_the_kernel_is_right_before_it_is_compiled(texts: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch, np.errstate(over="ignore"):
        patch.setattr(words_fast, "kernels", lambda: (words_fast.find_words, words_fast.code_words))
        got = spelled_out(words_fast.cut_words_numba(pl.Series(texts, dtype=pl.String)))
    assert got == [reference(t) for t in texts]


@NUMBA
def test_the_kernel_is_used_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIMPATICO_WORDS", "numba")
    assert spelled_out(feature("b a b")) == [["b", "a", "b"]]
    assert feature("b a b").vocabulary.to_list() == ["b", "a"]


@pytest.mark.skipif(find_spec("numba") is not None, reason="numba is installed")
def test_the_kernel_says_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIMPATICO_WORDS", "numba")
    with pytest.raises(MissingResource) as error:
        feature("a")
    assert str(error.value) == (
        "the compiled word kernel needs numba: pip install 'simpatico[fast]'"
    )


def feature(text: str) -> WordTable:
    """The words of one turn as metrics get them."""
    rows = pl.DataFrame({"dialog": ["d"], "speaker": ["s"], "text": [text]})
    table: WordTable = Features(Turns.from_utterances(rows), closure([Words()]))[Words()]
    return table


def test_words_made_to_share_a_hash_are_told_apart() -> None:
    """The second was searched for: its hash is the number of "the", which is its three letters."""
    collision = "uwxhgyxsv6xydd5w"
    for texts in (["the cat the", collision], [collision, "the cat the", f"{collision} the"]):
        table = cut_words(pl.Series(texts))
        spellings = [table.vocabulary[int(c)] for c in table.codes]
        assert spellings == " ".join(texts).split()
        assert table.vocabulary.n_unique() == len(table.vocabulary)


@given(st.lists(anything, min_size=1, max_size=6), st.lists(st.integers(0, 5), max_size=8))
@settings(deadline=None)
def test_rows_are_taken_with_their_words(texts: list[str], rows: list[int]) -> None:
    table, rows = cut_words(pl.Series(texts)), [row % len(texts) for row in rows]
    every = spelled_out(table)
    assert spelled_out(table.take(np.array(rows, np.int64))) == [every[row] for row in rows]
