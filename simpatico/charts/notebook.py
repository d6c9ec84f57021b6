"""Drawings in a notebook: the same markup with its style, which touches nothing else there."""

from __future__ import annotations

from importlib.resources import files

from simpatico.charts.html import Child, Html, el, raw
from simpatico.charts.systems import defs


def framed(*children: Child) -> Html:
    """The children in a frame that brings its own style and shapes."""
    style = files("simpatico.charts").joinpath("charts.css").read_text(encoding="utf-8")
    shapes = el("svg", {"width": 0, "height": 0, "aria-hidden": "true"}, defs())
    return el("div", {"class": "simpatico framed"}, raw("style", {}, style), shapes, children)
