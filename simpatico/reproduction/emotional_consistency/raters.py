"""Tables 1, 3, 4 and 5: the human conversations, and how evaluators follow people's ratings.

These ratings are a test set: nothing here was chosen on them. Every interval resamples dialogs, so
that the answers of one dialog, by all three responders, are drawn together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np
import polars as pl

from simpatico.arrays import Floats, Ints
from simpatico.reproduction.cells import Cell, CellKey, count_cell, result_cell
from simpatico.reproduction.clustered_correlation import KINDS, correlation_difference
from simpatico.reproduction.emotional_consistency import paper
from simpatico.reproduction.emotional_consistency.scores import LEXICON, VADER, AnswerScores
from simpatico.stats.classification import LabelledPredictions, compare_runs
from simpatico.stats.correlation import correlation
from simpatico.stats.correlation_bootstrap import bootstrap_correlations
from simpatico.stats.draws import draw_counts, percentile_interval
from simpatico.stats.result import Result, make_result

TABLE_1 = "Table 1: people's ratings and evaluators, means"
TABLE_3 = "Table 3: dialogs by number of turns"
TABLE_4 = "Table 4: mean number of words"
TABLE_5 = "Table 5: points of whole dialogs"
THREE = "Over three responders: Pearson with people's means"
TURN = "Turn by turn: with people's ratings"
ABOVE = "Turn by turn: ahead of a lexicon"
AS_PRINTED = "as printed"
BY_59 = (
    "the printed figures are whole numbers of half points over 59 dialogs, where the file has 60"
)
GOOD_ANSWER = "an answer is a good one if its rating is 1, not .5 or 0"
DRAWS = 9_999
BASELINES = (LEXICON, VADER)
"""Beside which the paper has no figure."""


def conversation_count_cells(talks: pl.DataFrame) -> Iterator[Cell]:
    """Tables 3 and 4, counted anew."""
    people = talks.filter(pl.col("responder") == paper.PEOPLE)
    sizes = Counter(people.group_by("dialog").len()["len"].to_list())
    for turns, figure in paper.TURNS.items():
        key = CellKey(TABLE_3, f"{turns} turns", "dialogs")
        yield count_cell(key, sizes[turns], paper=figure, total=sum(sizes.values()))
    texts = {"user": people["user"]} | {
        who: talks.filter(pl.col("responder") == who)["answer"] for who in paper.RESPONDERS
    }
    for who, own in texts.items():
        mean = float(np.mean([len(text.split()) for text in own]))
        note = f"0 of {len(own)} not scored; words are what blanks part"
        yield Cell(TABLE_4, who, "words", paper.LENGTHS[who], mean, None, None, len(own), note)


def mean_over_dialogs(values: Floats, dialogs: Ints, *, seed: int) -> Result:
    """The mean of the finite values, with its interval over resamples of dialogs."""
    finite = np.isfinite(values)
    values, (names, codes) = values[finite], np.unique(dialogs[finite], return_inverse=True)
    draws = draw_counts(len(names), DRAWS, seed)
    sums, sizes = (
        draws @ np.bincount(codes, weights) for weights in (values, np.ones(len(values)))
    )
    return make_result(
        float(values.mean()),
        n=len(values),
        method=f"mean, bootstrap of {len(names)} dialogs",
        interval=percentile_interval(sums / sizes),
    )


def mean_cells(
    talks: pl.DataFrame, scores: Mapping[str, AnswerScores], *, seed: int
) -> Iterator[Cell]:
    """Table 1: people's means, and those of every evaluator with and without neutral turns."""
    dialogs = talks["dialog"].to_numpy()
    for who in paper.RESPONDERS:
        own, printed = (talks["responder"] == who).to_numpy(), paper.SCORES[who]
        columns: dict[str, tuple[Floats, float | None]] = {
            "people, turns": (talks["rating"].to_numpy(), printed.turns),
            "people, dialogs": (dialog_ratings(talks), printed.dialogs),
        }
        for name, answers in scores.items():
            only_emotional = np.where(answers.user_emotional >= 0.5, answers.hard, np.nan)
            columns[name] = answers.hard, None if name in BASELINES else printed.evaluator
            columns[f"{name}, only where the user's turn is emotional"] = only_emotional, None
        for column, (values, figure) in columns.items():
            mean = mean_over_dialogs(values[own], dialogs[own], seed=seed)
            yield result_cell(CellKey(TABLE_1, who, column), mean, paper=figure, rows=mean.n)


def dialog_ratings(talks: pl.DataFrame) -> Floats:
    """Ratings of dialogs; NaN at all turns but the first."""
    return talks["dialog_rating"].fill_null(np.nan).to_numpy().astype(np.float64)


def dialog_extremes(talks: pl.DataFrame, points: Floats) -> pl.DataFrame:
    """dialog, responder, most, least and middle of its points, and the rating."""
    return (
        talks.with_columns(points=pl.Series(points))
        .group_by("dialog", "responder", maintain_order=True)
        .agg(
            most=pl.col("points").max(),
            least=pl.col("points").min(),
            rating=pl.col("dialog_rating").drop_nulls().first(),
        )
        .with_columns(middle=(pl.col("most") + pl.col("least")) / 2)
    )


def dialog_point_cells(
    talks: pl.DataFrame, scores: Mapping[str, AnswerScores], *, seed: int
) -> Iterator[Cell]:
    """Table 5 of every evaluator."""
    for name, answers in scores.items():
        table = dialog_extremes(talks, answers.hard)
        for who in paper.RESPONDERS:
            own = table.filter(pl.col("responder") == who)
            for column in ("most", "least", "middle"):
                values = own[column].to_numpy()
                mean = mean_over_dialogs(values, own["dialog"].to_numpy(), seed=seed)
                figure = None if name in BASELINES else getattr(paper.SCORES[who], column)
                key = CellKey(TABLE_5, who, f"{name}, {column}")
                yield result_cell(key, mean, paper=figure, rows=len(values), notes=[BY_59])


def responder_correlation_cells(
    talks: pl.DataFrame, scores: Mapping[str, AnswerScores]
) -> Iterator[Cell]:
    """The paper's correlations, of its own figures and of ours, and the order of responders."""

    def means(table: pl.DataFrame, values: Floats) -> list[float]:
        own = ((table["responder"] == who).to_numpy() for who in paper.RESPONDERS)
        return [float(np.nanmean(values[rows])) for rows in own]

    turn_means, dialog_means = (
        means(talks, talks["rating"].to_numpy()),
        means(talks, dialog_ratings(talks)),
    )
    printed_turns = [paper.SCORES[who].evaluator for who in paper.RESPONDERS]
    printed_dialogs = [paper.SCORES[who].middle for who in paper.RESPONDERS]
    yield three_means_cell((AS_PRINTED, "turns"), printed_turns, turn_means, paper.SENTENCES)
    yield three_means_cell((AS_PRINTED, "dialogs"), printed_dialogs, dialog_means, paper.DIALOGS)
    for name, answers in scores.items():
        table = dialog_extremes(talks, answers.hard)
        points, middle = means(talks, answers.hard), means(table, table["middle"].to_numpy())
        has_figure = name not in BASELINES
        yield three_means_cell(
            (name, "turns"), points, turn_means, paper.SENTENCES if has_figure else None
        )
        yield three_means_cell(
            (name, "dialogs"), middle, dialog_means, paper.DIALOGS if has_figure else None
        )


def three_means_cell(
    row_and_column: tuple[str, str], ours: list[float], people: list[float], figure: float | None
) -> Cell:
    """A correlation of three pairs of means, with its p and both orders."""
    r = correlation(ours, people)
    orders = [
        ", ".join(paper.RESPONDERS[index] for index in np.argsort(-np.array(means), kind="stable"))
        for means in (ours, people)
    ]
    same = "the order of people" if orders[0] == orders[1] else f"people have {orders[1]}"
    notes = [f"p = {r.p_value:.3f}" if r.p_value else "no p", f"{orders[0]}: {same}"]
    return result_cell(CellKey(THREE, *row_and_column), r, paper=figure, rows=3, notes=notes)


def turn_level_cells(
    talks: pl.DataFrame, scores: Mapping[str, AnswerScores], *, seed: int
) -> Iterator[Cell]:
    """Pearson, Spearman and AUC over all answers, and the gain over a lexicon."""
    ratings, dialogs = talks["rating"].to_numpy(), talks["dialog"].to_numpy().astype(np.int64)
    clusters = talks["dialog"].cast(pl.String).to_list()
    columns: dict[str, Floats] = {
        f"{name}, {version}": getattr(answers, version)
        for name, answers in scores.items()
        for version in ("hard", "soft")
    }
    matrix = np.stack(list(columns.values()), axis=1)
    for kind in KINDS:
        results = bootstrap_correlations(matrix, ratings, dialogs, kind=kind, seed=seed)
        for name, r in zip(columns, results, strict=True):
            note = f"p = {r.p_value:.4f}" if r.p_value else "no p"
            yield result_cell(CellKey(TURN, name, kind), r, rows=len(ratings), notes=[note])
    runs = {}
    for name, values in columns.items():
        score = np.where(np.isfinite(values), values, 0.5)  # no value: undecided
        runs[name] = [LabelledPredictions(score, score > 0.5, ratings >= 1, clusters)]
    for name in columns:
        figures, gains = compare_runs(runs, name, seed=seed)
        note = f"0 of {len(ratings)} not scored; {GOOD_ANSWER}"
        auc = next(one.auc for one in figures if one.name == name)
        yield Cell(TURN, name, "AUC", None, *auc.value_and_interval, len(ratings), note)
        for baseline in lexicon_baselines(name, columns):
            key = CellKey(ABOVE, name, f"AUC, above {baseline}")
            yield Cell(*key, None, *gains[baseline].value_and_interval, len(ratings), note)
            two = np.stack([columns[name], columns[baseline]], axis=1)
            for kind in KINDS:
                gain, both = correlation_difference(two, ratings, dialogs, kind=kind, seed=seed)
                key = CellKey(ABOVE, name, f"{kind}, above {baseline}")
                gain = gain.with_method("difference over resamples of dialogs")
                yield result_cell(key, gain, rows=len(ratings), notes=[both])


def lexicon_baselines(name: str, columns: Mapping[str, Floats]) -> list[str]:
    """The lexicon columns of the same version that a trained evaluator is compared with."""
    evaluator, _, version = name.rpartition(", ")
    if evaluator in BASELINES:
        return []
    return [one for baseline in BASELINES if (one := f"{baseline}, {version}") in columns]
