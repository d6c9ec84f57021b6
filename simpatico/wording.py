"""Words inside sentences: titles, capitals and lists, the same wherever we speak to people."""

from __future__ import annotations

from collections.abc import Sequence


def capital(text: str) -> str:
    """The text as it begins a sentence."""
    return text[:1].upper() + text[1:]


def titled(name: str) -> str:
    """The name of a score as a title."""
    return capital(name.replace("_", " "))


def within(title: str) -> str:
    """A title inside a sentence; names such as BERTScore stay as they are."""
    head, rest = title[:1], title[1:]
    return head.lower() + rest if rest == rest.lower() else title


def listed(words: Sequence[str]) -> str:
    """a, b and c."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
