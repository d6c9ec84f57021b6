"""Scores of the rated pairs: the metrics that are held against people, and plain numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.reproduction.request import Asked
from simpatico.reproduction.weights import Way, way
from simpatico.scoring import score
from simpatico.turns import Turns

RELEVANCE, ENGAGEMENT = "relevance", "engagement"
PLAIN = ("length", "question_rate", "coherence")
"""Numbers that stand beside every learned one: words, a question mark, the cosine of MiniLM."""
LONG, ASKING, CLOSE = PLAIN
LOG = "length, logarithm"
"""log(1 + words): what length says to a correlation that knows straight lines only."""


class Scored(NamedTuple):
    """A column of scores for each metric, and which of them are relevance and engagement."""

    columns: dict[str, Floats]
    relevance: list[str]
    engagement: list[str]
    notes: dict[str, list[str]]
    absent: list[str]


def as_turns(queries: Sequence[str], replies: Sequence[str]) -> Turns:
    """A dialog of two turns for each pair, of which the reply gets a score."""
    n = len(queries)
    place = [f"{i:06d}" for i in range(n)]
    frame = pl.DataFrame(
        {
            "dialog": [*place, *place],
            "speaker": ["user"] * n + ["system"] * n,
            "text": [*queries, *replies],
            "system": [None] * n + ["system"] * n,
        },
        schema_overrides={"system": pl.String},
    )
    return Turns.from_utterances(frame)


def scored(queries: Sequence[str], replies: Sequence[str], asked: Asked) -> Scored:
    """What each metric says of the replies."""
    turns = as_turns(queries, replies)
    found = Scored({}, [], [], {}, [])
    for name in (RELEVANCE, ENGAGEMENT, *others(asked)):
        for one in ways(name, asked, found.absent):
            label = one.label if one.label not in found.columns else f"{one.label}, as given"
            found.columns[label] = column(turns, one)
            found.notes[label] = [one.note] if one.note else []
            if name in (RELEVANCE, ENGAGEMENT):
                (found.relevance if name == RELEVANCE else found.engagement).append(label)
    for name in PLAIN:
        plain = way(name)
        if isinstance(plain, Way):
            found.columns[name], found.notes[name] = column(turns, plain), []
        else:
            found.absent.append(f"{name}: {plain}")
    found.columns[LOG], found.notes[LOG] = np.log1p(found.columns[LONG]), []
    return found


def others(asked: Asked) -> list[str]:
    """Metrics that were asked for by name."""
    return [m for m in asked.metrics or () if m not in (RELEVANCE, ENGAGEMENT, *PLAIN)]


def ways(name: str, asked: Asked, absent: list[str]) -> Iterator[Way]:
    """A metric as it is shipped and, if parameters were given, with these; else why it cannot."""
    settings: list[Mapping[str, object]] = [{}]
    if given := asked.of(name):
        settings.append(given)
    for parameters in settings:
        one = way(name, **parameters)
        if isinstance(one, Way):
            yield one
        elif parameters or not given:
            absent.append(f"{name}: {one}")


def column(turns: Turns, one: Way) -> Floats:
    """The metric's main score of each reply; NaN where it has none."""
    main = next((s.name for s in one.metric.scores if s.name == one.metric.name), None)
    name = main or one.metric.scores[0].name
    table = score(turns, [one.metric]).at("turn")
    values = table[name].cast(pl.Float64).fill_null(float("nan"))
    return values.to_numpy().astype(np.float64)
