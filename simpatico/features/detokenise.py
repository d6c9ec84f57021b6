"""Text without the marks that a tokeniser left in it, so that how it was stored decides nothing."""

from __future__ import annotations

import re

PLAIN = str.maketrans({"‘": "'", "’": "'", "´": "'", "“": '"', "”": '"'})
"""Typed marks in place of typeset ones."""
STEPS = tuple(
    (re.compile(pattern), put)
    for pattern, put in (
        (r"\s+", " "),
        (r"_comma_", ","),
        (r"``|''", '"'),
        (r"(?<=\w) ?' ?(s|m|re|ve|ll|d)\b(?! ?')", r"'\1"),
        (r"(?<=\w) n't\b|(?<=\wn) ?' ?t\b", lambda found: found[0].replace(" ", "")),
        (r" (?=[,.!?…%]|[;:)\]](?: |$))", ""),
        (r"(?<=[(\[$]) +", ""),
        (r"(?<=[^\W\d][,;!?])(?=[^\W\d])", " "),
    )
)


def tidied(text: str) -> str:
    """The text in small letters, with punctuation spaced as people type it.

    Example: "I do n't know _comma_ it 's  great !" is "i don't know, it's great!".
    """
    found = text.translate(PLAIN).lower()
    for pattern, put in STEPS:
        found = pattern.sub(put, found)
    return found.strip()


def letters(text: str) -> str:
    """Letters and digits alone, by which the same text is known however it was stored."""
    return re.sub(r"[\W_]+", "", tidied(text)) or text
