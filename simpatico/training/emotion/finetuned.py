"""Fine-tune an encoder that reads single utterances, as the paper of emotional consistency did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from simpatico.arrays import Floats
from simpatico.features.heads.folder import EmotionKind
from simpatico.features.plutchik import EMOTIONS
from simpatico.training.card import About
from simpatico.training.emotion.baselines import Guess, compared
from simpatico.training.emotion.data import Utterances
from simpatico.training.emotion.evaluators import logits
from simpatico.training.emotion.report import Report, counted, figures
from simpatico.training.emotion.settings import Prepared, Training, prepared
from simpatico.training.emotion.splits import Given, Taught
from simpatico.training.finetune import FineTuning, Labelled, fine_tune
from simpatico.training.finetune.folder import CARD

BASE = "package:minilm-torch"
BATCH, LONGEST = 32, 128
"""What Liu et al. fine-tuned with, in section 2.2."""
LABELS: Mapping[EmotionKind, tuple[str, ...]] = {
    "neutrality": ("neutral", "emotional"),
    "polarity": ("negative", "positive"),
    "plutchik": EMOTIONS,
}


def tune_emotion(
    given: Given | Utterances, out: Path, *, kind: EmotionKind, training: Training, about: About
) -> Report:
    """Fine-tune, estimate on utterances held out, and write the folder."""
    ready = prepared(given, kind, training)
    learn, check, heldout = ready.drawn.sides
    how = FineTuning(
        training.encoder or BASE,
        problem="multi" if kind == "plutchik" else "single",
        rate=training.rate,
        batch=BATCH,
        epochs=training.fine_tune,
        longest=LONGEST,
        class_weights=ready.balanced(training),
        seed=training.seed,
    )
    told = replace(about, training={**about.training, **training.facts})
    fine_tune(
        labelled(learn, kind), labelled(check, kind), out, how=how, labels=LABELS[kind], about=told
    )
    said = [logits(f"path:{out}", side.text) for side in (check, heldout)]
    report = Report(ready, *compared(ready, guesses(ready, *said), training), None)
    with (out / CARD).open("a", encoding="utf-8") as card:
        card.write("\n".join(["", *counted(report), "", *figures(report), ""]))
    return report


def labelled(given: Taught, kind: EmotionKind) -> Labelled:
    """Texts with the number of their class, or with a 0 or 1 for each emotion."""
    target = given.target if kind == "plutchik" else given.target[:, 0]
    return Labelled(given.text, None, target.astype(np.float32))


def guesses(ready: Prepared, check: Floats, heldout: Floats) -> dict[str, Guess]:
    """What the classifier says for each name; of two classes, how far the second is above."""
    if ready.kind == "plutchik":
        return {name: Guess(check[:, at], heldout[:, at]) for at, name in enumerate(ready.names)}
    return {ready.names[0]: Guess(check[:, 1] - check[:, 0], heldout[:, 1] - heldout[:, 0])}
