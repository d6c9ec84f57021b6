"""Train a model of whether the person who is talked to answers, from logs without any rating.

What decides comes after what is learned from, and what is held out after both. Persons go on
learning from what decided, once all is chosen; guesses of majorities know as much.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from simpatico.arrays import Bools
from simpatico.errors import BadValue
from simpatico.features.users.folder import Figure, Heldout
from simpatico.features.users.identity import MODES, Mode, knows_profile
from simpatico.features.users.model import Personal
from simpatico.features.users.inputs import SeenForm
from simpatico.models.names import bare
from simpatico.stats.by_person import Above, Estimate, Guess, Measured, above, area_told, measured
from simpatico.training.model_folder import About
from simpatico.training.users.card import calibration_error, reliability
from simpatico.training.users.examples import formed, of_turns
from simpatico.training.users.cases__personal_modes import fit_modes, with_profiles
from simpatico.training.users.continuity.baselines import Contest, guessed, majorities
from simpatico.training.users.continuity.data import By, Examples, Filters, examples
from simpatico.training.users.continuity.outcomes import Window
from simpatico.training.users.fit import How
from simpatico.training.users.folder import Trained, save_personal, writable
from simpatico.training.users.user_weights import Cases
from simpatico.turns import Turns

NO_CONTEST = Contest()


@dataclass(frozen=True)
class Training:
    """What is learned from, and what a model knows of the person who is talked to."""

    mode: Mode = "user"
    encoder: str = ""
    """Gives the vectors; without one, runs of characters and circumstances are all it sees."""
    window: Window = field(default_factory=Window)
    filters: Filters = field(default_factory=Filters)
    by: By | None = None
    """How examples are split; by time, in shares of 8:1:1, if not told."""
    seed: int = 0
    fine_tune: int = 0

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise BadValue(f"mode {self.mode!r}; there are {', '.join(MODES)}")
        if self.fine_tune < 0:
            raise BadValue(f"{self.fine_tune} epochs of fine-tuning; there are none or more")

    @property
    def facts(self) -> dict[str, object]:
        """What was asked for."""
        told = asdict(self.filters) | asdict(self.window)
        told["bots"] = len(self.filters.bots)
        plain = {"mode": self.mode, "encoder": bare(self.encoder), "seed": self.seed}
        return {**plain, **told, "split": "person" if self.by == "person" else "time"}


class Part(NamedTuple):
    """Figures of the same guesses on some of the turns held out."""

    name: str
    rows: list[Measured]


class Report(NamedTuple):
    """What came out, on turns held out; our guess stands first."""

    rows: list[Measured]
    above: list[Above]
    parts: list[Part]
    refused: dict[str, str]
    """Baselines that could not run, and why."""
    heldout: Heldout
    aside: dict[str, int]
    unscored: dict[str, int]
    """Of each metric, how many turns held out it was asked about and gave no number."""
    unfinished: int
    """Turns held out that count as not answered though the log ends before it is certain."""


def train_continuity(
    turns: Turns,
    out: Path,
    *,
    training: Training,
    about: About,
    contest: Contest = NO_CONTEST,
) -> Report:
    """Train, estimate on what is held out, and write the folder."""
    writable(out)
    given = asked(turns, training)
    form = formed(training.encoder, profile=knows_profile(training.mode))
    model, guesses = learned(given, form, training)
    met = given.person(np.concatenate(given.sides[:2]))
    report = reported(given, guesses, met, contest)
    facts = {**about.training, **training.facts, "aside": report.aside}
    used = len(given.sides.learn) + len(given.sides.check)
    trained = Trained(
        model, form, used, report.heldout, replace(about, training=facts), lines=lines(report)
    )
    save_personal(out, trained)
    return report


def asked(turns: Turns, training: Training) -> Examples:
    """The examples that the training asks for."""
    with_profiles(turns, training.mode)
    found = examples(turns, window=training.window, by=training.by, filters=training.filters)
    return found.checked()


def learned(
    given: Examples, form: SeenForm, training: Training
) -> tuple[Personal, dict[str, Guess]]:
    """The model, and what it guesses of the turns held out; beside it what text alone does."""
    how = How("chance")
    model, said = fit_modes(training.mode, form, how, lambda kind: cases(given, kind))
    return model, {name: Guess.of(chance) for name, chance in said.items()}


def cases(given: Examples, form: SeenForm) -> list[Cases]:
    """What is seen of each side's turns."""
    used = np.concatenate(given.sides[:3])
    whole = of_turns(given.moments.some(used), form, given.answered(used).astype(np.float64))
    sizes = np.cumsum([len(side) for side in given.sides[:2]])
    return [whole.some(places) for places in np.split(np.arange(len(used)), sizes)]


def reported(
    given: Examples,
    guesses: dict[str, Guess],
    known: Sequence[str],
    contest: Contest = NO_CONTEST,
) -> Report:
    """The figures of our guesses, of majorities and of metrics on what is held out."""
    heldout = given.sides.heldout
    answered, person = given.answered(heldout), given.person(heldout)
    ours, *_ = guesses
    guesses = guesses | majorities(given, heldout)
    rows = measured(guesses, answered, person)
    gaps = above(guesses, ours, answered, person)
    more, refused, unscored = scored(given, contest)
    there = np.isin(person, list(known))
    parts = [Part(name, some(guesses, answered, person, flags)) for name, flags in parted(there)]
    bins = reliability(guesses[ours].number, answered.astype(np.float64))
    mine = rows[0]
    figures = {
        "accuracy": figure(mine.accuracy),
        "macro-F1": figure(mine.macro_f1),
        "area under the curve": figure(mine.auc),
        "expected calibration error": Figure(calibration_error(bins)),
    }
    told = Heldout(mine.n, mine.persons, figures, bins)
    unfinished, aside = given.unfinished(heldout), given.sides.aside
    return Report([*rows, *more], gaps, parts, refused, told, aside, unscored, unfinished)


def parted(known: Bools) -> list[tuple[str, Bools]]:
    """Persons that were met before and others, where there are both."""
    sides = [("persons met before", known), ("persons never met", ~known)]
    return [(name, flags) for name, flags in sides if 0 < flags.sum() < len(flags)]


def some(
    guesses: Mapping[str, Guess], answered: Bools, person: Sequence[str], flags: Bools
) -> list[Measured]:
    """The figures of these examples only."""
    chosen = {name: one.some(flags) for name, one in guesses.items()}
    names = [name for name, flag in zip(person, flags, strict=True) if flag]
    return measured(chosen, answered[flags], names)


def scored(
    given: Examples, contest: Contest
) -> tuple[list[Measured], dict[str, str], dict[str, int]]:
    """The figures of metrics, why some have none, and how many turns have no number."""
    rows, refused, unscored = list[Measured](), dict[str, str](), dict[str, int]()
    for name, metric in contest.metrics.items():
        found = metric if isinstance(metric, str) else guessed(metric, given, most=contest.most)
        if isinstance(found, str):
            refused[name] = found
            continue
        answered, person = given.answered(found.heldout), given.person(found.heldout)
        rows += measured({name: found.guess}, answered, person)
        unscored[name] = found.unscored
    return rows, refused, unscored


def figure(found: Estimate) -> Figure:
    return Figure(found.value, found.low, found.high)


def lines(report: Report) -> tuple[str, ...]:
    """What the card says of other guesses, and of examples that were not used."""
    rows = [
        f"- beside it on {where(report, row)}: {row.name}, accuracy {row.accuracy.value:.3f}, "
        f"macro-F1 {row.macro_f1.value:.3f}, {area_told(row.auc)}"
        for row in report.rows[1:]
    ]
    return (*rows, *unused(report.aside, "turns"))


def where(report: Report, row: Measured) -> str:
    """Which turns held out a guess is of."""
    if row.n == report.heldout.n:
        return "the same turns"
    lacking = report.unscored.get(row.name, 0)
    without = f", without {lacking:,} that it gave no number" if lacking else ""
    return f"{row.n:,} of the {report.heldout.n:,} turns{without}"


def unused(aside: Mapping[str, int], what: str) -> list[str]:
    """What the card says of examples that were set aside."""
    return [f"- not used: {n:,} {what} {why}" for why, n in aside.items() if n]
