"""Negative controls: does a score notice when good answers are made wrong?

Every answer is held against what it was. As in a comparison of systems the unit is the dialog, so
that answers of one dialog do not count as independent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from simpatico.comparison.difference import Settings, differences
from simpatico.errors import DataError
from simpatico.metric import Metric
from simpatico.perturbation.answers import KINDS, Kind, Perturbed
from simpatico.perturbation.perturb import perturb
from simpatico.readers import Conversations
from simpatico.run import Run, input_facts
from simpatico.scoring import chunk_of, score
from simpatico.stats.correction import Correction
from simpatico.stats.draws import uniform
from simpatico.system_metric import is_whole
from simpatico.table import ScoreTable
from simpatico.turns import Turns
from simpatico.validation.controls.rows import Control, Pairs, control, paired
from simpatico.validation.evidence import Question, known_scores

DIALOGS = 1_000
"""Dialogs that are looked at where a run has more."""


@dataclass(frozen=True)
class Asked:
    """Which controls: kinds of wrong answers, scores, and how much of a run is looked at.

    `logs` are the files that the run was scored from; without them its own text is taken, which
    has no references.
    """

    kinds: tuple[Kind, ...] = KINDS
    scores: tuple[str, ...] = ()
    logs: tuple[Path | str, ...] = ()
    most: int = DIALOGS
    correction: Correction = "holm"
    seed: int = 0


@dataclass(frozen=True)
class Made:
    """How many answers could be made wrong in one way, and what stood in the way of the others."""

    kind: Kind
    answers: int
    changed: int
    left: dict[str, int]


@dataclass(frozen=True)
class Controls:
    """What every score does when answers are made wrong; the smallest corrected p first."""

    rows: list[Control]
    made: list[Made]
    notes: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, list[Any]]:
        told = [row.as_json() for row in self.rows]
        return {"controls": told, "made": [asdict(m) for m in self.made], "notes": self.notes}


def controls(
    run: Run, asked: Asked | None = None, *, tick: Callable[[int], object] = lambda n: None
) -> Controls:
    """The run's metrics on its own answers and on the same answers made wrong.

    After each kind of wrong answers, `tick` hears how many of them were scored.
    """
    asked = asked or Asked()
    known_scores(run, Question(scores=asked.scores))
    turns, notes = conversations(run, asked)
    metrics, lacking = usable(run)
    notes += lacking
    found, made = list[Pairs](), list[Made]()
    for kind in asked.kinds:
        wrong = perturb(turns, kind, seed=asked.seed)
        made.append(Made(kind, wrong.answers, int(wrong.changed.sum()), wrong.left))
        found += paired(run, wrong, scored(wrong, metrics), scores=asked.scores)
        tick(made[-1].changed)
    notes += unscored(found, asked)
    settings = Settings(asked.correction, seed=asked.seed)
    judged = differences([pairs.sample for pairs in found], settings)
    rows = [control(pairs, told) for pairs, told in zip(found, judged, strict=True)]
    return Controls(sorted(rows, key=lambda row: place(row, asked.kinds)), made, notes)


def place(row: Control, kinds: Sequence[Kind]) -> tuple[int, float, str]:
    """Where a row stands in the table."""
    p = 2.0 if row.p_adjusted is None else row.p_adjusted
    return kinds.index(row.kind), p, row.score


def scored(wrong: Perturbed, metrics: Sequence[Metric]) -> ScoreTable:
    """Scores of the dialogs in which something was made wrong."""
    frame = wrong.turns.frame
    touched = frame.filter(pl.Series(wrong.changed)).select("dialog").unique()
    kept = frame.join(touched, on="dialog", how="semi", maintain_order="left")
    return score(Turns(kept), metrics, chunk=chunk_of(metrics))


def usable(run: Run) -> tuple[list[Metric], list[str]]:
    """The run's metrics that can be computed again, and a sentence for each that cannot."""
    found, notes = list[Metric](), list[str]()
    for name in run.facts["metrics"]:
        metric = run.metric(name)
        if isinstance(metric, str):
            notes.append(f"{name}: left out, since {metric}")
        elif is_whole(metric):
            notes.append(f"{name}: left out, since it describes a system as a whole")
        else:
            found.append(metric)
    if not found:
        told = "; ".join(notes)
        raise DataError(f"no metric of {run.folder} can be computed on other answers: {told}")
    return found, notes


def conversations(run: Run, asked: Asked) -> tuple[Turns, list[str]]:
    """The dialogs to be made wrong, no more than asked for, and what is to be said of that."""
    dialogs = run.at("dialog", ["dialog"])["dialog"].unique(maintain_order=True)
    drawn = np.argsort(uniform(len(dialogs), asked.seed), kind="stable")[: asked.most]
    chosen = dialogs.gather(np.sort(drawn))
    notes = []
    if len(chosen) < len(dialogs):
        told = f"{len(chosen):,} of {len(dialogs):,} dialogs were drawn"
        notes.append(f"{told}; --most says how many")
    if asked.logs:
        return of_logs(run, asked.logs, chosen), notes
    turns = run.turns(chosen)
    if turns is None:
        named = ", ".join(told["name"] for told in run.facts["inputs"])
        raise DataError(
            f"{run.folder} keeps no text, so that its answers cannot be made wrong; give what it "
            f"was scored from ({named}) with --logs"
        )
    return turns, notes


def of_logs(run: Run, paths: tuple[Path | str, ...], chosen: pl.Series) -> Turns:
    """These dialogs out of the files that the run was scored from, and of no others."""
    facts = run.facts
    options = {name: told for name, told in facts["options"].items() if name != "chunk"}
    given = Conversations(**{**options, "paths": paths})
    now = [input_facts(source)["sha256"] for source in given.sources]
    if now != [told["sha256"] for told in facts["inputs"]]:
        named = ", ".join(told["name"] for told in facts["inputs"])
        raise DataError(
            f"--logs {' '.join(map(str, paths))}: not what {run.folder} was scored from; give "
            f"{named} as it was then, and several files in the same order"
        )
    wanted = pl.col("dialog").is_in(chosen.implode())
    frames = [chunk.turns.frame.filter(wanted) for chunk in given.chunks()]
    return Turns(pl.concat(frames).rechunk())


def unscored(found: Iterable[Pairs], asked: Asked) -> list[str]:
    """A sentence for each metric that gives no wrong answer a score."""
    told = dict[str, list[Pairs]]()
    for pairs in found:
        told.setdefault(pairs.measure.metric, []).append(pairs)
    silent = [m for m, some in told.items() if not any(p.turns for p in some)]
    out = "" if asked.logs else "; if it needs references, give the logs with --logs"
    return [f"{metric}: no answer has a score both before and after{out}" for metric in silent]
