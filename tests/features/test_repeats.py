"""Repeats against a set of what each speaker has said."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simpatico.features import repeats
from simpatico.features.words import Keys, cut_words
from simpatico.turns import Turns

ROWS = st.lists(
    st.tuples(
        st.sampled_from("de"), st.sampled_from("xy"), st.text(st.sampled_from("ab é'"), max_size=12)
    ),
    min_size=1,
    max_size=12,
)


def expected(turns: Turns, n: int) -> list[tuple[int, bool]]:
    """The turn of each n-gram and whether its speaker had it before, n-gram by n-gram."""
    said, rows = set[tuple[str, ...]](), []
    who = turns.frame.select("dialog", "speaker", "text").rows()
    for turn, (dialog, speaker, text) in enumerate(who):
        table = cut_words(pl.Series([text]))
        words = table.vocabulary.gather(table.codes).to_list()
        for start in range(len(words) - n + 1):
            gram = (dialog, speaker, *words[start : start + n])
            rows.append((turn, gram in said))
            said.add(gram)
    return rows


@pytest.mark.parametrize("collide", [False, True])
@given(ROWS, st.integers(1, 4))
@settings(deadline=None)
def test_repeats_are_what_the_speaker_said_before(
    collide: bool, rows: list[tuple[str, str, str]], n: int
) -> None:
    """Also where all n-grams share one hash."""
    turns = Turns.from_utterances(
        pl.DataFrame(sorted(rows, key=lambda r: r[0]), ["dialog", "speaker", "text"], orient="row")
    )
    with pytest.MonkeyPatch.context() as patch:
        if collide:
            patch.setattr(repeats, "mix_bits", one_hash_for_all)
        turn, _, again = repeats.find_repeats(turns, cut_words(turns.frame["text"]), n)
    assert list(zip(turn.tolist(), again.tolist(), strict=True)) == expected(turns, n)


def one_hash_for_all(keys: Keys) -> Keys:
    return np.zeros_like(keys)
