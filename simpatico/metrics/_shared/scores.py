"""Scores in few words: titles from names, and one phrase for both sides of a comparison."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache, reduce
from operator import add
from typing import Any

import polars as pl

from simpatico.metric import Better, Score, plain_name
from simpatico.wording import title_from_name

ALTERNATIVES = re.compile(r"\(([^()|]+)\|([^()|]+)\)")
"""Two wordings, such as "(more|less)"; parentheses without a bar are left as they are."""


def make_score(
    name: str,
    of: pl.Expr | Callable[[pl.DataFrame], Any],
    meaning: str,
    comparison: str = "",
    *,
    range: tuple[float, float] = (0.0, 1.0),
    better: Better = None,
    title: str = "",
    unit: str = "",
) -> Score:
    """A score whose `more` and `less` stand in one phrase, and whose title its name gives.

    What stands in parentheses with a bar is said of the higher score, then of the lower one.
    Example: the comparison "is (more|less) apt" reads "is more apt than" of the system with the
    higher score, and "is less apt than" of the other one.
    """
    title = title or title_from_name(plain_name(name))
    more, less = both_sides(f"{comparison or f'has a (higher|lower) {title}'} than")
    return Score(name, of, range, meaning, better, title, more, less, unit)


@lru_cache(maxsize=1_000)
def both_sides(phrase: str) -> tuple[str, str]:
    """What a phrase says of the system with the higher score, and of the other one."""
    return ALTERNATIVES.sub(r"\1", phrase), ALTERNATIVES.sub(r"\2", phrase)


def mean_statistic(name: str) -> pl.Expr:
    """The mean over the turns that have a value: `n` counts them."""
    return pl.col(name) / pl.col("n")


def ordered_sum(terms: Iterable[pl.Expr]) -> pl.Expr:
    """The sum from left to right.

    `pl.sum_horizontal` and `pl.mean_horizontal` add in an order that depends on the number of
    threads and on how busy they are, so that the last bit of a score would differ between machines.
    """
    return reduce(add, terms)
