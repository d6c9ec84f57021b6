"""Fine-tune an encoder that reads question and reply together to tell true replies from others."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

import numpy as np

from simpatico.features import alone
from simpatico.features.classes import ClassProbabilities
from simpatico.features.embeddings import cosines
from simpatico.features.heads.folder import Figures
from simpatico.training.card import About
from simpatico.training.finetune import FineTuning, Labelled, fine_tune
from simpatico.training.finetune.folder import CARD
from simpatico.training.fit.mlp import Examples
from simpatico.training.heads.data import Talk
from simpatico.training.heads.train import figures
from simpatico.training.relevance.train import Drawn, Training
from simpatico.turns import Turns

BASE = "package:minilm-torch"
LABELS = ("not relevant", "relevant")


def tune_relevance(turns: Turns, out: Path, *, training: Training, about: About) -> Figures:
    """Fine-tune, estimate on dialogs held out, and write the folder."""
    drawn = Drawn.of(Talk.of(turns, about.data), training)
    learn, check, heldout = (labelled(drawn, side) for side in drawn.sides)
    base = training.encoder or BASE
    how = FineTuning(base, epochs=training.fine_tune, seed=training.seed)
    told = replace(about, training=asdict(training))
    fine_tune(learn, check, out, how=how, labels=LABELS, about=told)
    guess = logits(f"path:{out}", heldout)
    vectors, given = drawn.makers[2].vectors, drawn.sides[2]
    beside = cosines(vectors[given.first], vectors[given.second])
    found = figures(guess, given, "cosine", beside)
    with (out / CARD).open("a", encoding="utf-8") as card:
        card.write(section(found))
    return found


def labelled(drawn: Drawn, side: Examples) -> Labelled:
    """The pairs of a side as texts."""
    texts = list(drawn.place)
    first, second = ([texts[at] for at in places] for places in (side.first, side.second))
    return Labelled(first, second, side.label)


def logits(model: str, given: Labelled) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """How far each pair is on the side of the relevant ones."""
    feature = ClassProbabilities(model, pair=True, output="logits")
    said = alone([feature])[feature].of(given.first, given.second or [])
    return np.asarray(said[:, 1] - said[:, 0], np.float64)


def section(found: Figures) -> str:
    """What the card says of dialogs held out."""
    return (
        "\n## How well it does on dialogs it has not seen\n"
        f"- area under the curve {found.auc:.3f} ({found.low:.3f} to {found.high:.3f} over "
        f"resamples of dialogs), where the {found.plain} reaches {found.plain_auc:.3f}; balanced "
        f"accuracy {found.balanced:.3f}\n"
        f"- {found.n:,} pairs of {found.dialogs:,} dialogs, half of them made up\n"
    )
