"""Predictive Engagement (Ghazarian et al., 2020): what can be redone.

Counts and splits of ConvAI, turns against conversations, classifiers of engagement, and how well
relevance, engagement and both together follow people's ratings of 600 pairs. These ratings are a
test: no model, weight or variant here was chosen on them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import polars as pl

from simpatico.errors import DataError
from simpatico.features.embeddings import MINILM
from simpatico.models.names import absent as lacking
from simpatico.reproduction import Cell, Reproduction
from simpatico.reproduction.comparison import UNEXPLAINED, apart
from simpatico.reproduction.predictive_engagement import data as files
from simpatico.reproduction.predictive_engagement.classifiers import classifier_cells
from simpatico.reproduction.predictive_engagement.correlation_tests import (
    difference_cells,
    partial_cells,
)
from simpatico.reproduction.predictive_engagement.correlations import (
    OWN,
    columns,
    correlation_cells,
)
from simpatico.reproduction.predictive_engagement.counts import (
    DRAWN,
    TABLE_4,
    score_counts,
    side_counts,
)
from simpatico.reproduction.predictive_engagement.examples import TABLE_6, example_cells
from simpatico.reproduction.predictive_engagement.raters import (
    FIGURE_2,
    TABLE_3,
    aggregation_cells,
    agreement_cells,
)
from simpatico.reproduction.predictive_engagement.scores import scored
from simpatico.reproduction.predictive_engagement.transfer import elsewhere_cells
from simpatico.reproduction.predictive_engagement.transfer__engagement_transfer import (
    Target,
    target,
    transfer_cells,
)
from simpatico.reproduction.request import Asked
from simpatico.training.engagement.data import Reading, convai
from simpatico.training.engagement.exchanges import Exchanges

CONVAI = ("convai2017", "train_full.json")
READINGS: tuple[Reading, ...] = ("paper", "rated")
Tell = Callable[[str], object]


class Files(NamedTuple):
    """What is there; null where a file is not."""

    convai: Path | None
    pairs: pl.DataFrame | None
    workers: pl.DataFrame | None
    talks: pl.DataFrame | None
    labelled: pl.DataFrame | None
    target: Target | None

    @property
    def readings(self) -> dict[Reading, Exchanges]:
        """ConvAI in both readings, without the conversations of the crowd study."""
        if self.convai is None:
            return {}
        out = [] if self.talks is None else self.talks["dialog"].to_list()
        return {reading: convai(self.convai, reading, without=out) for reading in READINGS}


def reproduce(
    data: Path, asked: Asked | None = None, *, tell: Tell = lambda _: None
) -> Reproduction:
    """Every table for which the files are there; `tell` hears what is begun."""
    asked, absent = asked or Asked(), list[str]()
    found = gather(data, absent)
    seed, readings = asked.sample.seed, found.readings
    cells = [*score_counts(readings)]
    tell("Tables 2 and 3: raters, and turns against conversations")
    cells += agreement_cells(found.pairs, found.workers, seed=seed)
    cells += aggregation_cells(found.labelled, found.convai, seed=seed)
    cells += [*side_counts(readings, seed=seed), *learned(found, readings, asked, absent, tell)]
    if found.pairs is not None:
        cells += against_people(found.pairs, asked, absent, tell)
    cells += elsewhere_cells(data, asked, absent, tell=tell)
    reasons = [(cell, why(cell)) for cell in apart(cells)]
    return Reproduction(cells, [], reasons, list(dict.fromkeys(absent)))


def gather(data: Path, absent: list[str]) -> Files:
    """Read what is there; what is not goes to `absent`."""
    own = (files.PAIRS, files.WORKERS, files.DIALOGS, files.LABELS, files.LEARN, files.CHECK)
    places = {name: files.place(data, name) for name in own}
    tries = (data / CONVAI[0] / CONVAI[1], data / CONVAI[1])
    chats = next((path for path in tries if path.is_file()), None)
    if not chats and not any(places.values()):
        raise DataError(
            f"{data} has neither {'/'.join(CONVAI)} nor a file of {files.FOLDER} such as "
            f"{files.PAIRS}; give the folder that holds {CONVAI[0]} and {files.FOLDER}"
        )
    absent += [f"{files.FOLDER}: no {name}" for name, path in places.items() if path is None]
    absent += [] if chats else [f"ConvAI: no {'/'.join(CONVAI)}"]
    pairs = read(places[files.PAIRS], files.rated_pairs)
    talks = read(places[files.DIALOGS], files.dialogs)
    labels = places[files.LABELS]
    labelled = None if talks is None or not labels else files.labelled_exchanges(talks, labels)
    workers = read(places[files.WORKERS], files.ratings_by_worker)
    return Files(chats, pairs, workers, talks, labelled, to_tune(places, pairs))


def read(path: Path | None, reader: Callable[[Path], pl.DataFrame]) -> pl.DataFrame | None:
    return None if path is None else reader(path)


def to_tune(places: Mapping[str, Path | None], pairs: pl.DataFrame | None) -> Target | None:
    """The pairs of the transfer step, without those that are rated."""
    learn, check = places[files.LEARN], places[files.CHECK]
    if learn is None or check is None:
        return None
    (learned, n), (tested, m) = (files.target_pairs(path, pairs) for path in (learn, check))
    return target(learned, tested, n + m)


def learned(
    found: Files,
    readings: Mapping[Reading, Exchanges],
    asked: Asked,
    absent: list[str],
    tell: Tell,
) -> Iterator[Cell]:
    """Figure 4 and the transfer step, which train classifiers over frozen vectors."""
    if not readings or not asked.seeds:
        absent.append("Figure 4: no seeds, or no ConvAI to train on")
        return
    if reason := lacking(MINILM):
        absent.append(f"Figure 4: {reason}")
        return
    cells, heads = classifier_cells(readings, found.labelled, asked.seeds, tell=tell)
    yield from cells
    if found.target is not None:
        tell("transfer to DailyDialog")
        yield from transfer_cells(found.target, heads, asked.seeds)


def against_people(
    pairs: pl.DataFrame, asked: Asked, absent: list[str], tell: Tell
) -> Iterator[Cell]:
    """Tables 5 and 6 and Figure 5."""
    tell(f"Table 5: scores of {pairs.height:,} pairs")
    found = scored(pairs["query"].to_list(), pairs["reply"].to_list(), asked)
    absent += found.absent
    shown, seed = columns(pairs, found), asked.sample.seed
    tell("Table 5: correlations and their differences")
    yield from correlation_cells(pairs, shown, seed=seed)
    yield from difference_cells(pairs, shown, found, seed=seed)
    yield from partial_cells(pairs, shown, found, seed=seed)
    yield from example_cells(pairs, shown, found)


def why(cell: Cell) -> str:
    """Why a figure is not the paper's."""
    if cell.table == TABLE_4:
        return DRAWN
    if cell.table in (TABLE_3, FIGURE_2):
        return "labels of 0 and 1 say less than the five ratings from 1 to 5 that are not published"
    if cell.column.startswith(OWN) and cell.paper is not None and cell.ours is not None:
        if cell.table == TABLE_6:
            return "the paper cuts to two digits, or the published score is another"
        if abs(cell.paper + cell.ours) <= 0.01:
            return "the sign: the authors' own scores give a negative correlation"
    return UNEXPLAINED
