"""Lexicon files as (term, category, weight): our tables, NRC's, LIWC's .dic and .dicx, DLATK's."""

from __future__ import annotations

import csv
import math
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from simpatico.errors import DataError

Row = tuple[str, str, float]

# names of the same categories in other editions of LIWC
ALIASES = {"preps": "prep", "prepositions": "prep", "articles": "article", "conjunctions": "conj"}
DLATK_TABLE = "nrc_emot"


def lexicon_rows(path: Path, table: str = DLATK_TABLE) -> Iterator[Row]:
    """Every entry of a lexicon file, whichever of the five kinds it is."""
    with path.open("rb") as file:
        magic = file.read(16)
    if magic.startswith(b"SQLite format 3"):
        return sqlite_rows(path, table)
    suffix = path.suffix.lower()
    if suffix == ".dicx":
        return dicx_rows(path)
    return dic_rows(path) if suffix == ".dic" else table_rows(path)


def sqlite_rows(path: Path, table: str) -> Iterator[Row]:
    """A DLATK lexicon table; read as text, so that the word "nan" stays a word."""
    try:
        # as_uri escapes the ? and # that a path may hold
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as base:
            query = "select name from sqlite_master where type='table'"
            names = [name for (name,) in base.execute(query)]
            if table not in names:
                raise DataError(f"{path}: no table {table!r}; it has {sorted(names)}")
            query = f'select term, category, weight from "{table}"'  # noqa: S608 - a checked name
            for number, row in enumerate(base.execute(query), 1):
                yield check_entry(f"{path}: row {number} of {table}", row)
    except sqlite3.Error as error:
        raise DataError(f"{path}: cannot be read as a DLATK lexicon: {error}") from None


def dic_rows(path: Path) -> Iterator[Row]:
    """A LIWC dictionary: numbered categories between two % lines, then terms with numbers."""
    categories: dict[str, str] = {}
    separators = 0
    for number, line in enumerate(read_utf8(path).split("\n"), 1):
        # a term may be several words, but only if a tab ends it
        term, tab, rest = line.strip().partition("\t")
        cells = [term.strip(), *rest.split()] if tab else line.split()
        if cells == ["%"]:
            separators += 1
        elif cells and separators == 1:
            if len(cells) < 2:
                raise DataError(f"{path}:{number}: category {cells[0]!r} has no name")
            categories[cells[0]] = cells[1]
        elif cells and separators >= 2:
            for cell in cells[1:]:
                if cell not in categories:
                    raise DataError(
                        f"{path}:{number}: category {cell!r} of {cells[0]!r} is not defined "
                        "between the two lines of %"
                    )
                yield check_entry(f"{path}:{number}", (cells[0], categories[cell]))
    if separators < 2:
        raise DataError(f"{path}: a .dic file lists its categories between two lines of %")


def dicx_rows(path: Path) -> Iterator[Row]:
    """A LIWC-22 dictionary: a CSV table of DicTerm and a column a category, with X or a weight."""
    try:
        cells = list(csv.reader(read_utf8(path).split("\n")))
    except csv.Error as error:
        raise DataError(f"{path}: cannot be read as a table: {error}") from None
    header = [cell.strip() for cell in cells[0]] if cells else []
    if len(header) < 2 or header[0].lower() != "dicterm":
        raise DataError(f"{path}:1: a .dicx file begins with DicTerm and the names of categories")
    for number, row in enumerate(cells[1:], 2):
        if len(row) > len(header):
            raise DataError(f"{path}:{number}: {len(row)} cells but {len(header)} columns")
        for category, cell in zip(header[1:], row[1:], strict=False):
            if mark := cell.strip():
                weight = [] if mark.lower() == "x" else [mark]
                yield check_entry(f"{path}:{number}", [row[0], category, *weight])


def table_rows(path: Path) -> Iterator[Row]:
    """A table with a header `term, category[, weight]`, or NRC's `category, term, weight`."""
    lines = read_utf8(path).split("\n")
    # a quote is a plain character where tabs separate the cells
    tabs: dict[str, Any] = {"delimiter": "\t", "quoting": csv.QUOTE_NONE}
    try:
        cells = list(csv.reader(lines, **(tabs if "\t" in lines[0] else {})))
    except csv.Error as error:
        raise DataError(f"{path}: cannot be read as a table: {error}") from None
    header = [c.strip().lower() for c in cells[0]] if cells else []
    if {"term", "category"} <= set(header):
        order = [header.index(c) for c in ("term", "category", "weight") if c in header]
        start = 1
    else:
        order, start = guess_columns(path, cells), 0
    for number, row in enumerate(cells[start:], start + 1):
        if row:
            if len(row) <= max(order):
                raise DataError(f"{path}:{number}: too few columns in {row}")
            yield check_entry(f"{path}:{number}", [row[i] for i in order])


def guess_columns(path: Path, cells: list[list[str]]) -> list[int]:
    """Columns of term, category and weight in a table without header.

    Of the first two, the term's has more distinct values.
    """
    rows = [r for r in cells if r]
    if any(len(r) != 3 for r in rows):
        raise DataError(f"{path}: needs a header term,category,weight or three columns in each row")
    return [0, 1, 2] if len({r[0] for r in rows}) > len({r[1] for r in rows}) else [1, 0, 2]


def check_entry(place: str, row: Sequence[object]) -> Row:
    """Term, category and, where there is one, weight, checked; `place` is for the error."""
    if any(cell is None for cell in row):
        raise DataError(f"{place}: a cell is null in {list(row)}")
    term, category = str(row[0]).strip(), str(row[1]).strip().lower()
    if not category:
        raise DataError(f"{place}: no category for {term!r}")
    try:
        weight = float(str(row[2])) if len(row) > 2 else 1.0
    except ValueError:
        raise DataError(f"{place}: weight {row[2]!r} of {term!r} is not a number") from None
    if not math.isfinite(weight):
        raise DataError(f"{place}: weight {row[2]!r} of {term!r} is not finite")
    return term, ALIASES.get(category, category), weight


def read_utf8(path: Path) -> str:
    """The whole text of a file in UTF-8, line ends as \\n."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not UTF-8 text at byte {error.start}; save it as UTF-8") from None
