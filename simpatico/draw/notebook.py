"""Drawings in a notebook: the same markup with its style, which touches nothing else there."""

from __future__ import annotations

from importlib.resources import files

from simpatico.draw.el import Child, Html, el, raw
from simpatico.draw.marks import defs


def framed(*children: Child) -> Html:
    """The children in a frame that brings its own style and shapes."""
    style = files("simpatico.draw").joinpath("draw.css").read_text(encoding="utf-8")
    shapes = el("svg", {"width": 0, "height": 0, "aria-hidden": "true"}, defs())
    return el("div", {"class": "simpatico framed"}, raw("style", {}, style), shapes, children)
