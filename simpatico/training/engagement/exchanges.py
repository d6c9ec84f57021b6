"""Exchanges with a label each: a turn, the turn it answers, and whether it is engaging."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from simpatico.arrays import Ints
from simpatico.errors import BadValue, DataError
from simpatico.readers import Source
from simpatico.readers.input.record import Ledger, Place
from simpatico.training.traits.data import number, objects
from simpatico.training.traits.data import table as rows

ENGAGING = 2.0
"""Ratings above this, of 0 to 5, are label 1."""
SHARES = (0.6, 0.2, 0.2)
PEOPLE, BOT = "human-human", "human-bot"
TEXTS = ("query", "reply")


@dataclass(frozen=True, eq=False)
class Exchanges:
    """Columns of equal length; `kind` says who talks, "" where that is unknown.

    All that has one `group` stays on one side of a split: the dialog, or who rated several. The
    `origin` says where a label comes from.
    """

    source: str
    dialog: list[str]
    query: list[str]
    reply: list[str]
    rating: npt.NDArray[np.float64]
    label: npt.NDArray[np.int64]
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

    def some(self, rows: Ints) -> Exchanges:
        """The exchanges in these rows."""
        dialog, query, reply, kind, group, origin = (
            [column[row] for row in rows]
            for column in (
                self.dialog,
                self.query,
                self.reply,
                self.kind,
                self.group,
                self.origin,
            )
        )
        rating, label = self.rating[rows], self.label[rows]
        return Exchanges(self.source, dialog, query, reply, rating, label, kind, group, origin)

    @property
    def dialogs(self) -> int:
        return len(set(self.dialog))

    @property
    def among_people(self) -> float | None:
        """Share of the engaging exchanges that are between people; null where nobody knows."""
        kinds = [kind for kind, label in zip(self.kind, self.label, strict=True) if label]
        return kinds.count(PEOPLE) / len(kinds) if kinds and all(kinds) else None


class Row(NamedTuple):
    """An exchange out of a file; where it has a label, its rating is that label."""

    dialog: str
    query: str
    reply: str
    rating: float
    label: int


def table(path: Path | str, *, threshold: float = ENGAGING) -> Exchanges:
    """The exchanges in a CSV, TSV or JSONL file with query, reply, and label or rating.

    A label is 1 for engaging or 0; a rating above `threshold` is engaging. Without a column
    `dialog`, rows with the same query count as one dialog.
    """
    source, ledger = Source.of(path), Ledger()
    source.refused(ledger)
    found = rows(source, TEXTS, ledger) if source.head.kind == "text" else objects(source, ledger)
    given = [exchange(place, cells, threshold) for place, cells in found]
    if not given:
        raise DataError(f"{source.name}: no exchange in it; give rows of query, reply and label")
    dialog, query, reply, rating, label = map(list, zip(*given, strict=True))
    return Exchanges(
        Path(source.name).name,
        dialog,
        query,
        reply,
        np.array(rating, np.float64),
        np.array(label, np.int64),
        [""] * len(given),
    )


def exchange(place: Place, cells: Mapping[str, object], threshold: float) -> Row:
    """A row, checked; a complaint names the column and never shows what is in it."""
    query, reply = (text(place, cells, column) for column in TEXTS)
    dialog = cells.get("dialog", query)
    if not isinstance(dialog, str | int) or dialog == "":
        raise DataError(f"{place}: 'dialog' does not say of which conversation the exchange is")
    if "label" in cells:
        label = number(place, cells["label"], "label", "exchanges without a label")
        if label not in (0, 1):
            raise DataError(f"{place}: the label is {label:g}; 1 is engaging, and 0 is not")
        return Row(str(dialog), query, reply, label, int(label))
    if "rating" not in cells:
        raise DataError(f"{place}: neither 'label' nor 'rating'; every exchange needs one of them")
    rating = number(place, cells["rating"], "rating", "exchanges without a rating")
    return Row(str(dialog), query, reply, rating, int(rating > threshold))


def text(place: Place, cells: Mapping[str, object], column: str) -> str:
    """A text with something in it."""
    if column not in cells:
        raise DataError(f"{place}: no {column!r}; every exchange needs {' and '.join(TEXTS)}")
    found = cells[column]
    if not isinstance(found, str) or not found.strip():
        raise DataError(f"{place}: {column!r} has no text; leave out exchanges without words")
    return found.strip()


def joined(parts: Sequence[Exchanges]) -> Exchanges:
    """The exchanges of several files; dialogs of different files are different ones."""
    if len(parts) == 1:
        return parts[0]
    apart = [
        replace(
            part,
            dialog=[f"{number}/{name}" for name in part.dialog],
            group=[f"{number}/{name}" for name in part.group],
        )
        for number, part in enumerate(parts)
    ]
    return stacked(apart, source=" and ".join(part.source for part in parts))


def stacked(parts: Collection[Exchanges], *, source: str) -> Exchanges:
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


def split(
    given: Exchanges, shares: tuple[float, ...] = SHARES, *, seed: int
) -> tuple[Exchanges, ...]:
    """The exchanges in parts of these shares; no group is in two, and so no dialog.

    Each origin is drawn apart, and in it groups with and without an engaging exchange, so that
    every part has all of them. A group of several origins counts for its first.
    """
    if min(shares) < 0 or abs(sum(shares) - 1) > 1e-9:
        raise BadValue(f"shares {shares} do not add up to 1; give such as {SHARES}")
    origin = dict(zip(reversed(given.group), reversed(given.origin), strict=True))
    engaging = {group for group, y in zip(given.group, given.label, strict=True) if y}
    names = list(dict.fromkeys(given.group))
    rng, part = np.random.default_rng(seed), dict[str, int]()
    for side in ((o, y) for o in dict.fromkeys(given.origin) for y in (True, False)):
        drawn = rng.permutation(
            [name for name in names if (origin[name], name in engaging) == side]
        )
        cuts = np.round(np.cumsum(shares)[:-1] * len(drawn)).astype(int)
        part.update((str(name), n) for n, some in enumerate(np.split(drawn, cuts)) for name in some)
    where = np.array([part[group] for group in given.group], np.int64)
    return tuple(given.some(np.flatnonzero(where == n)) for n in range(len(shares)))
