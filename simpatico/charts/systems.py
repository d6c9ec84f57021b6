"""Who is who: a colour and a shape for every system, the same in every view.

Shapes and dashes repeat what colours say, for print and for readers who see no difference in these.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from simpatico.charts.html import Html, el

LONGEST = 24
"""Characters of a name that are shown before its middle is left out."""

SHAPES = (
    "M-4.6 0a4.6 4.6 0 1 0 9.2 0a4.6 4.6 0 1 0 -9.2 0z",
    "M0 -5.6L5.6 0 0 5.6 -5.6 0z",
    "M0 -5.2L5.3 4.2 -5.3 4.2z",
    "M-1.7 -5h3.4v3.3h3.3v3.4h-3.3v3.3h-3.4v-3.3h-3.3v-3.4h3.3z",
    "M0 -5.2L4.9 -1.6 3 4.2 -3 4.2 -4.9 -1.6z",
    "M-4.6 -2.4L-2.4 -4.6 0 -2.2 2.4 -4.6 4.6 -2.4 2.2 0 4.6 2.4 2.4 4.6 0 2.2 -2.4 4.6 -4.6 2.4"
    " -2.2 0z",
)
"""Shapes of systems in their order, of about the same area, around 0, 0."""
SQUARE = "M-4 -4h8v8h-8z"
RING = "M-3.8 0a3.8 3.8 0 1 0 7.6 0a3.8 3.8 0 1 0 -7.6 0z"
"""Of people, and of systems beyond those that have a shape."""
DASHES = ("", "6 3", "2 3", "8 3 2 3", "1 3", "10 4")
"""Of a radar's outlines, in the order of `SHAPES`."""


@dataclass(frozen=True)
class SystemStyle:
    """Somebody with a name: a system by its place in the run, a user, or one of too many."""

    name: str
    key: str
    """s0 to s5 for systems, sx for those beyond six that are not compared, sp for people."""
    label: str = ""

    @property
    def display_name(self) -> str:
        """The name as charts show it: short, and different from all others."""
        return self.label or shorten_name(self.name)


def assign_styles(systems: Iterable[str], compared: Iterable[str] = ()) -> dict[str, SystemStyle]:
    """Colours and shapes follow the order of the systems; beyond six only `compared` have them."""
    names, lead = list(systems), list(compared)[:2]
    keys = {n: f"s{i}" for i, n in enumerate(names)}
    if len(names) > len(SHAPES):
        keys = {n: f"s{lead.index(n)}" if n in lead else "sx" for n in names}
    labels = names
    for longest in (LONGEST, 2 * LONGEST):  # names are shortened if that leaves no two alike
        short = [shorten_name(name, longest) for name in names]
        if len(set(short)) == len(set(names)):
            labels = short
            break
    return {n: SystemStyle(n, keys[n], label) for n, label in zip(names, labels, strict=True)}


def user_style(name: str) -> SystemStyle:
    """A grey square: people are a reference, not one of the systems."""
    return SystemStyle(name, "sp")


def shorten_name(name: str, longest: int = LONGEST) -> str:
    """A name without its middle if it is too long."""
    if len(name) <= longest:
        return name
    half = (longest - 1) // 2
    return f"{name[: longest - 1 - half]}…{name[-half:]}"


def styled_name(style: SystemStyle, tag: str = "span", scope: str | None = None) -> Html:
    """Shape, colour and name in running text, or as the head of a row."""
    full = style.name if style.display_name != style.name else None
    icon = el("svg", {"viewBox": "-6 -6 12 12", "aria-hidden": "true"}, use_mark(style.key))
    attributes = {"class": f"sys {style.key}", "scope": scope, "title": full}
    return el(tag, attributes, icon, el("bdi", None, style.display_name))


def use_mark(key: str, x: object = None, y: object = None, small: bool = False) -> Html:
    """The mark of a system at a place; needs `mark_definitions` once in the same document."""
    return el("use", {"href": f"#{'n' if small else 'm'}{key[1]}", "x": x, "y": y})


def mark_definitions() -> Html:
    """The shapes that `use_mark` refers to: m0 to m5, mp, mx; a fifth smaller n0 to n5, np, nx."""
    shapes = {**{str(i): d for i, d in enumerate(SHAPES)}, "p": SQUARE, "x": RING}
    marks = [el("path", {"id": f"m{k}", "d": d}) for k, d in shapes.items()]
    smaller = [
        el("path", {"id": f"n{k}", "d": d, "transform": "scale(.8)"}) for k, d in shapes.items()
    ]
    return el("defs", None, marks, smaller)
