"""A drawing as a file of its own: one SVG with its colours written out, and aids to set its text.

A unit is a CSS pixel, 1/96 inch, so that the drawings of the page keep their sizes on paper.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from unicodedata import combining, east_asian_width

from simpatico.charts.html import Child, Html, el, joined, raw, visible
from simpatico.charts.systems import defs

FACES = "'Liberation Sans', Arial, Helvetica, simpatico, sans-serif"
"""The converter brings the first one along; the next two are exactly as wide."""

FALLBACK = "".join(
    f"@font-face{{font-family:simpatico;font-weight:{weight};src:{sources};size-adjust:{size}%}}"
    for weight, sources, size in (
        (400, "local('DejaVu Sans'),local('Verdana')", 84),
        (700, "local('DejaVu Sans Bold'),local('Verdana Bold')", 79),
    )
)
"""Where only wider fonts are installed, they are drawn smaller, until they are as wide as Arial.

A figure has no font inside: editors and journals' tools ignore those, and Arial is what they have.
"""

TEXT = 10.0
"""7.5 points, readable in a column of a paper."""

SCOPE = re.compile(r"^\.simpatico (svg )?")
"""What the rules of a page need to stay within a drawing, and a file of its own does not."""

PAINT = {"fill", "stroke", "color", "opacity", "font-weight", "paint-order"}
"""Besides fill-… and stroke-…; sizes of text are set by each figure."""

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
"""Thousandths of the size of the text, by Helvetica's metrics file; all others here are 556."""

PER_LETTER = {letter: width for width, letters in WIDTHS.items() for letter in letters}


def standalone(width: float, height: float, *children: Child) -> Html:
    """One SVG that needs nothing beside it, on white, in the light colours."""
    inside = joined(children)
    return el(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "width": width,
            "height": height,
            "viewBox": f"0 0 {width:g} {height:g}",
            "font-family": FACES,
            "font-size": TEXT,
        },
        raw("style", {}, FALLBACK + style(inside)),
        defs() if "<use" in inside else None,
        el("rect", {"width": "100%", "height": "100%", "fill": "#fff"}),
        inside,
    )


def pixels(millimetres: float) -> float:
    """A width on paper in the units of a drawing."""
    return round(millimetres / 25.4 * 96, 2)


def style(markup: str) -> str:
    """Those rules of draw.css that paint something in this drawing, with variables resolved."""
    names = set(" ".join(re.findall(r'class="([^"]*)"', markup)).split())
    names |= set(re.findall(r"<([a-zA-Z]+)", markup))
    return "".join(f"{s}{{{d}}}" for s, d in paint() if set(re.findall(r"[\w-]+", s)) <= names)


@cache
def paint() -> tuple[tuple[str, str], ...]:
    """Every plain selector of draw.css with what it paints."""
    colours = tokens()
    found = []
    for selectors, body in rules():
        kept = [painted(d, colours) for d in body.split(";") if paints(d)]
        plain = [s.strip() for s in selectors.split(",") if not set(s) & set(":[*")]
        found += [(re.sub(SCOPE, "", s), ";".join(kept)) for s in plain if kept]
    return tuple(found)


def paints(declaration: str) -> bool:
    name = declaration.partition(":")[0].strip()
    return name in PAINT or name.startswith(("fill-", "stroke-"))


def painted(declaration: str, colours: dict[str, str]) -> str:
    """A declaration without variables."""
    resolved = re.sub(r"var\(--([\w-]+)\)", lambda v: colours[v[1]], declaration.strip())
    return re.sub(r"\s*:\s*", ":", resolved, count=1)


@cache
def tokens() -> dict[str, str]:
    """The light colours of draw.css; a figure lies on white paper, not on the page."""
    found: dict[str, str] = {}
    for _, body in rules():
        for name, value in re.findall(r"--([\w-]+)\s*:\s*([^;]+)", body):
            found.setdefault(name, value.strip())
    return found | {"bg": "#fff"}


@cache
def rules() -> tuple[tuple[str, str], ...]:
    """Selectors and declarations of draw.css outside of every @media."""
    css = resources.files("simpatico.charts").joinpath("charts.css").read_text(encoding="utf-8")
    css = re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)
    css = re.sub(r"@[^{;]*(\{([^{}]*\{[^{}]*\})*[^{}]*\}|;)", "", css)
    return tuple((s.strip(), b) for s, b in re.findall(r"([^{}]+)\{([^{}]*)\}", css))


def nested(x: float, y: float, width: float, height: float, *children: Child) -> Html:
    """Room for a drawing of the page in which percents count from its own edges."""
    place = {"x": x, "y": y, "width": width, "height": height, "overflow": "visible"}
    return el("svg", place, *children)


def label(
    x: object, y: float, text: str, kind: str | None = None, anchor: str | None = None
) -> Html:
    """A line of text with its baseline at y; `kind` are the classes that paint it."""
    place = {"x": x, "y": y, "class": kind, "text-anchor": anchor}
    return el("text", place, printable(text))


def printable(text: str) -> str:
    """Text that is well-formed XML, whatever it was."""
    return re.sub("[\ufffe\uffff]", "�", visible(text))


def width_of(text: str, size: float = TEXT, bold: bool = False) -> float:
    """About how wide the text is drawn; no narrower than Arial and Helvetica draw Latin letters."""
    return sum(map(letter_width, text)) * size / 1000 * (1.08 if bold else 1)


def letter_width(letter: str) -> int:
    if combining(letter):
        return 0
    if east_asian_width(letter) in "WF":
        return 1000
    return PER_LETTER.get(letter, 556 if ord(letter) < 0x250 else 667)


def fitted(text: str, room: float, size: float = TEXT, bold: bool = False) -> str:
    """The text without its middle, if it is wider than its room."""
    text = printable(text)
    if width_of(text, size, bold) <= room:
        return text
    for left in range(len(text) - 1, 1, -1):
        half = left // 2
        shorter = f"{text[: left - half].rstrip()}…{text[len(text) - half :].lstrip()}"
        if width_of(shorter, size, bold) <= room:
            return shorter
    return "…"


def wrapped(text: str, room: float, size: float = TEXT, bold: bool = False) -> list[str]:
    """The text in lines that fit; a word that does not is abbreviated."""
    lines: list[str] = []
    for word in re.findall(r"[^ \t\n]+", printable(text)):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width_of(longer, size, bold) <= room:
            lines[-1] = longer
        else:
            lines.append(abbreviated(word, room, size, bold))
    return lines


def abbreviated(word: str, room: float, size: float, bold: bool) -> str:
    if width_of(word, size, bold) <= room:
        return word
    starts = (f"{word[:end]}." for end in range(len(word) - 1, 0, -1))
    return next((s for s in starts if width_of(s, size, bold) <= room), "…")


def block(x: float, y: float, lines: list[str], step: float = 12.5, kind: str = "t") -> Html:
    """Lines of text one below the other, the first with its baseline at y."""
    return joined(label(x, y + i * step, line, kind=kind) for i, line in enumerate(lines))
