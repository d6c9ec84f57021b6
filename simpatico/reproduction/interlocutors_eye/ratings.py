"""Table 5's design: own ratings of interlocutors, of what people and of what systems say.

The paper has two annotators who rated answers to their own posts on X, which are not published.
RealPersonaChat has people who rated each other, Ji et al. crowd workers who rated bots; both have
ids that last, and ratings of whole dialogs. A dialog's number is the mean over its turns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

import msgspec
import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.features.char_ngrams import GramForm
from simpatico.features.users.contexts import moments
from simpatico.features.users.model import Personal
from simpatico.features.users.inputs import SeenForm
from simpatico.judgements import Judgements
from simpatico.reproduction import Cell
from simpatico.reproduction.cells import Spot, only_paper
from simpatico.reproduction.cells__eye_cells import of_estimate, tested
from simpatico.reproduction.interlocutors_eye.continuity import FILTERS, TEXT, USER, WINDOW
from simpatico.reproduction.interlocutors_eye.data import UNFIT, Rated
from simpatico.reproduction.interlocutors_eye.paper import BOTH, HUMAN, JUDGED, PROFILE, SYSTEM
from simpatico.stats.by_person__scores import above, measured
from simpatico.training.users.examples import formed, of_turns, own_means
from simpatico.training.users.continuity.data import examples
from simpatico.training.users.continuity.train import cases
from simpatico.training.users.fit import How, fit_personal
from simpatico.training.users.interlocutor.data import ratings
from simpatico.training.users.interlocutor.train import OWN_MEAN, Given, Training, seen
from simpatico.turns import Turns

TABLE = "Table 5's design: Pearson's r with the interlocutor's own rating"
GAINED = "Table 5's design: what is gained, resampled by person"
CONTINUED = "continuity, learned on IRC without ratings"
MODES = {TEXT: (False, False), USER: (True, False), PROFILE: (False, True), BOTH: (True, True)}
"""Whether persons and whether profiles are known."""
SATISFIED = "satisfaction"
ENGAGING = ("interesting", "fun")
CONTROL = "QualityControl"
DIALOGS = 3_000
RUNS = {"ja": GramForm(1, 2, 2**10), "en": GramForm(2, 4, 2**11)}
"""The mean over a dialog's turns fills most buckets, so that there are few of them."""
ON_X = "the paper's are of two annotators on X, the first one's here"
NAMELESS = "who talked with a system has no id in RealPersonaChat, so that nobody can be known"
NO_PROFILE = "Ji et al. tell nothing of their workers but ids"


class Judged(NamedTuple):
    """What each guess says of ratings held out, with these."""

    guesses: dict[str, Floats]
    own: Floats
    person: list[str]
    unaware: Personal
    form: SeenForm


def rated_by(given: Rated, quality: str, language: str, modes: Sequence[str]) -> Judged:
    """Models of one quality, and each person's mean, on the last of each person's dialogs."""
    found = Given.of(given.turns, given.judgements, Training(quality=quality))
    sides, guesses = found.sides, dict[str, Floats]()
    for mode in modes:
        users, profile = MODES[mode]
        form = msgspec.structs.replace(formed("", profile=profile), grams=RUNS[language])
        whole = seen(given.turns, found.ratings, form)
        how = How("score", users=users, ends=found.ratings.ends)
        model = fit_personal(whole.some(sides.learn), whole.some(sides.check), how=how)
        heldout = whole.some(sides.heldout)
        guesses[mode] = model.of(heldout.rows, heldout.circumstances, heldout.person).value
        if mode == TEXT:
            unaware, plain = model, form
    before = np.concatenate(sides[:2])
    guesses[OWN_MEAN] = own_means(whole, before, sides.heldout)
    heldout_at = sides.heldout
    return Judged(guesses, found.ratings.own[heldout_at], found.person(heldout_at), unaware, plain)


def people_cells(given: Rated, with_systems: Rated | None, *, seed: int) -> Iterator[Cell]:
    """RealPersonaChat: people about people and, by those without an id, about systems."""
    some = drawn(given, DIALOGS, seed=seed)
    found = rated_by(some, SATISFIED, "ja", tuple(MODES))
    used, total = (one.turns.frame["dialog"].n_unique() for one in (some, given))
    row = f"{HUMAN}: RealPersonaChat, {SATISFIED}"
    notes = [f"{used:,} of {total:,} dialogs"]
    yield from judged_cells(row, found, HUMAN, notes, seed=seed)
    if with_systems is not None:
        yield from system_cells(with_systems, found, seed=seed)


def drawn(given: Rated, n: int, *, seed: int) -> Rated:
    """So many of the dialogs, drawn by their names."""

    def lot(dialog: str) -> bytes:
        return blake2b(f"{seed}\0{dialog}".encode(), digest_size=16).digest()

    names = sorted(given.turns.frame["dialog"].unique().to_list(), key=lot)[:n]
    return only(given, pl.col("dialog").is_in(names))


def only(given: Rated, wanted: pl.Expr) -> Rated:
    """The dialogs of these rows, with their judgements."""
    turns = given.turns.frame.filter(wanted)
    judged = given.judgements.frame.join(turns.select("dialog").unique(), on="dialog", how="semi")
    return Rated(Turns(turns.rechunk()), Judgements(judged))


def system_cells(given: Rated, learned: Judged, *, seed: int) -> Iterator[Cell]:
    """What a model of people's ratings of people says of systems."""
    found = ratings(given.turns, given.judgements, quality=SATISFIED, learn="interlocutor")
    whole = seen(given.turns, found, learned.form)
    told = learned.unaware.of(whole.rows, whole.circumstances, whole.person).value
    row = f"{SYSTEM}: RealPersonaChat, {SATISFIED}"
    # nobody says who rated: files name raters alike, so that each dialog counts as one
    dialog = [str(at) for at in found.dialog]
    for one in measured({TEXT: told}, found.own, dialog, seed=seed):
        spot = Spot(TABLE, row, TEXT)
        notes = ["learned from what people said of people", "resampled by dialog", ON_X]
        yield of_estimate(spot, one.r, n=one.n, paper=JUDGED[TEXT, SYSTEM][0], notes=notes)
    for mode in (USER, PROFILE, BOTH):
        yield only_paper(Spot(TABLE, row, mode), JUDGED[mode, SYSTEM][0], NAMELESS)


def crowd_cells(
    given: Rated, logs: Turns | None, absent: list[str], *, seed: int
) -> Iterator[Cell]:
    """Ji et al.: crowd workers about bots."""
    controlled = (pl.col("system") == CONTROL).any().over("dialog")
    bots, chances = only(given, ~controlled.fill_null(False)), None
    try:
        chances = None if logs is None else continued(logs, bots.turns)
    except UNFIT as error:
        absent.append(f"Table 5, {CONTINUED}: {error}")
    for quality in ENGAGING:
        found = rated_by(bots, quality, "en", (TEXT, USER))
        if chances is not None:
            found.guesses[CONTINUED] = of_dialogs(chances, bots, quality)
        row = f"{SYSTEM}: Ji et al., {quality}"
        notes = [f"without the dialogs of {CONTROL}"]
        yield from judged_cells(row, found, SYSTEM, notes, seed=seed)
        for mode in (PROFILE, BOTH):
            yield only_paper(Spot(TABLE, row, mode), JUDGED[mode, SYSTEM][0], NO_PROFILE)


def continued(logs: Turns, turns: Turns) -> dict[int, float]:
    """For every turn, the chance that somebody answers it, as learned from logs."""
    given = examples(logs, window=WINDOW, filters=FILTERS).checked()
    form = formed("", profile=False)
    learn, check, _ = cases(given, form)
    model = fit_personal(learn, check, how=How("chance", users=False))
    asked = moments(turns)
    rows = of_turns(asked, form, np.zeros(len(asked)))
    chance = model.of(rows.rows, rows.circumstances, rows.person).value
    return dict(zip(asked.row.tolist(), chance.tolist(), strict=True))


def of_dialogs(chances: Mapping[int, float], given: Rated, quality: str) -> Floats:
    """The mean chance over the turns of each rating held out."""
    found = Given.of(given.turns, given.judgements, Training(quality=quality))
    rows = [found.ratings.rows[at] for at in found.sides.heldout]
    return np.array([np.mean([chances[int(row)] for row in some]) for some in rows])


def judged_cells(
    row: str, found: Judged, kind: str, notes: Sequence[str], *, seed: int
) -> Iterator[Cell]:
    """r of every guess, and what knowing the person gains."""
    for one in measured(found.guesses, found.own, found.person, seed=seed):
        theirs, *_ = JUDGED.get((one.name, kind), (None,))
        told = [f"{one.persons:,} persons", *notes, *([] if theirs is None else [ON_X])]
        spot = Spot(TABLE, row, one.name)
        yield of_estimate(spot, one.r, n=one.n, paper=theirs, notes=told)
    ours = {name: found.guesses[name] for name in (USER, TEXT, OWN_MEAN)}
    for gap in above(ours, USER, found.own, found.person, seed=seed):
        note = tested(gap.p.get("r"), f"{len(set(found.person)):,} persons")
        spot = Spot(GAINED, row, f"{USER} − {gap.name}")
        yield of_estimate(spot, gap.r, n=len(found.own), notes=[note])
