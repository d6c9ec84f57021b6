"""Differences as a drawing: rows, groups, and what a notebook shows of none, one or many pairs."""

import random
import re

import pytest

from simpatico.charts.html import join_html
from simpatico.charts.systems import assign_styles
from simpatico.comparison.chart import claim_cell, note_cell, pair_table, pair_table_row
from simpatico.comparison.difference import Differences, compare
from simpatico.wording import (
    format_difference,
    format_interval,
    format_number,
    interval_digits,
)
from tests.comparison.runs import make_run
from tests.reporting.tree import tree


def values(seed, mean):
    pick = random.Random(seed)
    return [mean + pick.gauss(0, 0.1) for _ in range(12)]


@pytest.fixture(scope="module")
def differences(tmp_path_factory):
    """Three systems: a is higher than b and c on one score, and all are alike on another."""
    scores = {
        "warm": {"a": values(1, 0.9), "b": values(2, 0.5), "c": values(3, 0.4)},
        "dull": {"a": values(4, 0.5), "b": values(5, 0.5), "c": values(6, 0.5)},
    }
    return compare([make_run(tmp_path_factory.mktemp("picture") / "run", scores)])


def words(children) -> str:
    return tree(join_html(children)).text


def test_a_row_says_what_the_difference_says(differences):
    pair = [d for d in differences if (d.a, d.b) == ("a", "b")]
    warm, dull = pair
    digits = interval_digits(warm.low, warm.high)
    amount = f"{format_difference(warm.difference, digits)} {format_interval(warm.low, warm.high, digits)}"
    assert words(claim_cell(warm)) == f"a has a higher warm than b: {amount}."
    assert note_cell(warm) == "Warm · descriptive (no better direction)"
    digits = interval_digits(dull.low, dull.high)
    amount = f"{format_difference(dull.difference, digits)} {format_interval(dull.low, dull.high, digits)}"
    assert words(claim_cell(dull)).startswith(f"Dull: {amount} ")
    assert " Smallest detectable difference (80% power): " in words(claim_cell(dull))
    row = pair_table_row(warm, lambda score: f"{score}?")
    assert (row.side, row.rating_correlation, row.times) == ("a", "warm?", 100.0)
    assert (row.difference, row.low, row.high) == (warm.difference, warm.low, warm.high)
    assert (row.wide_low, row.wide_high, row.sd) == (warm.wide_low, warm.wide_high, warm.sd)
    assert pair_table_row(dull).side is None


def test_names_stand_apart_from_the_numbers_after_them(differences):
    first = tree(join_html(claim_cell(differences[0])))
    assert [n.text for n in first.all("bdi")] == ["a", "b"]


def test_rows_stand_in_groups(differences):
    pair = [d for d in differences if (d.a, d.b) == ("a", "b")]
    table = pair_table(pair, assign_styles(["a", "b"]))
    assert [(title, len(rows)) for title, rows in table.groups] == [
        ("Descriptive: higher for a", 1),
        ("No significant difference", 1),
    ]
    assert not table.with_ratings


def test_a_notebook_shows_the_pair_that_is_told_apart_most(differences):
    root = tree(differences._repr_html_())
    lead, small, more = (p.prose for p in root.all("p"))
    assert lead == "Descriptive: a has a higher warm than c. No significant difference on dull."
    assert small.startswith("Based on 12 prompts that both replied to. Largest effect (large, ")
    assert more == "2 more pairs of systems in this list."
    table = root.one("table", "verdict")
    (difference,) = [d for d in differences if (d.a, d.b, d.score) == ("a", "c", "warm")]
    digits = interval_digits(difference.low, difference.high)
    row = next(tr for tr in table.all("tr") if list(tr.all("td")))
    cells = [td.prose for td in row.all("td")]
    amount = f"{format_difference(difference.difference, digits)} {format_interval(difference.low, difference.high, digits)}"
    assert cells[0].startswith(f"a has a higher warm than c: {amount}. ")
    assert cells[2] == format_number(difference.times_in_100, 0)


def test_a_notebook_shows_one_pair_and_none():
    assert tree(Differences()._repr_html_()).one("p").text == "There are no two systems to compare."


def test_a_notebook_shows_a_pair_alone(differences):
    one = Differences(d for d in differences if (d.a, d.b) == ("b", "c"))
    root = tree(one._repr_html_())
    assert len(list(root.all("p"))) == 2
    assert not re.search("more pair", root.text)
