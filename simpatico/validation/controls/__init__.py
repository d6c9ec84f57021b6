"""Negative controls: does a score drop when good answers are made wrong?

Every perturbed answer is compared with the original. As in a comparison of systems the unit is the
dialog, since answers of one dialog are not independent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from simpatico.comparison.difference import ComparisonSettings, compare_samples
from simpatico.errors import DataError
from simpatico.metric import Metric
from simpatico.perturbation.answers import KINDS, Kind
from simpatico.perturbation.perturb import perturb
from simpatico.readers import Conversations
from simpatico.run import Run
from simpatico.run.writer import describe_input
from simpatico.scoring import chunk_size, score
from simpatico.stats.correction import Correction
from simpatico.stats.draws import draw_uniform
from simpatico.system_metric import is_system_metric
from simpatico.turns import Turns
from simpatico.validation.controls.rows import BeforeAfter, ControlRow, control_row, pair_scores
from simpatico.validation.evidence import Question, check_score_names

DIALOGS = 1_000
"""Dialogs that are sampled where a run has more."""


@dataclass(frozen=True)
class ControlSettings:
    """Which controls: kinds of wrong answers, scores, and how many dialogs are sampled.

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
class PerturbationCounts:
    """How many answers one kind could make wrong, and why the others were left; JSON."""

    kind: Kind
    answers: int
    changed: int
    left: dict[str, int]


@dataclass(frozen=True)
class Controls:
    """What every score does on wrong answers, smallest corrected p first."""

    rows: list[ControlRow]
    made: list[PerturbationCounts]
    notes: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, list[Any]]:
        return {
            "controls": [row.as_json() for row in self.rows],
            "made": [asdict(counts) for counts in self.made],
            "notes": self.notes,
        }


def run_controls(
    run: Run,
    settings: ControlSettings | None = None,
    *,
    tick: Callable[[int], object] = lambda n: None,
) -> Controls:
    """The run's metrics on its own answers and on the same answers made wrong.

    `tick` is called after each kind of wrong answers with how many of them were scored.
    """
    settings = settings or ControlSettings()
    check_score_names(run, Question(scores=settings.scores))
    turns, notes = sample_turns(run, settings)
    metrics, metric_notes = rescorable_metrics(run)
    notes += metric_notes
    pairs, counts = list[BeforeAfter](), list[PerturbationCounts]()
    for kind in settings.kinds:
        wrong = perturb(turns, kind, seed=settings.seed)
        n_changed, frame = int(wrong.changed.sum()), wrong.turns.frame
        counts.append(PerturbationCounts(kind, wrong.n_answers, n_changed, wrong.unchanged_counts))
        # Dialogs without a change keep their scores, which are in the run.
        dialogs = frame.filter(pl.Series(wrong.changed)).select("dialog").unique()
        frame = frame.join(dialogs, on="dialog", how="semi", maintain_order="left")
        after = score(Turns(frame), metrics, chunk=chunk_size(metrics))
        pairs += pair_scores(run, wrong, after, scores=settings.scores)
        tick(n_changed)
    n_units = Counter[str]()
    for pair in pairs:
        n_units[pair.measure.metric] += len(pair.before)
    advice = "" if settings.logs else "; if it needs references, give the logs with --logs"
    notes += [
        f"{metric}: no answer has a score both before and after{advice}"
        for metric, n in n_units.items()
        if not n
    ]
    comparison = ComparisonSettings(settings.correction, seed=settings.seed)
    differences = compare_samples([pair.sample for pair in pairs], comparison)
    rows = [control_row(pair, d) for pair, d in zip(pairs, differences, strict=True)]

    def rank(row: ControlRow) -> tuple[int, float, str]:
        p = 2.0 if row.p_adjusted is None else row.p_adjusted
        return settings.kinds.index(row.kind), p, row.score

    return Controls(sorted(rows, key=rank), counts, notes)


def rescorable_metrics(run: Run) -> tuple[list[Metric], list[str]]:
    """The run's metrics that can be computed again, and a note for each that cannot."""
    metrics, notes = list[Metric](), list[str]()
    for name in run.facts["metrics"]:
        metric = run.metric(name)
        if isinstance(metric, str):
            notes.append(f"{name}: left out, since {metric}")
        elif is_system_metric(metric):
            notes.append(f"{name}: left out, since it describes a system as a whole")
        else:
            metrics.append(metric)
    if not metrics:
        reasons = "; ".join(notes)
        raise DataError(f"no metric of {run.folder} can be computed on changed replies: {reasons}")
    return metrics, notes


def sample_turns(run: Run, settings: ControlSettings) -> tuple[Turns, list[str]]:
    """A random sample of the dialogs, no more than the settings allow, and a note if it is one."""
    dialogs = run.at("dialog", ["dialog"])["dialog"].unique(maintain_order=True)
    order = np.argsort(draw_uniform(len(dialogs), settings.seed), kind="stable")
    sample = dialogs.gather(np.sort(order[: settings.most]))
    notes = []
    if len(sample) < len(dialogs):
        notes.append(f"{len(sample):,} of {len(dialogs):,} dialogs were sampled (--max-dialogs)")
    if settings.logs:
        return turns_from_logs(run, settings.logs, sample), notes
    turns = run.turns(sample)
    if turns is None:
        raise DataError(
            f"{run.folder} stores no text, so its replies cannot be perturbed; give the files it "
            f"was scored from ({input_names(run)}) with --logs"
        )
    return turns, notes


def input_names(run: Run) -> str:
    """The files that the run was scored from."""
    return ", ".join(facts["name"] for facts in run.facts["inputs"])


def turns_from_logs(run: Run, paths: tuple[Path | str, ...], dialogs: pl.Series) -> Turns:
    """These dialogs, read from the files that the run was scored from; other files are refused."""
    facts = run.facts
    options = {name: value for name, value in facts["options"].items() if name != "chunk"}
    pairs = tuple((field, column) for field, column in options.pop("columns", ()))
    logs = Conversations(**{**options, "paths": paths, "columns": pairs})
    hashes = [describe_input(source)["sha256"] for source in logs.sources]
    if hashes != [source["sha256"] for source in facts["inputs"]]:
        raise DataError(
            f"--logs {' '.join(map(str, paths))}: not the files that {run.folder} was scored "
            f"from; give {input_names(run)}, unchanged and in the same order"
        )
    rows = pl.col("dialog").is_in(dialogs.implode())
    frames = [chunk.turns.frame.filter(rows) for chunk in logs.chunks()]
    return Turns(pl.concat(frames).rechunk())
