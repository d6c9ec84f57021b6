"""People with what they wrote and what they answered: the input of a trait model's training."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import fsum
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from simpatico.arrays import Floats, Ints
from simpatico.errors import DataError
from simpatico.readers.input.source import Source
from simpatico.training.tables import named_rows, parse_number


class TraitColumns(NamedTuple):
    """The names of the columns of a table."""

    text: str
    target: str
    person: str


class TraitRow(NamedTuple):
    """One text of a person, and the questionnaire's answer in the same row."""

    person: str
    text: str
    target: float


@dataclass(frozen=True)
class People:
    """Texts, whose they are (`owner`, an index of `names`), and one answer a person."""

    names: list[str]
    texts: pl.Series
    owner: Ints
    target: Floats
    sha256: str

    @classmethod
    def of(cls, rows: Iterable[TraitRow], sha256: str) -> People:
        """People sorted by name; the answers of a person with several texts are averaged.

        Sorted, so that the order of rows in a file has no influence on folds or weights; fsum, so
        that it has none on the mean either.
        """
        rows = list(rows)
        answers: dict[str, list[float]] = {}
        for row in rows:
            answers.setdefault(row.person, []).append(row.target)
        names = sorted(answers)
        index = {name: i for i, name in enumerate(names)}
        return cls(
            names,
            pl.Series("text", [row.text for row in rows], pl.String),
            np.array([index[row.person] for row in rows], np.int64),
            np.array([fsum(answers[name]) / len(answers[name]) for name in names]),
            sha256,
        )

    def __len__(self) -> int:
        return len(self.names)


def read_people(path: Path | str, columns: TraitColumns) -> People:
    """The people in a CSV, TSV or JSONL file with one text a row.

    A person may have several rows; all of them end up in one fold.
    """
    source = Source.of(path)
    rows = []
    # errors name the place and the column, and never show what somebody wrote
    for place, cells in named_rows(source, columns):
        person, text = cells[columns.person], cells[columns.text]
        if not isinstance(person, str | int) or person == "":
            why = f"{columns.person!r} names nobody; leave out texts without author"
            raise DataError(f"{place}: {why}")
        if not isinstance(text, str):
            raise DataError(f"{place}: {columns.text!r} is not text; leave out rows without text")
        cell, leave_out = cells[columns.target], "people without an answer"
        target = parse_number(place, cell, columns.target, leave_out=leave_out)
        rows.append(TraitRow(str(person), text, target))
    return People.of(rows, source.sha256())
