"""Go on with a personal model: persons learn from new examples, what all share stays as it is.

What the model says of the new examples before it learns from them shows how well it does on them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from simpatico.arrays import Floats
from simpatico.errors import BadValue, DataError
from simpatico.features.users.finetuned_folder import is_marked
from simpatico.features.users.folder import PersonalFolder, load_personal, same_encoder
from simpatico.features.users.identity import pseudonym
from simpatico.features.users.model import Target
from simpatico.judgements import Judgements
from simpatico.stats import by_person as chances
from simpatico.stats import by_person__scores as scores
from simpatico.stats.by_person import Guess
from simpatico.training.users.examples import of_turns
from simpatico.training.users.continuity.data import EVERYTHING, Filters, examples, told
from simpatico.training.users.continuity.outcomes import Window
from simpatico.training.users.folder import gone_on, save_again, writable
from simpatico.training.users.interlocutor import train as interlocutor
from simpatico.training.users.interlocutor.data import Ratings, ratings
from simpatico.training.users.user_weights import Cases
from simpatico.turns import Turns

BEFORE = "before going on"


@dataclass(frozen=True)
class Onward:
    """The model to go on from, where to write the other, and what the new data are called."""

    base: str
    out: Path
    data: str

    def folder(self, target: Target) -> PersonalFolder:
        """The model, once it can be gone on from."""
        writable(self.out)
        if is_marked(self.base):
            raise BadValue(f"{self.base} is fine-tuned; to go on from it, add --fine-tune EPOCHS")
        found = load_personal(self.base, target)
        if not found.recipe.own:
            raise BadValue(
                f"{self.base} knows nothing of persons, so that there is nothing to go on with; "
                "train it with --mode user"
            )
        same_encoder(found, self.base)
        return found


class WentOn(NamedTuple):
    """How well new turns were foreseen, which were not used, and of which it is not certain."""

    found: chances.Measured
    aside: dict[str, int]
    window: Window
    unfinished: int


def continue_continuity(turns: Turns, onward: Onward, *, left: float, filters: Filters) -> WentOn:
    """Let persons go on with what they answered in these logs, in the time that the model gives."""
    folder = onward.folder("chance")
    window = Window(folder.recipe.training.get("minutes", Window().minutes), left)
    given = examples(turns, window=window, by=EVERYTHING, filters=filters)
    places = given.sides.learn
    if not len(places):
        why = told(given.sides.aside)
        raise DataError(f"no turn whose answer is known; there is nothing to go on with{why}")
    answered = given.answered(places)
    new = of_turns(given.moments.some(places), folder.recipe.form, answered.astype(np.float64))
    chance = said(folder, new)
    guess = {BEFORE: Guess.of(chance)}
    (found,) = chances.measured(guess, answered, given.person(places))
    figures = f"accuracy {found.accuracy.value:.3f}, {chances.area_told(found.auc)}"
    go_on(onward, folder, new, figures)
    return WentOn(found, given.sides.aside, window, given.unfinished(places))


def continue_interlocutor(
    turns: Turns, judgements: Judgements, onward: Onward, *, quality: str | None
) -> scores.Measured:
    """Let persons go on with what they said of these conversations; how well it was foreseen."""
    folder = onward.folder("score")
    known = folder.recipe.training.get("quality")
    if quality and known and quality != known:
        raise BadValue(f"{onward.base} learned {known!r}; it cannot go on with {quality!r}")
    rated = ratings(turns, judgements, quality=quality or known, learn="interlocutor")
    same_scale(rated, judgements, folder.recipe.ends, onward.base)
    first = np.array([rows[0] for rows in rated.rows], np.int64)
    order = np.lexsort([first, rated.begun])
    new = interlocutor.seen(turns, rated, folder.recipe.form).some(order)
    (found,) = scores.measured({BEFORE: said(folder, new)}, new.y, new.person)
    correlation = "no r" if found.r is None else f"r {found.r.value:.3f}"
    go_on(onward, folder, new, f"{correlation}, squared error {found.mse.value:.3f}")
    return found


def same_scale(
    rated: Ratings, judgements: Judgements, ends: tuple[float, float] | None, base: str
) -> None:
    """Refuse ratings of another scale than a model learned, or beyond it where none is told."""
    if ends is None:
        return
    (low, high), own = rated.ends, judgements.frame.filter(quality=rated.quality)
    told = own["scale_min"].null_count() == own["scale_max"].null_count() == 0
    if (low, high) != ends if told else not ends[0] <= low <= high <= ends[1]:
        raise BadValue(
            f"ratings of {rated.quality!r} go from {low:g} to {high:g}; {base} learned a scale "
            f"from {ends[0]:g} to {ends[1]:g}"
        )


def said(folder: PersonalFolder, cases: Cases) -> Floats:
    """What the model says of cases in which persons have their own names."""
    person = [pseudonym(one, folder.key) for one in cases.person]
    return folder.model.of(cases.rows, cases.circumstances, person).value


def go_on(onward: Onward, folder: PersonalFolder, new: Cases, figures: str) -> None:
    """Write the model after these cases."""
    n = len(new.y)
    line = f"- went on with {n:,} examples of {onward.data}, on which it had had {figures}"
    told = folder.recipe
    later = gone_on(onward.base, new)
    save_again(onward.out, later, examples=told.examples + n, lines=(*told.lines, line))
