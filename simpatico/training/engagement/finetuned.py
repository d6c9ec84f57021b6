"""Fine-tune an encoder that reads query and reply together to say how engaging the reply is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from simpatico.errors import BadValue
from simpatico.features import alone
from simpatico.features.classes import ClassProbabilities
from simpatico.features.heads.folder import trained
from simpatico.training.card import About
from simpatico.training.engagement.baselines import beside, run
from simpatico.training.engagement.exchanges import Exchanges
from simpatico.training.engagement.report import OURS
from simpatico.training.engagement.report__engagement_report import Report, between_people, figures
from simpatico.training.engagement.splits import Given
from simpatico.training.engagement.train import Training
from simpatico.training.finetune import FineTuning, Labelled, fine_tune
from simpatico.training.finetune.folder import CARD

BASE = "package:minilm-torch"
LABELS = ("not engaging", "engaging")


def tune_engagement(
    given: Given | Exchanges, out: Path, *, training: Training, about: About
) -> Report:
    """Fine-tune, estimate on dialogs held out, and write the folder of the first seed."""
    if training.base and trained(training.base):
        raise BadValue(
            f"{training.base} is a head over vectors that stay as they are; fine-tuning goes on "
            "from an encoder or from a model that was fine-tuned"
        )
    given = Given.of(given).checked()
    runs = []
    with TemporaryDirectory() as other:
        for seed in training.range:
            sides = given.sides(seed)
            folder = out if seed == training.seed else Path(other) / str(seed)
            how = FineTuning(
                training.base or training.encoder or BASE,
                epochs=training.fine_tune,
                class_weights=True,
                seed=seed,
            )
            told = replace(about, training={**about.training, **training.facts})
            learn, check = labelled(sides.learn), labelled(sides.check)
            fine_tune(learn, check, folder, how=how, labels=LABELS, about=told)
            guess = logits(f"path:{folder}", sides.heldout)
            ours = {OURS: run(guess, guess > 0, sides.heldout)}
            runs.append(ours | beside(sides, seed=seed, learned=training.baselines))
    report = Report.of(runs, given.sides(training.seed))
    with (out / CARD).open("a", encoding="utf-8") as card:
        card.write("\n".join([*figures(report), *between_people(report), ""]))
    return report


def labelled(given: Exchanges) -> Labelled:
    return Labelled(given.query, given.reply, given.label.astype(np.float32))


def logits(model: str, given: Exchanges) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """How far each exchange is on the side of the engaging ones."""
    feature = ClassProbabilities(model, pair=True, output="logits")
    said = alone([feature])[feature].of(given.query, given.reply)
    return np.asarray(said[:, 1] - said[:, 0], np.float64)
