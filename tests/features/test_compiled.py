"""The compiled passes against those in NumPy: the same words, and the same bits of every sum."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from simpatico.api import score
from simpatico.errors import MissingResource
from simpatico.features import compiled, words
from simpatico.features.chat_words import load_chat_words
from simpatico.features.degenerate import Sketch
from simpatico.features.words import WordTable, cut_words
from simpatico.readers import Conversations
from simpatico.registry import load, preset
from simpatico.run import writer
from tests.features.test_words import anything, reference, spelled_out


@pytest.fixture(autouse=True)
def compiled_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIMPATICO_WORDS", "numba")


@given(st.lists(anything, max_size=6))
@example(["", "a", "", "b a", ""])
@example(["x" * 8 + " " + "x" * 16 + " " + "x" * 9, "x" * 8 + "y x"])
@settings(max_examples=300, deadline=None)
def test_words_are_those_of_the_specification(texts: list[str]) -> None:
    table = cut_words(pl.Series(texts, dtype=pl.String))
    assert table.passes is compiled
    assert spelled_out(table) == [reference(text) for text in texts]
    # in order of first appearance
    assert table.vocabulary.to_list() == list(dict.fromkeys(chain(*spelled_out(table))))


def test_the_table_of_words_grows() -> None:
    word_list = [f"w{number}" for number in range(200_000)]
    table = cut_words(pl.Series([" ".join(word_list), "w7 w199999"]))
    assert spelled_out(table) == [word_list, ["w7", "w199999"]]


@given(st.lists(anything, max_size=6), st.data())
@settings(deadline=None)
def test_what_is_made_of_words_has_the_same_bits(texts: list[str], data: st.DataObject) -> None:
    table = cut_words(pl.Series(texts, dtype=pl.String))
    plain = replace(table, passes=None)
    rows = data.draw(st.lists(st.integers(0, max(len(texts) - 1, 0)), max_size=8 * bool(texts)))
    taken, expected = (one.take(np.array(rows, np.int64)) for one in (table, plain))
    assert spelled_out(taken) == spelled_out(expected)
    for got, wanted in ((table, plain), (taken, expected)):
        assert np.array_equal(Sketch.of(got).sets, Sketch.of(wanted).sets)
        sums = [load_chat_words().sums_of(one) for one in (got, wanted)]
        assert sums[0].tobytes() == sums[1].tobytes()


def test_scores_have_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    speech = "I was so happy to hear that you and your sister came home for the holidays"
    texts = [speech, " ".join(reversed(speech.split())), "sad " * 12, "Привет, как дела?", "naïve"]
    rows = [
        {"dialog": f"d{number // 4}", "speaker": "ab"[number % 2], "text": texts[number % 5]}
        for number in range(40)
    ]
    tables = []
    for choice in ("numba", "numpy"):
        monkeypatch.setenv("SIMPATICO_WORDS", choice)
        table = score(pl.DataFrame(rows), preset("psych"))
        tables.append([table.at(level) for level in ("turn", "dialog", "system")])
    for one, other in zip(*tables, strict=True):
        assert one.equals(other)


@pytest.mark.parametrize("large", [True, False])
def test_large_inputs_choose_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, large: bool
) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text('{"dialog": "d", "speaker": "a", "text": "Hi"}\n' * 2)
    monkeypatch.delenv("SIMPATICO_WORDS")
    monkeypatch.setattr(writer, "LARGE", log.stat().st_size - large)
    writer.score_run(Conversations((log,)), [load("length")], tmp_path / "run")
    assert os.environ.get("SIMPATICO_WORDS") == ("fast" if large else None)
    assert cut_words(pl.Series(["a"])).passes is (compiled if large else None)


def test_without_numba_words_are_cut_in_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.delitem(sys.modules, "simpatico.features.compiled")
    with pytest.raises(MissingResource) as error:
        cut_words(pl.Series(["a"]))
    assert str(error.value) == (
        "SIMPATICO_WORDS=numba needs the extra `fast`: import of numba halted; None in "
        "sys.modules; pip install 'simpatico[fast]'"
    )
    monkeypatch.setenv("SIMPATICO_WORDS", "fast")
    words.load_passes_if_there.cache_clear()
    table: WordTable = cut_words(pl.Series(["a b"]))
    words.load_passes_if_there.cache_clear()
    assert table.passes is None
    assert spelled_out(table) == [["a", "b"]]
