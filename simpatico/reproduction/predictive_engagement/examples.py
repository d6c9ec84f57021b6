"""Table 6: the paper's four examples, found again, with the authors' scores and with ours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from simpatico.reproduction import Cell
from simpatico.reproduction.cells import Spot, only_paper
from simpatico.reproduction.predictive_engagement.correlations import OWN, Column, together
from simpatico.reproduction.predictive_engagement.data import plain
from simpatico.reproduction.predictive_engagement.paper import CTX, EXAMPLES, MEAN, Example
from simpatico.reproduction.predictive_engagement.scores import Scored

TABLE_6 = "Table 6: examples"
HUMAN = "people, from 0 to 1"
LONGEST = 40


def example_cells(pairs: pl.DataFrame, shown: Sequence[Column], found: Scored) -> Iterator[Cell]:
    """People, relevance, engagement and the mean of both for each example."""
    texts = list(zip(pairs["query"], pairs["reply"], strict=True))
    places = {(plain(query), plain(reply)): row for row, (query, reply) in enumerate(texts)}
    for number, example in enumerate(EXAMPLES, 1):
        row = places.get((plain(example.query), plain(example.reply)))
        name = f"{number}: {short(example.reply)}"
        if row is None:
            yield only_paper(Spot(TABLE_6, name, HUMAN), example.human, "not among the pairs")
            continue
        yield from of_example(name, example, pairs["judged"][row], at(shown, row, found))


def at(shown: Sequence[Column], row: int, found: Scored) -> dict[str, float]:
    """The scores of one pair that Table 6 shows."""
    mixed = [together("mean", e, r) for r in found.relevance for e in found.engagement]
    own = [OWN + CTX, OWN + MEAN, OWN + together("mean", MEAN, CTX)]
    wanted = [*own, *found.relevance, *found.engagement, *mixed]
    return {c.name: float(c.values[row]) for c in shown if c.name in wanted}


def of_example(
    name: str, example: Example, judged: float, scores: dict[str, float]
) -> Iterator[Cell]:
    """One row; the mean of three ratings from 1 to 5 is brought to 0 to 1."""
    printed = {
        OWN + CTX: example.relevance,
        OWN + MEAN: example.engagement,
        OWN + together("mean", MEAN, CTX): example.both,
    }
    values = {HUMAN: (judged - 1) / 4, **scores}
    for column, value in values.items():
        paper = example.human if column == HUMAN else printed.get(column)
        known = value if value == value else None
        told = f"{int(known is None)} of 1 not scored; {example.query} – {example.reply}"
        yield Cell(TABLE_6, name, column, paper, known, None, None, 1, told)


def short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1].rstrip()}…"
