"""Fine-tune an encoder that reads query and reply together to say how engaging the reply is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from simpatico.errors import BadValue
from simpatico.features.heads.folder import is_heads_folder
from simpatico.training.card import About
from simpatico.training.engagement.baselines import baseline_predictions, labelled_predictions
from simpatico.training.engagement.exchanges import Exchanges
from simpatico.training.engagement.report import (
    OURS,
    EngagementReport,
    describe_engagement_results,
    describe_share_between_people,
)
from simpatico.training.engagement.splits import ExchangeInput
from simpatico.training.engagement.train import EngagementSettings
from simpatico.training.finetune import FineTuning, TextDataset, fine_tune, predict_logits
from simpatico.training.finetune.folder import append_to_card

LABELS = ("not engaging", "engaging")


def fine_tune_engagement(
    exchanges: ExchangeInput | Exchanges, out: Path, *, settings: EngagementSettings, about: About
) -> EngagementReport:
    """Fine-tune, evaluate on the test split, and write the folder of the first seed."""
    if settings.base and is_heads_folder(settings.base):
        raise BadValue(
            f"{settings.base} is a head over vectors that stay as they are; fine-tuning goes on "
            "from an encoder or from a model that was fine-tuned"
        )
    exchanges = ExchangeInput.of(exchanges).usable()
    about = replace(about, training={**about.training, **settings.facts})
    runs = []
    # only the model of the first seed is kept; the others are for the estimate alone
    with TemporaryDirectory() as other:
        for seed in settings.seed_range:
            splits = exchanges.split(seed)
            folder = out if seed == settings.seed else Path(other) / str(seed)
            tuning = FineTuning(
                settings.base or settings.encoder or FineTuning.base,
                epochs=settings.fine_tune,
                class_weights=True,
                seed=seed,
            )
            train, validation = (
                TextDataset(split.query, split.reply, split.label.astype(np.float32))
                for split in splits[:2]
            )
            fine_tune(train, validation, folder, settings=tuning, labels=LABELS, about=about)
            logits = predict_logits(folder, splits.test.query, splits.test.reply)
            margin = logits[:, 1] - logits[:, 0]
            ours = {OURS: labelled_predictions(margin, margin > 0, splits.test)}
            runs.append(ours | baseline_predictions(splits, seed=seed, trained=settings.baselines))
    report = EngagementReport.of(runs, exchanges.split(settings.seed))
    lines = [*describe_engagement_results(report), *describe_share_between_people(report), ""]
    append_to_card(out, "\n".join(lines))
    return report
