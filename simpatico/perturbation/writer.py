"""Conversations with wrong answers as a file that `simpatico score` reads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from simpatico.files import publish
from simpatico.perturbation.answers import Perturbed
from simpatico.turns import Turns

NOTHING = "nothing before"
"""What a turn replies to, with its number, that answers none although another stands before it."""
KEPT = ("references", "interlocutor", "profile", "prompt")


def write(made: Perturbed, out: Path) -> None:
    """One turn a line: whose, in which dialog, and how it was made wrong, or why it was not."""
    encode = msgspec.json.Encoder().encode_lines

    def lines(path: Path) -> None:
        with path.open("wb") as file:
            for row in rows(made):
                file.write(encode([row]))

    publish(out, lines, private=True)


def unmerged(turns: Turns) -> bool:
    """Whether some turns of one speaker to the same turn stand side by side, as if to be one."""
    frame = turns.frame.select("dialog", "speaker", "system", "answers")
    alike = frame.select(pl.all_horizontal(pl.all().eq_missing(pl.all().shift(1))))
    return bool((alike.to_series() & turns.frame["answers"].is_not_null()).any())


def rows(made: Perturbed) -> Iterator[dict[str, Any]]:
    """Every turn as the reader of our own table takes it, with all that came with it."""
    told = zip(made.turns.frame.iter_rows(named=True), made.changed, made.why, strict=True)
    for turn, changed, why in told:
        number, heard = turn["turn"], turn["answers"]
        reply = f"{NOTHING} {number}" if number else None
        if heard is not None:
            reply = str(heard)
        more = {name: turn[name] for name in KEPT if turn[name] is not None}
        if turn["time"] is not None:
            more["time"] = turn["time"].isoformat()
        yield {
            **(msgspec.json.decode(turn["extras"]) if turn["extras"] else {}),
            **{name: turn[name] for name in ("dialog", "speaker", "system", "text")},
            "id": str(number),
            "reply_to": reply,
            **more,
            "perturbation": made.kind if changed else None,
            "unchanged": why,
        }
