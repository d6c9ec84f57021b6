"""Tables 1, 3, 4 and 5: the human conversations, and how evaluators follow people's ratings.

These ratings are a test: nothing here was chosen on them. Answers of one dialog, by all three
responders, move together in every interval.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Literal

import numpy as np
import polars as pl

from simpatico.arrays import Floats, Ints
from simpatico.reproduction import Cell
from simpatico.reproduction.cells import Spot, of_count, of_result
from simpatico.reproduction.emotional_consistency.paper import (
    DIALOGS,
    LENGTHS,
    PEOPLE,
    RESPONDERS,
    SCORES,
    SENTENCES,
    TURNS,
)
from simpatico.reproduction.emotional_consistency.scores import LEXICON, VADER, Answers
from simpatico.reproduction.predictive_engagement.correlation_tests import difference
from simpatico.stats.bootstrap import bootstrap_many
from simpatico.stats.classification__measures import Run, compared
from simpatico.stats.correlation import pearson
from simpatico.stats.draws import counts, percentile_interval
from simpatico.stats.result import Result, result

TABLE_1 = "Table 1: people's ratings and evaluators, means"
TABLE_3 = "Table 3: dialogs by number of turns"
TABLE_4 = "Table 4: mean number of words"
TABLE_5 = "Table 5: points of whole dialogs"
THREE = "Over three responders: Pearson with people's means"
TURN = "Turn by turn: with people's ratings"
ABOVE = "Turn by turn: ahead of a lexicon"
KINDS: tuple[Literal["pearson", "spearman"], ...] = ("pearson", "spearman")
PAPER = "as printed"
BY_59 = (
    "the printed figures are whole numbers of half points over 59 dialogs, where the file has 60"
)
RATED = "an answer is a good one if its rating is 1, not .5 or 0"
DRAWS = 9_999
PLAIN = (LEXICON, VADER)
"""Beside which the paper has no figure."""


def count_cells(talks: pl.DataFrame) -> Iterator[Cell]:
    """Tables 3 and 4, counted anew."""
    own = talks.filter(pl.col("responder") == PEOPLE)
    sizes = Counter(own.group_by("dialog").len()["len"].to_list())
    for turns, printed in TURNS.items():
        spot = Spot(TABLE_3, f"{turns} turns", "dialogs")
        yield of_count(spot, sizes[turns], paper=printed, total=sum(sizes.values()))
    texts = {"user": own["user"]} | {
        who: talks.filter(pl.col("responder") == who)["answer"] for who in RESPONDERS
    }
    for who, some in texts.items():
        mean = float(np.mean([len(text.split()) for text in some]))
        note = f"0 of {len(some)} not scored; words are what blanks part"
        yield Cell(TABLE_4, who, "words", LENGTHS[who], mean, None, None, len(some), note)


def mean_over(values: Floats, dialogs: Ints, *, seed: int) -> Result:
    """A mean over what has a value, with its interval over resamples of dialogs."""
    there = np.isfinite(values)
    values, (found, whose) = values[there], np.unique(dialogs[there], return_inverse=True)
    drawn = counts(len(found), DRAWS, seed)
    sums, sizes = (drawn @ np.bincount(whose, some) for some in (values, np.ones(len(values))))
    return result(
        float(values.mean()),
        n=len(values),
        method=f"mean, bootstrap of {len(found)} dialogs",
        interval=percentile_interval(sums / sizes),
    )


def mean_cells(talks: pl.DataFrame, scored: Mapping[str, Answers], *, seed: int) -> Iterator[Cell]:
    """Table 1: people's means, and those of every evaluator with and without neutral turns."""
    dialogs = talks["dialog"].to_numpy()
    for place, who in enumerate(RESPONDERS):
        own = (talks["responder"] == who).to_numpy()
        printed = SCORES[RESPONDERS[place]]
        columns: dict[str, tuple[Floats, float | None]] = {
            "people, turns": (talks["rating"].to_numpy(), printed.turns),
            "people, dialogs": (whole(talks), printed.dialogs),
        }
        for name, found in scored.items():
            felt = np.where(found.prompted >= 0.5, found.hard, np.nan)
            columns[name] = found.hard, None if name in PLAIN else printed.evaluator
            columns[f"{name}, only where the user's turn is emotional"] = felt, None
        for column, (values, paper) in columns.items():
            told = mean_over(values[own], dialogs[own], seed=seed)
            yield of_result(Spot(TABLE_1, who, column), told, paper=paper, rows=told.n)


def whole(talks: pl.DataFrame) -> Floats:
    """Ratings of dialogs; NaN at all turns but the first."""
    return talks["of_dialog"].fill_null(np.nan).to_numpy().astype(np.float64)


def ends(talks: pl.DataFrame, points: Floats) -> pl.DataFrame:
    """dialog, responder, most, least and middle of its points, and the rating."""
    return (
        talks.with_columns(points=pl.Series(points))
        .group_by("dialog", "responder", maintain_order=True)
        .agg(
            most=pl.col("points").max(),
            least=pl.col("points").min(),
            rating=pl.col("of_dialog").drop_nulls().first(),
        )
        .with_columns(middle=(pl.col("most") + pl.col("least")) / 2)
    )


def dialog_cells(
    talks: pl.DataFrame, scored: Mapping[str, Answers], *, seed: int
) -> Iterator[Cell]:
    """Table 5 of every evaluator."""
    for name, found in scored.items():
        table = ends(talks, found.hard)
        for who in RESPONDERS:
            own = table.filter(pl.col("responder") == who)
            for column in ("most", "least", "middle"):
                values = own[column].to_numpy()
                told = mean_over(values, own["dialog"].to_numpy(), seed=seed)
                printed = None if name in PLAIN else getattr(SCORES[who], column)
                spot = Spot(TABLE_5, who, f"{name}, {column}")
                yield of_result(spot, told, paper=printed, rows=len(values), notes=[BY_59])


def three_cells(talks: pl.DataFrame, scored: Mapping[str, Answers]) -> Iterator[Cell]:
    """The paper's correlations, of its own figures and of ours, and the order of responders."""
    people = [mean_of(talks, talks["rating"].to_numpy(), who) for who in RESPONDERS]
    rated = [mean_of(talks, whole(talks), who) for who in RESPONDERS]
    told = [SCORES[who].evaluator for who in RESPONDERS]
    middle = [SCORES[who].middle for who in RESPONDERS]
    yield of_three(PAPER, "turns", told, people, SENTENCES)
    yield of_three(PAPER, "dialogs", middle, rated, DIALOGS)
    for name, found in scored.items():
        own = [mean_of(talks, found.hard, who) for who in RESPONDERS]
        table = ends(talks, found.hard)
        mids = [mean_of(table, table["middle"].to_numpy(), who) for who in RESPONDERS]
        plain = name in PLAIN
        yield of_three(name, "turns", own, people, None if plain else SENTENCES)
        yield of_three(name, "dialogs", mids, rated, None if plain else DIALOGS)


def mean_of(table: pl.DataFrame, values: Floats, who: str) -> float:
    return float(np.nanmean(values[(table["responder"] == who).to_numpy()]))


def of_three(
    name: str, column: str, ours: list[float], people: list[float], paper: float | None
) -> Cell:
    """A correlation of three pairs of means, with its p and both orders."""
    found = pearson(ours, people)
    orders = [
        ", ".join(RESPONDERS[at] for at in np.argsort(-np.array(means), kind="stable"))
        for means in (ours, people)
    ]
    same = "the order of people" if orders[0] == orders[1] else f"people have {orders[1]}"
    notes = [f"p = {found.p_value:.3f}" if found.p_value else "no p", f"{orders[0]}: {same}"]
    return of_result(Spot(THREE, name, column), found, paper=paper, rows=3, notes=notes)


def turn_cells(talks: pl.DataFrame, scored: Mapping[str, Answers], *, seed: int) -> Iterator[Cell]:
    """Pearson, Spearman and the area, over all answers, and what is ahead of a lexicon."""
    rated, dialogs = talks["rating"].to_numpy(), talks["dialog"].to_numpy().astype(np.int64)
    columns = {
        f"{name}, {kind}": getattr(found, kind)
        for name, found in scored.items()
        for kind in ("hard", "soft")
    }
    matrix = np.stack(list(columns.values()), axis=1)
    for kind in KINDS:
        for name, told in zip(
            columns, bootstrap_many(matrix, rated, dialogs, kind=kind, seed=seed), strict=True
        ):
            note = f"p = {told.p_value:.4f}" if told.p_value else "no p"
            yield of_result(Spot(TURN, name, kind), told, rows=len(rated), notes=[note])
    runs = {name: [run(values, rated, talks)] for name, values in columns.items()}
    for name in columns:
        measured, above = compared(runs, name, seed=seed)
        note = f"0 of {len(rated)} not scored; {RATED}"
        area = next(one.auc for one in measured if one.name == name)
        yield Cell(TURN, name, "AUC", None, *area, len(rated), note)
        for plain in lexica(name, columns):
            spot = Spot(ABOVE, name, f"AUC, above {plain}")
            yield Cell(*spot, None, *above[plain], len(rated), note)
            two = np.stack([columns[name], columns[plain]], axis=1)
            for kind in KINDS:
                gap, said = difference(two, rated, dialogs, kind=kind, seed=seed)
                spot = Spot(ABOVE, name, f"{kind}, above {plain}")
                gap = gap.named("difference over resamples of dialogs")
                yield of_result(spot, gap, rows=len(rated), notes=[said])


def lexica(name: str, columns: Mapping[str, Floats]) -> list[str]:
    """The lexicon columns of the same version that a learned evaluator is held against."""
    own, _, version = name.rpartition(", ")
    plain = [f"{one}, {version}" for one in PLAIN]
    return [] if own in PLAIN else [one for one in plain if one in columns]


def run(values: Floats, rated: Floats, talks: pl.DataFrame) -> Run:
    """Answers without a value count as undecided."""
    guess = np.where(np.isfinite(values), values, 0.5)
    return Run(guess, guess > 0.5, rated >= 1, talks["dialog"].cast(pl.String).to_list())
