"""Whether one correlation of Table 5 is larger than another, and what is left beside length."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from simpatico.arrays import Floats, Ints
from simpatico.reproduction import Cell
from simpatico.reproduction.cells import Spot, of_result
from simpatico.reproduction.predictive_engagement.correlations import (
    KINDS,
    OWN,
    Column,
    Kind,
    rows_of,
    together,
)
from simpatico.reproduction.predictive_engagement.paper import CTX, GENERATED, MEAN, SETS
from simpatico.reproduction.predictive_engagement.raters import codes
from simpatico.reproduction.predictive_engagement.scores import CLOSE, LOG, Scored
from simpatico.stats.bootstrap import correlation_draws, reaching_zero
from simpatico.stats.correlation import estimate, lacking
from simpatico.stats.dependent import Overlapping, williams
from simpatico.stats.draws import percentile_interval
from simpatico.stats.result import Result, result
from simpatico.wording import format_number, format_p

PRINTED = "the paper prints this one in bold, p below .05"
BOTH = OWN + together("mean", MEAN, CTX)


def titled(kind: Kind) -> str:
    return f"Table 5: differences between correlations, {kind.title()}"


def equal_length(kind: Kind) -> str:
    return f"Table 5: with people's ratings, the reply's length held equal, {kind.title()}"


def contests(found: Scored) -> list[tuple[str, str]]:
    """Which two columns are compared: the first should be the larger."""
    wanted = [(BOTH, OWN + CTX), (BOTH, LOG)]
    for relevance in found.relevance:
        wanted += [(relevance, OWN + CTX), (relevance, CLOSE), (relevance, LOG)]
        for engagement in found.engagement:
            both = together("mean", engagement, relevance)
            wanted += [(both, relevance), (both, BOTH), (both, OWN + CTX), (both, LOG)]
    wanted += [(e, other) for e in found.engagement for other in (OWN + MEAN, LOG)]
    return wanted


def difference_cells(
    pairs: pl.DataFrame, shown: Sequence[Column], found: Scored, *, seed: int
) -> Iterator[Cell]:
    """Each contest on both halves and on all pairs."""
    values = {column.name: column.values for column in shown}
    judged, queries = pairs["judged"].to_numpy(), codes(pairs["query"])
    for kind in KINDS:
        for part in SETS:
            kept = rows_of(pairs, part)
            for one, other in contests(found):
                if one not in values or other not in values:
                    continue
                two = np.stack([values[one][kept], values[other][kept]], axis=1)
                told, note = difference(two, judged[kept], queries[kept], kind=kind, seed=seed)
                bold = (one, other) == (BOTH, OWN + CTX) and part != GENERATED
                notes = [note, *([PRINTED] if bold else [])]
                spot = Spot(titled(kind), part, f"{one} − {other}")
                yield of_result(spot, told, rows=int(kept.sum()), notes=notes)


def difference(
    two: Floats, judged: Floats, queries: Ints, *, kind: Kind, seed: int
) -> tuple[Result, str]:
    """The first column's correlation minus the second's, over resamples of queries.

    Beside it the test of the paper, which takes the pairs as independent.
    """
    there = np.isfinite(two).all(axis=1) & np.isfinite(judged)
    two, judged, queries = two[there], judged[there], queries[there]
    method = "difference over resamples of queries"
    if lack := lacking(two[:, 0], two[:, 1], judged):
        return Result(None, None, None, None, len(judged), lack, method), "no test"
    first, second, link = (
        estimate(a, b, kind)
        for a, b in ((two[:, 0], judged), (two[:, 1], judged), (two[:, 0], two[:, 1]))
    )
    drawn = correlation_draws(two, judged, queries, kind=kind, seed=seed)
    gaps = drawn[:, 0] - drawn[:, 1]
    gaps = gaps[np.isfinite(gaps)]
    test = williams(Overlapping(first, second, link, len(judged)))
    found = result(
        first - second,
        n=len(judged),
        method=method,
        interval=percentile_interval(gaps),
        p_value=reaching_zero(gaps),
    )
    return found, (
        f"{format_number(first, 3)} against {format_number(second, 3)}, p {format_p(found.p_value)} by resamples, "
        f"p {format_p(test.difference.p_value)} by Williams' t"
    )


def partial_cells(
    pairs: pl.DataFrame, shown: Sequence[Column], found: Scored, *, seed: int
) -> Iterator[Cell]:
    """What relevance, engagement and both have in common with people beside the reply's length."""
    values = {column.name: column.values for column in shown}
    if LOG not in values:
        return
    mixed = [together("mean", e, r) for r in found.relevance for e in found.engagement]
    wanted = [OWN + CTX, OWN + MEAN, BOTH, *found.relevance, *found.engagement, *mixed]
    judged, queries = pairs["judged"].to_numpy(), codes(pairs["query"])
    for kind in KINDS:
        for part in SETS:
            kept = rows_of(pairs, part)
            for name in wanted:
                column: Mapping[str, Floats] = {"x": values[name][kept], "z": values[LOG][kept]}
                told = partial(column, judged[kept], queries[kept], kind=kind, seed=seed)
                yield of_result(Spot(equal_length(kind), part, name), told, rows=int(kept.sum()))


def partial(
    columns: Mapping[str, Floats], judged: Floats, clusters: Ints, *, kind: Kind, seed: int
) -> Result:
    """(xy - xz yz) / sqrt((1 - xz²)(1 - yz²)): x with the judgement y, z held equal."""
    x, z = columns["x"], columns["z"]
    there = np.isfinite(x) & np.isfinite(z) & np.isfinite(judged)
    x, z, y, clusters = x[there], z[there], judged[there], clusters[there]
    method = "partial correlation over resamples of clusters"
    if lack := lacking(x, y, z):
        return Result(None, None, None, None, len(x), lack, method)
    both = correlation_draws(np.stack([x, z], axis=1), y, clusters, kind=kind, seed=seed)
    link = correlation_draws(x[:, None], z, clusters, kind=kind, seed=seed)
    drawn = held_equal(both[:, 0], both[:, 1], link[:, 0])
    drawn = drawn[np.isfinite(drawn)]
    seen = np.array([[estimate(x, y, kind)], [estimate(z, y, kind)], [estimate(x, z, kind)]])
    return result(
        float(held_equal(*seen)[0]),
        n=len(x),
        method=method,
        interval=percentile_interval(drawn) if len(drawn) else None,
        p_value=reaching_zero(drawn) if len(drawn) else None,
    )


def held_equal(xy: Floats, zy: Floats, xz: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((xy - xz * zy) / np.sqrt((1 - xz**2) * (1 - zy**2)))
