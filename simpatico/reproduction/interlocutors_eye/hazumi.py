"""Tables 1 and 2: Hazumi, where a participant and five outsiders rated every turn of the Wizard.

Each dialog is cut in its order: eight tenths are learned from, one decides whatever is chosen, the
last one is held out. The paper leaves out what no text is needed for: the participant's own mean.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
import polars as pl

from simpatico.arrays import Floats, Ints
from simpatico.errors import DataError
from simpatico.features.char_ngrams import GramForm
from simpatico.features.users.model import Personal
from simpatico.features.users.inputs import SeenForm
from simpatico.judgements import UNIT, Judgements
from simpatico.reproduction import Cell
from simpatico.reproduction.cells import Spot, of_count
from simpatico.reproduction.cells__eye_cells import of_estimate, tested
from simpatico.reproduction.interlocutors_eye.controls import (
    nothing_seen,
    of_shuffles,
    shuffled,
    spread,
)
from simpatico.reproduction.interlocutors_eye.data import Rated
from simpatico.reproduction.interlocutors_eye.paper import (
    AWARE,
    DIALOGS,
    EXCHANGES,
    INTERLOCUTOR,
    OUTSIDER,
    PARTICIPANT,
    PREDICTED,
    STATISTICS,
    WIZARD,
)
from simpatico.stats.by_person__scores import above, measured
from simpatico.training.users.examples import own_means, stacked
from simpatico.training.users.fit import How, fit_both, fit_personal
from simpatico.training.users.interlocutor.train import Given, Training, by_outsiders, seen
from simpatico.training.users.user_weights import Cases, met
from simpatico.training.users.splits import Sides

TABLE_1 = "Table 1: Hazumi, exchanges with all six scores"
TABLE_2 = "Table 2: scores that the interlocutor gave, the last tenth of each dialog"
AHEAD = "Table 2: what is gained, resampled by participant"
LATER = "Table 2: after going on with the tenth that decided"
PEOPLE = "the five outsiders themselves"
MEAN = "the participant's mean, no text"
NO_TEXT = "the participant's scores so far, no text"
DEVIATION = "the participant's mean and what the text adds"
ALL_SIX = "learned from all six" + AWARE
OURS = INTERLOCUTOR + AWARE
SHUFFLED = f"{OURS}, participants shuffled (mean, lowest, highest)"
R, MSE = "Pearson's r", "mean squared error"
FORM = SeenForm(grams=GramForm(1, 2, 2**13))
"""Japanese has no spaces, and one character may be a word. On the tenth that decides, vectors of
the encoder `use-multilingual` do no better (r .639) than these runs of characters (.643)."""
SOURCES: tuple[Literal["interlocutor", "outsiders"], ...] = ("interlocutor", "outsiders")
SAME = "the fit has one optimum, so that every seed gives this figure; the interval is by person"
NONE_COMPLETE = "no value: no exchange has all six scores"
ENDS = (1.0, 7.0)


class Setting(NamedTuple):
    """Ratings and their sides, what is seen of each, and the outsiders' means."""

    given: Given
    cases: Cases
    outside: Floats


class Truth(NamedTuple):
    """What participants said of the turns held out, and of which seed resamples of them are."""

    own: Floats
    person: Sequence[str]
    seed: int


def statistics_cells(sets: Mapping[str, Rated]) -> Iterator[Cell]:
    """Table 1, counted anew."""
    for name, given in sets.items():
        printed, kept = STATISTICS[name], complete(given.judgements)
        exchanges = kept.frame.select(UNIT).n_unique()
        dialogs = kept.frame["dialog"].n_unique()
        for what, n in ((DIALOGS, dialogs), (EXCHANGES, exchanges)):
            yield of_count(Spot(TABLE_1, name, what), n, paper=int(printed[what]), total=n)
        lengths = given.turns.frame.with_columns(pl.col("text").str.len_chars())
        rated = kept.frame.select("dialog", "turn").unique()
        for what, later in ((WIZARD, 0), (PARTICIPANT, 1)):
            wanted = rated.with_columns(pl.col("turn") + later)
            found = lengths.join(wanted, on=["dialog", "turn"])["text"]
            note = f"0 of {len(found):,} not scored; silence counts as no character"
            mean = float(np.mean(found.to_numpy())) if len(found) else None
            said = note if len(found) else f"{note}; {NONE_COMPLETE}"
            yield Cell(TABLE_1, name, what, printed[what], mean, None, None, len(found), said)


def complete(judgements: Judgements) -> Judgements:
    """Those of turns that everybody gave a number, the participant and outsiders."""
    whole = pl.col("value").is_not_null().all().over(UNIT)
    by_both = pl.col("judge_kind").n_unique().over(UNIT) == len(SOURCES)
    return Judgements(judgements.frame.filter(whole & by_both))


def setting(given: Rated, form: SeenForm) -> Setting:
    """All that the fits need."""
    judged = complete(given.judgements)
    if judged.frame.is_empty():
        raise DataError("no exchange has all six scores; learning needs some")
    found, outside = (Given.of(given.turns, judged, Training(learn=source)) for source in SOURCES)
    cases = seen(given.turns, found.ratings, form)
    return Setting(found, cases, outside.ratings.value)


def prediction_cells(given: Rated, *, seeds: int, seed: int) -> Iterator[Cell]:
    """Table 2 with the baselines it lacks, what is gained over them, and going on."""
    found = setting(given, FORM)
    heldout = found.given.sides.heldout
    (guesses, later), others = learned(found), mixed(found, seeds=seeds)
    truth = Truth(found.given.ratings.own[heldout], found.given.person(heldout), seed)
    yield from figure_cells(TABLE_2, guesses, truth)
    yield from shuffle_cells(others, truth)
    contests: tuple[tuple[str, tuple[str, ...]], ...] = (
        (OURS, (MEAN, NO_TEXT, INTERLOCUTOR)),
        (ALL_SIX, (MEAN, NO_TEXT, OURS)),
        (DEVIATION, (MEAN,)),
    )
    for contest in contests:
        yield from gain_cells(AHEAD, guesses, contest, truth)
    yield from shuffle_gain_cells(guesses[OURS], others, truth)
    yield from figure_cells(LATER, later, truth)
    for ours in (OURS, ALL_SIX, DEVIATION):
        yield from gain_cells(LATER, later, (ours, (MEAN, NO_TEXT)), truth)


def learned(found: Setting) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """What each model says of the turns held out: before and after it goes on."""
    cases, sides = found.cases, found.given.sides
    outside = cases._replace(y=found.outside)
    bare = nothing_seen(cases)
    six = stacked(cases.some(sides.learn), by_outsiders(found.given, cases))
    others, others_aware = fit(outside, sides)
    own, own_aware = fit(cases, sides)
    fits = {
        OUTSIDER: others,
        OUTSIDER + AWARE: others_aware,
        INTERLOCUTOR: own,
        OURS: own_aware,
        ALL_SIX: fit_personal(six, cases.some(sides.check), how=HOW),
    }
    _, alone = fit(bare, sides)
    heldout, check = (cases.some(side) for side in (sides.heldout, sides.check))
    guesses = {name: told(model, heldout) for name, model in fits.items()}
    guesses[PEOPLE] = found.outside[sides.heldout]
    guesses[MEAN] = own_means(cases, sides.learn, sides.heldout)
    guesses[DEVIATION] = deviating(cases, sides, sides.learn)
    guesses[NO_TEXT] = told(alone, bare.some(sides.heldout))
    both = np.concatenate([sides.learn, sides.check])
    later = {name: told(met(fits[name], check), heldout) for name in (OURS, ALL_SIX)}
    later[MEAN] = own_means(cases, both, sides.heldout)
    later[DEVIATION] = deviating(cases, sides, both)
    later[NO_TEXT] = told(met(alone, bare.some(sides.check)), bare.some(sides.heldout))
    return guesses, later


def mixed(found: Setting, *, seeds: int) -> list[Floats]:
    """What models of shuffled participants say of the turns held out, one for each shuffle."""
    sides = found.given.sides
    each = [shuffled(found.cases, number) for number in range(seeds)]
    return [told(fit(one, sides)[1], one.some(sides.heldout)) for one in each]


HOW = How("score", ends=ENDS, absorb=False)


def fit(cases: Cases, sides: Sides) -> tuple[Personal, Personal]:
    """Models of these cases that do not know persons, and that do."""
    aware, blind = fit_both(cases.some(sides.learn), cases.some(sides.check), how=HOW)
    return blind, aware


def deviating(cases: Cases, sides: Sides, before: Ints) -> Floats:
    """Each participant's mean of those before, plus how far the text is foretold to be from it."""
    usual = own_means(cases, sides.learn, np.arange(len(cases.y)))
    apart = cases._replace(y=cases.y - usual)
    how = How("score", users=False, absorb=False)
    model = fit_personal(apart.some(sides.learn), apart.some(sides.check), how=how)
    return own_means(cases, before, sides.heldout) + told(model, cases.some(sides.heldout))


def told(model: Personal, cases: Cases) -> Floats:
    """What a model says of some cases."""
    return model.of(cases.rows, cases.circumstances, cases.person).value


def figure_cells(table: str, guesses: Mapping[str, Floats], truth: Truth) -> Iterator[Cell]:
    """r and the error of every guess."""
    for row in measured(guesses, truth.own, truth.person, seed=truth.seed):
        paper = PREDICTED.get(row.name) if table == TABLE_2 else None
        yield of_estimate(Spot(table, R, row.name), row.r, n=row.n, paper=paper, notes=[SAME])
        if row.name not in (OUTSIDER, OUTSIDER + AWARE, PEOPLE):
            yield of_estimate(Spot(table, MSE, row.name), row.mse, n=row.n, notes=[SAME])


def shuffle_cells(mixed: Sequence[Floats], truth: Truth) -> Iterator[Cell]:
    """The mean of r and of the error over shuffles."""
    if not mixed:
        return
    rows = measured(numbered(mixed), truth.own, truth.person, seed=truth.seed)
    for figure, means in ((R, [row.r for row in rows]), (MSE, [row.mse for row in rows])):
        notes = [of_shuffles(len(rows))]
        spot = Spot(TABLE_2, figure, SHUFFLED)
        yield of_estimate(spot, spread(means), n=len(truth.own), notes=notes)


def gain_cells(
    table: str, guesses: Mapping[str, Floats], contest: tuple[str, Sequence[str]], truth: Truth
) -> Iterator[Cell]:
    """By how much our guess is above others in r, and below them in the error."""
    ours, others = contest
    some, n = {name: guesses[name] for name in (ours, *others)}, len(truth.own)
    for row in above(some, ours, truth.own, truth.person, seed=truth.seed):
        column = f"{ours} − {row.name}"
        note = tested(row.p.get("r"), "participants")
        yield of_estimate(Spot(table, R, column), row.r, n=n, notes=[note])
        note = tested(row.p.get("mse"), "participants")
        yield of_estimate(Spot(table, f"less {MSE}", column), row.mse, n=n, notes=[note])


def shuffle_gain_cells(ours: Floats, mixed: Sequence[Floats], truth: Truth) -> Iterator[Cell]:
    """By how much our guess is better than models of shuffled participants, on average."""
    if not mixed:
        return
    guesses = {OURS: ours, **numbered(mixed)}
    rows = above(guesses, OURS, truth.own, truth.person, seed=truth.seed)
    for figure, name, gaps in (
        (R, "r", [row.r for row in rows]),
        (f"less {MSE}", "mse", [row.mse for row in rows]),
    ):
        levels = [row.p.get(name) for row in rows]
        known = [level for level in levels if level is not None]
        highest = max(known) if len(known) == len(rows) else None
        notes = [of_shuffles(len(rows)), f"the highest {tested(highest, 'participants')}"]
        spot = Spot(AHEAD, figure, f"{OURS} − {SHUFFLED}")
        yield of_estimate(spot, spread(gaps), n=len(truth.own), notes=notes)


def numbered(mixed: Sequence[Floats]) -> dict[str, Floats]:
    return {str(number): guess for number, guess in enumerate(mixed)}
