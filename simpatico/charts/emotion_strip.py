"""The feelings of a turn in eight cells: position says which feeling, shade how much of it."""

from __future__ import annotations

from collections.abc import Mapping

from simpatico.charts.html import Html, el
from simpatico.charts.systems import Party
from simpatico.wording import NO_VALUE, format_number

EMOTIONS = ("joy", "trust", "anticipation", "surprise", "fear", "sadness", "anger", "disgust")
"""In the order of the page, pleasant ones first."""

CLEAR = 0.25
"""Share of the strongest feeling from which it is named: twice that of an even spread."""

DARKER = 1.7
"""Shade per share: a share of six tenths is as dark as can be."""


def strip(shares: Mapping[str, float] | None, party: Party) -> Html:
    """Eight cells in the speaker's colour, and the strongest feeling by name."""
    if shares is None:
        return el("span", {"class": "emo", "title": "no feeling word"}, NO_VALUE)
    felt = {e: shares.get(e) or 0.0 for e in EMOTIONS}
    if not any(felt.values()):
        return el("span", {"class": "emo", "title": "no feeling word"}, NO_VALUE)
    most = strongest(felt)
    cells = [cell(e, felt[e]) for e in EMOTIONS if felt[e] > 0]
    outlines = [edge(e) for e in most]
    svg = {"class": party.key, "viewBox": "0 0 81 12", "aria-hidden": "true"}
    picture = el("svg", svg, el("path", {"class": "c", "d": "M.5 6h79"}), cells, outlines)
    words = ", ".join(most) or "no clear feeling"
    return el("span", {"class": "emo", "title": told(felt)}, picture, words)


def strongest(felt: Mapping[str, float]) -> list[str]:
    """One feeling, or two that are equally strong."""
    top = max(felt.values())
    most = [e for e in EMOTIONS if top - felt[e] < 1e-9]
    return most if top >= CLEAR and len(most) <= 2 else []


def cell(emotion: str, share: float) -> Html:
    shade = max(0.05, min(1.0, DARKER * share))
    return el("path", {"d": f"M{start(emotion):g} 6h9", "opacity": shade})


def edge(emotion: str) -> Html:
    return el("rect", {"x": start(emotion), "y": 0.5, "width": 9, "height": 11})


def start(emotion: str) -> float:
    return EMOTIONS.index(emotion) * 10 + 0.5


def told(felt: Mapping[str, float]) -> str | None:
    """All feelings there are with their shares, strongest first."""
    found = sorted((e for e in EMOTIONS if felt[e] > 0), key=lambda e: -felt[e])
    return ", ".join(f"{e} {format_number(100 * felt[e], 0)}%" for e in found) or None


def legend() -> Html:
    """Which cell is which feeling."""
    letters = [el("i", None, e[0].upper()) for e in EMOTIONS]
    row = el("span", {"class": "elab", "aria-hidden": "true"}, letters)
    return el("span", {"class": "emo"}, row, el("span", None, ", ".join(EMOTIONS)))
