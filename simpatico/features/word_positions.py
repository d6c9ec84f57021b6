"""Where the words of a text stand in it, in code points of the text as it was written.

Words are found in a text brought to one form (`words.uniform`), so each character of that form is
traced back: the text is cut before every character that cannot join what stands before it (and
after white space, which joins nothing), each piece is brought to that form by itself, and what
comes out of a piece came from that piece.
Example: in "so ﬁne" the word "fine" stands at 3 to 6, three characters for its four letters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import NamedTuple

import polars as pl

from simpatico.features.words import APOSTROPHES, INVISIBLE, uniform, words

Span = tuple[int, int]
Piece = list[tuple[int, str]]
"""Characters, each with its place in the text."""

UNSEEN, APOSTROPHE = re.compile(INVISIBLE), re.compile(APOSTROPHES)


class Place(NamedTuple):
    """A word, and the characters it was made from: text[start:end]."""

    start: int
    end: int
    word: str


def places(text: str) -> list[Place]:
    """Every word of a text in order, as `Words` finds them.

    Two places overlap only where one character became letters of both words, as "½" does.
    """
    form = uniform(pl.Series([text], dtype=pl.String)).item()
    origin = traced(text, form)
    found, end = [], 0
    table = words(pl.Series([text], dtype=pl.String))
    for word in table.vocabulary.gather(table.codes):
        # nothing between two words is a letter, so the next place that fits is the word itself
        start = form.index(word, end)
        end = start + len(word)
        found.append(Place(origin[start][0], origin[end - 1][1], word))
    return found


def traced(text: str, form: str) -> list[Span]:
    """For each character of the form of a text, the characters of the text that gave it."""
    if text.isascii():
        return [(place, place + 1) for place in range(len(text))]
    seen = [(i, APOSTROPHE.sub("'", c)) for i, c in enumerate(text) if not UNSEEN.match(c)]
    for begins in (stands_alone, str.isascii):
        pieces = list(cut(seen, begins))
        made = pl.Series(["".join(c for _, c in p) for p in pieces], dtype=pl.String)
        made = made.str.normalize("NFKC")
        if made.str.join("").str.to_lowercase().item() == form:
            break
        # a Unicode newer than Python's joins more than it knows; nothing ever joins ASCII
    return [span for piece, out in zip(pieces, made, strict=True) for span in spread(piece, out)]


def cut(seen: Piece, begins: Callable[[str], bool]) -> Iterator[Piece]:
    """Pieces of a text, each starting at a character that `begins` one, or after white space."""
    piece: Piece = []
    for place, character in seen:
        if piece and (begins(character) or piece[-1][1].isspace()):
            yield piece
            piece = []
        piece.append((place, character))
    if piece:
        yield piece


def stands_alone(character: str) -> bool:
    """Whether no character before this one can join it or change places with it."""
    first = unicodedata.normalize("NFKD", character)[0]
    vowel_or_final = "\u1160" <= first <= "\u11ff" or "\ud7b0" <= first <= "\ud7ff"
    kind = unicodedata.category(first)
    return kind[0] != "M" and kind != "Cn" and not vowel_or_final


def spread(piece: Piece, out: str) -> Iterator[Span]:
    """Where each character that came out of a piece came from: one by one, or from all of it."""
    whole = (piece[0][0], piece[-1][0] + 1)
    same = out == "".join(c for _, c in piece)
    for number, character in enumerate(out):
        span = (piece[number][0], piece[number][0] + 1) if same else whole
        # lower case may take more characters than the capital
        yield from [span] * len(character.lower())
