"""Answers made wrong, each in its place, so that each can be compared with what it was.

A metric that is worth anything must score these lower: flipped (the opposite feeling), shuffled (an
answer of another dialog), generic ("I see."), off-topic and copied (what was to be answered).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import polars as pl

from simpatico.arrays import Ints
from simpatico.errors import UnknownName, suggest_names
from simpatico.features.words import normalise_texts
from simpatico.files import write_atomically
from simpatico.perturbation.answers import KINDS, Kind, Perturbed, answer_rows
from simpatico.perturbation.flip import flip_feeling
from simpatico.perturbation.others import off_topic_answers, shuffle_answers
from simpatico.stats.draws import draw_uniform
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
NOTHING = "nothing before"
"""What a turn replies to, with its number, that answers none although another stands before it."""
OPTIONAL = ("references", "interlocutor", "profile", "prompt")


def perturb(turns: Turns, kind: Kind, *, seed: int = 0) -> Perturbed:
    """The conversations with their answers made wrong in one way.

    What cannot be changed stays as it is and says why: `no_feeling` found to flip,
    `no_other_dialog` to take an answer from, the `same_words` as before, or `no_words` at all.
    """
    kind, rows = parse_kind(kind), answer_rows(turns)
    before = turns.frame["text"].gather(rows)
    after = pl.Series(wrong_texts(turns, kind, rows, seed), dtype=pl.String)
    if kind == "flipped":
        why = pl.select(pl.when(after.is_null()).then(pl.lit("no_feeling"))).to_series()
    else:
        why = replacement_problems(before, after)
    positions = np.flatnonzero(why.is_null().to_numpy())
    text = turns.frame["text"].clone().scatter(rows[positions], after.gather(positions))
    mask = np.zeros(len(turns), np.bool_)
    mask[rows[positions]] = True
    reason = pl.Series("why", [None] * len(turns), pl.String).scatter(rows, why)
    return Perturbed(Turns(turns.frame.with_columns(text.alias("text"))), kind, mask, reason)


def parse_kind(kind: str) -> Kind:
    """The kind of this name, or the error."""
    if kind in KINDS:
        return kind
    raise UnknownName(f"no perturbation {kind!r}; {suggest_names(kind, KINDS)}")


def replacement_problems(before: pl.Series, after: pl.Series) -> pl.Series:
    """Why an answer could not be replaced by another; null where it was."""
    bare, other = bare_words(before), bare_words(after)
    return pl.select(
        pl.when(after.is_null())
        .then(pl.lit("no_other_dialog"))
        .when((bare == "") | (other == ""))
        .then(pl.lit("no_words"))
        .when(bare == other)
        .then(pl.lit("same_words"))
    ).to_series()


def bare_words(texts: pl.Series) -> pl.Series:
    """The texts without case and punctuation."""
    return normalise_texts(texts).str.replace_all(r"[^\p{L}\p{M}\p{N}]+", " ").str.strip_chars()


def wrong_texts(turns: Turns, kind: Kind, rows: Ints, seed: int) -> list[str | None]:
    """What takes the place of each answer; null where nothing can."""
    match kind:
        case "flipped":
            return [flip_feeling(text) for text in turns.frame["text"].gather(rows)]
        case "generic":
            numbers = (draw_uniform(len(rows), seed) * len(GENERIC)).astype(np.int64)
            return [GENERIC[number] for number in numbers]
        case "shuffled":
            donors = shuffle_answers(turns, rows, seed)
        case "off-topic":
            donors = off_topic_answers(turns, rows, seed)
        case "copied":  # what was to be answered, which no metric of relevance should reward
            donors = turns.answered[rows]
    indices = pl.Series(np.where(donors < 0, 0, donors)).set(pl.Series(donors < 0), None)
    return turns.frame["text"].gather(indices).to_list()


def write_perturbed(perturbed: Perturbed, out: Path) -> None:
    """One turn a line, for `simpatico score` to read, with how it was changed or why not."""

    def write(path: Path) -> None:
        with path.open("wb") as file:
            file.writelines(msgspec.json.encode(row) + b"\n" for row in table_rows(perturbed))

    write_atomically(out, write)


def has_unmerged_turns(turns: Turns) -> bool:
    """Whether some turns of one speaker to the same turn stand side by side, as if to be one."""
    frame = turns.frame.select("dialog", "speaker", "system", "answers")
    alike = frame.select(pl.all_horizontal(pl.all().eq_missing(pl.all().shift(1))))
    return bool((alike.to_series() & turns.frame["answers"].is_not_null()).any())


def table_rows(perturbed: Perturbed) -> Iterator[dict[str, Any]]:
    """Every turn as the reader of our own table takes it, with all that came with it."""
    turns = perturbed.turns.frame.iter_rows(named=True)
    for turn, changed, why in zip(turns, perturbed.changed, perturbed.unchanged, strict=True):
        number, target = turn["turn"], turn["answers"]
        nothing = f"{NOTHING} {number}" if number else None
        reply = nothing if target is None else str(target)
        more = {name: turn[name] for name in OPTIONAL if turn[name] is not None}
        if turn["time"] is not None:
            more["time"] = turn["time"].isoformat()
        yield {
            **(msgspec.json.decode(turn["extras"]) if turn["extras"] else {}),
            **{name: turn[name] for name in ("dialog", "speaker", "system", "text")},
            "id": str(number),
            "reply_to": reply,
            **more,
            "perturbation": perturbed.kind if changed else None,
            "unchanged": why,
        }
