"""Fine-tune an encoder that reads conversations with marks of who speaks, whatever it is to tell.

It knows whom the model knows to go on from, and keeps the key that marks are made with.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from simpatico.arrays import Floats, Ints
from simpatico.errors import BadValue
from simpatico.features import alone
from simpatico.features.heads.folder import heads_folder
from simpatico.features.users.contexts import Moments
from simpatico.features.users.finetuned_folder import KEY, is_marked, load_marked, read_key
from simpatico.features.users.folder import PERSONS, Heldout
from simpatico.features.users.identity import Mode, knows_profile, knows_who, new_key
from simpatico.features.users.model import Target
from simpatico.features.users.inputs import language_of
from simpatico.features.users.speaker_tokens import Marks, texts
from simpatico.files import write_atomically
from simpatico.training.finetune import FineTuning, Labelled, fine_tune
from simpatico.training.finetune.folder import CARD
from simpatico.training.model_folder import About
from simpatico.training.users.card import figures
from simpatico.training.users.splits import Sides
from simpatico.turns import Turns

BASE = "package:minilm-torch"


class Training(Protocol):
    """What a training with marks is told."""

    @property
    def mode(self) -> Mode: ...
    @property
    def encoder(self) -> str: ...
    @property
    def fine_tune(self) -> int: ...
    @property
    def seed(self) -> int: ...


class Lessons(NamedTuple):
    """Moments of conversations, on which sides they are, and what is to be said of each, 0 to 1."""

    target: Target
    labels: tuple[str, ...]
    turns: Turns
    moments: Moments
    sides: Sides
    y: Floats

    def labelled(self, places: Ints, marks: Marks, *, profile: bool) -> Labelled:
        """Some of them as texts."""
        first, second = texts(self.turns, self.moments.some(places), marks, profile=profile)
        return Labelled(first, second, self.y[places].astype(np.float32))


def tune(
    lessons: Lessons, out: Path, *, training: Training, about: About, base: str = ""
) -> Floats:
    """Fine-tune, write the folder, and give what the model says of those held out."""
    key = kept_key(out, base)
    learn, check, heldout = lessons.sides[:3]
    persons = lessons.moments.some(learn).person if knows_who(training.mode) else []
    marks = Marks.of(persons, key, before=marked(base))
    start = base or training.encoder or BASE
    how = FineTuning(
        start,
        "single" if lessons.target == "chance" else "regression",
        epochs=training.fine_tune,
        tokens=marks.tokens,
        seed=training.seed,
    )
    profile = knows_profile(training.mode)
    sides = [lessons.labelled(side, marks, profile=profile) for side in (learn, check)]
    about = replace(about, training=used(start, about.training))
    fine_tune(sides[0], sides[1], out, how=how, labels=lessons.labels, about=about)
    finish_key(out, key)
    return foretold(out, lessons.target, lessons.turns, lessons.moments.some(heldout))


def marked(base: str) -> Collection[str]:
    """Digits of those who have a mark in the model to go on from."""
    if (personal := heads_folder(base)) and (personal / PERSONS).is_file():
        raise BadValue(f"{base} is not fine-tuned; to go on from it, leave out --fine-tune")
    return load_marked(base).marks.known if is_marked(base) else ()


def used(base: str, facts: Mapping[str, object]) -> dict[str, object]:
    """The facts of a training, with what is needed to use the model that comes of it."""
    read = load_marked(base).recipe.language if is_marked(base) else language_of(base)
    return {**facts, "language": read}


def foretold(out: Path, target: Target, turns: Turns, moments: Moments) -> Floats:
    """What a finished model says of moments that it did not learn from."""
    folder = load_marked(f"path:{out}", target)
    return folder.of(turns, moments, alone(folder.needs)).value


def told_on_card(out: Path, heldout: Heldout, lines: Sequence[str]) -> None:
    """Write how well a finished model does on what was held out at the end of its card."""
    with (out / CARD).open("a", encoding="utf-8") as card:
        card.write("\n".join(["", *figures(heldout), "", *lines, ""]))


def kept_key(out: Path, base: str = "") -> bytes:
    """The key of the model to go on from, or one that stays the same until `out` is finished.

    Marks are made with it, so that a training that was broken off needs it to go on.
    """
    if base.startswith("path:"):
        found = Path(base.removeprefix("path:")) / KEY
        if found.is_file():
            return read_key(found)
    waiting = out.absolute().with_name(f"{out.name}.{KEY}")
    if not waiting.is_file():
        put_key(waiting, new_key())
    return read_key(waiting)


def finish_key(out: Path, key: bytes) -> None:
    """Put the key into the finished folder, readable by its owner only."""
    put_key(out / KEY, key)
    out.absolute().with_name(f"{out.name}.{KEY}").unlink(missing_ok=True)


def put_key(path: Path, key: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, lambda place: place.write_text(f"{key.hex()}\n"), private=True)
