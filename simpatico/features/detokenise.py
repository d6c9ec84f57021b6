"""Undo tokenisation artefacts, so that how a corpus was stored does not change a prediction."""

from __future__ import annotations

import re

PLAIN = str.maketrans({"‘": "'", "’": "'", "´": "'", "“": '"', "”": '"'})
"""Typewriter quotes in place of typographic ones."""
STEPS = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"\s+", " "),
        (r"_comma_", ","),  # EmpatheticDialogues
        (r"``|''", '"'),  # the Penn Treebank
        (r"(?<=\w) ?' ?(s|m|re|ve|ll|d)\b(?! ?')", r"'\1"),
        (r"(?<=\w) n't\b|(?<=\wn) ?' ?t\b", lambda match: match[0].replace(" ", "")),
        (r" (?=[,.!?…%]|[;:)\]](?: |$))", ""),
        (r"(?<=[(\[$]) +", ""),
        (r"(?<=[^\W\d][,;!?])(?=[^\W\d])", " "),
    )
)


def detokenise(text: str) -> str:
    """The text in lower case, with punctuation spaced as people type it.

    Example: "I do n't know _comma_ it 's  great !" is "i don't know, it's great!".
    """
    plain = text.translate(PLAIN).lower()
    for pattern, replacement in STEPS:
        plain = pattern.sub(replacement, plain)
    return plain.strip()


def letters_and_digits(text: str) -> str:
    """Letters and digits alone: equal for the same text however it was stored."""
    return re.sub(r"[\W_]+", "", detokenise(text)) or text
