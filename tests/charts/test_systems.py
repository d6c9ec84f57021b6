"""Who is who, and the colours: contrasts by the formula of WCAG 2.2."""

import re
from importlib import resources

import pytest

from simpatico.charts.systems import (
    DASHES,
    SHAPES,
    assign_styles,
    mark_definitions,
    shorten_name,
    styled_name,
    use_mark,
    user_style,
)
from tests.charts.charts import tree

CSS = resources.files("simpatico.charts").joinpath("charts.css").read_text(encoding="utf-8")
TEXT = ["ink", "ink2", "ink3", "s0", "s1", "s2", "s3", "s4", "s5", "plus", "minus"]


def colours(start: str) -> dict[str, str]:
    """Tokens of the first block after `start`."""
    block = CSS[CSS.index(start) :].partition("}")[0]
    return dict(re.findall(r"--(\w+):(#[0-9a-f]{6})", block))


LIGHT = colours(".simpatico{")
DARK = colours("prefers-color-scheme:dark")


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_contrast_of_black_on_white_is_21():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)  # WCAG's own example


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("ground", ["bg", "panel", "wash"])
@pytest.mark.parametrize("text", TEXT)
def test_every_text_colour_can_be_read(palette, ground, text):
    assert contrast(palette[text], palette[ground]) >= 4.5


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_text_on_evidence_can_be_read(palette):
    assert all(contrast(palette["ink"], palette[wash]) >= 4.5 for wash in ("plusw", "minusw"))


def test_light_and_dark_have_the_same_tokens():
    assert set(LIGHT) == set(DARK)


def test_everything_stands_under_one_class():
    rules = re.sub(r"/\*.*?\*/|@[^{]*\{|@[^;{]*;", "", CSS, flags=re.DOTALL)
    selectors = [s.strip() for head in re.findall(r"([^{}]+)\{", rules) for s in head.split(",")]
    assert [s for s in selectors if not s.startswith(".simpatico")] == []


def test_no_text_is_smaller_than_11_pixels():
    assert min(map(float, re.findall(r"(?:font-size:|font:(?:\w+ )*)([\d.]+)px", CSS))) >= 11


def test_up_to_six_systems_have_colours_in_their_order():
    assert [p.key for p in assign_styles("abcdef").values()] == ["s0", "s1", "s2", "s3", "s4", "s5"]


def test_beyond_six_only_the_two_compared_have_them():
    styles = assign_styles("abcdefg", ["c", "f"])
    assert {n: p.key for n, p in styles.items() if p.key != "sx"} == {"c": "s0", "f": "s1"}


def test_long_names_lose_their_middle_and_keep_their_title():
    name = "a" * 100 + "b" * 100
    assert shorten_name(name) == "aaaaaaaaaaaa…bbbbbbbbbbb"
    assert len(shorten_name(name)) == 24
    assert f'title="{name}"' in styled_name(user_style(name))
    assert "title" not in styled_name(user_style("a"))


def test_every_mark_is_defined_in_both_sizes():
    ids = [e.get("id") for e in tree(mark_definitions()).iter("path")]
    assert ids == [f"{size}{k}" for size in "mn" for k in "012345px"]
    assert len(SHAPES) == len(DASHES) == len(set(DASHES))
    assert use_mark("s3", "58%", 10, small=True) == '<use href="#n3" x="58%" y="10"/>'
