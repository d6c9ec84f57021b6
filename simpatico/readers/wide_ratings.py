"""Ratings as people keep them: a column a quality, thumbs for numbers, judges without names.

dialog,thumb      dialog,quality,value
d1,up         ->  d1,thumb,1
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from simpatico.judgements import Judgement, parse_rating
from simpatico.readers.file_formats._table_fields import ALIASES
from simpatico.readers.input.record import Place
from simpatico.wording import join_with_and

Cells = Mapping[str, object]
THUMBS = {
    **dict.fromkeys(("up", "thumbs up", "thumbs_up", "thumbsup", "yes", "true", "\U0001f44d"), 1),
    **dict.fromkeys(("down", "thumbs down", "thumbs_down", "thumbsdown", "no", "false"), 0),
    "\U0001f44e": 0,
}
"""What people write instead of 1 and 0."""


def long_rows(rows: list[tuple[Place, Cells]]) -> tuple[list[tuple[Place, Cells]], list[str]]:
    """One row per quality of a table with a column a quality, and which columns those are.

    A quality is a column whose cells are all ratings: numbers, or thumbs up and down. Columns of
    conversations, such as system or time, are none.
    """
    known = {
        *Judgement._fields,
        *ALIASES,
        *(alias for names in ALIASES.values() for alias in names),
    }
    names = dict.fromkeys(name for _, cells in rows for name in cells if name not in known)
    qualities = [n for n in names if is_rating_column(cells.get(n) for _, cells in rows)]
    if not qualities:
        return [], []
    others = [name for name in names if name not in qualities]
    notes = [f"read as a table with a column a quality: {join_with_and(qualities)}"]
    if others:
        notes.append(f"not numbers, so not read as ratings: {join_with_and(others)}")
    keys = [*Judgement._fields]
    long: list[tuple[Place, Cells]] = [
        (
            place,
            {**{k: cells.get(k) for k in keys}, "quality": n, "value": thumb_value(cells.get(n))},
        )
        for place, cells in rows
        for n in qualities
    ]
    return long, notes


def is_rating_column(cells: Iterable[object]) -> bool:
    """Whether all of these cells are ratings, and one of them is not empty."""
    try:
        ratings = [parse_rating(thumb_value(cell)) for cell in cells]
    except ValueError:
        return False
    return any(rating is not None for rating in ratings)


def thumb_value(cell: object) -> object:
    """1 for a thumb up and 0 for one down, in any of the usual spellings; else the cell itself."""
    if isinstance(cell, bool):
        return int(cell)
    return THUMBS.get(cell.strip().lower(), cell) if isinstance(cell, str) else cell


def number_unnamed_judges(ratings: list[Judgement]) -> tuple[list[Judgement], int]:
    """Several ratings of a quality of one unit without a judge's name: numbered, and how many."""
    counts = Counter(r.key for r in ratings if r.judge is None)
    number: Counter[tuple[object, ...]] = Counter()
    numbered = []
    for r in ratings:
        if r.judge is None and counts[r.key] > 1:
            number[r.key] += 1
            r = r._replace(judge=str(number[r.key]))
        numbered.append(r)
    return numbered, sum(number.values())
