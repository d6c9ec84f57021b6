"""Evidence in a text: which words raised a score and which lowered it.

Evidence is offsets and weights beside the plain text, never marked-up text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import isfinite
from unicodedata import category

import numpy as np

from simpatico.charts.html import Child, Html, el, join_html
from simpatico.reporting.sections.components import join_children
from simpatico.wording import MAX_DIGITS, format_difference

Span = tuple[int, int, float]
"""First code point, the one after the last, weight: above 0 raises the score, below 0 lowers it."""

QUOTE = 40
"""Characters of evidence that are quoted in a sentence."""
JOINER = "\u200d"
"""Joins emoji into one sign, such as a family."""
CLUSTER = 32
"""Code points that a cut goes back at most to keep what is read as one character whole."""


def valid_spans(text: str, spans: Iterable[Span]) -> list[Span]:
    """The spans that lie in the text, cut to it; those without length or weight are left out."""
    inside = [(max(a, 0), min(b, len(text)), w) for a, b, w in spans if isfinite(w) and w]
    return [span for span in inside if span[0] < span[1]]


def mark_evidence(text: str, spans: Sequence[Span], least: float) -> Html:
    """The text, marked where the weights that lie on it add up to more than `least` in size."""
    weights = np.zeros(len(text))
    for start, end, weight in valid_spans(text, spans):
        weights[start:end] += weight
    sign = np.where(abs(weights) > least, np.sign(weights), 0.0)
    for i in range(1, len(text) - 1):  # a space between words of one sign is marked with them
        if text[i] == " " and sign[i - 1] == sign[i + 1]:
            sign[i] = sign[i - 1]
    cuts = [0, *(np.flatnonzero(np.diff(sign)) + 1).tolist(), len(text)]
    parts: list[Child] = []
    for start, end in pairwise(cuts):
        if start < end:
            # A line break of two characters is one, or `el` would show the first as invisible.
            words = text[start:end].replace("\r\n", "\n")
            kind = {"class": "p" if sign[start] > 0 else "m"}
            parts.append(el("mark", kind, words) if sign[start] else words)
    return join_html(parts)


def strongest_words(text_spans: Iterable[tuple[str, Sequence[Span]]], n: int = 2) -> Html:
    """The words that moved the score most, as a sentence; empty where nothing did."""
    parts: list[Child] = []
    for verb, rows in rank_words(text_spans, n).items():
        if rows:
            parts += [f"; {verb}" if parts else verb.capitalize(), " most by "]
            # isolated, as words may run from right to left
            quotes = [
                join_html(["“", el("bdi", None, words), f"” ({effect})"]) for words, effect in rows
            ]
            parts += join_children(quotes)
    return join_html([*parts, "."] if parts else [])


def rank_words(
    text_spans: Iterable[tuple[str, Sequence[Span]]], n: int = 2
) -> dict[str, list[tuple[str, str]]]:
    """The n words that raised a score most and the n that lowered it, each with its effect.

    A word that occurs several times counts once, with its strongest weight in each direction.
    """
    strongest: dict[tuple[bool, str], tuple[float, str]] = {}
    for text, spans in text_spans:
        for start, end, weight in valid_spans(text, spans):
            words = " ".join(text[start:end].split())
            key = (weight > 0, words.casefold())
            if words and abs(weight) > abs(strongest.get(key, (0.0, ""))[0]):
                strongest[key] = (weight, words)
    ranking = sorted(strongest.values(), key=lambda row: (-abs(row[0]), row[1]))
    raising = [row for row in ranking if row[0] > 0][:n]
    lowering = [row for row in ranking if row[0] < 0][:n]
    digits = 2  # more where a weight would round to 0
    while digits < MAX_DIGITS and any(not round(w, digits) for w, _ in raising + lowering):
        digits += 1
    return {
        verb: [(truncate(words, QUOTE), format_effect(weight, digits)) for weight, words in rows]
        for verb, rows in (("raised", raising), ("lowered", lowering))
    }


def format_effect(weight: float, digits: int) -> str:
    """A weight with its sign and without a zero before the point."""
    effect = format_difference(weight, digits)
    return effect.replace("0.", ".", 1) if abs(weight) < 1 else effect


def truncate(text: str, longest: int) -> str:
    """The beginning of a text that is too long, with an ellipsis."""
    if len(text) <= longest:
        return text
    return text[: character_boundary(text, longest - 1)].rstrip() + "…"


def character_boundary(text: str, at: int) -> int:
    """The last place up to `at` where a cut leaves accents and joined signs with their letters.

    A simplification of Unicode's grapheme clusters (UAX 29) that covers what people write in chats:
    combining marks, joined emoji, skin tones and flags.
    """
    if at >= len(text):
        return len(text)
    place, first = at, max(at - CLUSTER, 0)
    while place > first and is_one_character(text[place - 1], text[place]):
        place -= 1
    return place if place > first else at


def is_one_character(before: str, after: str) -> bool:
    """Whether two neighbouring code points are read as one character."""
    tone = "\U0001f3fb" <= after <= "\U0001f3ff"
    flag = "\U0001f1e6" <= before <= "\U0001f1ff" and "\U0001f1e6" <= after <= "\U0001f1ff"
    return category(after)[0] == "M" or JOINER in (before, after) or tone or flag
