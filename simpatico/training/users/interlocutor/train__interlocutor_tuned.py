"""Fine-tune an encoder that reads the conversation with marks of who speaks: which score?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from simpatico.errors import BadValue
from simpatico.features.users.contexts import Moments, moments
from simpatico.training.model_folder import About
from simpatico.training.users.cases__personal_modes import NAMES
from simpatico.training.users.finetuned import Lessons, told_on_card, tune
from simpatico.training.users.interlocutor.train import Given, Report, Training, lines, reported


def tune_interlocutor(
    given: Given, out: Path, *, training: Training, about: About, base: str = ""
) -> Report:
    """Fine-tune, estimate on ratings held out, and write the folder; `base` is one to go on from.

    Ratings are learned in shares of their scale, from 0 to 1.
    """
    if training.learn == "all":
        raise BadValue("fine-tuning learns from 'interlocutor' or 'outsiders', not from 'all'")
    low, high = given.ratings.ends
    if not low < high:
        raise BadValue(f"all scores to learn from are {low:g}; they must differ")
    quality, y = given.ratings.quality, (given.ratings.value - low) / (high - low)
    lessons = Lessons("score", (quality,), given.turns, last_turns(given), given.sides, y)
    ends = {"quality": quality, "ends": given.ratings.ends}
    told = replace(about, training={**about.training, **training.facts, **ends})
    guess = tune(lessons, out, training=training, about=told, base=base)
    report = reported(given, {f"{NAMES[training.mode]}, fine-tuned": guess})
    told_on_card(out, report.heldout, lines(report))
    return report


def last_turns(given: Given) -> Moments:
    """The last turn that each rating is of, said to who rated it."""
    found = moments(given.turns)
    last = np.array([rows[-1] for rows in given.ratings.rows], np.int64)
    return replace(found.some(np.searchsorted(found.row, last)), person=given.ratings.person)
