"""Fine-tune an encoder on single utterances, as the paper of emotional consistency did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from simpatico.features.heads.folder import EmotionKind
from simpatico.features.plutchik import EMOTIONS
from simpatico.training.card import About
from simpatico.training.emotion.baselines import Predictions, compare_with_baselines
from simpatico.training.emotion.data import Utterances
from simpatico.training.emotion.report import (
    EmotionReport,
    describe_emotion_data,
    describe_emotion_results,
)
from simpatico.training.emotion.settings import EmotionSettings, prepare_task
from simpatico.training.emotion.splits import LabelledTexts, UtteranceInput
from simpatico.training.finetune import FineTuning, TextDataset, fine_tune, predict_logits
from simpatico.training.finetune.folder import append_to_card

BATCH, LONGEST = 32, 128
"""What Liu et al. fine-tuned with, in section 2.2."""
LABELS: Mapping[EmotionKind, tuple[str, ...]] = {
    "neutrality": ("neutral", "emotional"),
    "polarity": ("negative", "positive"),
    "plutchik": EMOTIONS,
}


def fine_tune_emotion(
    utterances: UtteranceInput | Utterances,
    out: Path,
    *,
    kind: EmotionKind,
    settings: EmotionSettings,
    about: About,
) -> EmotionReport:
    """Fine-tune, evaluate on the test split, and write the folder."""
    task = prepare_task(utterances, kind, settings)
    train, validation, test = task.data.splits
    tuning = FineTuning(
        settings.encoder or FineTuning.base,
        problem="multi" if kind == "plutchik" else "single",
        rate=settings.rate,
        batch=BATCH,
        epochs=settings.fine_tune,
        longest=LONGEST,
        class_weights=task.balances_classes(settings),
        seed=settings.seed,
    )
    fine_tune(
        to_dataset(train, kind),
        to_dataset(validation, kind),
        out,
        settings=tuning,
        labels=LABELS[kind],
        about=replace(about, training={**about.training, **settings.facts}),
    )
    # of two classes the difference of logits is the log-odds of the second
    logits = [predict_logits(out, texts.text) for texts in (validation, test)]
    if kind == "plutchik":
        columns = [[part[:, at] for part in logits] for at in range(len(task.names))]
    else:
        columns = [[part[:, 1] - part[:, 0] for part in logits]]
    predictions = {name: Predictions(*c) for name, c in zip(task.names, columns, strict=True)}
    report = EmotionReport(task, *compare_with_baselines(task, predictions, settings), None)
    lines = ["", *describe_emotion_data(report), "", *describe_emotion_results(report), ""]
    append_to_card(out, "\n".join(lines))
    return report


def to_dataset(texts: LabelledTexts, kind: EmotionKind) -> TextDataset:
    """Texts with the index of their class, or with a 0 or 1 for each emotion."""
    target = texts.target if kind == "plutchik" else texts.target[:, 0]
    return TextDataset(texts.text, None, target.astype(np.float32))
