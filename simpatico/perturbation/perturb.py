"""Answers made wrong, each in its place, so that every one can be held against what it was."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from simpatico.arrays import Ints
from simpatico.errors import UnknownName
from simpatico.features.words import uniform as canonical
from simpatico.perturbation.answers import KINDS, Kind, Perturbed, answers
from simpatico.perturbation.flip import flipped
from simpatico.perturbation.others import dealt, farthest
from simpatico.registry import suggestion
from simpatico.stats.draws import uniform
from simpatico.turns import Turns

GENERIC = (
    "I don't know.",
    "I'm not sure.",
    "Okay.",
    "I see.",
    "That's interesting.",
    "It depends.",
    "Could be.",
    "I have no idea.",
    "Hmm, maybe.",
    "If you say so.",
    "Right.",
    "Sure, why not.",
)
Texts = list[str | None]
Maker = Callable[[Turns, Ints, int], Texts]


def perturb(turns: Turns, kind: Kind, *, seed: int = 0) -> Perturbed:
    """The conversations with their answers made wrong in one way.

    What cannot be changed stays as it is and says why: `no_feeling` found to flip,
    `no_other_dialog` to take an answer from, the `same_words` as before, or `no_words` at all.
    """
    kind, rows = known(kind), answers(turns)
    before = turns.frame["text"].gather(rows)
    made = pl.Series(MAKERS[kind](turns, rows, seed), dtype=pl.String)
    why = unfelt(made) if kind == "flipped" else hindrances(before, made)
    able = np.flatnonzero(why.is_null().to_numpy())
    text = turns.frame["text"].clone().scatter(rows[able], made.gather(able))
    changed = np.zeros(len(turns), np.bool_)
    changed[rows[able]] = True
    reason = pl.Series("why", [None] * len(turns), pl.String).scatter(rows, why)
    return Perturbed(Turns(turns.frame.with_columns(text.alias("text"))), kind, changed, reason)


def known(kind: str) -> Kind:
    """The kind of this name, or the error."""
    for one in KINDS:
        if one == kind:
            return one
    raise UnknownName(f"no kind of wrong answers {kind!r}; {suggestion(kind, KINDS)}")


def unfelt(made: pl.Series) -> pl.Series:
    """Which answers have no feeling that could be turned round."""
    return pl.select(pl.when(made.is_null()).then(pl.lit("no_feeling"))).to_series()


def hindrances(before: pl.Series, made: pl.Series) -> pl.Series:
    """Why an answer could not be replaced by another; null where it was."""
    bare, other = bare_words(before), bare_words(made)
    return pl.select(
        pl.when(made.is_null())
        .then(pl.lit("no_other_dialog"))
        .when((bare == "") | (other == ""))
        .then(pl.lit("no_words"))
        .when(bare == other)
        .then(pl.lit("same_words"))
    ).to_series()


def bare_words(texts: pl.Series) -> pl.Series:
    """The texts without case and punctuation."""
    return canonical(texts).str.replace_all(r"[^\p{L}\p{M}\p{N}]+", " ").str.strip_chars()


def turned_round(turns: Turns, rows: Ints, seed: int) -> Texts:
    return [flipped(text) for text in turns.frame["text"].gather(rows)]


def shuffled(turns: Turns, rows: Ints, seed: int) -> Texts:
    return gathered(turns, dealt(turns, rows, seed))


def off_topic(turns: Turns, rows: Ints, seed: int) -> Texts:
    return gathered(turns, farthest(turns, rows, seed))


def generic(turns: Turns, rows: Ints, seed: int) -> Texts:
    drawn = (uniform(len(rows), seed) * len(GENERIC)).astype(np.int64)
    return [GENERIC[number] for number in drawn]


def copied(turns: Turns, rows: Ints, seed: int) -> Texts:
    return gathered(turns, turns.answered[rows])


def gathered(turns: Turns, rows: Ints) -> Texts:
    """The texts of these rows; null where there is none."""
    found = pl.Series(np.where(rows < 0, 0, rows)).set(pl.Series(rows < 0), None)
    return turns.frame["text"].gather(found).to_list()


MAKERS: dict[Kind, Maker] = {
    "flipped": turned_round,
    "shuffled": shuffled,
    "generic": generic,
    "off-topic": off_topic,
    "copied": copied,
}
