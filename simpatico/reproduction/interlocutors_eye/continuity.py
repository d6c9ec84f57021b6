"""Table 4 and Figure 3: will this person answer? On logs of IRC, where the paper had X.

The posts of X that the paper learned from cannot be had. IRC has what the question needs: names
that last, times, and links that say which message answers which; it has no profiles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from simpatico.arrays import Bools, Floats
from simpatico.errors import SimpaticoError, UnknownName
from simpatico.features.users.model import Personal
from simpatico.features.users.inputs import SeenForm
from simpatico.metric import Metric
from simpatico.registry import load, suggestion
from simpatico.reproduction import Cell
from simpatico.reproduction.cells import Spot, only_paper
from simpatico.reproduction.cells__eye_cells import of_estimate, tested
from simpatico.reproduction.interlocutors_eye.controls import (
    no_circumstances,
    of_shuffles,
    shuffled,
    spread,
)
from simpatico.reproduction.interlocutors_eye.data import kept
from simpatico.reproduction.interlocutors_eye.paper import BOTH, CONTINUITY, PROFILE
from simpatico.reproduction.request import Asked
from simpatico.stats.by_person import Above, Estimate, Guess, Measured, above, measured
from simpatico.training.users.examples import formed
from simpatico.training.users.continuity.baselines import METRICS, PRIVATE, guessed, majorities
from simpatico.training.users.continuity.data import By, Examples, Filters, examples
from simpatico.training.users.continuity.outcomes import Window
from simpatico.training.users.continuity.train import cases, parted, some
from simpatico.training.users.fit import How, fit_both
from simpatico.training.users.user_weights import Cases, met
from simpatico.turns import Turns

TEXT, USER, GOING_ON = "text", "+ user", "+ user, going on log by log"
SHUFFLED = "+ user, persons shuffled (mean, lowest, highest)"
WORDS, WORDS_USER = "words alone", "words alone + user"
"""Without circumstances, which the paper's model does not see either."""
SPLITS: Mapping[str, By | None] = {"over all": None, "over each person's dialogs": "person"}
TABLE, FIGURE_3 = "Table 4 on IRC, split in time", "Figure 3 on IRC: accuracy by what is known"
BOTS = frozenset({"ubottu", "ubotu", "ubot3", "ubot5"})
WINDOW, FILTERS = Window(30.0, 5.0), Filters(BOTS)
NO_PROFILE = "IRC has no profiles"
GROUPS = 3
RIVALS = {
    USER: (TEXT, PRIVATE),
    GOING_ON: (TEXT, PRIVATE),
    WORDS_USER: (WORDS, PRIVATE),
}
"""What each that knows the person is held against."""


class Learned(NamedTuple):
    """What was asked, and guesses of what is held out; `known`: examples of each one's person."""

    given: Examples
    guesses: dict[str, Guess]
    known: Floats
    mixed: list[Guess]

    @property
    def answered(self) -> Bools:
        return self.given.answered(self.given.sides.heldout)

    @property
    def person(self) -> list[str]:
        return self.given.person(self.given.sides.heldout)


def continuity_cells(turns: Turns, asked: Asked, absent: list[str]) -> Iterator[Cell]:
    """The ladder in both splits, for known and for new persons, and what is gained."""
    for how in SPLITS:
        yield from kept(f"{TABLE} {how}", split_cells(how, turns, asked, absent), absent)


def split_cells(how: str, turns: Turns, asked: Asked, absent: list[str]) -> Iterator[Cell]:
    """The ladder in one of the splits."""
    table, by, seed = f"{TABLE} {how}", SPLITS[how], asked.sample.seed
    form = formed("", profile=False)  # runs of characters: a fit takes minutes, not hours
    given = examples(turns, window=WINDOW, by=by, filters=FILTERS).checked()
    found = learned(given, form, seeds=asked.seeds if by == "person" else 0)
    yield from ladder(table, found, seed=seed)
    for name, flags in parted(found.known > 0):
        rows = some(found.guesses, found.answered, found.person, flags)
        yield from row_cells(f"{table}: {name}", rows, printed=False)
    yield from gains(table, found, seed=seed)
    if by == "person":
        yield from by_size(found, seed=seed)
    else:
        yield from metric_cells(table, given, asked, absent)


def learned(given: Examples, form: SeenForm, *, seeds: int) -> Learned:
    """Models with and without persons, majorities, and models of persons that were shuffled."""
    learn, check, heldout = sides = cases(given, form)
    guesses = dict[str, Guess]()
    for plain, knowing, seen in (
        (WORDS, WORDS_USER, [no_circumstances(side) for side in sides]),
        (TEXT, USER, sides),
    ):
        model, blind = fitted(seen)
        guesses |= {plain: told(blind, seen[2]), knowing: told(model, seen[2])}
    guesses[GOING_ON] = going_on(model, heldout, logs(given))
    mixed = list[Guess]()
    for number in range(seeds):
        others = [shuffled(side, number) for side in sides]
        mixed.append(told(fitted(others)[0], others[2]))
    before = Counter([*learn.person, *check.person])
    known = np.array([before[name] for name in heldout.person], np.float64)
    guesses |= majorities(given, given.sides.heldout)
    return Learned(given, guesses, known, mixed)


def fitted(sides: Sequence[Cases]) -> tuple[Personal, Personal]:
    """What is learned from the first side and decided by the second, with and without persons."""
    return fit_both(sides[0], sides[1], how=How("chance"))


def told(model: Personal, cases: Cases) -> Guess:
    """The chances that a model gives, and what it takes for answered."""
    return Guess.of(model.of(cases.rows, cases.circumstances, cases.person).value)


def logs(given: Examples) -> list[str]:
    """The log that each turn held out is in: what stands before the colon of its dialog's id."""
    dialog = given.turns.frame["dialog"].to_list()
    rows = given.outcomes.row[given.sides.heldout]
    return [dialog[row].partition(":")[0] for row in rows]


def going_on(model: Personal, heldout: Cases, log: Sequence[str]) -> Guess:
    """The chances of a model that learns from each log once it is over."""
    chance, names = np.zeros(len(log)), np.array(log, object)
    for name in dict.fromkeys(log):
        here = np.flatnonzero(names == name)
        part = heldout.some(here)
        chance[here] = told(model, part).number
        model = met(model, part)
    return Guess.of(chance)


def ladder(table: str, found: Learned, *, seed: int) -> Iterator[Cell]:
    """Accuracy, macro-F1 and AUC of every rung; profiles cannot be had."""
    yield from row_cells(table, measured(found.guesses, found.answered, found.person, seed=seed))
    if found.mixed:
        named = {str(number): guess for number, guess in enumerate(found.mixed)}
        rows = measured(named, found.answered, found.person, seed=seed)
        yield from spread_cells(Spot(table, "", SHUFFLED), rows)
    for name in (PROFILE, BOTH):
        for figure, value in CONTINUITY[name]._asdict().items():
            yield only_paper(Spot(table, titled(figure), name), value, NO_PROFILE)


def row_cells(
    table: str, rows: Sequence[Measured], *, printed: bool = True, notes: Sequence[str] = ()
) -> Iterator[Cell]:
    """The three figures of every guess, beside the paper's on X."""
    for row in rows:
        paper = CONTINUITY.get(row.name) if printed else None
        for figure, value in figures(row).items():
            theirs = None if paper is None else getattr(paper, figure, None)
            spot = Spot(table, titled(figure), row.name)
            told = [f"{row.persons:,} persons", *notes]
            yield of_estimate(spot, value, n=row.n, paper=theirs, notes=told)


def figures(row: Measured | Above) -> dict[str, Estimate | None]:
    return {"accuracy": row.accuracy, "macro_f1": row.macro_f1, "auc": row.auc}


def titled(figure: str) -> str:
    return {"macro_f1": "macro-F1", "auc": "AUC"}.get(figure, figure)


def spread_cells(spot: Spot, rows: Sequence[Measured]) -> Iterator[Cell]:
    """The mean over shuffles, and how far apart they are."""
    for figure in figures(rows[0]):
        mean = spread([figures(row)[figure] for row in rows])
        place = spot._replace(row=titled(figure))
        yield of_estimate(place, mean, n=rows[0].n, notes=[of_shuffles(len(rows))])


def gains(table: str, found: Learned, *, seed: int) -> Iterator[Cell]:
    """By how much knowing the person is ahead of text and of the person's majority."""
    met_before = parted(found.known > 0)[:1]  # where they are all, or none, nothing is new in it
    for whom, flags in [("all persons", np.ones(len(found.known), bool)), *met_before]:
        person = [name for name, flag in zip(found.person, flags, strict=True) if flag]
        for ours, rivals in RIVALS.items():
            others = {name: found.guesses[name].some(flags) for name in (ours, *rivals)}
            for row in above(others, ours, found.answered[flags], person, seed=seed):
                for figure, value in figures(row).items():
                    column = f"{ours} − {row.name}, {whom}"
                    note = tested(row.p.get(figure), f"{len(set(person)):,} persons")
                    spot = Spot(f"{table}: gained", titled(figure), column)
                    yield of_estimate(spot, value, n=len(person), notes=[note])


def by_size(found: Learned, *, seed: int) -> Iterator[Cell]:
    """Figure 3: persons in three groups of as many examples to learn from as can be."""
    group = grouped(found.person, found.known)
    for number in range(GROUPS):
        flags = group == number
        if not flags.any():
            continue
        size = round(float(np.mean(found.known[flags])))
        guesses = {name: found.guesses[name].some(flags) for name in (TEXT, USER, PRIVATE)}
        person = [name for name, flag in zip(found.person, flags, strict=True) if flag]
        rows = measured(guesses, found.answered[flags], person, seed=seed)
        for row in rows:
            spot = Spot(FIGURE_3, f"{size:,} examples", row.name)
            yield of_estimate(spot, row.accuracy, n=row.n, notes=[f"{row.persons:,} persons"])


def grouped(person: Sequence[str], known: Floats) -> Floats:
    """0, 1 or 2 by how much is known of each one's person, -1 for nothing.

    Persons are in the order of their examples; each group has about a third of all these.
    """
    sizes = {name: n for name, n in zip(person, known, strict=True) if n > 0}
    order = sorted(sizes, key=lambda name: (sizes[name], name))
    total, sums = sum(sizes.values()), np.cumsum([sizes[name] for name in order])
    middle = sums - np.array([sizes[name] for name in order]) / 2
    place = dict(zip(order, np.minimum(middle * GROUPS // max(total, 1), GROUPS - 1), strict=True))
    return np.array([place.get(name, -1.0) for name in person])


def wanted(asked: Asked) -> list[str]:
    """The paper's baselines that were asked for, by the paper's name."""
    if asked.metrics is None:
        return list(METRICS)
    names = [name for pair in METRICS.items() for name in pair]
    if unknown := [name for name in asked.metrics if name not in names]:
        known = suggestion(unknown[0], METRICS.values())
        raise UnknownName(f"the paper has no metric {unknown[0]!r}; {known}")
    return [name for name, metric in METRICS.items() if {name, metric} & set(asked.metrics)]


def chosen(asked: Asked, absent: list[str]) -> dict[str, Metric]:
    """The paper's baselines that were asked for and are here."""
    found = dict[str, Metric]()
    for name in wanted(asked):
        metric = METRICS[name]
        try:
            found[name] = load(metric, **asked.of(metric))
        except SimpaticoError as error:
            absent.append(f"{name}: {error}")
    return found


def metric_cells(table: str, given: Examples, asked: Asked, absent: list[str]) -> Iterator[Cell]:
    """The paper's baselines; as many turns are told answered as were among those that decide."""
    for name, metric in chosen(asked, absent).items():
        scored = guessed(metric, given, most=asked.sample.size)
        if isinstance(scored, str):
            absent.append(f"{name}: {scored}")
            continue
        answered, person = given.answered(scored.heldout), given.person(scored.heldout)
        notes = [f"{scored.unscored:,} turns without a number", "a sample of the turns held out"]
        yield from row_cells(table, measured({name: scored.guess}, answered, person), notes=notes)
