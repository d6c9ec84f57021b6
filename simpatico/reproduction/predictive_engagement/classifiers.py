"""Figure 4: how well classifiers tell engaging exchanges of ConvAI, and those the crowd labelled.

For every seed the conversations are drawn anew into 60% to learn from, 20% to stop by, and 20% to
be tested on. The 50 conversations of the crowd are in none of these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from simpatico.errors import MissingResource
from simpatico.features.embeddings import MINILM
from simpatico.features.heads.head import Head
from simpatico.reproduction import Cell
from simpatico.reproduction.cells import Spot
from simpatico.reproduction.predictive_engagement.classifiers__engagement_rivals import (
    BIRNN,
    SVM,
    Bench,
    by_birnn,
    by_svm,
)
from simpatico.reproduction.predictive_engagement.counts import NAMES
from simpatico.reproduction.predictive_engagement.data import labelled_as
from simpatico.stats.classification__measures import Run, compared
from simpatico.training.engagement.baselines import plainly, run
from simpatico.training.engagement.data import Reading
from simpatico.training.engagement.exchanges import PEOPLE, Exchanges, split
from simpatico.training.engagement.heads import Encoded, guessed, learned
from simpatico.training.engagement.train import SHAPES, HeadName, PooledBy, examples
from simpatico.training.heads.train import Form

FIGURE_4 = "Figure 4: telling engaging exchanges, "
BALANCED, AREA, ABOVE = "balanced accuracy", "AUC", "AUC of our head minus that of others"
OURS = "our head"
HEADS: Mapping[str, tuple[HeadName, PooledBy]] = {
    "MLP 64-32-8, mean": ("paper", "mean"),
    "MLP 64-32-8, max": ("paper", "max"),
    OURS: ("best", "mean"),
}
TESTED, CROWD = "ConvAI test", "crowd's labels"
DRAWN = "the paper draws these as bars without numbers"
WORDLESS = "exchanges without a letter or digit on one side are left out"

Runs = dict[tuple[str, str], list[Run]]
"""By what was tested on and by classifier, one for each seed."""


def crowd(labelled: pl.DataFrame) -> Exchanges:
    """The crowd's labels as exchanges; those without words on a side are left out."""
    return worded(labelled_as(labelled, "crowd"))


def encodings(given: Sequence[Exchanges]) -> dict[PooledBy, Encoded]:
    """The vectors of all texts, pooled in the ways that heads need."""
    pooled = dict.fromkeys(pooling for _, pooling in HEADS.values())
    return {how: Encoded.of(given, Form(MINILM, how, SHAPES["paper", how])) for how in pooled}


def classifier_cells(
    readings: Mapping[Reading, Exchanges],
    labelled: pl.DataFrame | None,
    seeds: int,
    *,
    tell: Callable[[str], object],
) -> tuple[list[Cell], dict[Reading, Head]]:
    """The figures of every classifier, and our head of the first seed for each reading."""
    others = {} if labelled is None else {CROWD: crowd(labelled)}
    known = encodings([*readings.values(), *others.values()])
    cells, kept = list[Cell](), dict[Reading, Head]()
    for reading, given in readings.items():
        runs: Runs = {}
        for seed in range(seeds):
            tell(f"{NAMES[reading]}: classifiers, seed {seed + 1} of {seeds}")
            learn, check, test = split(worded(given), seed=seed)
            bench = Bench(learn, check, {TESTED: test, **others}, seed)
            head = compete(bench, known, runs, tell)
            kept.setdefault(reading, head)
        cells += [*figures(reading, runs), share(reading, given)]
    return cells, kept


def worded(given: Exchanges) -> Exchanges:
    """Those exchanges that have a letter or digit on both sides."""
    able = [
        any(map(str.isalnum, query)) and any(map(str.isalnum, reply))
        for query, reply in zip(given.query, given.reply, strict=True)
    ]
    return given.some(np.flatnonzero(able))


def compete(
    bench: Bench,
    known: Mapping[PooledBy, Encoded],
    runs: Runs,
    tell: Callable[[str], object],
) -> Head:
    """Train every classifier once and add what it guessed; gives our head."""
    for name, (form, pooling) in HEADS.items():
        head = trained(bench, known[pooling], form, pooling)
        for where, test in bench.tests.items():
            guess = guessed(head, known[pooling], test)
            add(runs, where, name, run(guess, guess > 0, test))
    for where, test in bench.tests.items():
        for name, found in plainly(bench.learn, test).items():
            add(runs, where, name, found)
    for name, learner in {SVM: by_svm, BIRNN: by_birnn}.items():
        try:
            for where, found in learner(bench).items():
                add(runs, where, name, found)
        except MissingResource as error:
            tell(f"{name} is left out: {error}")
    return head


def add(runs: Runs, where: str, name: str, found: Run) -> None:
    runs.setdefault((where, name), []).append(found)


def trained(bench: Bench, known: Encoded, form: HeadName, pooling: PooledBy) -> Head:
    """A head over frozen vectors; both labels weigh the same."""
    learn, check = (examples(side, known.place) for side in (bench.learn, bench.check))
    return learned(SHAPES[form, pooling], known, learn, check, seed=bench.seed)


def figures(reading: Reading, runs: Runs) -> Iterator[Cell]:
    """Balanced accuracy and area of each classifier, and how far our head is above: means."""
    for where in dict.fromkeys(place for place, _ in runs):
        own = {name: some for (place, name), some in runs.items() if place == where}
        told, above = compared(own, OURS)
        each, row = len(own[OURS][0].label), f"{where}, {NAMES[reading]}"
        seeds = f"mean of {len(own[OURS])} seeds, n is of one"
        note = f"0 of {each:,} not scored; {DRAWN}; {WORDLESS}; {seeds}"
        for one in told:
            for column, value in ((BALANCED, one.balanced), (AREA, one.auc)):
                yield Cell(f"{FIGURE_4}{column}", row, one.name, None, *value, each, note)
        for name, value in above.items():
            yield Cell(f"{FIGURE_4}{ABOVE}", row, name, None, *value, each, note)


def share(reading: Reading, given: Exchanges) -> Cell:
    """Which part of the engaging exchanges is between people."""
    spot = Spot("Figure 4: exchanges between people", NAMES[reading], "share of the engaging ones")
    engaging = int(given.label.sum())
    people = sum(kind == PEOPLE for kind in given.kind) / max(len(given), 1)
    note = f"0 of {engaging:,} not scored; of all exchanges {people:.3f} are between people"
    return Cell(*spot, None, given.among_people, None, None, engaging, note)
