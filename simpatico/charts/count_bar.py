"""How many came through: one bar in parts, each named with its count below.

Shades of grey, not colours: these are the systems'.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from simpatico.charts.html import Html, el
from simpatico.wording import format_count

SHADES = 4
"""Greys of charts.css, f0 to f3; more parts than that begin again."""
HEIGHT = 22
THINNEST = 0.3
"""Percent of the bar below which a part is two pixels wide, or nobody would see it."""


def count_bar(parts: Sequence[tuple[str, int]]) -> Html:
    """The parts in order, as wide as their counts; parts without any are left out."""
    parts = [(name, n) for name, n in parts if n > 0]
    if not parts:
        return el("p", {"class": "flow"}, "nothing was read")
    total = sum(n for _, n in parts)
    starts = [0, *accumulate(n for _, n in parts)]
    labels = [f"{format_count(n)} {name}" for name, n in parts]
    bars, names = [], []
    for i, (_, n) in enumerate(parts):
        share, shade = 100 * n / total, {"class": f"f{i % SHADES}"}
        width = f"{share:.2f}%" if share >= THINNEST else 2
        place = {"x": f"{100 * starts[i] / total:.2f}%", "width": width, "height": HEIGHT}
        bars.append((share < THINNEST, el("rect", {**shade, **place})))
        swatch = el("rect", {**shade, "width": 10, "height": 10})
        icon = el("svg", {"viewBox": "0 0 10 10", "aria-hidden": "true"}, swatch)
        names.append(el("li", None, icon, labels[i]))
    # Small parts are drawn last, or the next part would cover what makes them visible.
    bars.sort(key=lambda item: item[0])
    picture = el("svg", {"role": "img", "aria-label": ", ".join(labels)}, [b for _, b in bars])
    return el("div", {"class": "flow"}, picture, el("ul", None, names))
