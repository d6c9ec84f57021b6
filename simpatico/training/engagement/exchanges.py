"""Exchanges with a label each: a turn, the turn it answers, and whether it is engaging.

They are split by dialog, or by rater where somebody rated several.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from simpatico.arrays import AnyFloats, Bools, Floats, Ints
from simpatico.errors import BadValue, DataError
from simpatico.readers import Source
from simpatico.stats.classification import LabelledPredictions
from simpatico.training.heads.splits import SplitInput, Splits, check_both_classes, split_groups
from simpatico.training.tables import named_rows, parse_number

ENGAGING = 2.0
"""Ratings above this, of 0 to 5, are label 1."""
SHARES = (0.6, 0.2, 0.2)
"""Of training, validation and test."""
FEWEST_DIALOGS = 20
"""With fewer, a test split would have four dialogs or less."""
PEOPLE, BOT = "human-human", "human-bot"
"""Kinds of talk. A model may learn who talks instead of what engages, so results show both."""
TEXTS = ("query", "reply")
NAMES = ("dialog", "query", "reply", "kind", "group", "origin")
"""The columns that hold strings."""


@dataclass(frozen=True, eq=False)
class Exchanges:
    """Columns of equal length; `kind` says who talks, "" where that is unknown.

    All of one `group` are in one split: the dialog, or the rater of several. The `origin` says
    where a label comes from.
    """

    source: str
    dialog: list[str]
    query: list[str]
    reply: list[str]
    rating: Floats
    label: Ints
    kind: list[str]
    group: list[str] = field(default_factory=list)
    """Where none is given, the dialogs."""
    origin: list[str] = field(default_factory=list)
    """Where none is given, the source."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "group", self.group or self.dialog)
        object.__setattr__(self, "origin", self.origin or [self.source] * len(self.dialog))

    def __len__(self) -> int:
        return len(self.dialog)

    def take(self, rows: Ints) -> Exchanges:
        """The exchanges in these rows."""
        columns: dict[str, Any] = {
            name: [getattr(self, name)[row] for row in rows] for name in NAMES
        }
        return replace(self, rating=self.rating[rows], label=self.label[rows], **columns)

    def label_predictions(self, scores: AnyFloats, classes: Bools) -> LabelledPredictions:
        """Scores and predicted classes beside the labels; resampling draws whole groups."""
        return LabelledPredictions(scores, classes, self.label > 0, self.group)

    @property
    def dialogs(self) -> int:
        return len(set(self.dialog))

    @property
    def share_between_people(self) -> float | None:
        """Share of the engaging exchanges that are between people; null where nobody knows."""
        kinds = [kind for kind, label in zip(self.kind, self.label, strict=True) if label]
        return kinds.count(PEOPLE) / len(kinds) if kinds and all(kinds) else None


def read_exchange_table(path: Path | str, *, threshold: float = ENGAGING) -> Exchanges:
    """The exchanges in a CSV, TSV or JSONL file with query, reply, and label or rating.

    A label is 1 for engaging or 0; a rating above `threshold` is engaging. Without a column
    `dialog`, rows with the same query count as one dialog.
    """
    source, rows = Source.of(path), []
    # errors name the place and the column, and never show what somebody wrote
    for place, cells in named_rows(source, TEXTS):
        texts = [cells[column] for column in TEXTS]
        for column, text in zip(TEXTS, texts, strict=True):
            if not isinstance(text, str) or not text.strip():
                why = f"{column!r} has no text; leave out exchanges without words"
                raise DataError(f"{place}: {why}")
        query, reply = (str(text).strip() for text in texts)
        dialog = cells.get("dialog", query)
        if not isinstance(dialog, str | int) or dialog == "":
            raise DataError(f"{place}: 'dialog' is empty; name the dialog of each exchange")
        column = "label" if "label" in cells else "rating"
        if column not in cells:
            why = "neither 'label' nor 'rating'; every exchange needs one of them"
            raise DataError(f"{place}: {why}")
        leave_out = f"exchanges without a {column}"
        # where there is a label, that is the rating, too
        rating = parse_number(place, cells[column], column, leave_out=leave_out)
        if column == "label" and rating not in (0, 1):
            raise DataError(f"{place}: label {rating:g}; give 1 for engaging or 0")
        label = rating if column == "label" else rating > threshold
        rows.append((str(dialog), query, reply, rating, int(label)))
    if not rows:
        raise DataError(f"{source.name}: no exchange in it; give rows of query, reply and label")
    dialogs, queries, replies, ratings, labels = map(list, zip(*rows, strict=True))
    numbers = np.array(ratings, np.float64), np.array(labels, np.int64)
    name, kinds = Path(source.name).name, [""] * len(rows)
    return Exchanges(name, dialogs, queries, replies, *numbers, kinds)


def join_exchanges(parts: Sequence[Exchanges]) -> Exchanges:
    """The exchanges of several files; dialogs of different files are different ones.

    Their names are prefixed with the number of the file, as two files may use the same ones.
    """
    if len(parts) == 1:
        return parts[0]
    distinct = [
        replace(
            part,
            dialog=[f"{number}/{name}" for name in part.dialog],
            group=[f"{number}/{name}" for name in part.group],
        )
        for number, part in enumerate(parts)
    ]
    return concatenate_exchanges(distinct, source=" and ".join(part.source for part in parts))


def concatenate_exchanges(parts: Collection[Exchanges], *, source: str) -> Exchanges:
    """The exchanges of all parts, one after the other; names in several parts stay as they are."""
    columns: dict[str, Any] = {
        name: [cell for part in parts for cell in getattr(part, name)] for name in NAMES
    }
    rating, label = (
        np.concatenate([getattr(p, name) for p in parts]) for name in ("rating", "label")
    )
    return Exchanges(source, rating=rating, label=label, **columns)


def split_exchanges(
    exchanges: Exchanges, shares: tuple[float, ...] = SHARES, *, seed: int
) -> tuple[Exchanges, ...]:
    """The exchanges in parts of these shares; no group is in two, and so no dialog.

    Stratified: groups are drawn within each origin, those with an engaging exchange apart from
    those without, so that every part has all of them. A group of several origins counts for its
    first.
    """
    if min(shares) < 0 or abs(sum(shares) - 1) > 1e-9:
        raise BadValue(f"shares {shares} do not add up to 1; give shares such as {SHARES}")
    groups = exchanges.group
    engaging = {group for group, label in zip(groups, exchanges.label, strict=True) if label}
    rank = {origin: at for at, origin in enumerate(dict.fromkeys(exchanges.origin))}
    # backwards, so that the first origin of a group is the one that stays
    origin = dict(zip(reversed(groups), reversed(exchanges.origin), strict=True))
    strata = {name: (rank[origin[name]], name not in engaging) for name in dict.fromkeys(groups)}
    return tuple(exchanges.take(rows) for rows in split_groups(groups, strata, shares, seed=seed))


EngagementSplits = Splits[Exchanges]


@dataclass(frozen=True)
class ExchangeInput(SplitInput[Exchanges]):
    """Exchanges to train on; validation and test split are drawn from them if absent."""

    def usable(
        self, has_words: Callable[[str], bool] = lambda text: bool(text.strip())
    ) -> ExchangeInput:
        """The exchanges of which both texts have words; refuses what cannot be trained on.

        Called before and after encoding: first to fail early, then with what the encoder knows.
        """

        def with_words(part: Exchanges) -> Exchanges:
            pairs = zip(part.query, part.reply, strict=True)
            return part.take(np.flatnonzero([has_words(a) and has_words(b) for a, b in pairs]))

        parts = self.apply(with_words)
        data, usable = parts.data, ExchangeInput(parts.data, parts.validation, parts.test)
        if data.dialogs < FEWEST_DIALOGS:
            raise DataError(
                f"{data.source}: {len(data):,} exchanges of {data.dialogs} dialogs; "
                f"training needs at least {FEWEST_DIALOGS} dialogs"
            )
        for part in usable.parts:
            if not len(part):
                raise DataError(f"{part.source}: no exchange has words in both texts; add some")
            if not 0 < part.label.sum() < len(part):
                raise DataError(
                    f"{part.source}: all {len(part):,} exchanges have label {part.label[0]}; "
                    "training needs both engaging (1) and other (0) exchanges"
                )
        # a dialog in two files would be tested as it was learned
        for one, other in combinations(usable.parts, 2):
            if both := {*one.dialog} & {*other.dialog}:
                raise DataError(
                    f"{other.source}: {len(both)} of its {other.dialogs} dialogs are in "
                    f"{one.source} too; leave them out of one of the files"
                )
        return usable

    def split(self, seed: int) -> EngagementSplits:
        """The splits of one seed; no dialog is in two, and each has both labels."""
        splits = self.complete(partial(split_exchanges, seed=seed), SHARES)
        what = f"{splits.train.source}: engaging exchanges"
        check_both_classes(what, [part.label for part in splits])
        return splits
