"""Fine-tune an encoder that reads the conversation with marks of who speaks: will they answer?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from simpatico.stats.by_person import Guess
from simpatico.training.model_folder import About
from simpatico.training.users.cases__personal_modes import NAMES
from simpatico.training.users.continuity.train import Report, Training, asked, lines, reported
from simpatico.training.users.finetuned import Lessons, told_on_card, tune
from simpatico.turns import Turns

LABELS = ("no answer", "answer")


def tune_continuity(
    turns: Turns, out: Path, *, training: Training, about: About, base: str = ""
) -> Report:
    """Fine-tune, estimate on turns held out, and write the folder; `base` is one to go on from."""
    given = asked(turns, training)
    y = given.outcomes.answered.astype(np.float64)
    lessons = Lessons("chance", LABELS, given.turns, given.moments, given.sides, y)
    told = replace(about, training={**about.training, **training.facts})
    chance = tune(lessons, out, training=training, about=told, base=base)
    guesses = {f"{NAMES[training.mode]}, fine-tuned": Guess.of(chance)}
    met = given.person(np.concatenate(given.sides[:2]))
    report = reported(given, guesses, met)
    told_on_card(out, report.heldout, lines(report))
    return report
