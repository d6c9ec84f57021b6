"""Which dialogs a page quotes: where raters and a score agree, where not, and the ends of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from simpatico.reporting.dialogs.pool import UNIT, Pool, gather_pool
from simpatico.reporting.dialogs.rules import Rule, quote_rules

SHOWN = 4
"""Scores beside a quoted dialog."""


@dataclass(frozen=True)
class ScorePlace:
    """Where a dialog stands among all dialogs of the run: mid-rank percentile, 0 to 100."""

    score: str
    value: float
    percentile: float


@dataclass(frozen=True)
class Example:
    """A dialog to quote, one speaker's part in it being what was scored and rated."""

    title: str
    dialog: str
    speaker: str
    system: str
    lead: str
    places: tuple[ScorePlace, ...]
    rating: float | None
    quality: str | None
    judges: int
    scale: tuple[float, float] | None = None
    """Ends of the scale of the rating."""


def choose_examples(
    dialogs: pl.DataFrame,
    scores: Sequence[str],
    titles: Mapping[str, str],
    lead: str,
    ratings: pl.DataFrame | None,
    limit: int = 24,
) -> list[Example]:
    """The dialogs to quote, each once, whatever the order of the rows; people are not in them."""
    pool = gather_pool(
        dialogs, (lead, *(s for s in dict.fromkeys(scores) if s != lead)), titles, ratings
    )
    free = np.ones(pool.frame.height, dtype=np.bool_)
    dialog = pool.frame["dialog"].rank("dense").to_numpy()
    chosen: list[Example] = []
    for rule in quote_rules(pool):
        if len(chosen) < limit and (row := pick_row(rule, free)) is not None:
            chosen.append(build_example(pool, row, rule))
            free &= dialog != dialog[row]
    return chosen


def pick_row(rule: Rule, free: npt.NDArray[np.bool_]) -> int | None:
    """The row that a rule asks for; null where there is none or it is quoted already."""
    known = np.isfinite(rule.key)
    if not (known & free).any():
        return None
    keys = np.where(known & free, rule.key, -np.inf)
    row = int(keys.argmax())
    return None if rule.exact and keys[row] < rule.key[known].max() else row


def build_example(pool: Pool, row: int, rule: Rule) -> Example:
    """What is told about the dialog of a row, besides its words."""
    facts = pool.frame.row(row, named=True)
    shown = [pool.scores.index(s) for s in dict.fromkeys((*rule.first(row), *pool.scores))]
    places = [
        ScorePlace(pool.scores[i], float(pool.values[row, i]), float(pool.places[row, i]))
        for i in shown
        if np.isfinite(pool.values[row, i])
    ]
    return Example(
        title=rule.title(row),
        **{key: facts[key] for key in UNIT},
        lead=pool.scores[0],
        places=tuple(places[:SHOWN]),
        rating=facts["_value"],
        quality=facts["_quality"],
        judges=facts["_judges"] or 0,
        scale=pool.scale(row),
    )
