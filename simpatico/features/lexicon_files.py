"""Lexicon files as (term, category, weight): our tables, NRC's, LIWC's .dic and .dicx, DLATK's."""

from __future__ import annotations

import csv
import io
import math
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from simpatico import limits
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
        return limit_rows(sqlite_rows(path, table), path)
    limits.check_resource(path)
    kinds = {".dicx": dicx_rows, ".dic": dic_rows}
    return limit_rows(kinds.get(path.suffix.lower(), table_rows)(path), path)


def sqlite_rows(path: Path, table: str) -> Iterator[Row]:
    """A DLATK lexicon table; read as text, so that the word "nan" stays a word."""
    try:
        # as_uri escapes the ? and # that a path may hold
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as base:
            base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, limits.LEXICON_TERM)
            # views and virtual tables, which would be computed, have no root page
            query = "select name from sqlite_master where type='table' and rootpage > 0"
            names = [name for (name,) in base.execute(query)]
            if table not in names:
                raise DataError(f"{path}: no table {table!r}; it has {sorted(names)[:10]}")
            query = "select name, hidden from pragma_table_xinfo(?)"
            hidden = dict(base.execute(query, (table,)).fetchall())
            for column in ("term", "category", "weight"):
                if hidden.get(column) != 0:
                    what = "is computed" if column in hidden else "is missing"
                    raise DataError(
                        f"{path}: column {column!r} of {table} {what}; store its values"
                    )
            query = f'select term, category, weight from "{table}"'  # noqa: S608 - a checked name
            for number, row in enumerate(base.execute(query), 1):
                yield check_entry(f"{path}: row {number} of {table}", row)
    # a damaged schema may make a message that is no UTF-8, or want more memory than there is
    except (sqlite3.Error, UnicodeDecodeError, MemoryError) as error:
        why = getattr(error, "sqlite_errorname", type(error).__name__)
        raise DataError(
            f"{path}: cannot be read as a DLATK lexicon ({why}); make it anew"
        ) from None


def dic_rows(path: Path) -> Iterator[Row]:
    """A LIWC dictionary: numbered categories between two % lines, then terms with numbers."""
    categories: dict[str, str] = {}
    separators = 0
    for number, line in enumerate(io.StringIO(read_utf8(path)), 1):
        # a term may be several words, but only if a tab ends it
        term, tab, rest = line.strip().partition("\t")
        cells = [term.strip(), *rest.split()] if tab else line.split()
        if cells == ["%"]:
            separators += 1
        elif cells and separators == 1:
            if len(cells) < 2:
                raise DataError(f"{path}:{number}: the category has no name")
            categories[cells[0]] = cells[1]
        elif cells and separators >= 2:
            for cell in cells[1:]:
                if cell not in categories:
                    raise DataError(
                        f"{path}:{number}: a category is not defined between the two lines of %"
                    )
                yield check_entry(f"{path}:{number}", (cells[0], categories[cell]))
    if separators < 2:
        raise DataError(f"{path}: a .dic file lists its categories between two lines of %")


def dicx_rows(path: Path) -> Iterator[Row]:
    """A LIWC-22 dictionary: a CSV table of DicTerm and a column a category, with X or a weight."""
    cells = read_cells(path)
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
    cells = read_cells(path, may_have_tabs=True)
    header = [c.strip().lower() for c in cells[0]] if cells else []
    if {"term", "category"} <= set(header):
        order = [header.index(c) for c in ("term", "category", "weight") if c in header]
        start = 1
    else:
        order, start = guess_columns(path, cells), 0
    for number, row in enumerate(cells[start:], start + 1):
        if row:
            if len(row) <= max(order):
                raise DataError(f"{path}:{number}: {len(row)} cells but {max(order) + 1} columns")
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
    """Term, category and, where there is one, weight, checked.

    The error says where and what, never the cell: it may be somebody's chat, given by mistake.
    """
    if any(cell is None for cell in row):
        raise DataError(f"{place}: a cell is null; give term, category and weight")
    term, category = str(row[0]).strip(), str(row[1]).strip().lower()
    if not category:
        raise DataError(f"{place}: the category is empty; give one")
    try:
        weight = float(str(row[2])) if len(row) > 2 else 1.0
    except ValueError:
        raise DataError(f"{place}: the weight is not a number; give one") from None
    if not math.isfinite(weight):
        raise DataError(f"{place}: the weight is not finite; give a number")
    return term, ALIASES.get(category, category), weight


def limit_rows(rows: Iterable[Any], path: Path) -> Iterator[Any]:
    """The rows, as long as they are not too many."""
    for number, row in enumerate(rows):
        if number >= limits.LEXICON_ROWS:
            most = f"{limits.LEXICON_ROWS:,}"
            raise DataError(f"{path}: the lexicon has more than {most} rows; leave some out")
        yield row


def read_cells(path: Path, *, may_have_tabs: bool = False) -> list[list[str]]:
    """The cells of every row, between commas, or between tabs if the first row has any."""
    text = read_utf8(path)
    has_tabs = may_have_tabs and "\t" in text.partition("\n")[0]
    # a quote is a plain character where tabs separate the cells
    tabs: dict[str, Any] = {"delimiter": "\t", "quoting": csv.QUOTE_NONE} if has_tabs else {}
    lines = (line.rstrip("\n") for line in io.StringIO(text))
    try:
        return list(limit_rows(csv.reader(lines, **tabs), path))
    except csv.Error as error:
        raise DataError(f"{path}: cannot be read as a table: {error}") from None


def read_utf8(path: Path) -> str:
    """The whole text of a file in UTF-8, line ends as \\n."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not UTF-8 text at byte {error.start}; save it as UTF-8") from None
