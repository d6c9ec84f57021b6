"""Pairs of scores against every quality judged: which follows people more closely, as rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import polars as pl

from simpatico.errors import UnknownName
from simpatico.stats.correction import correct
from simpatico.stats.result import Result, Row
from simpatico.validation.contests__rivals import rivals, rivals_drawn
from simpatico.validation.correlations import How, clusters_of, numbers
from simpatico.validation.matching import matched


@dataclass(frozen=True)
class Contest(Row):
    """How much more `score` correlates with a quality than `against` does, on the same units."""

    against: str


def contests(
    scores: pl.DataFrame,
    gold: pl.DataFrame,
    pairs: Sequence[tuple[str, str]],
    *,
    how: How | None = None,
) -> list[Contest]:
    """Each pair with each quality, joined by unit key; p corrected over a quality's pairs.

    Rows that belong together: bootstrap of whole clusters; independent ones: Williams' t.
    """
    how = how or How()
    both = matched(scores, gold, how.level)
    if unknown := sorted({name for pair in pairs for name in pair} - set(both.scores)):
        raise UnknownName(f"no score {unknown[0]!r}; there are {', '.join(both.scores)}")
    rows: list[Contest] = []
    for quality in both.qualities:
        found = [contest(both.of(quality), a, b, how=how) for a, b in pairs]
        adjusted, _ = correct([f.p_value for f in found], how.correction)
        rows += [
            Contest(quality=quality, score=a, against=b, p_adjusted=p, **asdict(f))
            for (a, b), f, p in zip(pairs, found, adjusted, strict=True)
        ]
    return rows


def contest(frame: pl.DataFrame, score: str, against: str, *, how: How) -> Result:
    """The difference of two scores' correlations with the judgements of the same rows."""
    a, b, target = numbers(frame[score]), numbers(frame[against]), numbers(frame["value"])
    clusters = clusters_of(frame, how)
    if clusters is None and how.kind != "kendall":
        return rivals(a, b, target, kind=how.kind).difference
    codes = pl.Series(range(frame.height)) if clusters is None else clusters
    return rivals_drawn((a, b), target, codes.to_numpy(), kind=how.kind, seed=how.seed)
