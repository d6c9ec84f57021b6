"""What one would write by hand: `json`, `re`, a dict and a loop, from the file to scores.

    python benchmarks/loop.py UTTERANCES.jsonl ENTRIES.json SCORES.csv

Of each turn: shares and entropy of eight emotions, and how near its function words are to those of
the turn before. That is less than the preset `psych` makes; there are no dialog or system scores.
"""

from __future__ import annotations

import csv
import json
import math
import re
import sys
import unicodedata
from collections.abc import Iterable
from pathlib import Path

WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
EMOTIONS = 8

Entries = dict[str, list[tuple[int, float]]]


def sums(text: str, by_word: Entries, width: int, patterns: dict[str, str]) -> list[float]:
    """A sum for each column, then the number of words."""
    if not text.isascii():
        text = re.sub(patterns["apostrophes"], "'", text)
        text = unicodedata.normalize("NFKC", re.sub(patterns["invisible"], "", text))
    row = [0.0] * (width + 1)
    words = WORD.findall(text.lower())
    row[width] = len(words)
    for word in words:
        if word in by_word:
            for column, weight in by_word[word]:
                row[column] += weight
    return row


def scores(row: list[float], before: list[float] | None) -> list[float | None]:
    """Shares of emotions, their entropy, and the likeness of style to the turn before."""
    total = sum(row[:EMOTIONS])
    shares = [x / total for x in row[:EMOTIONS]] if total else [None] * EMOTIONS
    entropy = -sum(p * math.log2(p) for p in shares if p) if total else None
    likeness = None
    if before and row[-1] and before[-1]:
        pairs = [
            (a / row[-1], b / before[-1])
            for a, b in zip(row[EMOTIONS:-1], before[EMOTIONS:-1], strict=True)
        ]
        near = [1 - abs(a - b) / (a + b + 1e-4) for a, b in pairs]
        likeness = sum(near) / len(near)
    return [*shares, entropy, likeness]


def score_lines(lines: Iterable[str], lexica: dict, width: int) -> Iterable[list[object]]:
    dialog, before = None, None
    for line in lines:
        turn = json.loads(line)
        row = sums(turn["text"], lexica["entries"], width, lexica["patterns"])
        before = before if turn["dialog"] == dialog else None
        yield [turn["dialog"], turn["speaker"], *scores(row, before)]
        dialog, before = turn["dialog"], row


def main(source: Path, entries: Path, target: Path) -> None:
    lexica = json.loads(entries.read_text(encoding="utf-8"))
    with source.open(encoding="utf-8") as lines, target.open("w", newline="") as file:
        csv.writer(file).writerows(score_lines(lines, lexica, len(lexica["columns"])))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]))
