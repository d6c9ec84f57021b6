"""Predictive Engagement (Ghazarian et al., 2020): what can be redone.

Counts and splits of ConvAI (Tables 1 and 4), raters, and turns against conversations (Tables 2 and
3, Figure 2), classifiers of engagement (Figure 4) and their transfer to DailyDialog, and how well
relevance, engagement and both together correlate with people's ratings of 600 pairs (Tables 5 and
6, Figure 5). These ratings are a test set: no model, weight or variant here was chosen on them.

The classifiers are ours: the paper's are over BERT, ours over MiniLM sentence embeddings. What the
authors published of their own scores is correlated anew and gives most of Table 5 again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import polars as pl

from simpatico.errors import DataError
from simpatico.features.embeddings import MINILM
from simpatico.models.names import why_missing
from simpatico.reproduction.cells import UNEXPLAINED, Cell, Reproduction
from simpatico.reproduction.csv_files import locate_file
from simpatico.reproduction.predictive_engagement import classifiers, correlations, counts, raters
from simpatico.reproduction.predictive_engagement import data as files
from simpatico.reproduction.predictive_engagement.scores import out_of_domain_cells, score_pairs
from simpatico.reproduction.request import Request, Tell
from simpatico.training.engagement.data import Reading, read_convai
from simpatico.training.engagement.exchanges import Exchanges

CONVAI = ("convai2017", "train_full.json")
READINGS: tuple[Reading, ...] = ("paper", "rated")


class PaperData(NamedTuple):
    """The files that are there; null where one is not.

    `readings`: ConvAI in both readings, without the conversations of the crowd study.
    """

    convai: Path | None
    readings: dict[Reading, Exchanges]
    pairs: pl.DataFrame | None
    workers: pl.DataFrame | None
    crowd_labels: pl.DataFrame | None
    target: classifiers.TransferData | None


def reproduce(
    data: Path, request: Request | None = None, *, tell: Tell = lambda _: None
) -> Reproduction:
    """Every table for which the files are there; `tell` receives progress messages."""
    request, omissions = request or Request(), list[str]()
    paper, seed = read_paper_data(data, omissions), request.sample.seed
    cells = [*counts.score_count_cells(paper.readings)]
    tell("Tables 2 and 3: raters, and turns against conversations")
    cells += raters.rater_agreement_cells(paper.pairs, paper.workers, seed=seed)
    cells += raters.aggregation_cells(paper.crowd_labels, paper.convai, seed=seed)
    cells += counts.split_count_cells(paper.readings, seed=seed)
    # both need an encoder and minutes a seed; 0 seeds skip them
    can_train = paper.readings and request.seeds
    reason = why_missing(MINILM) if can_train else "no seeds, or no ConvAI to train on"
    if reason:
        omissions.append(f"Figure 4: {reason}")
    else:
        figures, heads = classifiers.classifier_cells(
            paper.readings, paper.crowd_labels, request.seeds, tell=tell
        )
        cells += figures
        if paper.target is not None:
            tell("transfer to DailyDialog")
            cells += classifiers.transfer_cells(paper.target, heads, request.seeds)
    if (pairs := paper.pairs) is not None:
        tell(f"Table 5: scores of {pairs.height:,} pairs")
        scores = score_pairs(pairs["query"].to_list(), pairs["reply"].to_list(), request)
        omissions += scores.omissions
        columns = list(correlations.score_columns(pairs, scores))
        tell("Table 5: correlations and their differences")
        cells += correlations.correlation_cells(pairs, columns, seed=seed)
        cells += correlations.difference_cells(pairs, columns, scores, seed=seed)
        cells += correlations.partial_cells(pairs, columns, scores, seed=seed)
        cells += correlations.example_cells(pairs, columns, scores)
    cells += out_of_domain_cells(data, request, omissions, tell=tell)
    return Reproduction.with_reasons(cells, omissions, explain_engagement_deviation)


def read_paper_data(data: Path, omissions: list[str]) -> PaperData:
    """Read the files that are there; those that are not are noted in `omissions`."""
    rated = (files.PAIRS, files.WORKERS, files.DIALOGS, files.LABELS)
    names = (*rated, files.TARGET_TRAIN, files.TARGET_TEST)
    paths = {name: locate_file(data, files.FOLDER, name) for name in names}
    chats = locate_file(data, *CONVAI)
    if not chats and not any(paths.values()):
        raise DataError(
            f"{data} has neither {'/'.join(CONVAI)} nor a file of {files.FOLDER} such as "
            f"{files.PAIRS}; give the folder that holds {CONVAI[0]} and {files.FOLDER}"
        )
    omissions += [f"{files.FOLDER}: no {name}" for name, path in paths.items() if path is None]
    omissions += [] if chats else [f"ConvAI: no {'/'.join(CONVAI)}"]

    def read(name: str, reader: Callable[[Path], pl.DataFrame]) -> pl.DataFrame | None:
        path = paths[name]
        return None if path is None else reader(path)

    pairs = read(files.PAIRS, files.read_rated_pairs)
    workers = read(files.WORKERS, files.read_worker_ratings)
    dialogs = read(files.DIALOGS, files.read_crowd_dialogs)
    crowd_labels, target = None, None
    if dialogs is not None:
        crowd_labels = read(files.LABELS, partial(files.read_labelled_exchanges, dialogs))
    train, test = paths[files.TARGET_TRAIN], paths[files.TARGET_TEST]
    if train is not None and test is not None:
        # pairs that are rated too would leak the test set into the training
        train_pairs, n_train = files.read_target_pairs(train, pairs)
        test_pairs, n_test = files.read_target_pairs(test, pairs)
        target = classifiers.TransferData(
            files.pairs_as_exchanges(train_pairs, "learn"),
            files.pairs_as_exchanges(test_pairs, "test"),
            n_train + n_test,
        )
    readings: dict[Reading, Exchanges] = {}
    if chats is not None:
        crowd = [] if dialogs is None else dialogs["dialog"].to_list()
        readings = {name: read_convai(chats, name, without=crowd) for name in READINGS}
    return PaperData(chats, readings, pairs, workers, crowd_labels, target)


def explain_engagement_deviation(cell: Cell) -> str:
    """Why a figure is not the paper's.

    Of the 300 generated replies Table 5 prints .09 and .03 where the authors' own scores give -.09
    and -.03; its figures of RUBER and Ctx-RUBER for the human-written ones do not come out at all.
    """
    if cell.table == counts.TABLE_4:
        return counts.SPLIT_NOTE
    if cell.table in (raters.TABLE_3, raters.FIGURE_2):
        return "labels of 0 and 1 say less than the five ratings from 1 to 5 that are not published"
    if cell.column.startswith(correlations.AUTHORS):
        if cell.table == correlations.TABLE_6:
            return "the paper cuts to two digits, or the published score is another"
        if abs((cell.paper or 0.0) + (cell.ours or 0.0)) <= 0.01:
            return "the sign: the authors' own scores give a negative correlation"
    return UNEXPLAINED
