"""Lexicon files as (term, category, weight): our tables, NRC's, LIWC's .dic, DLATK's SQLite."""

from __future__ import annotations

import csv
import math
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from simpatico.errors import DataError

Row = tuple[str, str, float]

ALIASES = {"preps": "prep", "prepositions": "prep", "articles": "article", "conjunctions": "conj"}
DLATK_TABLE = "nrc_emot"


def lexicon_rows(path: Path, table: str = DLATK_TABLE) -> Iterator[Row]:
    """Every entry of a lexicon file, whichever of the four kinds it is."""
    with path.open("rb") as file:
        magic = file.read(16)
    if magic.startswith(b"SQLite format 3"):
        return sqlite_rows(path, table)
    return dic_rows(path) if path.suffix == ".dic" else table_rows(path)


def sqlite_rows(path: Path, table: str) -> Iterator[Row]:
    """A DLATK lexicon table; read as text, so that the word "nan" stays a word."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as base:
        names = [n for (n,) in base.execute("select name from sqlite_master where type='table'")]
        if table not in names:
            raise DataError(f"{path}: no table {table!r}; it has {sorted(names)}")
        query = f'select term, category, weight from "{table}"'  # noqa: S608 - a checked name
        for term, category, weight in base.execute(query):
            yield str(term), ALIASES.get(str(category), str(category)), float(weight)


def dic_rows(path: Path) -> Iterator[Row]:
    """A LIWC dictionary: numbered categories between two % lines, then terms with numbers."""
    categories: dict[str, str] = {}
    marks = 0
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").splitlines(), 1):
        cells = line.split()
        if line.strip() == "%":
            marks += 1
        elif cells and marks == 1:
            name = cells[1].lower() if len(cells) > 1 else ""
            categories[cells[0]] = ALIASES.get(name, name)
        elif cells and marks >= 2:
            for cell in cells[1:]:
                if cell not in categories:
                    raise DataError(f"{path}:{number}: category number not defined at the top")
                yield cells[0], categories[cell], 1.0
    if marks < 2:
        raise DataError(f"{path}: a .dic file lists its categories between two lines of %")


def table_rows(path: Path) -> Iterator[Row]:
    """A table with a header `term, category[, weight]`, or NRC's `category, term, weight`."""
    text = path.read_text(encoding="utf-8-sig")
    first = text.partition("\n")[0]
    lines = text.splitlines()
    cells = list(csv.reader(lines, delimiter="\t" if "\t" in first else ",", quoting=3 if "\t" in first else 0))
    header = [c.strip().lower() for c in cells[0]] if cells else []
    if {"term", "category"} <= set(header):
        order, body = [header.index(c) for c in ("term", "category")], cells[1:]
        weight = header.index("weight") if "weight" in header else None
    else:
        body = cells
        order, weight = headless(path, cells), 2
    for number, row in enumerate(body, 1 + len(cells) - len(body)):
        if row:
            yield entry(path, number, row, [*order, *([] if weight is None else [weight])])


def headless(path: Path, cells: list[list[str]]) -> list[int]:
    """Which of the first two columns is the term: the one with more different values."""
    rows = [r for r in cells if r]
    if any(len(r) != 3 for r in rows):
        raise DataError(f"{path}: needs a header term,category,weight or three columns in each row")
    return [0, 1] if len({r[0] for r in rows}) > len({r[1] for r in rows}) else [1, 0]


def entry(path: Path, number: int, row: list[str], order: list[int]) -> Row:
    """One row of a table, checked."""
    try:
        term, category, *rest = (row[i] for i in order)
        weight = float(rest[0]) if rest else 1.0
    except (IndexError, ValueError):
        raise DataError(f"{path}:{number}: not a term, a category and a number") from None
    if not math.isfinite(weight):
        raise DataError(f"{path}:{number}: the weight is not a finite number")
    category = category.strip().lower()
    return term, ALIASES.get(category, category), weight
