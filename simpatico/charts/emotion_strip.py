"""The emotions of a turn as eight cells: the position says which emotion, the shade its share.

The eight are those of Plutchik (1980). Position, not hue, tells them apart: hues are the systems'.
"""

from __future__ import annotations

from collections.abc import Mapping

from simpatico.charts.html import Html, el
from simpatico.charts.systems import SystemStyle
from simpatico.wording import NO_VALUE, format_number

EMOTIONS = ("joy", "trust", "anticipation", "surprise", "fear", "sadness", "anger", "disgust")
"""Plutchik's eight in the order of the page, pleasant ones first."""

NAMED_SHARE = 0.25
"""Share from which the strongest emotion is named: twice what eight equal ones would have."""

OPACITY_PER_SHARE = 1.7
"""A share of 0.6 has the full colour; single turns seldom have more."""


def emotion_strip(shares: Mapping[str, float] | None, style: SystemStyle) -> Html:
    """Eight cells in the speaker's colour, and the strongest emotion by name, or both of two."""
    present = {e: share for e in EMOTIONS if (share := (shares or {}).get(e) or 0.0) > 0}
    if not present:
        return el("span", {"class": "emo", "title": "no emotion word"}, NO_VALUE)
    top = max(present.values())
    strongest = [e for e, share in present.items() if top - share < 1e-9]
    if top < NAMED_SHARE or len(strongest) > 2:  # none stands out
        strongest = []
    x = {e: i * 10 + 0.5 for i, e in enumerate(EMOTIONS)}
    opacity = {e: max(0.05, min(1.0, OPACITY_PER_SHARE * share)) for e, share in present.items()}
    cells = [el("path", {"d": f"M{x[e]:g} 6h9", "opacity": opacity[e]}) for e in present]
    outlines = [el("rect", {"x": x[e], "y": 0.5, "width": 9, "height": 11}) for e in strongest]
    svg = {"class": style.key, "viewBox": "0 0 81 12", "aria-hidden": "true"}
    strip = el("svg", svg, el("path", {"class": "c", "d": "M.5 6h79"}), cells, outlines)
    ranking = sorted(present.items(), key=lambda item: -item[1])
    about = ", ".join(f"{e} {format_number(100 * share, 0)}%" for e, share in ranking)
    words = ", ".join(strongest) or "no clear emotion"
    return el("span", {"class": "emo", "title": about}, strip, words)


def emotion_legend() -> Html:
    """Which cell is which emotion."""
    letters = [el("i", None, e[0].upper()) for e in EMOTIONS]
    row = el("span", {"class": "elab", "aria-hidden": "true"}, letters)
    return el("span", {"class": "emo"}, row, el("span", None, ", ".join(EMOTIONS)))
