"""How many came through."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simpatico.charts.count_bar import count_bar
from tests.charts.charts import every, tree, words
from tests.charts.golden import golden

PARTS = [("scored", 1505), ("set aside", 56)]


def test_golden():
    golden("flow.html", count_bar(PARTS))


def test_widths_are_shares_of_the_count():
    svg = next(every(tree(count_bar(PARTS)), "svg"))
    # 1,505 of 1,561 is 96.41 percent.
    assert [e.get("width") for e in every(svg, "rect")] == ["96.41%", "3.59%"]
    assert [e.get("x") for e in every(svg, "rect")] == ["0.00%", "96.41%"]


def test_every_part_is_named_with_its_count():
    root = tree(count_bar(PARTS))
    assert [words(e) for e in every(root, "li")] == ["1,505 scored", "56 set aside"]
    assert next(every(root, "svg")).get("aria-label") == "1,505 scored, 56 set aside"


def test_zero_counts_are_left_out_and_small_ones_seen():
    root = tree(count_bar([("scored", 100_000), ("broken", 0), ("empty", 1)]))
    assert [words(e) for e in every(root, "li")] == ["100,000 scored", "1 empty"]
    assert [e.get("width") for e in every(next(every(root, "svg")), "rect")] == ["100.00%", "2"]


def test_nothing():
    assert count_bar([("scored", 0)]) == '<p class="flow">nothing was read</p>'


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=9))
def test_parts_fill_the_bar(counts):
    root = tree(count_bar([(f"part {i}", n) for i, n in enumerate(counts)]))
    nonzero = [n for n in counts if n]
    assert len(list(every(root, "li"))) == len(nonzero)
    if len(nonzero) == 1:
        assert next(every(root, "rect")).get("width") == pytest.approx("100.00%")
