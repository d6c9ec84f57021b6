"""A figure brings everything along: colours written out, well-formed XML, text that fits."""

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simpatico.charts.html import el
from simpatico.charts.svg import (
    figure_style,
    light_colors,
    mm_to_pixels,
    nested_svg,
    shorten_to_width,
    svg_document,
    text_line,
    text_width,
    wrap_to_width,
)
from simpatico.charts.systems import use_mark

SVG = "{http://www.w3.org/2000/svg}"


def test_colours_come_from_the_light_palette_of_the_page():
    assert light_colors()["ink"] == "#1a1d21"
    assert light_colors()["plus"] == "#5b3a9e"


def test_paper_is_white():
    assert light_colors()["bg"] == "#fff"
    assert ".hollow{fill:#fff" in figure_style('<circle class="hollow"/>')


def test_only_rules_that_paint_something_here_are_kept():
    css = figure_style('<g class="s1"><use/></g>')
    assert ".s1{color:#b84a00;fill:#b84a00;stroke:#b84a00}" in css
    assert ".s2" not in css
    assert "table" not in css


def test_no_variable_and_no_size_of_the_page_is_left():
    every = " ".join(re.findall(r"\.simpatico [\w .-]*?\.(\w+)", page_css()))
    css = figure_style(f'<svg><text class="{every}"/><line/><circle/><path/><rect/><use/></svg>')
    assert "var(" not in css
    assert "font-size" not in css
    assert "simpatico" not in css


def page_css():
    from importlib import resources

    return resources.files("simpatico.charts").joinpath("charts.css").read_text(encoding="utf-8")


def test_a_drawing_is_one_svg_of_the_given_size():
    root = ElementTree.fromstring(svg_document(84, 20.5, el("g", {"class": "s0"}, use_mark("s0"))))
    assert root.tag == f"{SVG}svg"
    assert (root.get("width"), root.get("height")) == ("84", "20.5")
    assert root.get("viewBox") == "0 0 84 20.5"
    assert root.get("font-family", "").startswith("'Liberation Sans'")
    assert root.find(f"{SVG}defs/{SVG}path[@id='m0']") is not None


def test_84_millimetres_are_317_pixels():
    assert mm_to_pixels(84) == 317.48  # 84 / 25.4 in · 96


def test_percents_count_from_the_edges_of_a_nested_drawing():
    assert nested_svg(10, 5, 100, 17, el("line", {"x1": "50%"})) == (
        '<svg x="10" y="5" width="100" height="17" overflow="visible"><line x1="50%"/></svg>'
    )


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("", 0),
        ("r", 3.33),
        (".46", 13.9),  # 278 + 2 · 556
        ("−.07", 19.74),  # 584 + 278 + 2 · 556
        ("Relevance", 47.24),  # R 722, l 222, v and c 500, five of 556
    ],
)
def test_widths_are_helveticas(text, width):
    assert text_width(text) == pytest.approx(width)


def test_wide_and_combining_letters_have_their_widths():
    assert text_width("語") == 10
    assert text_width("é") == text_width("e")


def test_a_long_name_loses_its_middle():
    assert shorten_to_width("Language style matching", 200) == "Language style matching"
    assert shorten_to_width("Language style matching", 80) == "Languag…tching"


def test_a_word_that_does_not_fit_is_abbreviated():
    assert wrap_to_width("Language style matching", 50) == ["Language", "style", "matching"]
    assert wrap_to_width("Agreeableness", 50) == ["Agreeable."]


@given(st.text(max_size=60), st.floats(10, 300))
def test_text_never_exceeds_its_room(text, room):
    assert text_width(shorten_to_width(text, room)) <= room
    assert all(text_width(line) <= room for line in wrap_to_width(text, room))


@given(st.text(max_size=30))
def test_any_text_makes_well_formed_xml(text):
    ElementTree.fromstring(svg_document(100, 20, text_line(0, 10, text)))
