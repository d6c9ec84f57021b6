"""Charts outside of the page: as a standalone SVG or in a notebook, and text that fits its room.

A unit is a CSS pixel, 1/96 inch, so that charts of the page keep their sizes on paper.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib import resources
from unicodedata import combining, east_asian_width

from simpatico.charts.html import Child, Html, el, join_html, raw_element, show_invisible
from simpatico.charts.systems import mark_definitions

FONT_FAMILIES = "'Liberation Sans', Arial, Helvetica, simpatico, simpatico-noto, sans-serif"
"""The PDF converter brings the first one along; the next two have the same widths."""

FALLBACK_FACES = "".join(
    f"@font-face{{font-family:{family};font-weight:{weight};src:{sources};size-adjust:{size}%}}"
    for family, weight, sources, size in (
        ("simpatico", 400, "local('DejaVu Sans'),local('Verdana')", 84),
        ("simpatico", 700, "local('DejaVu Sans Bold'),local('Verdana Bold')", 79),
        ("simpatico-noto", 400, "local('Noto Sans'),local('Noto Sans Regular')", 90),
        ("simpatico-noto", 700, "local('Noto Sans Bold')", 92),
    )
)
"""Where only wider fonts are installed, these are drawn smaller, until they are as wide as Arial.

Text is laid out by Arial's widths (see `text_width`); DejaVu Sans and Verdana need 14% more, in
bold 20%, Noto Sans 8% and 6%. A font inside of the figure would not help: vector editors and
journals' tools ignore it.
"""

FONT_SIZE = 10.0
"""7.5 points, readable in a column of a paper."""

SCOPE = re.compile(r"^\.simpatico (svg )?")
"""The scope of the rules in charts.css, which a file of its own does not need."""

PAINT = {"fill", "stroke", "color", "opacity", "font-weight", "paint-order"}
"""Properties that are copied from charts.css, besides fill-… and stroke-…; font sizes are not,
since each figure sets its own."""

WIDTHS = {
    222: "ijl",
    191: "'",
    260: "|",
    278: " !,./:;I[\\]ft",
    333: "()-`r",
    334: "{}",
    355: '"',
    389: "*",
    469: "^",
    500: "Jcksvxyz",
    584: "+<=>~−",
    611: "FTZ",
    667: "&ABEKPSVXY",
    722: "CDHNRUw",
    778: "GOQ",
    833: "Mm",
    889: "%",
    944: "W",
    1000: "…",
    1015: "@",
}
"""Advance widths in thousandths of the font size, from Helvetica's AFM file; other letters of the
Latin blocks have 556."""

PER_LETTER = {letter: width for width, letters in WIDTHS.items() for letter in letters}


def svg_document(width: float, height: float, *children: Child) -> Html:
    """A standalone SVG with its own style, on white, in the light colours."""
    content = join_html(children)
    size = {"width": width, "height": height, "viewBox": f"0 0 {width:g} {height:g}"}
    font = {"font-family": FONT_FAMILIES, "font-size": FONT_SIZE}
    return el(
        "svg",
        {"xmlns": "http://www.w3.org/2000/svg", **size, **font},
        raw_element("style", {}, FALLBACK_FACES + figure_style(content)),
        mark_definitions() if "<use" in content else None,
        el("rect", {"width": "100%", "height": "100%", "fill": "#fff"}),
        content,
    )


def notebook_frame(*children: Child) -> Html:
    """The children for a notebook, with a style that touches nothing else there.

    No font is embedded, unlike in the page: it would be repeated in every cell's output.
    """
    shapes = el("svg", {"width": 0, "height": 0, "aria-hidden": "true"}, mark_definitions())
    style = raw_element("style", {}, charts_css())
    return el("div", {"class": "simpatico framed"}, style, shapes, children)


def mm_to_pixels(millimetres: float) -> float:
    """CSS pixels, of which an inch has 96."""
    return round(millimetres / 25.4 * 96, 2)


def figure_style(markup: str) -> str:
    """The rules of charts.css that apply to this markup, with variables resolved."""
    names = set(" ".join(re.findall(r'class="([^"]*)"', markup)).split())
    names |= set(re.findall(r"<([a-zA-Z]+)", markup))
    rules = (r for r in paint_rules() if set(re.findall(r"[\w-]+", r[0])) <= names)
    return "".join(f"{selector}{{{declarations}}}" for selector, declarations in rules)


@cache
def paint_rules() -> tuple[tuple[str, str], ...]:
    """Every plain selector of charts.css with its declarations of colours and strokes."""
    colors = light_colors()
    rules = []
    for selectors, body in css_rules():
        paints = []
        for declaration in body.split(";"):
            name, _, value = (part.strip() for part in declaration.partition(":"))
            if name in PAINT or name.startswith(("fill-", "stroke-")):
                color = re.sub(r"var\(--([\w-]+)\)", lambda v: colors[v[1]], value)
                paints.append(f"{name}:{color}")
        plain = [s.strip() for s in selectors.split(",") if not set(s) & set(":[*")]
        rules += [(re.sub(SCOPE, "", s), ";".join(paints)) for s in plain if paints]
    return tuple(rules)


@cache
def light_colors() -> dict[str, str]:
    """The variables of charts.css in the light scheme; a figure lies on white paper."""
    colors: dict[str, str] = {}
    for _, body in css_rules():
        for name, value in re.findall(r"--([\w-]+)\s*:\s*([^;]+)", body):
            colors.setdefault(name, value.strip())
    return colors | {"bg": "#fff"}


@cache
def css_rules() -> tuple[tuple[str, str], ...]:
    """Selectors and declarations of charts.css outside of every @media."""
    css = re.sub(r"/\*.*?\*/", "", charts_css(), flags=re.DOTALL)
    css = re.sub(r"@[^{;]*(\{([^{}]*\{[^{}]*\})*[^{}]*\}|;)", "", css)
    return tuple((s.strip(), b) for s, b in re.findall(r"([^{}]+)\{([^{}]*)\}", css))


def charts_css() -> str:
    """The style of all charts, as the package ships it."""
    return resources.files("simpatico.charts").joinpath("charts.css").read_text(encoding="utf-8")


def nested_svg(x: float, y: float, width: float, height: float, *children: Child) -> Html:
    """A box for a chart of the page, whose percentages then refer to the box."""
    box = {"x": x, "y": y, "width": width, "height": height, "overflow": "visible"}
    return el("svg", box, *children)


def vertical_line(x: object, height: float, kind: str) -> Html:
    """A line from top to bottom of its box; `x` may be a percentage."""
    return el("line", {"x1": x, "x2": x, "y1": 0, "y2": height, "class": kind})


def horizontal_line(x1: object, x2: object, y: float, kind: str | None = None) -> Html:
    return el("line", {"x1": x1, "x2": x2, "y1": y, "y2": y, "class": kind})


def text_line(
    x: object, y: float, text: str, kind: str | None = None, anchor: str | None = None
) -> Html:
    """A line of text with its baseline at y; `kind` is its class."""
    return el("text", {"x": x, "y": y, "class": kind, "text-anchor": anchor}, xml_text(text))


def xml_text(text: str) -> str:
    """The text without characters that XML does not allow."""
    return re.sub("[\ufffe\uffff]", "�", show_invisible(text))


def text_width(text: str, size: float = FONT_SIZE, bold: bool = False) -> float:
    """How wide Arial or Helvetica draw the text, without kerning; an estimate for other scripts.

    Bold is 8% wider on average. The page's Inter is up to 9% wider than that, which its charts
    allow for where a label ends at an edge.
    """
    return sum(map(letter_width, text)) * size / 1000 * (1.08 if bold else 1)


def letter_width(letter: str) -> int:
    """The advance width of a letter in thousandths of the font size."""
    if combining(letter):
        return 0
    if east_asian_width(letter) in "WF":
        return 1000
    # Latin beyond ASCII is mostly accented letters; other alphabets are about 20% wider.
    return PER_LETTER.get(letter, 556 if ord(letter) < 0x250 else 667)


def shorten_to_width(text: str, room: float, size: float = FONT_SIZE, bold: bool = False) -> str:
    """The text, with an ellipsis for its middle where it is wider than its room."""
    text = xml_text(text)
    if text_width(text, size, bold) <= room:
        return text
    for left in range(len(text) - 1, 1, -1):
        half = left // 2
        shorter = f"{text[: left - half].rstrip()}…{text[len(text) - half :].lstrip()}"
        if text_width(shorter, size, bold) <= room:
            return shorter
    return "…"


def wrap_to_width(text: str, room: float, size: float = FONT_SIZE, bold: bool = False) -> list[str]:
    """The text in lines that fit; a word that does not fit is abbreviated."""
    lines: list[str] = []
    for word in re.findall(r"[^ \t\n]+", xml_text(text)):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size, bold) <= room:
            lines[-1] = longer
        else:
            starts = (f"{word[:end]}." for end in range(len(word) - 1, 0, -1))
            forms = (word, *starts)
            lines.append(next((f for f in forms if text_width(f, size, bold) <= room), "…"))
    return lines


def text_lines(
    x: float,
    y: float,
    lines: Iterable[str | tuple[str, str]],
    step: float = 12.5,
    kind: str = "t",
    anchor: str | None = None,
) -> Html:
    """Lines of text below each other, the first with its baseline at y.

    A line that is a pair of text and class has a class of its own.
    """
    pairs = (line if isinstance(line, tuple) else (line, kind) for line in lines)
    return join_html(text_line(x, y + i * step, *pair, anchor) for i, pair in enumerate(pairs))
