"""Fine-tune an encoder that reads the conversation with marks of who speaks: which score?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from simpatico.errors import BadValue
from simpatico.features.marks import Marks, texts
from simpatico.features.moments import Moments, moments
from simpatico.features.persons import knows_profile, knows_who
from simpatico.train.finetune import FineTuning, Labelled, fine_tune
from simpatico.train.interlocutor import Given, Report, Training, lines, reported
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
    key = kept_key(out, base)
    learn, check, heldout = given.sides[:3]
    users, profile = knows_who(training.mode), knows_profile(training.mode)
    marks = Marks.of(given.person(learn) if users else [], key, before=marked(base))
    start = base or training.encoder or BASE
    how = FineTuning(
        start,
        "regression",
        epochs=training.fine_tune,
        tokens=marks.tokens,
        seed=training.seed,
    )
    ends = {"quality": given.ratings.quality, "ends": given.ratings.ends}
    facts = {**about.training, **training.facts, **ends}
    told = replace(about, training=used(start, facts))
    seen = last_turns(given)
    sides = [labelled(given, seen, side, marks, profile=profile) for side in (learn, check)]
    fine_tune(sides[0], sides[1], out, how=how, labels=(given.ratings.quality,), about=told)
    finish_key(out, key)
    guess = foretold(out, "score", given.turns, seen.some(heldout))
    report = reported(given, {f"{NAMES[training.mode]}, fine-tuned": guess})
    told_on_card(out, report.heldout, lines(report))
    return report


def last_turns(given: Given) -> Moments:
    """The last turn that each rating is of, said to who rated it."""
    found = moments(given.turns)
    last = np.array([rows[-1] for rows in given.ratings.rows], np.int64)
    return replace(found.some(np.searchsorted(found.row, last)), person=given.ratings.person)


def labelled(
    given: Given, seen: Moments, places: Places, marks: Marks, *, profile: bool
) -> Labelled:
    """Some ratings, from 0 to 1, of texts."""
    first, second = texts(given.turns, seen.some(places), marks, profile=profile)
    low, high = given.ratings.ends
    share = (given.ratings.value[places] - low) / (high - low)
    return Labelled(first, second, share.astype(np.float32))
