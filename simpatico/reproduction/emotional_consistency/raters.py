"""Tables 1, 3, 4 and 5: the human conversations, and how evaluators follow people's ratings.

Table 1: mean evaluator score and human rating by responder. Tables 3 and 4: dialogs by number of
turns, and words by speaker. Table 5: the most, least and middle point of each dialog, averaged. The
paper's evidence is Pearson's r over three responders, .94 for turns and .89 for dialogs; with n = 3
its p is .23 (t with one degree of freedom), so correlations turn by turn are added.

These ratings are a test set: nothing here was chosen on them. Every interval resamples dialogs, so
that the answers of one dialog, by all three responders, are drawn together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np
import polars as pl

from simpatico.arrays import Floats, Ints
from simpatico.reproduction.cells import Cell, count_cell, make_cell, printed_tables, result_cell
from simpatico.reproduction.clustered_correlation import KINDS, correlation_difference
from simpatico.reproduction.emotional_consistency import paper
from simpatico.reproduction.emotional_consistency.classifiers import LEXICON, VADER, AnswerScores
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
"""Bootstrap draws of a mean."""
BASELINES = (LEXICON, VADER)
"""Beside which the paper has no figure."""


def conversation_count_cells(talks: pl.DataFrame) -> Iterator[Cell]:
    """Tables 3 and 4, counted anew."""
    people = talks.filter(pl.col("responder") == paper.PEOPLE)
    sizes = Counter(people.group_by("dialog").len()["len"].to_list())
    for turns, figure in paper.TURNS.items():
        place = TABLE_3, f"{turns} turns", "dialogs"
        yield count_cell(place, sizes[turns], paper=figure, total=sum(sizes.values()))
    texts = {"user": people["user"]} | {
        who: talks.filter(pl.col("responder") == who)["answer"] for who in paper.RESPONDERS
    }
    for who, own in texts.items():
        mean = float(np.mean([len(text.split()) for text in own]))
        notes = ["words are separated by whitespace"]
        place = TABLE_4, who, "words"
        yield make_cell(place, mean, paper=paper.LENGTHS[who], n=len(own), notes=notes)


def printed_scores(who: str) -> dict[str, float]:
    """Tables 1 and 5 of one responder."""
    scores: dict[str, float] = printed_tables("emotional_consistency")["scores"][who]
    return scores


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
    """Table 1: people's means, and those of every evaluator with and without neutral turns.

    The paper counts turns of users that have no emotion to be consistent with; the second column
    leaves them out.
    """
    dialogs = talks["dialog"].to_numpy()
    for who in paper.RESPONDERS:
        own, figures = (talks["responder"] == who).to_numpy(), printed_scores(who)
        columns: dict[str, tuple[Floats, float | None]] = {
            "people, turns": (talks["rating"].to_numpy(), figures["turns"]),
            "people, dialogs": (dialog_ratings(talks), figures["dialogs"]),
        }
        for name, answers in scores.items():
            only_emotional = np.where(answers.user_emotional >= 0.5, answers.hard, np.nan)
            columns[name] = answers.hard, None if name in BASELINES else figures["evaluator"]
            columns[f"{name}, only where the user's turn is emotional"] = only_emotional, None
        for column, (values, figure) in columns.items():
            mean = mean_over_dialogs(values[own], dialogs[own], seed=seed)
            yield result_cell((TABLE_1, who, column), mean, paper=figure, rows=mean.n)


def dialog_ratings(talks: pl.DataFrame) -> Floats:
    """Ratings of dialogs; NaN at all turns but the first."""
    return talks["dialog_rating"].fill_null(np.nan).to_numpy().astype(np.float64)


def dialog_extremes(talks: pl.DataFrame, points: Floats) -> pl.DataFrame:
    """dialog, responder, most, least and middle of its points, and the rating.

    The middle is (most + least) / 2, which the paper correlates with people's ratings of dialogs.
    """
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
                figure = None if name in BASELINES else printed_scores(who)[column]
                place = TABLE_5, who, f"{name}, {column}"
                yield result_cell(place, mean, paper=figure, rows=len(values), notes=[BY_59])


def responder_correlation_cells(
    talks: pl.DataFrame, scores: Mapping[str, AnswerScores]
) -> Iterator[Cell]:
    """The paper's correlations, of its own figures and of ours, and the order of responders."""

    def means(table: pl.DataFrame, values: Floats) -> list[float]:
        own = ((table["responder"] == who).to_numpy() for who in paper.RESPONDERS)
        return [float(np.nanmean(values[rows])) for rows in own]

    people = {
        "turns": means(talks, talks["rating"].to_numpy()),
        "dialogs": means(talks, dialog_ratings(talks)),
    }
    correlations = {"turns": paper.SENTENCES, "dialogs": paper.DIALOGS}
    own_figures = [printed_scores(who) for who in paper.RESPONDERS]
    ours = {
        AS_PRINTED: {
            "turns": [figures["evaluator"] for figures in own_figures],
            "dialogs": [figures["middle"] for figures in own_figures],
        }
    }
    for name, answers in scores.items():
        table = dialog_extremes(talks, answers.hard)
        middle = means(table, table["middle"].to_numpy())
        ours[name] = {"turns": means(talks, answers.hard), "dialogs": middle}
    for name, by_level in ours.items():
        for level, values in by_level.items():
            figure = None if name in BASELINES else correlations[level]
            yield three_means_cell((THREE, name, level), values, people[level], figure)


def three_means_cell(
    place: tuple[str, str, str], ours: list[float], people: list[float], figure: float | None
) -> Cell:
    """A correlation of three pairs of means, with its p and both orders.

    Three points leave one degree of freedom, so that an r of .94 is not significant; the order of
    the responders says what can be said.
    """
    r = correlation(ours, people)
    orders = [
        ", ".join(paper.RESPONDERS[index] for index in np.argsort(-np.array(means), kind="stable"))
        for means in (ours, people)
    ]
    same = "the order of people" if orders[0] == orders[1] else f"people have {orders[1]}"
    notes = [f"p = {r.p_value:.3f}" if r.p_value else "no p", f"{orders[0]}: {same}"]
    return result_cell(place, r, paper=figure, rows=3, notes=notes)


def turn_level_cells(
    talks: pl.DataFrame, scores: Mapping[str, AnswerScores], *, seed: int
) -> Iterator[Cell]:
    """Pearson, Spearman and AUC over all answers, and the gain over a lexicon.

    Not in the paper. "hard" are the paper's points of 0, .5 and 1; "soft" what the probabilities
    expect them to be.
    """
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
            yield result_cell((TURN, name, kind), r, rows=len(ratings), notes=[note])
    runs = {}
    for name, values in columns.items():
        score = np.where(np.isfinite(values), values, 0.5)  # no value: undecided
        runs[name] = [LabelledPredictions(score, score > 0.5, ratings >= 1, clusters)]
    for name in columns:
        evaluator, _, version = name.rpartition(", ")
        figures, gains = compare_runs(runs, name, seed=seed)
        auc = next(one.auc for one in figures if one.name == name)
        yield make_cell((TURN, name, "AUC"), auc, n=len(ratings), notes=[GOOD_ANSWER])
        for baseline in (f"{lexicon}, {version}" for lexicon in BASELINES):
            if evaluator in BASELINES or baseline not in columns:
                continue
            place, gain = (ABOVE, name, f"AUC, above {baseline}"), gains[baseline]
            yield make_cell(place, gain, n=len(ratings), notes=[GOOD_ANSWER])
            two = np.stack([columns[name], columns[baseline]], axis=1)
            for kind in KINDS:
                gain, both = correlation_difference(two, ratings, dialogs, kind=kind, seed=seed)
                gain = gain.with_method("difference over resamples of dialogs")
                place = ABOVE, name, f"{kind}, above {baseline}"
                yield result_cell(place, gain, rows=len(ratings), notes=[both])
