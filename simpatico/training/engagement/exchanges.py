"""Exchanges with a label each: a turn, the turn it answers, and whether it is engaging."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from simpatico.arrays import Floats, Ints
from simpatico.errors import BadValue, DataError
from simpatico.readers import Source
from simpatico.readers.input.record import Place
from simpatico.training.tables import named_rows, parse_number

ENGAGING = 2.0
"""Ratings above this, of 0 to 5, are label 1."""
SHARES = (0.6, 0.2, 0.2)
"""Of training, validation and test."""
PEOPLE, BOT = "human-human", "human-bot"
"""Kinds of talk. A model may learn who talks instead of what engages, so results show both."""
TEXTS = ("query", "reply")


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
        columns = (self.dialog, self.query, self.reply, self.kind, self.group, self.origin)
        dialog, query, reply, kind, group, origin = ([c[row] for row in rows] for c in columns)
        rating, label = self.rating[rows], self.label[rows]
        return Exchanges(self.source, dialog, query, reply, rating, label, kind, group, origin)

    @property
    def dialogs(self) -> int:
        return len(set(self.dialog))

    @property
    def share_between_people(self) -> float | None:
        """Share of the engaging exchanges that are between people; null where nobody knows."""
        kinds = [kind for kind, label in zip(self.kind, self.label, strict=True) if label]
        return kinds.count(PEOPLE) / len(kinds) if kinds and all(kinds) else None


class ExchangeRow(NamedTuple):
    """An exchange out of a file; where it has a label, its rating is that label."""

    dialog: str
    query: str
    reply: str
    rating: float
    label: int


def read_exchange_table(path: Path | str, *, threshold: float = ENGAGING) -> Exchanges:
    """The exchanges in a CSV, TSV or JSONL file with query, reply, and label or rating.

    A label is 1 for engaging or 0; a rating above `threshold` is engaging. Without a column
    `dialog`, rows with the same query count as one dialog.
    """
    source = Source.of(path)
    rows = [parse_exchange(place, cells, threshold) for place, cells in named_rows(source, TEXTS)]
    if not rows:
        raise DataError(f"{source.name}: no exchange in it; give rows of query, reply and label")
    dialog, query, reply, rating, label = map(list, zip(*rows, strict=True))
    return Exchanges(
        Path(source.name).name,
        dialog,
        query,
        reply,
        np.array(rating, np.float64),
        np.array(label, np.int64),
        [""] * len(rows),
    )


def parse_exchange(place: Place, cells: Mapping[str, object], threshold: float) -> ExchangeRow:
    """A row, checked; a complaint names the column and never shows what is in it."""
    query, reply = (parse_text(place, cells, column) for column in TEXTS)
    dialog = cells.get("dialog", query)
    if not isinstance(dialog, str | int) or dialog == "":
        raise DataError(f"{place}: 'dialog' does not say of which conversation the exchange is")
    if "label" in cells:
        label = parse_number(place, cells["label"], "label", leave_out="exchanges without a label")
        if label not in (0, 1):
            raise DataError(f"{place}: the label is {label:g}; 1 is engaging, and 0 is not")
        return ExchangeRow(str(dialog), query, reply, label, int(label))
    if "rating" not in cells:
        raise DataError(f"{place}: neither 'label' nor 'rating'; every exchange needs one of them")
    rating = parse_number(place, cells["rating"], "rating", leave_out="exchanges without a rating")
    return ExchangeRow(str(dialog), query, reply, rating, int(rating > threshold))


def parse_text(place: Place, cells: Mapping[str, object], column: str) -> str:
    """A text with something in it."""
    if column not in cells:
        raise DataError(f"{place}: no {column!r}; every exchange needs {' and '.join(TEXTS)}")
    text = cells[column]
    if not isinstance(text, str) or not text.strip():
        raise DataError(f"{place}: {column!r} has no text; leave out exchanges without words")
    return text.strip()


def join_exchanges(parts: Sequence[Exchanges]) -> Exchanges:
    """The exchanges of several files; dialogs of different files are different ones."""
    if len(parts) == 1:
        return parts[0]
    renamed = [
        replace(
            part,
            dialog=[f"{number}/{name}" for name in part.dialog],
            group=[f"{number}/{name}" for name in part.group],
        )
        for number, part in enumerate(parts)
    ]
    return concatenate_exchanges(renamed, source=" and ".join(part.source for part in parts))


def concatenate_exchanges(parts: Collection[Exchanges], *, source: str) -> Exchanges:
    """The exchanges of all parts, one after the other; names in several parts stay as they are."""
    return Exchanges(
        source,
        [name for part in parts for name in part.dialog],
        [text for part in parts for text in part.query],
        [text for part in parts for text in part.reply],
        np.concatenate([part.rating for part in parts]),
        np.concatenate([part.label for part in parts]),
        [kind for part in parts for kind in part.kind],
        [name for part in parts for name in part.group],
        [origin for part in parts for origin in part.origin],
    )


def split_exchanges(
    exchanges: Exchanges, shares: tuple[float, ...] = SHARES, *, seed: int
) -> tuple[Exchanges, ...]:
    """The exchanges in parts of these shares; no group is in two, and so no dialog.

    Stratified: groups are drawn within each origin, those with an engaging exchange apart from
    those without, so that every part has all of them. A group of several origins counts for its
    first.
    """
    if min(shares) < 0 or abs(sum(shares) - 1) > 1e-9:
        raise BadValue(f"shares {shares} do not add up to 1; give such as {SHARES}")
    groups, labels = exchanges.group, exchanges.label
    origin = dict(zip(reversed(groups), reversed(exchanges.origin), strict=True))
    engaging = {group for group, label in zip(groups, labels, strict=True) if label}
    # in the order of the data, not of a set, so that a seed always draws the same
    names = list(dict.fromkeys(groups))
    rng, part_of = np.random.default_rng(seed), dict[str, int]()
    for stratum in product(dict.fromkeys(exchanges.origin), (True, False)):
        members = [name for name in names if (origin[name], name in engaging) == stratum]
        order = rng.permutation(members)
        cuts = np.round(np.cumsum(shares)[:-1] * len(order)).astype(int)
        for part, some in enumerate(np.split(order, cuts)):
            part_of.update((str(name), part) for name in some)
    parts = np.array([part_of[group] for group in groups], np.int64)
    return tuple(exchanges.take(np.flatnonzero(parts == part)) for part in range(len(shares)))
