"""People and judges whose agreement is known, as they are made here."""

import numpy as np
import polars as pl

from simpatico.judge_answers import ANSWER_SCHEMA, JudgeAnswers
from simpatico.judgements import SCHEMA, Judgements


def answers_of(values, judge, *, kind="model", quality="warm", **columns):
    """A row per dialog d0, d1, …; NaN is no answer."""
    n = len(values)
    given = {
        "dialog": [f"d{i}" for i in range(n)],
        "quality": quality,
        "judge": judge,
        "judge_kind": kind,
        "value": pl.Series(values, dtype=pl.Float64).fill_nan(None),
        "repeat": 1,
        **columns,
    }
    empty = {name: None for name in ANSWER_SCHEMA if name not in given}
    frame = pl.DataFrame({**given, **empty})
    return frame.select(pl.col(name).cast(kind) for name, kind in ANSWER_SCHEMA.items())


def people_of(matrix, *, kind="outsider", **columns):
    """A judge p0, p1, … for each column of units × people."""
    parts = [answers_of(v, f"p{i}", kind=kind, **columns) for i, v in enumerate(matrix.T)]
    return Judgements(pl.concat(parts).select(list(SCHEMA)).drop_nulls("value"))


def judges_of(*parts):
    return JudgeAnswers.of(pl.concat(parts))


def ratings(units=60, people=3, noise=0.6, seed=0):
    """A truth on the scale from 1 to 5, and people's ratings of it."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(3, 1, units)
    return truth, rounded(truth[:, None] + rng.normal(0, noise, (units, people)))


def rounded(values):
    return np.clip(np.round(values), 1, 5)
