"""What a metric adds: bars and numbers say the same."""

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simpatico.charts.incremental import (
    GainBlock,
    GainCell,
    GainRow,
    gain_bar,
    gain_words,
    incremental_figure,
    incremental_table,
    shared_axis,
)
from simpatico.charts.svg import mm_to_pixels
from tests.charts.golden import golden

SVG = "{http://www.w3.org/2000/svg}"


def cell(t, pt, clear):
    gain = round(pt - t, 3)
    return GainCell(
        pt, gain, round(gain - (0.004 if clear else 0.024), 3), round(gain + 0.01, 3), clear
    )


def line(title, t, *cells):
    return GainRow(title, t, tuple(cell(t, pt, clear) for pt, clear in cells))


TURNS = GainBlock(
    "Turns: “appropriate”",
    "2,840 replies",
    (("Emotional entropy", 0.019), ("Emotion matching", 0.022), ("Language style matching", 0.003)),
    (
        line("DialogRPT", 0.141, (0.152, True), (0.156, True), (0.142, False)),
        line("USL-H", 0.064, (0.080, True), (0.083, True), (0.066, False)),
        line("BERTScore", 0.031, (0.047, False), (0.050, False), (0.040, False)),
    ),
)
DIALOGS = GainBlock(
    "Dialogs: “overall”",
    "300 dialogs",
    (("Agreeableness", 0.081), ("Empathy", -0.002)),
    (
        line("DialogRPT", 0.127, (0.171, True), (0.125, False)),
        line("BERTScore", 0.002, (0.070, False), (-0.003, False)),
        GainRow(
            "MAUVE", None, (GainCell(None, None, None, None, False, "3 values are too few"),) * 2
        ),
    ),
)
BLOCKS = (TURNS, DIALOGS)
AXIS = shared_axis(BLOCKS)


def parsed(markup):
    return ElementTree.fromstring(markup)


def text(node):
    return "".join(node.itertext())


def ends(svg, axis):
    """(kind, from, to) of every part of a bar, from where it stands."""
    reach = axis.high - axis.low
    extents = []
    for rect in svg.iter("rect"):
        start = axis.low + float(rect.get("x").rstrip("%")) / 100 * reach
        extents.append(
            (rect.get("class"), start, start + float(rect.get("width")[:-1]) / 100 * reach)
        )
    return extents


def drawn_bar(t, pt, clear, axis=AXIS):
    return ends(parsed(f"<svg>{gain_bar(t, cell(t, pt, clear), axis)}</svg>"), axis)


def test_page():
    golden("tpt.html", incremental_table(BLOCKS))


def test_figure():
    golden("tpt.svg", incremental_figure(BLOCKS, mm_to_pixels(84)))


def test_bars_are_the_numbers():
    for block, body in zip(
        BLOCKS, parsed(incremental_table(BLOCKS)).findall("table/tbody"), strict=True
    ):
        for gain_row, row in zip(block.rows, body.findall("tr")[1:], strict=True):
            assert text(row[0]) == gain_row.title
            for one, td in zip(gain_row.cells, row.findall("td[@class='p']"), strict=True):
                if one.pt is not None:
                    places = [p for part in ends(td, AXIS) for p in part[1:]]
                    assert min(abs(p - one.pt) for p in places) < 1e-4
                    assert min(abs(p - gain_row.t) for p in places) < 1e-4


def test_numbers_stand_in_the_cells_with_the_gain_for_those_who_listen():
    row = parsed(incremental_table(BLOCKS)).find("table/tbody").findall("tr")[1]
    gain = "gain .011 [.007, .021], significant"  # .152 − .141
    assert [text(c) for c in row][:3] == ["DialogRPT", ".141", f".152, {gain}"]
    assert row[2].get("title") == gain


@pytest.mark.parametrize(
    ("t", "pt", "clear", "parts"),
    [
        (0.1, 0.15, True, [("tb", 0, 0.1), ("gain", 0.1, 0.15)]),
        (0.1, 0.15, False, [("tb", 0, 0.1), ("maybe", 0.1, 0.15)]),
        (0.1, 0.08, False, [("tb", 0, 0.08), ("loss", 0.08, 0.1)]),
        (0.1, 0.1, False, [("tb", 0, 0.1)]),
        (-0.002, 0.05, True, [("gain", -0.002, 0.05)]),
        (-0.001, -0.003, False, [("loss", -0.003, -0.001)]),
        (0.02, -0.003, False, [("loss", -0.003, 0.02)]),
    ],
)
def test_parts_of_a_bar(t, pt, clear, parts):
    bars = drawn_bar(t, pt, clear)
    assert [f[0] for f in bars] == [p[0] for p in parts]
    for (_, *places), (_, *expected) in zip(bars, parts, strict=True):
        assert places == pytest.approx(expected, abs=1e-4)


def test_no_value_is_a_dash_with_a_reason():
    row = parsed(incremental_table(BLOCKS)).findall("table/tbody")[1].findall("tr")[3]
    assert text(row[1]) == "–"
    assert text(row[2]) == "–3 values are too few"
    assert row.find(".//rect") is None
    words = " ".join(
        t.text for t in parsed(incremental_figure(BLOCKS, 657)).iter(f"{SVG}text") if t.text
    )
    assert words.endswith("– 3 values are too few.")


def test_a_gain_without_an_interval_or_value():
    assert gain_words(GainCell(0.1, 0.02, None, None, False)) == "gain .020, not significant"
    assert gain_words(GainCell(0.1, None, None, None, False, "T has none")) == "gain –, T has none"


def test_the_region_scrolls_by_keyboard_and_has_a_name():
    region = parsed(incremental_table(BLOCKS))
    assert (region.get("class"), region.get("tabindex"), region.get("role")) == (
        "scroll", "0", "region",
    )  # fmt: skip
    assert region.get("aria-label")


def test_axis_holds_zero_and_everything():
    assert (AXIS.low, AXIS.high) == (-0.003, 0.171)
    assert (shared_axis(()).low, shared_axis(()).high) == (0, 1)
    negative = GainBlock("a", "", (("b", -0.1),), (line("c", -0.2, (-0.1, False)),))
    assert (shared_axis([negative]).low, shared_axis([negative]).high) == (-0.2, 0)


MANY = GainBlock(
    "Many", "", tuple((f"Metric number {i}", 0.1) for i in range(20)),
    tuple(line(f"T{i}", 0.1, *[(0.2, True)] * 20) for i in range(13)),
)  # fmt: skip
ALL_NEGATIVE = GainBlock("a", "", (("b", -0.1),), (line("c", -0.2, (-0.1, False)),))


@pytest.mark.parametrize("width", [200, 317.48, 657])
@pytest.mark.parametrize(
    "blocks", [(), (GainBlock("a", "", (), ()),), (ALL_NEGATIVE,), (TURNS,), BLOCKS, (MANY,)]
)
def test_anything_draws(blocks, width):
    bar_count = sum(c.pt is not None for b in blocks for row in b.rows for c in row.cells)
    assert len(list(parsed(incremental_table(blocks)).iter("svg"))) == bar_count
    paper = parsed(incremental_figure(blocks, width))
    assert len(paper.findall(f".//{SVG}svg")) == bar_count
    assert all(float(s.get("width")) > 0 for s in paper.findall(f".//{SVG}svg"))


@given(st.floats(-0.5, 1), st.floats(-0.5, 1), st.booleans())
def test_no_bar_leaves_the_axis(t, pt, clear):
    block = GainBlock("a", "", (("b", 0.1),), (line("c", t, (pt, clear)),))
    axis = shared_axis([block])
    for _, start, end in drawn_bar(t, pt, clear, axis):
        assert axis.low - 1e-3 <= start <= end <= axis.high + 1e-3


def test_names_from_outside_stay_text():
    block = GainBlock("<b>", "<i>", (("<script>", 0.1),), (line("<script>", 0.1, (0.2, True)),))
    assert "<script" not in incremental_table([block]) + incremental_figure([block], 317)
