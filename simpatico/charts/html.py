"""The one way to markup: `el()` escapes everything that did not come out of `el()` itself.

Our own forty lines rather than a template language: drawings and pages are values that nest, and
there is a single place where text could become markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from html import escape

from simpatico.errors import ContractError

NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9:-]*\Z")
VOID = {"meta", "link", "input", "br", "col", "hr"}
EMPTY = {"path", "line", "rect", "circle", "use", "polygon", "polyline"}
REFUSED = {"style", "srcdoc", "srcset", "formaction"}
"""Attributes that a page with hashes for its one style and script must not have."""

HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb\ufffe\uffff\ud800-\udfff\U000e0000-\U000e007f]"
)
"""Characters nobody sees: controls, direction marks, zero widths. Joiners are part of writing."""


class Html(str):
    """Markup that is safe as it stands; only this module makes it."""

    __slots__ = ()


Child = object
"""Text, a number, `Html`, null (left out), or any of these in a list."""


def el(tag: str, attributes: Mapping[str, object] | None = None, *children: Child) -> Html:
    """An element. Attributes that are null or false are left out; true ones have no value."""
    if not NAME.match(tag) or tag in ("script", "style"):
        raise ContractError(f"{tag!r} is no element a drawing may have")
    opening = tag + "".join(attribute(n, v) for n, v in (attributes or {}).items())
    if tag in VOID:
        return Html(f"<{opening}>")
    if tag in EMPTY and not children:
        return Html(f"<{opening}/>")
    return Html(f"<{opening}>{joined(children)}</{tag}>")


def attribute(name: str, value: object) -> str:
    """One attribute with its space, or nothing."""
    if not NAME.match(name) or name in REFUSED or name.lower().startswith("on"):
        raise ContractError(f"an element must not have the attribute {name!r}")
    if value is None or value is False:
        return ""
    return f" {name}" if value is True else f' {name}="{escape(visible(text_of(value)))}"'


def joined(children: Iterable[Child]) -> Html:
    """The children one after the other, each escaped unless it is markup already."""
    return Html("".join(part(child) for child in children))


def part(child: Child) -> str:
    if child is None or child is False:
        return ""
    if isinstance(child, Html):
        return child
    if isinstance(child, Iterable) and not isinstance(child, str):
        return joined(child)
    text = text_of(child)
    if not HIDDEN.search(text):
        return escape(text, quote=False)
    pieces = HIDDEN.split(text)
    signs = [el("span", {"class": "unseen"}, visible(m)) for m in HIDDEN.findall(text)]
    return escape(pieces[0], quote=False) + "".join(
        sign + escape(piece, quote=False) for sign, piece in zip(signs, pieces[1:], strict=True)
    )


def text_of(value: object) -> str:
    """A value as text; coordinates keep two decimals at most."""
    if isinstance(value, float):
        rounded = f"{value:.2f}".rstrip("0").rstrip(".")
        return "0" if rounded == "-0" else rounded
    return str(value)


def visible(text: str) -> str:
    """The text with a readable mark for every character nobody sees."""
    return HIDDEN.sub(lambda found: f"[U+{ord(found[0]):04X}]", text)


def raw(tag: str, attributes: Mapping[str, object], content: str) -> Html:
    """A style or script of our own files, or data made safe; never text from outside."""
    if f"</{tag}" in content.lower():
        raise ContractError(f"the content of <{tag}> must not end it")
    opening = tag + "".join(attribute(n, v) for n, v in attributes.items())
    return Html(f"<{opening}>{content}</{tag}>")
