"""Fine-tune an encoder that reads the conversation with marks of who speaks: will they answer?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from simpatico.features.marks import Marks, texts
from simpatico.train.chances import Guess
from simpatico.train.continuity import Report, Training, asked, lines, reported
from simpatico.train.continuity_data import Examples
from simpatico.train.finetune import FineTuning, Labelled, fine_tune
from simpatico.train.outcomes import Places
from simpatico.train.pair_folder import About
from simpatico.train.personal_modes import NAMES
from simpatico.train.personal_tuned import (
    BASE,
    finish_key,
    foretold,
    kept_key,
    marked,
    told_on_card,
    used,
)
from simpatico.turns import Turns

LABELS = ("no answer", "answer")


def tune_continuity(
    turns: Turns, out: Path, *, training: Training, about: About, base: str = ""
) -> Report:
    """Fine-tune, estimate on turns held out, and write the folder; `base` is one to go on from."""
    given = asked(turns, training)
    key = kept_key(out, base)
    learn, check, heldout = given.sides[:3]
    marks = Marks.of(given.person(learn) if training.users else [], key, before=marked(base))
    start = base or training.encoder or BASE
    how = FineTuning(
        start,
        epochs=training.fine_tune,
        tokens=marks.tokens,
        seed=training.seed,
    )
    told = replace(about, training=used(start, {**about.training, **training.facts}))
    sides = [labelled(given, side, marks, profile=training.profile) for side in (learn, check)]
    fine_tune(sides[0], sides[1], out, how=how, labels=LABELS, about=told)
    finish_key(out, key)
    chance = foretold(out, "chance", given.turns, given.moments.some(heldout))
    guesses = {f"{NAMES[training.mode]}, fine-tuned": Guess.of(chance)}
    report = reported(given, guesses, given.person(np.concatenate([learn, check])))
    told_on_card(out, report.heldout, lines(report))
    return report


def labelled(given: Examples, places: Places, marks: Marks, *, profile: bool) -> Labelled:
    """Some examples as texts."""
    first, second = texts(given.turns, given.moments.some(places), marks, profile=profile)
    return Labelled(first, second, given.answered(places).astype(np.float32))
