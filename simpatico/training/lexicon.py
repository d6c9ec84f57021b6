"""The emotion lexicon we ship, derived from GoEmotions by strength of association.

SoA(w, e) = log2[(f(w, e) / f(e)) / ((f(w, not e) + 0.5) / f(not e))], where f counts texts: those
of emotion e, all others, and how many of either contain word w. Only weights above 0 are kept.
Example: a word in 2 of 3 texts of joy and in none of 4 others has log2[(2/3) / (0.5/4)] = 2.415.
"""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import numpy as np
import polars as pl
from scipy import sparse

from simpatico.arrays import Floats
from simpatico.errors import DataError, MissingResource
from simpatico.features.emotions import EMOTIONS
from simpatico.features.words import WordTable, cut_words

LABELS_OF: dict[str, tuple[str, ...]] = {
    "anger": ("anger", "annoyance"),
    "anticipation": ("curiosity", "desire", "excitement", "optimism"),
    "disgust": ("disgust",),
    "fear": ("fear", "nervousness"),
    "joy": ("amusement", "excitement", "joy", "love", "optimism", "pride", "relief"),
    "sadness": ("disappointment", "embarrassment", "grief", "remorse", "sadness"),
    "surprise": ("confusion", "surprise"),
    "trust": ("admiration", "approval", "caring", "gratitude", "love"),
}
"""GoEmotions labels that stand for each of Plutchik's emotions."""
UNMAPPED = ("disapproval", "realization")
"""Labels besides neutral that stand for none."""
# GoEmotions numbers its labels in the order of the alphabet, neutral last
MAPPING = {
    label: tuple(emotion for emotion, labels in LABELS_OF.items() if label in labels)
    for label in (*sorted({*UNMAPPED, *chain(*LABELS_OF.values())}), "neutral")
}
"""Plutchik's emotions of each GoEmotions label, in the order of GoEmotions' label numbers."""

FOLDERS = ("", "original", "goemotions/original")
"""Where the training file may lie under the folder that the user names."""

PLACEHOLDERS = r"\[(?:NAME|RELIGION)\]"
"""What GoEmotions has in place of names and religions; no words of the writers."""
SMOOTHING = 0.5
"""Added to the texts without the emotion, so that a word of none of them has a finite weight."""
DECIMALS = 4
"""Of weights in the file; a weight that rounds to 0 is left out."""


def derive_lexicon(data: Path, *, minimum: int = 5) -> pl.DataFrame:
    """The weights of all words in at least `minimum` texts."""
    if minimum < 1:
        raise DataError(f"minimum is {minimum} texts; give 1 or more")
    if not data.is_dir():
        raise MissingResource(f"no folder {str(data)!r}; give the one that holds GoEmotions")
    paths = [data / folder / "train.tsv" for folder in FOLDERS]
    if (path := next(filter(Path.is_file, paths), None)) is None:
        raise MissingResource(
            f"no train.tsv of GoEmotions in {str(data)!r}; "
            "get it from github.com/google-research/google-research/tree/master/goemotions/data"
        )
    texts, labels = read_goemotions(path)
    words = cut_words(texts.str.replace_all(PLACEHOLDERS, " "))
    # a row per text: 1 under each of the eight emotions that one of its labels stands for
    stands_for = np.array([[e in own for e in EMOTIONS] for own in MAPPING.values()], np.float64)
    has = np.array([stands_for[numbers].max(axis=0) for numbers in labels])
    lexicon = association_weights(words, has, minimum)
    if lexicon.is_empty():
        raise DataError(
            f"{data}: no word is in {minimum} of its {len(texts)} texts; lower the minimum"
        )
    return lexicon


def encode_lexicon(lexicon: pl.DataFrame) -> bytes:
    """The content of a lexicon file."""
    return lexicon.write_csv(float_precision=DECIMALS).encode()


def read_goemotions(path: Path) -> tuple[pl.Series, list[list[int]]]:
    """Texts and label numbers of a file with text, comma-separated labels and id in each row."""
    texts, labels = [], []
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not UTF-8 text at byte {error.start}") from None
    for number, line in enumerate(lines, 1):
        if not line:
            continue
        cells, place = line.rstrip("\r").split("\t"), f"{path}:{number}"
        if len(cells) != 3:
            raise DataError(f"{place}: {len(cells)} columns; GoEmotions has text, labels and id")
        try:
            codes = [int(cell) for cell in cells[1].split(",")]
        except ValueError:
            codes = [-1]
        if not all(0 <= code < len(MAPPING) for code in codes):
            raise DataError(
                f"{place}: labels {cells[1]!r}; expected comma-separated numbers from 0 to 27"
            )
        texts.append(cells[0])
        labels.append(codes)
    if not texts:
        raise DataError(f"{path}: no text in it")
    return pl.Series(texts), labels


def association_weights(table: WordTable, has: Floats, minimum: int) -> pl.DataFrame:
    """Terms, categories and the weights above 0 that remain after rounding."""
    with_emotion, without = text_counts(table, has), text_counts(table, 1.0 - has)
    with np.errstate(divide="ignore", invalid="ignore"):
        rate = with_emotion / has.sum(axis=0)
        other = (without + SMOOTHING) / (1.0 - has).sum(axis=0)
        weights = np.round(np.log2(rate / other), DECIMALS)
    frequent = with_emotion[:, 0] + without[:, 0] >= minimum
    row, column = np.nonzero(frequent[:, None] & np.isfinite(weights) & (weights > 0))
    return pl.DataFrame(
        {
            "term": table.vocabulary.gather(row),
            "category": pl.Series(EMOTIONS).gather(column),
            "weight": weights[row, column],
        }
    ).sort("term", "category")


def text_counts(table: WordTable, has: Floats) -> Floats:
    """For each word and each column of `has`, how many of its texts contain the word."""
    # scipy would merge repeated words inside the table's own arrays, hence the copies
    parts = (np.ones(len(table.codes)), table.codes.copy(), table.ends.copy())
    contains = sparse.csr_matrix(parts, shape=(len(has), len(table.vocabulary)))
    contains.sum_duplicates()
    contains.data[:] = 1.0
    return np.asarray(contains.T @ has)
