"""Where the words of a text stand in it, in code points of the text as it was written.

Words are found in the normalised text (`words.normalise_texts`), so each character of that is
traced back: the text is cut before every character that cannot combine with what stands before it
(and after white space, which combines with nothing), each segment is normalised by itself, and what
comes out of a segment came from that segment.
Example: in "so ﬁne" the word "fine" stands at 3 to 6, three characters for its four letters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import polars as pl

from simpatico.features.words import APOSTROPHES, INVISIBLE, WordTable, cut_words, normalise_texts

Span = tuple[int, int]
Segment = list[tuple[int, str]]
"""Characters, each with its position in the text."""

HIDDEN, APOSTROPHE = re.compile(INVISIBLE), re.compile(APOSTROPHES)


class WordPosition(NamedTuple):
    """A word, and the characters it was made from: text[start:end]."""

    start: int
    end: int
    word: str


def row_positions(texts: pl.Series, table: WordTable) -> Callable[[int], list[WordPosition]]:
    """A function from a row to the positions of its words, which the table holds already."""
    vocabulary = table.vocabulary.to_list()

    def positions(row: int) -> list[WordPosition]:
        codes = table.codes[table.ends[row] : table.ends[row + 1]].tolist()
        return word_positions(texts[row], [vocabulary[code] for code in codes])

    return positions


def word_positions(text: str, words: Iterable[str] | None = None) -> list[WordPosition]:
    """Every word of a text in order, as `Words` finds them; `words`: these, where they are known.

    Two positions overlap only where one character became letters of both words, as "½" does.
    """
    series = pl.Series([text], dtype=pl.String)
    # of ASCII, normalising changes the case alone
    clean = text.lower() if text.isascii() else normalise_texts(series).item()
    origins = trace_characters(text, clean)
    positions, end = [], 0
    if words is None:
        table = cut_words(series)
        words = table.vocabulary.gather(table.codes)
    for word in words:
        # nothing between two words is a letter, so the next match is the word itself
        start = clean.index(word, end)
        end = start + len(word)
        positions.append(WordPosition(origins[start][0], origins[end - 1][1], word))
    return positions


def trace_characters(text: str, clean: str) -> list[Span]:
    """For each character of the normalised text, the characters of the text that gave it."""
    if text.isascii():
        return [(i, i + 1) for i in range(len(text))]
    visible = [(i, APOSTROPHE.sub("'", c)) for i, c in enumerate(text) if not HIDDEN.match(c)]
    for begins in (stands_alone, str.isascii):
        segments = list(split_segments(visible, begins))
        texts = pl.Series(["".join(c for _, c in s) for s in segments], dtype=pl.String)
        normal = texts.str.normalize("NFKC")
        if normal.str.join("").str.to_lowercase().item() == clean:
            break
        # Polars may know a newer Unicode, in which more combines; nothing ever combines with ASCII
    return [
        span
        for segment, output in zip(segments, normal, strict=True)
        for span in character_spans(segment, output)
    ]


def split_segments(characters: Segment, begins: Callable[[str], bool]) -> Iterator[Segment]:
    """Segments of a text, each starting at a character that `begins` one, or after white space."""
    segment: Segment = []
    for position, character in characters:
        if segment and (begins(character) or segment[-1][1].isspace()):
            yield segment
            segment = []
        segment.append((position, character))
    if segment:
        yield segment


def stands_alone(character: str) -> bool:
    """Whether no character before this one can combine or be reordered with it.

    Marks combine, and so do Hangul vowels and final consonants; unassigned ones might.
    """
    first = unicodedata.normalize("NFKD", character)[0]
    vowel_or_final = "\u1160" <= first <= "\u11ff" or "\ud7b0" <= first <= "\ud7ff"
    kind = unicodedata.category(first)
    return kind[0] != "M" and kind != "Cn" and not vowel_or_final


def character_spans(segment: Segment, output: str) -> Iterator[Span]:
    """The origin of each character of a normalised segment: one by one, or the whole segment."""
    everything = (segment[0][0], segment[-1][0] + 1)
    one_by_one = output == "".join(c for _, c in segment)
    for i, character in enumerate(output):
        span = (segment[i][0], segment[i][0] + 1) if one_by_one else everything
        # lower case may take more characters than the capital
        yield from [span] * len(character.lower())
