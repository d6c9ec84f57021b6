"""How many came through: one bar in parts, each named with its count below."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from simpatico.charts.html import Html, el
from simpatico.wording import format_count

SHADES = 4
HEIGHT = 22
THINNEST = 0.3
"""Percent of the bar below which a part is two pixels wide, or nobody would see it."""


def count_bar(parts: Sequence[tuple[str, int]]) -> Html:
    """The parts in order, as wide as their counts; parts without any are left out."""
    kept = [(name, n) for name, n in parts if n > 0]
    if not kept:
        return el("p", {"class": "flow"}, "nothing was read")
    total = sum(n for _, n in kept)
    starts = [0, *accumulate(n for _, n in kept)]
    # Small parts last, or the next part would cover what makes them visible.
    order = sorted(range(len(kept)), key=lambda i: 100 * kept[i][1] / total < THINNEST)
    bars = [count_bar_part(i, 100 * starts[i] / total, 100 * kept[i][1] / total) for i in order]
    said = ", ".join(f"{format_count(n)} {name}" for name, n in kept)
    names = [
        el("li", None, count_bar_swatch(i), f"{format_count(n)} {name}")
        for i, (name, n) in enumerate(kept)
    ]
    picture = el("svg", {"role": "img", "aria-label": said}, bars)
    return el("div", {"class": "flow"}, picture, el("ul", None, names))


def count_bar_part(i: int, start: float, share: float) -> Html:
    """One part; a very small one can still be seen."""
    width = f"{share:.2f}%" if share >= THINNEST else 2
    return el(
        "rect",
        {"class": count_bar_shade(i), "x": f"{start:.2f}%", "width": width, "height": HEIGHT},
    )


def count_bar_swatch(i: int) -> Html:
    square = el("rect", {"class": count_bar_shade(i), "width": 10, "height": 10})
    return el("svg", {"viewBox": "0 0 10 10", "aria-hidden": "true"}, square)


def count_bar_shade(i: int) -> str:
    return f"f{i % SHADES}"
