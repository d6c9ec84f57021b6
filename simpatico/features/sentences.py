"""Texts cut into sentences, for models that judge one sentence at a time.

A sentence ends at a full stop, an exclamation or question mark, or an ellipsis before a space, and
at the end of a line; of what has no such end, every `MAX_WORDS` words are one.
Example: "Oh no! Are you ok?" is two sentences, "3.5 km" one.
"""

from __future__ import annotations

import re

END = re.compile(r"""(?<=[.!?…。！？])["'”’)\]]*\s+|\s*\n\s*""")
WORD = re.compile(r"\w")
MAX_WORDS = 40
"""Longer ones are cut, so that a text without marks is read to its end."""
MAX_SENTENCES = 100
"""Of a text; what comes after them is not read."""


def sentences(text: str) -> list[str]:
    """The sentences of a text that have letters or digits; the text itself where none has."""
    pieces = (piece.strip() for piece in END.split(text))
    cut = [part for piece in pieces if WORD.search(piece) for part in cut_long(piece)]
    return cut[:MAX_SENTENCES] or [text]


def cut_long(sentence: str) -> list[str]:
    """The sentence, or its parts of at most `MAX_WORDS` words."""
    words = sentence.split()
    if len(words) <= MAX_WORDS:
        return [sentence]
    starts = range(0, len(words), MAX_WORDS)
    return [" ".join(words[start : start + MAX_WORDS]) for start in starts]
