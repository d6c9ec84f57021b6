"""A model that knows what its mode says of persons, and what text alone does beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import msgspec

from simpatico.arrays import Floats
from simpatico.errors import DataError
from simpatico.features.users.identity import Mode, knows_profile, knows_who
from simpatico.features.users.model import Personal
from simpatico.features.users.inputs import SeenForm
from simpatico.progress import step
from simpatico.training.users.fit import How, fit_both
from simpatico.training.users.user_weights import Cases
from simpatico.training.users.shared_weights import PULLS
from simpatico.turns import Turns

TEXT: Mode = "text"
NAMES: Mapping[Mode, str] = {
    "text": "text",
    "user": "+ user",
    "profile": "+ profile",
    "both": "+ both",
}


def with_profiles(turns: Turns, mode: Mode) -> None:
    """Refuse a mode that reads profiles where nobody has one."""
    if knows_profile(mode) and not any(turns.frame["profile"]):
        raise DataError(
            f"mode {mode!r} reads profiles, and nobody who is talked to has one; give profiles, or "
            "another mode"
        )


def fit_modes(
    mode: Mode, form: SeenForm, how: How, sides: Callable[[SeenForm], Sequence[Cases]]
) -> tuple[Personal, dict[str, Floats]]:
    """The model, and what it says of the cases held out; beside it what text alone says.

    The sides of a form are the cases to learn from, to check by and those held out.
    """
    seen = sides(form)
    model, blind = fitted(mode, how, seen)
    guesses = {NAMES[mode]: said(model, seen[2])}
    if mode == TEXT:
        return model, guesses
    if form.profile:
        seen = sides(msgspec.structs.replace(form, profile=False))
        blind, _ = fitted(TEXT, how, seen)
    return model, guesses | {NAMES[TEXT]: said(blind, seen[2])}


def fitted(mode: Mode, how: How, seen: Sequence[Cases]) -> tuple[Personal, Personal]:
    """The model of a mode, and what it would be if it knew nobody."""
    learn, check, _ = seen
    with step(f"fits, {NAMES[mode]}", len(PULLS)) as tick:
        return fit_both(learn, check, how=replace(how, users=knows_who(mode)), tick=tick)


def said(model: Personal, cases: Cases) -> Floats:
    """The scores or chances of some cases."""
    return model.of(cases.rows, cases.circumstances, cases.person).value
