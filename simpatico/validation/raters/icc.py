"""Intraclass correlations: the share of variance that is between units, not between judges."""

from __future__ import annotations

from typing import Literal

import numpy as np

from simpatico.arrays import Floats
from simpatico.stats.bootstrap_sums import Sums, beside, enough, per_unit, ratio
from simpatico.validation.raters.ratings import Rated

Model = Literal["1", "2", "3"]


def icc(rated: Rated, model: Model, *, mean: bool) -> Sums:
    """ICC of one rating (…,1) or of the mean over judges (…,k), by analysis of variance.

    1: other judges for each unit; 2: the same judges, drawn from many, who should give the same
    values; 3: these judges only, who should give the same order. Shrout & Fleiss, Psychological
    Bulletin 86, 1979. Model 1 takes every unit with two ratings or more, k being the adjusted
    mean number of ratings k₀ = (N − Σm²/N) / (n − 1); models 2 and 3 take only units that every
    judge rated.
    """
    name = f"icc_{model}_{'k' if mean else '1'}"
    method = f"ICC({model},{'k' if mean else '1'})"
    if model == "1":
        n = int(rated.paired.sum())
        of = one_way_mean if mean else one_way
        return Sums(name, method, one_way_parts(rated), of, n, enough(n))
    whole = complete(rated)
    judges = rated.given.shape[1]
    n = int(whole.sum()) if judges > 1 else 0

    def of_two(sums: Floats) -> Floats:
        return two_way(sums, model, mean=mean)

    method += f", units rated by all {judges} judges"
    return Sums(name, method, two_way_parts(rated), of_two, n, enough(n))


def complete(rated: Rated) -> Floats:
    """1 for units that every judge rated, else 0."""
    return np.asarray(rated.given.all(axis=1) & rated.paired, dtype=np.float64)


def within(rated: Rated) -> Floats:
    """The squares of a unit's ratings about their mean, exactly 0 where all are the same."""
    pairs = rated.pairs
    apart = per_unit(pairs.unit, (pairs.x - pairs.y) ** 2, len(rated.number))
    return np.asarray(apart / np.maximum(rated.number, 1))


def one_way_parts(rated: Rated) -> Floats:
    number = np.where(rated.paired, rated.number, 0.0)
    sums = np.where(rated.paired, np.where(rated.given, rated.values, 0.0).sum(axis=1), 0.0)
    squares = sums**2 / np.maximum(number, 1)
    one = rated.paired.astype(np.float64)
    return np.asarray(beside(one, number, number**2, sums, squares, within(rated)))


def mean_squares(sums: Floats) -> tuple[Floats, Floats, Floats]:
    """Between units, within units, and k₀."""
    n, number, squared, total, squares, inside = sums.T[:6]
    between = ratio(squares - ratio(total**2, number), n - 1)
    return between, ratio(inside, number - n), ratio(number - ratio(squared, number), n - 1)


def one_way(sums: Floats) -> Floats:
    between, inside, k = mean_squares(sums)
    return ratio(between - inside, between + (k - 1) * inside)


def one_way_mean(sums: Floats) -> Floats:
    between, inside, _ = mean_squares(sums)
    return ratio(between - inside, between)


def two_way_parts(rated: Rated) -> Floats:
    whole = complete(rated)
    values = np.where(rated.given, rated.values, 0.0) * whole[:, None]
    squares = values.sum(axis=1) ** 2 / max(values.shape[1], 1)
    return np.asarray(beside(whole, squares, within(rated) * whole, values))


def two_way(sums: Floats, model: Model, *, mean: bool) -> Floats:
    """MSR, MSC, MSE (units, judges, rest) put together as the model says."""
    n, squares, inside, columns = sums[:, 0], sums[:, 1], sums[:, 2], sums[:, 3:]
    k = columns.shape[1]
    centre = ratio(columns.sum(axis=1) ** 2, n * k)
    judged = ratio((columns**2).sum(axis=1), n) - centre
    units = ratio(squares - centre, n - 1)
    rest = ratio(np.maximum(inside - judged, 0.0), (n - 1) * (k - 1))
    shift = (judged / max(k - 1, 1) - rest) / n if model == "2" else 0.0
    if mean:
        return ratio(units - rest, units + shift)
    return ratio(units - rest, units + (k - 1) * rest + k * shift)
