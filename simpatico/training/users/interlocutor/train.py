"""Train a model of the score that the person who is talked to gives a turn or a dialog.

It learns from what interlocutors said, from outsiders' means, or from all raters, each of whom then
is a person. What counts is how near it comes to what interlocutors say later on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from simpatico.arrays import Floats, Ints
from simpatico.errors import BadValue, DataError
from simpatico.features.users.contexts import moments
from simpatico.features.users.folder import Figure, Heldout
from simpatico.features.users.identity import Mode, knows_profile
from simpatico.features.users.model import Personal
from simpatico.features.users.inputs import SeenForm
from simpatico.judgements import Judgements
from simpatico.models.names import bare
from simpatico.stats.by_person__scores import Above, Measured, above, measured
from simpatico.training.model_folder import About
from simpatico.training.users.examples import formed, of_groups, own_means, stacked
from simpatico.training.users.cases__personal_modes import NAMES, fit_modes, with_profiles
from simpatico.training.users.continuity.train import figure, unused
from simpatico.training.users.fit import How
from simpatico.training.users.folder import Trained, save_personal, writable
from simpatico.training.users.interlocutor.data import Along, Ratings, ratings, split
from simpatico.training.users.user_weights import Cases
from simpatico.training.users.splits import Sides
from simpatico.turns import Turns

MEAN, OWN_MEAN = "mean of all", "mean of the person"
OTHERS = 0.2
"""What a rating by an outsider counts beside one by the interlocutor, where all teach."""
FEWEST = 2
"""Ratings of a side that there must be."""


@dataclass(frozen=True)
class Training:
    """What is learned from, and what a model knows of the person who is talked to."""

    mode: Mode = "user"
    encoder: str = ""
    learn: Literal["interlocutor", "outsiders", "all"] = "interlocutor"
    quality: str | None = None
    along: Along | None = None
    """In which order ratings are split."""
    seed: int = 0
    fine_tune: int = 0

    def __post_init__(self) -> None:
        if self.mode not in NAMES:
            raise BadValue(f"mode {self.mode!r}; there are {', '.join(NAMES)}")
        if self.learn not in ("interlocutor", "outsiders", "all"):
            raise BadValue(
                f"learning from {self.learn!r}; there are interlocutor, outsiders and all"
            )

    @property
    def facts(self) -> dict[str, object]:
        """What was asked for."""
        return {**asdict(self), "encoder": bare(self.encoder)}


class Report(NamedTuple):
    """What came out, on ratings held out; our guess stands first."""

    rows: list[Measured]
    above: list[Above]
    heldout: Heldout
    aside: dict[str, int]


@dataclass(frozen=True, eq=False)
class Given:
    """Ratings with the turns they are of, the judgements they come from, and their sides."""

    turns: Turns
    judgements: Judgements
    ratings: Ratings
    sides: Sides

    @classmethod
    def of(cls, turns: Turns, judgements: Judgements, training: Training) -> Given:
        """What the training asks for."""
        with_profiles(turns, training.mode)
        source: Literal["interlocutor", "outsiders"] = (
            "outsiders" if training.learn == "outsiders" else "interlocutor"
        )
        found = ratings(turns, judgements, quality=training.quality, learn=source)
        sides = split(found, training.along)
        if min(sizes := [len(side) for side in sides[:3]]) < FEWEST:
            raise DataError(
                f"{sizes[0]} ratings to learn from, {sizes[1]} to decide by and {sizes[2]} held "
                f"out; training needs {FEWEST} or more of each"
            )
        before = np.concatenate(sides[:2])
        return cls(turns, judgements, found.ending(before), sides)

    def person(self, places: Ints) -> list[str]:
        return [self.ratings.person[at] for at in places]


def train_interlocutor(
    turns: Turns, judgements: Judgements, out: Path, *, training: Training, about: About
) -> Report:
    """Train, estimate on ratings held out, and write the folder."""
    writable(out)
    given = Given.of(turns, judgements, training)
    form = formed(training.encoder, profile=knows_profile(training.mode))
    model, guesses = learned(given, form, training)
    report = reported(given, guesses)
    told = {"quality": given.ratings.quality, "aside": report.aside}
    facts = {**about.training, **training.facts, **told}
    used = len(given.sides.learn) + len(given.sides.check)
    about = replace(about, training=facts)
    save_personal(out, Trained(model, form, used, report.heldout, about, lines=lines(report)))
    return report


def learned(given: Given, form: SeenForm, training: Training) -> tuple[Personal, dict[str, Floats]]:
    """The model, and what it guesses of the ratings held out; beside it what text alone does."""
    how = How("score", ends=given.ratings.ends)
    model, guesses = fit_modes(training.mode, form, how, partial(cases, given, training))
    raters = set(given.person(np.concatenate(given.sides[:2])))
    kept = model.people.chosen([name for name in model.people.place if name in raters])
    return replace(model, people=kept), guesses


def cases(given: Given, training: Training, form: SeenForm) -> list[Cases]:
    """What is seen of each side's ratings; where all raters teach, theirs are among the first."""
    whole = seen(given.turns, given.ratings, form)
    learn, *others = (whole.some(side) for side in given.sides[:3])
    if training.learn == "all":
        learn = stacked(learn, by_outsiders(given, whole))
    return [learn, *others]


def seen(turns: Turns, rated: Ratings, form: SeenForm) -> Cases:
    """What is seen of each rating's turns."""
    found = moments(turns)
    groups = [np.searchsorted(found.row, rows) for rows in rated.rows]
    used = np.unique(np.concatenate(groups))
    among = [np.searchsorted(used, group) for group in groups]
    return of_groups(found.some(used), among, form, rated.person, rated.value)


def by_outsiders(given: Given, whole: Cases) -> Cases:
    """The single ratings of outsiders to learn from; each of them is a person in each dialog."""
    rated = given.ratings
    dialog, turn = (given.turns.frame[name].to_list() for name in ("dialog", "turn"))
    place = dict[tuple[str, int | None, str | None], int]()
    for n in given.sides.learn.tolist():
        at, of_turn = int(rated.rows[n][0]), rated.level == "turn"
        place[dialog[at], turn[at] if of_turn else None, None if of_turn else rated.speaker[n]] = n
    outside = given.judgements.frame.filter(judge_kind="outsider", quality=rated.quality)
    columns = outside.drop_nulls("value").select("dialog", "turn", "speaker", "judge", "value")
    found = sorted(
        (place[key], f"{where}/{judge}", value)
        for where, number, who, judge, value in columns.iter_rows()
        if (key := (where, number, who if number is None else None)) in place
    )
    if not found:
        raise DataError("no rating by an outsider to learn from; learn from 'interlocutor'")
    some = whole.some(np.array([at for at, _, _ in found], np.int64))
    y = np.array([value for _, _, value in found], np.float64)
    weight = np.full(len(found), OTHERS)
    return some._replace(person=[who for _, who, _ in found], y=y, weight=weight)


def reported(given: Given, guesses: Mapping[str, Floats]) -> Report:
    """The figures of our guesses and of means on what is held out."""
    rated, sides = given.ratings, given.sides
    before, heldout = np.concatenate(sides[:2]), sides.heldout
    own, person = rated.own[heldout], given.person(heldout)
    plain = Cases(None, np.zeros(0), rated.person, rated.own, np.zeros(0))
    ours, *_ = guesses
    all_guesses = {
        **guesses,
        OWN_MEAN: own_means(plain, before, heldout),
        MEAN: np.full(len(heldout), rated.own[before].mean()),
    }
    rows = measured(all_guesses, own, person)
    figures: dict[str, Figure] = {"mean squared error": figure(rows[0].mse)}
    if rows[0].r is not None:
        figures = {"Pearson's r": figure(rows[0].r), **figures}
    told = Heldout(rows[0].n, rows[0].persons, figures)
    return Report(rows, above(all_guesses, ours, own, person), told, sides.aside)


def lines(report: Report) -> tuple[str, ...]:
    """What the card says of other guesses, and of ratings that were not used."""
    rows = [
        f"- beside it on the same ratings: {row.name}, "
        f"{'no r' if row.r is None else f'r {row.r.value:.3f}'}, squared error {row.mse.value:.3f}"
        for row in report.rows[1:]
    ]
    return (*rows, *unused(report.aside, "ratings"))
