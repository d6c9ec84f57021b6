"""Table 5 and Figure 5: relevance, engagement and both together against people's ratings of pairs.

The paper takes the plain mean of two probabilities; least and greatest, and the mean of columns
brought to one spread, stand beside it. Both replies to a query move together in every interval.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np
import polars as pl

from simpatico.arrays import Bools, Floats
from simpatico.reproduction import Cell
from simpatico.reproduction.cells import Spot, of_result
from simpatico.reproduction.predictive_engagement.data import THEIRS
from simpatico.reproduction.predictive_engagement.paper import (
    ALL,
    BOTH_MAX,
    BOTH_MEAN,
    CORRELATIONS,
    CTX,
    MAX,
    MEAN,
    RUBER,
    SETS,
)
from simpatico.reproduction.predictive_engagement.raters import codes
from simpatico.reproduction.predictive_engagement.scores import Scored
from simpatico.stats.bootstrap import bootstrap_many

Kind = Literal["pearson", "spearman"]
KINDS: tuple[Kind, ...] = ("pearson", "spearman")
Combining = Literal["mean", "min", "max", "even", "weighted"]
COMBININGS: dict[Combining, str] = {
    "mean": "mean",
    "min": "least",
    "max": "greatest",
    "even": "mean at one spread",
    "weighted": "mean, seven tenths relevance,",
}
WEIGHT = 0.7
"""What relevance counts in that mean: of .5, .6 ... 1 it goes best with people's judgements of
three other sets of dialogs, Pearson's r averaged over them."""
OWN = "theirs: "
"""How columns of the authors' published scores begin."""
RECOMPUTED = "the authors' own published scores, correlated anew"


class Column(NamedTuple):
    """Scores of all pairs under a name; `printed` is the paper's name of it."""

    name: str
    values: Floats
    printed: str = ""
    notes: Sequence[str] = ()


def titled(kind: Kind) -> str:
    return f"Table 5: with people's ratings, {kind.title()}"


def combined(first: Floats, second: Floats, how: Combining) -> Floats:
    """Two columns as one; NaN where either is."""
    if how == "even":
        first, second = standard(first), standard(second)
    both = np.stack([first, second])
    match how:
        case "min":
            return np.asarray(both.min(axis=0))
        case "max":
            return np.asarray(both.max(axis=0))
        case "weighted":
            return np.asarray((1 - WEIGHT) * first + WEIGHT * second)
    return np.asarray(both.mean(axis=0))


def standard(column: Floats) -> Floats:
    """Mean 0 and deviation 1, without looking at any rating."""
    return np.asarray((column - np.nanmean(column)) / max(float(np.nanstd(column)), 1e-12))


def together(how: Combining, engagement: str, relevance: str) -> str:
    """The name of a combination."""
    return f"{COMBININGS[how]} of {engagement} and {relevance}"


def columns(pairs: pl.DataFrame, found: Scored) -> list[Column]:
    """The authors' scores, ours, both combined, and plain numbers, in the order shown."""
    return [*theirs(pairs), *ours(found)]


def theirs(pairs: pl.DataFrame) -> Iterator[Column]:
    own = {name: pairs[name].to_numpy().astype(np.float64) for name in THEIRS}
    for name in (RUBER, CTX, MEAN, MAX):
        yield Column(OWN + name, own[name], name, [RECOMPUTED])
    for name, engaging in ((BOTH_MEAN, MEAN), (BOTH_MAX, MAX)):
        for how in COMBININGS:
            both = combined(own[engaging], own[CTX], how)
            printed = name if how == "mean" else ""
            yield Column(OWN + together(how, engaging, CTX), both, printed, [RECOMPUTED])


def ours(found: Scored) -> Iterator[Column]:
    for name in (*found.relevance, *found.engagement):
        yield Column(name, found.columns[name], notes=found.notes[name])
    for relevance in found.relevance:
        for engagement in found.engagement:
            for how in COMBININGS:
                both = combined(found.columns[engagement], found.columns[relevance], how)
                yield Column(together(how, engagement, relevance), both)
    for name in (n for n in found.columns if n not in (*found.relevance, *found.engagement)):
        yield Column(name, found.columns[name], notes=found.notes[name])


def rows_of(pairs: pl.DataFrame, part: str) -> Bools:
    """Which pairs are of a part."""
    if part == ALL:
        return np.ones(pairs.height, dtype=np.bool_)
    return (pairs["part"] == part).to_numpy()


def correlation_cells(pairs: pl.DataFrame, shown: Sequence[Column], *, seed: int) -> Iterator[Cell]:
    """Pearson and Spearman of every column, on both halves and on all pairs."""
    matrix = np.stack([column.values for column in shown], axis=1)
    judged, queries = pairs["judged"].to_numpy(), codes(pairs["query"])
    for place, kind in enumerate(KINDS):
        for part in SETS:
            kept = rows_of(pairs, part)
            results = bootstrap_many(
                matrix[kept], judged[kept], queries[kept], kind=kind, seed=seed
            )
            for column, result in zip(shown, results, strict=True):
                printed = CORRELATIONS[part].get(column.printed)
                yield of_result(
                    Spot(titled(kind), part, column.name),
                    result,
                    paper=printed[place] if printed else None,
                    rows=int(kept.sum()),
                    notes=column.notes,
                )
