"""Examples for `simpatico train continuity`: turns that may get a reply, and who is left out.

Bots, users who repeat themselves and users with few dialogs are recognised by the training split
alone: a filter that looked at later data would leak from the test.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from simpatico.arrays import Bools, Ints
from simpatico.errors import BadValue, DataError
from simpatico.features.users.contexts import Contexts, turn_contexts
from simpatico.features.users.inputs import InputSpec
from simpatico.training.users import splits
from simpatico.training.users.continuity.outcomes import ReplyOutcomes, Window, reply_outcomes
from simpatico.training.users.examples import UserExamples, turn_examples
from simpatico.training.users.splits import EXCLUDED, TRAIN, Clock, CutTimes, TimeSplit
from simpatico.turns import Turns
from simpatico.wording import format_count

MIN_TURNS = 5
"""Turns that a speaker must have to count as repetitive: fewer are too few to tell."""
CUT, LATE = "said where the log ends", "said too late itself"
BOT, REPETITIVE = "said by or to a bot", "said by or to somebody who repeats themselves"
FEW, MANY = "of a person with too few dialogs", "of dialogs before a person's last ones"

By = CutTimes | Literal["person"]
"""How examples are split: at two points in time, or in the order of each user's dialogs."""


@dataclass(frozen=True)
class Filters:
    """Who is left out. The names of the fields are those of the options and of the recipe."""

    bots: frozenset[str] = frozenset()
    repeated: float = 0.5
    """Speakers with a larger share of turns that they said more than once are left out."""
    fewest: int = 0
    """Fewest dialogs of a user in the training split."""
    most: int = 400
    """Dialogs of one user that are trained on, the last ones, so that nobody dominates."""

    def __post_init__(self) -> None:
        if not 0 <= self.repeated <= 1:
            raise BadValue(f"share of repeated turns is {self.repeated:g}; give 0 to 1")
        if self.fewest < 0 or self.most < max(self.fewest, 1):
            raise BadValue(
                f"minimum {self.fewest} and maximum {self.most} dialogs of a user; the maximum "
                "must be 1 or more and not below the minimum"
            )


@dataclass(frozen=True, eq=False)
class ReplyExamples:
    """Turns that may get a reply, what became of them, and their split in the order of time."""

    turns: Turns
    contexts: Contexts
    outcomes: ReplyOutcomes
    split: TimeSplit

    def check(self) -> ReplyExamples:
        """Refuse splits without replies, or without turns that got none."""
        for indices, name in zip(self.split[:3], ("training", "validation", "test"), strict=True):
            n, replies = len(indices), int(self.labels(indices).sum())
            if not 0 < replies < n:
                raise DataError(
                    f"{name} set: {format_count(n, 'turn')}, {replies:,} with a reply; turns with "
                    f"and without are needed{self.describe_excluded()}"
                )
        return self

    def labels(self, indices: Ints) -> Bools:
        """Whether each of these got a reply."""
        return self.outcomes.has_reply[indices]

    def inputs(self, indices: Ints, spec: InputSpec) -> UserExamples:
        """What a model reads of these, and 1 for a reply, 0 for none."""
        y = self.labels(indices).astype(np.float64)
        return turn_examples(self.contexts.take(indices), spec, y)

    def users(self, indices: Ints) -> list[str]:
        """The addressee of each of these."""
        return [self.outcomes.user[at] for at in indices]

    def count_unfinished(self, indices: Ints) -> int:
        """How many of these count as without a reply though the logs end before it is certain."""
        return int(self.outcomes.is_unfinished[indices].sum())

    def describe_excluded(self) -> str:
        """What was not used, as the end of a sentence."""
        parts = ", ".join(f"{n:,} {why}" for why, n in self.split.excluded.items() if n)
        return f"; not used: {parts}" if parts else ""


def reply_examples(
    turns: Turns, *, window: Window, by: By | None = None, filters: Filters
) -> ReplyExamples:
    """Every turn with words that is addressed to somebody else; by default split 8:1:1 in time."""
    contexts = addressed_contexts(turns)
    outcomes = reply_outcomes(turns, contexts.row, contexts.user, window)
    by = by or splits.cuts_by_share(outcomes.time)
    split = split_outcomes(turns, outcomes, by, filters=filters)
    in_time = (indices[np.argsort(outcomes.time[indices], kind="stable")] for indices in split[:3])
    split = TimeSplit._make([*in_time, split.excluded])
    return ReplyExamples(turns, contexts, outcomes, split)


def addressed_contexts(turns: Turns) -> Contexts:
    """Turns with words whose addressee is known and is not their own speaker.

    Turns to nobody we know have no reply to wait for.
    """
    contexts = turn_contexts(turns)
    speakers = turns.frame["speaker"].gather(contexts.row)
    columns = zip(contexts.text, contexts.user, speakers, strict=True)
    mask = [bool(text) and user not in ("", speaker) for text, user, speaker in columns]
    return contexts.take(np.flatnonzero(mask))


def split_outcomes(turns: Turns, outcomes: ReplyOutcomes, by: By, *, filters: Filters) -> TimeSplit:
    """The outcomes of each split, without those that the filters leave out."""
    clock = Clock.of(turns)
    if isinstance(by, CutTimes):
        split, n_excluded = splits.split_at_cuts(outcomes.time, outcomes.known_from, by)
        observable = np.asarray(clock.time <= by.train)
    else:
        split, n_excluded = splits.split_in_order(outcomes.user, outcomes.dialog, outcomes.time)
        split, torn = splits.keep_dialogs_whole(split, outcomes.dialog)
        n_excluded |= torn
        observable = np.isin(clock.dialog, outcomes.dialog[split == TRAIN])

    def exclude(mask: Bools, reason: str) -> None:
        mask = mask & (split != EXCLUDED)
        split[mask] = EXCLUDED
        n_excluded[reason] = int(mask.sum())

    speaker = turns.frame["speaker"].to_list()
    both = [{speaker[row], user} for row, user in zip(outcomes.row, outcomes.user, strict=True)]

    def involves(names: Collection[str]) -> Bools:
        return np.array([not pair.isdisjoint(names) for pair in both], bool)

    exclude(outcomes.is_cut, CUT)
    exclude(outcomes.is_late, LATE)
    exclude(involves(filters.bots), BOT)
    exclude(involves(repetitive_speakers(turns, observable, filters.repeated)), REPETITIVE)
    frame = pl.DataFrame({"user": outcomes.user, "dialog": outcomes.dialog, "start": outcomes.time})
    train = frame.with_row_index("at").filter(split == TRAIN)
    dialogs = dict(train.group_by("user").agg(pl.col("dialog").n_unique()).iter_rows())
    exclude(np.array([dialogs.get(u, 0) < filters.fewest for u in outcomes.user], bool), FEW)
    # a user's dialogs from the last to the first, by the time of their start
    train = train.with_columns(pl.col("start").min().over("user", "dialog"))
    rank = pl.struct("start", "dialog").rank("dense", descending=True).over("user")
    exclude(np.isin(np.arange(len(split)), train.filter(rank > filters.most)["at"]), MANY)
    return TimeSplit.of(split, n_excluded)


def repetitive_speakers(turns: Turns, observable: Bools, share: float) -> set[str]:
    """Speakers who in these turns mostly say what they say elsewhere in them."""
    text = pl.col("text").str.strip_chars().str.to_lowercase()
    texts = turns.frame.select("speaker", text).filter(observable)
    texts = texts.with_columns(repeats=pl.len().over("speaker", "text") > 1)
    each = texts.group_by("speaker").agg(pl.len().alias("n"), pl.col("repeats").mean())
    return set(each.filter((pl.col("n") >= MIN_TURNS) & (pl.col("repeats") > share))["speaker"])
