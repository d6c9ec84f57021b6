"""The one table every stage reads: one row per turn, dialogs contiguous, turns in order.

Utterances become turns: consecutive messages of one speaker are merged, and every turn knows which
earlier turn it answers. An example, with the columns that matter:

    utterances                     turns
    dialog  speaker  text          dialog  turn  speaker  text            answers
    d1      ann      Hi            d1      0     ann      Hi\\nAnyone?    null
    d1      ann      Anyone?       d1      1     bot      Hello           0
    d1      bot      Hello
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
import polars as pl

from simpatico.arrays import Bools, Ints
from simpatico.errors import DataError

Level = Literal["turn", "dialog", "system"]

LEVELS: tuple[Level, ...] = ("turn", "dialog", "system")

KEYS: dict[Level, list[str]] = {
    "turn": ["dialog", "turn", "speaker", "system"],
    "dialog": ["dialog", "speaker", "system"],
    "system": ["system"],
}

SCHEMA: dict[str, pl.DataType] = {
    "dialog": pl.String(),
    "speaker": pl.String(),
    "text": pl.String(),
    "system": pl.String(),
    "id": pl.String(),
    "reply_to": pl.String(),
    "time": pl.Datetime("us", "UTC"),
    "references": pl.List(pl.String()),
    "interlocutor": pl.String(),
    "profile": pl.String(),
    "prompt": pl.String(),
    "extras": pl.String(),
    "gap": pl.Boolean(),
}
"""Columns of an utterance table; all but dialog, speaker and text may be absent or null."""

DEFAULTS = (
    pl.col("text").fill_null(""),
    pl.col("gap").fill_null(False),
    pl.col("system").replace("", None),
)
"""What stands for null; expressions are made once, as that costs more than to compute few rows."""
NEW_DIALOG, NEW_SPEAKER, NEW_SYSTEM = (
    pl.col(name).ne_missing(pl.col(name).shift(1)) for name in ("dialog", "speaker", "system")
)
NEW_RUN = NEW_DIALOG | NEW_SPEAKER | pl.col("gap")
REPLY = pl.col("reply_to")
# a message that answers the one before it, or the same as that, goes on with its turn
FOLLOWS = REPLY.eq(pl.col("id").shift(1)) | REPLY.eq(REPLY.shift(1))
NEW_TURN = NEW_RUN | NEW_SYSTEM | (REPLY.is_not_null() & ~FOLLOWS.fill_null(False))
FIRST_UTTERANCE_COLUMNS = ["time", "references", "interlocutor", "profile", "prompt", "extras"]
"""Columns that a turn takes over from its first utterance."""


class Turn(NamedTuple):
    """One row of `Turns`, for people to look at."""

    dialog: str
    turn: int
    speaker: str
    system: str | None
    text: str
    answers: int | None


@dataclass(frozen=True)
class Turns:
    """Conversations as columns. Build with `from_utterances`; never change `frame`.

    A turn whose `system` is null is context: it can be answered, but it gets no score.
    """

    frame: pl.DataFrame

    @classmethod
    def from_utterances(cls, utterances: pl.DataFrame, *, merge: bool = True) -> Turns:
        """Merge consecutive utterances of one speaker into turns, keeping their order."""
        rows = number_turns(sort_by_dialog(complete_columns(utterances)), merge)
        turns = rows if rows["_turn"].n_unique() == rows.height else merge_utterances(rows)
        dialog, replies = turns["_dialog"].to_numpy(), turns["reply_to"]
        start = np.searchsorted(dialog, dialog)
        before = preceding_turns(turns, start)
        if replies.null_count() < turns.height:
            before = np.where(replies.is_null(), before, replied_turns(rows, turns))
        number = np.arange(turns.height) - start
        answers = pl.Series(np.where(before < 0, -1, before - start), dtype=pl.Int32)
        return cls(
            turns.select(
                "dialog",
                pl.Series("turn", number, pl.Int32),
                pl.col("speaker", "system", "text"),
                answers.set(answers < 0, None).alias("answers"),
                pl.col(FIRST_UTTERANCE_COLUMNS),
            ).rechunk()
        )

    def __len__(self) -> int:
        return self.frame.height

    def __iter__(self) -> Iterator[Turn]:
        return (Turn(*row) for row in self.frame.select(Turn._fields).iter_rows())

    @cached_property
    def scored(self) -> Bools:
        """Which rows belong to a system under evaluation."""
        systems = self.frame["system"]
        if not systems.null_count():
            return np.ones(len(systems), bool)
        return systems.is_not_null().to_numpy()

    def units(self, level: Level) -> pl.DataFrame:
        """The things that get a score at `level`, in order of first appearance."""
        keys = self.frame.select(KEYS[level]).filter(self.scored)
        return keys if level == "turn" else keys.unique(maintain_order=True)

    @cached_property
    def answered(self) -> Ints:
        """Row number of the turn each turn answers; -1 where it answers none."""
        answers = self.frame["answers"].fill_null(-1).to_numpy().astype(np.int64)
        start = np.arange(len(self)) - self.frame["turn"].to_numpy()
        return np.where(answers < 0, -1, start + answers)

    def chunks(self, size: int) -> Iterator[Turns]:
        """Parts of about `size` turns; a dialog is never cut in two."""
        # a part begins with the first dialog that starts in each block of `size` rows
        starts = np.flatnonzero(self.frame["turn"].to_numpy() == 0)
        block = starts // max(size, 1)
        cuts = starts[np.flatnonzero(np.diff(block, prepend=-1))]
        for low, high in zip(cuts, [*cuts, len(self)][1:], strict=True):
            yield Turns(self.frame.slice(int(low), int(high - low)))


def complete_columns(utterances: pl.DataFrame) -> pl.DataFrame:
    """The utterances with every column of `SCHEMA`, or the reason why not."""
    if missing := {"dialog", "speaker", "text"} - set(utterances.columns):
        raise DataError(f"no column {sorted(missing)}; the table has {utterances.columns}")
    if "system" not in utterances.columns:
        utterances = utterances.with_columns(system="speaker")
    names, rows = utterances.columns, utterances
    if utterances.schema != SCHEMA:
        rows = utterances.select(
            pl.col(c).cast(t) if c in names else pl.lit(None, t).alias(c) for c, t in SCHEMA.items()
        )
    for column in ("dialog", "speaker"):
        if n := rows[column].null_count():
            raise DataError(f"{n} of {rows.height} utterances have no {column}")
    return rows.with_columns(DEFAULTS)


def sort_by_dialog(rows: pl.DataFrame) -> pl.DataFrame:
    """The same rows with each dialog's utterances together, dialogs by first appearance."""
    dialog = rows["dialog"]
    if dialog.ne_missing(dialog.shift(1)).sum() <= dialog.n_unique():
        return rows
    # stable: dialogs by first appearance, and within each the order of the input
    first = pl.col("_row").first().over("dialog")
    return rows.with_row_index("_row").sort(first, "_row").drop("_row")


def number_turns(rows: pl.DataFrame, merge: bool) -> pl.DataFrame:
    """The rows with numbers of their dialog, their run (one speaker at a time) and their turn.

    A run is a turn, except that a new turn begins where the system changes, where something before
    could not be read, where an utterance answers another than the one before it did, and where it
    is meant for somebody else.
    """
    new_turn = NEW_TURN
    if rows["interlocutor"].null_count() < rows.height:
        rows = rows.with_columns(_run=NEW_RUN.cum_sum())
        target = pl.col("interlocutor").forward_fill().over("_run")
        new_turn |= target.ne(target.shift(1)).fill_null(False)
    each = pl.int_range(1, pl.len() + 1, dtype=pl.UInt32)
    return rows.with_columns(
        _dialog=NEW_DIALOG.cum_sum(),
        _run=NEW_RUN.cum_sum(),
        _turn=new_turn.cum_sum() if merge else each,
    )


def merge_utterances(rows: pl.DataFrame) -> pl.DataFrame:
    """One row per turn: texts joined by a line break, everything else from the first utterance.

    References and whom it is meant for come from the first that has them.
    """
    sparse = ("references", "interlocutor", "profile")
    present = [c for c in sparse if rows[c].null_count() < rows.height]
    others = [c for c in SCHEMA if c not in ("text", *present)]
    return rows.group_by("_turn", maintain_order=True).agg(
        pl.col("_dialog", "_run", *others).first(),
        *(pl.col(c).drop_nulls().first() for c in present),
        pl.col("text").filter(pl.col("text") != "").str.join("\n").fill_null(""),
    )


def preceding_turns(turns: pl.DataFrame, start: Ints) -> Ints:
    """Row of the last turn by somebody else in the same dialog; -1 where there is none.

    What stands before a gap is not what the next turn answers.
    """
    run = turns["_run"].to_numpy()
    run_start = np.searchsorted(run, run)
    after_gap = turns["gap"].to_numpy()[run_start] if len(run_start) else run_start > 0
    return np.where((run_start > start) & ~after_gap, run_start - 1, -1)


def replied_turns(rows: pl.DataFrame, turns: pl.DataFrame) -> Ints:
    """Row of the earlier turn that holds the utterance a turn replies to; -1 where none does.

    A reply to one's own words answers what those answered.
    """
    where = rows.select("_dialog", pl.col("id").alias("reply_to"), target="_turn").drop_nulls()
    where = where.unique(["_dialog", "reply_to"], keep="first", maintain_order=True)
    rank = turns.select(target="_turn", row=pl.int_range(pl.len(), dtype=pl.Int64))
    target_row = (
        turns.select("_dialog", "reply_to")
        .join(where, on=["_dialog", "reply_to"], how="left", maintain_order="left")
        .join(rank, on="target", how="left", maintain_order="left")["row"]
        .fill_null(-1)
        .to_numpy()
    )
    row = np.arange(len(target_row))
    target_row = np.where(target_row < row, target_row, -1)
    speaker = turns["speaker"].rank("dense").to_numpy()
    # a chain of replies to oneself is followed to its start; each step halves what is left of it
    while (own := (target_row >= 0) & (speaker[target_row] == speaker)).any():
        target_row = np.where(own, target_row[target_row], target_row)
    return target_row
