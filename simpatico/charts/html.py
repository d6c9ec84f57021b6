"""HTML and SVG elements; `el()` is the only way to markup and escapes whatever is not markup.

Forty lines of our own rather than a template language: charts and pages are values that nest, and
there is a single place where text could become markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from html import escape

from simpatico.errors import ContractError

NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9:-]*\Z")
# Elements without an end tag in HTML, and SVG elements that are written as one tag when empty.
VOID = {"meta", "link", "input", "br", "col", "hr"}
EMPTY = {"path", "line", "rect", "circle", "use", "polygon", "polyline"}
REFUSED = {"style", "srcdoc", "srcset", "formaction"}
"""Attributes that the page's content security policy blocks, or that load or run something."""

HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb\ufffe\uffff\ud800-\udfff\U000e0000-\U000e007f]"
)
"""Invisible characters: controls, direction marks, zero widths. A name could hide or reorder text
with them, so they are shown as their code points. Joiners (U+200C, U+200D) are part of writing."""


class Html(str):
    """Markup that is safe as it stands; only this module creates it."""

    __slots__ = ()


Child = object
"""Text, a number, `Html`, None (left out), or any of these in a list."""


def el(tag: str, attributes: Mapping[str, object] | None = None, *children: Child) -> Html:
    """An element. Attributes that are None or False are left out; True ones have no value."""
    if not NAME.match(tag) or tag in ("script", "style"):
        raise ContractError(f"{tag!r} is not an element that a drawing may contain")
    opening = tag + "".join(render_attribute(n, v) for n, v in (attributes or {}).items())
    if tag in VOID:
        return Html(f"<{opening}>")
    if tag in EMPTY and not children:
        return Html(f"<{opening}/>")
    return Html(f"<{opening}>{join_html(children)}</{tag}>")


def hidden_text(text: str) -> Html:
    """Words for screen readers only."""
    return el("span", {"class": "vh"}, text)


def render_attribute(name: str, value: object) -> str:
    """One attribute with a leading space, or an empty string."""
    if not NAME.match(name) or name in REFUSED or name.lower().startswith("on"):
        raise ContractError(f"an element must not have the attribute {name!r}")
    if value is None or value is False:
        return ""
    return f" {name}" if value is True else f' {name}="{escape(show_invisible(value_text(value)))}"'


def join_html(children: Iterable[Child]) -> Html:
    """The children in order, each escaped unless it is markup already."""
    return Html("".join(render_child(child) for child in children))


def render_child(child: Child) -> str:
    if child is None or child is False:
        return ""
    if isinstance(child, Html):
        return child
    if isinstance(child, Iterable) and not isinstance(child, str):
        return join_html(child)
    text = value_text(child)
    if not HIDDEN.search(text):
        return escape(text, quote=False)
    visible = [escape(piece, quote=False) for piece in HIDDEN.split(text)]
    codes = [el("span", {"class": "unseen"}, show_invisible(c)) for c in HIDDEN.findall(text)]
    pairs = zip(codes, visible[1:], strict=True)
    return visible[0] + "".join(code + piece for code, piece in pairs)


def value_text(value: object) -> str:
    """A value as text; coordinates keep two decimals at most."""
    if isinstance(value, float):
        short = f"{value:.2f}".rstrip("0").rstrip(".")
        return "0" if short == "-0" else short
    return str(value)


def show_invisible(text: str) -> str:
    """The text with the code point, such as [U+202E], in place of every invisible character."""
    return HIDDEN.sub(lambda match: f"[U+{ord(match[0]):04X}]", text)


def raw_element(tag: str, attributes: Mapping[str, object], content: str) -> Html:
    """A style or script from our own files, unescaped; never text from outside."""
    if f"</{tag}" in content.lower():
        raise ContractError(f"the content of <{tag}> must not end it")
    opening = tag + "".join(render_attribute(n, v) for n, v in attributes.items())
    return Html(f"<{opening}>{content}</{tag}>")
