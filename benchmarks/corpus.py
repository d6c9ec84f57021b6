"""A made-up chat corpus with real English word frequencies: seeded, of any size, no download.

Word order is random. Frequencies come from the package wordfreq, lengths are log-normal, and case,
punctuation, contractions, curly apostrophes, emoji, other scripts and canned replies are mixed in
at rates seen in chat logs. A smaller corpus is always the beginning of a larger one.

    python benchmarks/corpus.py 200000 small.jsonl [small.csv small.parquet small.openai.jsonl]
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl

BLOCK = 20_000
DIALOG = 10
TYPES = 72_000
LENGTH = 15.0
SPREAD = 0.75
CANNED = (
    "ok", "Yes.", "no", "lol", "Thank you!", "I'm not sure I understand. Can you rephrase that?",
    "That's great to hear!", "hi", "Hello! How can I help you today?", "I don't know", "?", "👍",
)  # fmt: skip
ACCENTED = ("café", "naïve", "fiancée", "résumé", "El Niño", "jalapeño", "Zoë", "über", "20 €", "–")
EMOJI = ("😀", "😂", "❤️", "👍🏽", "🙏", "😭", "👩‍👧", "🎉", "…")
OTHER_SCRIPT = ("Привет, как дела?", "你好，今天怎么样？", "ありがとうございます", "مرحبا كيف حالك")
ENDS = np.array([" ", ", ", ". ", "! ", "? ", "... ", " - ", "\n"])
END_SHARES = np.array([0.860, 0.050, 0.060, 0.010, 0.010, 0.004, 0.004, 0.002])


@dataclass(frozen=True)
class Vocabulary:
    """Words, their cumulative frequencies, and each word in three ways of writing."""

    cumulative: np.ndarray
    forms: np.ndarray


@cache
def vocabulary() -> Vocabulary:
    """The frequent English words of wordfreq, made of letters and inner apostrophes."""
    from wordfreq import get_frequency_dict

    plain = re.compile(r"[a-z]+(?:'[a-z]+)*")
    frequency = {w: f for w, f in get_frequency_dict("en").items() if plain.fullmatch(w)}
    words = sorted(frequency, key=lambda w: (-frequency[w], w))[:TYPES]
    share = np.array([frequency[w] for w in words])
    forms = np.array([words, [w.capitalize() for w in words], [w.upper() for w in words]], object)
    return Vocabulary(np.cumsum(share) / share.sum(), forms)


def block(number: int) -> list[str]:
    """The texts of one block of `BLOCK` utterances."""
    rng, words = np.random.default_rng([7, number]), vocabulary()
    raw_lengths = rng.lognormal(np.log(LENGTH) - SPREAD**2 / 2, SPREAD, BLOCK)
    lengths = np.clip(np.rint(raw_lengths), 1, 400).astype(int)
    ends = np.cumsum(lengths)
    total = int(ends[-1])
    word = np.searchsorted(words.cumulative, rng.random(total)).clip(max=len(words.forms[0]) - 1)
    form = rng.choice(3, total, p=[0.965, 0.03, 0.005])
    form[(ends - lengths)[rng.random(BLOCK) < 0.6]] = 1
    tokens = words.forms[form, word] + ENDS.astype(object)[rng.choice(8, total, p=END_SHARES)]
    parts = tokens.tolist()
    texts = ["".join(parts[e - n : e]).strip() for e, n in zip(ends, lengths, strict=True)]
    return [odd(t, u, rng) for t, u in zip(texts, rng.random(BLOCK), strict=True)]


def odd(text: str, chance: float, rng: np.random.Generator) -> str:
    """The text, or in 3% of cases a canned reply and in some 4% one that is not plain ASCII."""
    if chance < 0.03:
        return CANNED[int(rng.integers(len(CANNED)))]
    if chance < 0.033:
        return OTHER_SCRIPT[int(rng.integers(len(OTHER_SCRIPT)))]
    if chance < 0.048:
        return f"{text} {EMOJI[int(rng.integers(len(EMOJI)))]}"
    if chance < 0.056:
        return f"{ACCENTED[int(rng.integers(len(ACCENTED)))]} {text}"
    if chance < 0.130:
        return text.replace("'", "’")
    return text


def texts(size: int) -> Iterator[list[str]]:
    """The first `size` texts, block by block."""
    for number, low in enumerate(range(0, size, BLOCK)):
        yield block(number)[: size - low]


def frame(lines: list[str], first: int) -> pl.DataFrame:
    """Texts as a table of utterances, the first of which is utterance number `first`."""
    number = pl.int_range(first, first + pl.len(), dtype=pl.Int64)
    bot = number % 2 == 1
    return pl.DataFrame({"text": lines}, schema={"text": pl.String}).select(
        dialog=pl.format("dialog-{}", number // DIALOG),
        speaker=pl.when(bot).then(pl.lit("bot")).otherwise(pl.lit("guest")),
        system=pl.when(bot).then(pl.lit("bot")).otherwise(pl.lit("human")),
        text="text",
    )


def write(size: int, path: Path) -> None:
    """The corpus as JSON lines, holding one block in memory at a time."""
    first = 0
    with path.open("wb") as file:
        for part in texts(size):
            frame(part, first).write_ndjson(file)
            first += len(part)


def write_messages(table: pl.DataFrame, path: Path) -> None:
    """The same dialogs as lists of messages with role and content, a dialog a line."""
    role = pl.when(pl.col("speaker") == "bot").then(pl.lit("assistant")).otherwise(pl.lit("user"))
    table.group_by("dialog", maintain_order=True).agg(
        messages=pl.struct(role=role, content="text")
    ).select("messages", id="dialog", model=pl.lit("bot")).write_ndjson(path)


def main(size: int, source: Path, *others: Path) -> None:
    write(size, source)
    for path in others:
        table = pl.read_ndjson(source)
        if path.suffix == ".csv":
            table.write_csv(path)
        elif path.suffix == ".parquet":
            table.write_parquet(path)
        else:
            write_messages(table, path)


if __name__ == "__main__":
    main(int(sys.argv[1]), *map(Path, sys.argv[2:]))
