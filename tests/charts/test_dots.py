"""Systems side by side: every number that is drawn or printed is the number that came in."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simpatico.charts.dots import dot_row, dots_figure, small_multiples
from simpatico.charts.means import Dot, Group, Panel, means_table, panel_axis, panel_digits
from tests.charts.charts import (
    HERON,
    JUNIPER,
    LONG,
    PEOPLE,
    SLATE,
    elements_of,
    every,
    numbers,
    thirteen,
    tree,
    value_at,
    words,
)
from tests.charts.golden import golden

ENTROPY = Panel(
    "Emotional entropy",
    "no better direction; bits",
    (
        Dot(HERON, 2.31, 2.27, 2.35, 602),
        Dot(JUNIPER, 2.44, 2.4, 2.48, 602),
        Dot(SLATE, 2.12, 2.06, 2.18, 301),
        Dot(PEOPLE, 2.52, None, None, 120),
    ),
)
MAUVE = Panel(
    "MAUVE",
    "higher is better",
    (
        Dot(HERON, 0.71, 0.66, 0.76, 602),
        Dot(JUNIPER, 0.74, None, None, 602),
        Dot(SLATE, None, None, None, 0, "3 values are too few"),
    ),
)
GROUPS = [
    Group("Psychological", "from psychology", (ENTROPY,)),
    Group("Traditional", "text quality", (MAUVE, replace(MAUVE, title="MAUVE again"))),
]


def test_golden():
    golden("dots.html", small_multiples(GROUPS))
    golden("means.html", means_table(GROUPS))
    golden("dots.svg", dots_figure(GROUPS, 480))


def test_positions_and_values_can_be_read_back():
    panel, axis = elements_of(tree(small_multiples(GROUPS)), "table", "pnl")[0], panel_axis(ENTROPY)
    for tr, dot in zip(every(panel, "tr"), ENTROPY.dots[:3], strict=True):
        cells = list(every(tr, "td"))
        bar = [e for e in every(cells[0], "line") if not e.get("class")][-1]
        mark = list(every(cells[0], "use"))[-1]
        places = [mark.get("x"), bar.get("x1"), bar.get("x2")]
        values = [value_at(axis, p) for p in places if p]
        assert values == pytest.approx([dot.value, dot.low, dot.high], abs=1e-4)
        assert words(cells[1]) == f"{dot.value:.2f}"
        assert (
            cells[0].get("title") == f"{dot.value:.2f} [{dot.low:.2f}, {dot.high:.2f}], n = {dot.n}"
        )


def test_ticks_stand_where_they_say():
    panel, axis = elements_of(tree(small_multiples(GROUPS)), "table", "pnl")[0], panel_axis(ENTROPY)
    ticks = elements_of(panel, "text", "t")
    assert len(ticks) >= 2
    for tick in ticks:
        assert value_at(axis, tick.get("x", "")) == pytest.approx(float(words(tick)), abs=1e-4)
    (reference_line,) = elements_of(panel, "line", "ref")
    assert value_at(axis, reference_line.get("x1", "")) == pytest.approx(2.52, abs=1e-4)


def test_what_is_null_is_a_dash_with_its_reason():
    panel = elements_of(tree(small_multiples(GROUPS)), "table", "pnl")[1]
    last = list(every(panel, "tr"))[-1]
    assert words(last) == "slate-8b–"
    assert next(every(last, "td")).get("title") == "3 values are too few"
    assert not [e for e in every(last, "use") if e.get("x")]
    assert "– slate-8b: 3 values are too few" in words(panel)


def test_the_table_has_all_numbers():
    rows = list(every(tree(means_table(GROUPS)), "tr"))
    cells = [words(e) for e in every(rows[2], "td")]
    assert cells[0] == "2.31 [2.27, 2.35]n 602"
    assert cells[3] == "2.52n 120"
    assert [words(e) for e in every(rows[4], "td")][2:] == ["–3 values are too few", "–not scored"]


def test_the_figure_prints_every_value():
    texts = [words(e) for e in every(tree(dots_figure(GROUPS, 480)), "text")]
    assert {"2.31", "2.44", "2.12", "0.71", "0.74", "–", "heron-1"} <= set(texts)
    assert "var(" not in dots_figure(GROUPS, 480)


def test_a_row_is_small():
    assert len(dot_row(ENTROPY.dots[0], panel_axis(ENTROPY), panel_digits(ENTROPY))) < 350


def test_digits_follow_the_narrowest_interval():
    near = Panel(
        "BERTScore", "", (Dot(HERON, 0.861, 0.856, 0.866, 9), Dot(JUNIPER, 0.8, 0.7, 0.9, 9))
    )
    assert (panel_digits(ENTROPY), panel_digits(near)) == (2, 3)


@pytest.mark.parametrize(
    ("value", "reach"),
    [(3.0, 0.0), (3.0, None), (None, None), (0.0, 0.0), (-1e9, 1.0), (1e-9, None)],
)
def test_one_system_and_one_dialog(value, reach):
    ends = (None, None) if reach is None or value is None else (value - reach, value + reach)
    groups = [Group("One", "", (Panel(LONG, "", (Dot(HERON, value, *ends, 1),)),))]
    for markup in (small_multiples(groups), means_table(groups), dots_figure(groups, 300)):
        tree(markup)
    axis = panel_axis(groups[0].panels[0])
    assert axis.low < axis.high


def test_thirteen_systems_and_twenty_metrics():
    systems = thirteen()
    panels = tuple(
        Panel(
            f"metric {i}",
            "",
            tuple(Dot(p, i + j, i + j - 1, i + j + 1, 5) for j, p in enumerate(systems)),
        )
        for i in range(20)
    )
    markup = small_multiples([Group("All", "", panels)])
    root = tree(markup)
    assert len(elements_of(root, "table", "pnl")) == 20
    assert len(elements_of(root, "div", "names")) == 4
    assert len(markup) < 150_000
    tree(dots_figure([Group("All", "", panels)], 640))


def test_nothing_at_all():
    assert small_multiples([]) == '<div class="dots"><div class="mult"></div></div>'
    tree(means_table([]))
    tree(dots_figure([], 300))


@given(
    st.lists(st.none() | st.floats(-1e6, 1e6, allow_subnormal=False), min_size=1, max_size=6),
    st.floats(0, 1e3),
)
def test_any_values_lie_inside_their_window(values, reach):
    dots = tuple(
        Dot(HERON, v, None if v is None else v - reach, None if v is None else v + reach, 1)
        for v in values
    )
    axis = panel_axis(Panel("any", "", dots))
    ends = [e for d in dots for e in (d.value, d.low, d.high) if e is not None]
    assert all(0 <= axis.share(e) <= 1 for e in ends)
    tree(small_multiples([Group("g", "", (Panel("any", "", dots),))]))


def test_numbers_are_found_in_text():
    assert numbers("−0.04 [−0.06, 1,505]") == [-0.04, -0.06, 1505.0]
