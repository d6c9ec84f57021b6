"""From statistics to scores: few rows and many take the same bits by two ways."""

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from simpatico import load, score, table
from simpatico.table import first_reasons

CHAT = [
    {"role": ("user", "assistant")[n % 2], "content": text}
    for n, text in enumerate(["I am sad today.", "I am sorry!", "", "Что?", "so so so so", "Yes."])
]
METRICS = ["emotion_shares", "style_matching", "agreeableness", "length", "distinct_n"]


@given(
    st.lists(
        st.lists(st.sampled_from([None, "answers_nothing", "no_words", "loop"]), min_size=1),
        min_size=1,
        max_size=5,
    ),
    st.randoms(),
)
def test_the_reason_of_a_unit_is_its_first_but_that_it_opens_the_dialog(units, random):
    rows = [(number, reason) for number, unit in enumerate(units) for reason in unit]
    order = list(range(len(rows)))
    random.shuffle(order)  # where each row stands in the table
    place = np.argsort(order)
    column = pl.Series([rows[row][1] for row in order], dtype=pl.String)
    starts = np.cumsum([0, *map(len, units)])[:-1]
    found = first_reasons(pl.DataFrame({"a": column}), place, starts)["a"].to_list()
    reasons = [[r for r in unit if r] for unit in units]
    assert found == [
        next((r for r in own if r != "answers_nothing"), own[0] if own else None) for own in reasons
    ]


def test_many_rows_are_planned_and_have_the_bits_of_few(monkeypatch):
    few = score(CHAT, METRICS)
    expected = {level: few.at(level) for level in ("turn", "dialog", "system")}
    monkeypatch.setattr(table, "FEW", 0)
    many = score(CHAT, METRICS)
    for level, frame in expected.items():
        assert frame.equals(many.at(level))


def test_scores_of_a_metric_are_asked_for_once_by_all_levels():
    class Counted(type(load("length"))):
        asked = 0

        @property
        def scores(self):
            type(self).asked += 1
            return super().scores

    scores = score(CHAT, Counted())
    before = Counted.asked
    for level in ("turn", "dialog", "system", "turn"):
        scores.at(level)
    assert Counted.asked == before + 1
