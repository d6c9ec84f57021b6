"""Fine-tune an encoder that reads dialogs with speaker tokens, to predict replies or scores.

It can start from an earlier model of this kind: its tokens stay, and the key they are made with.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from simpatico.arrays import Floats
from simpatico.errors import BadValue
from simpatico.features import features_for_texts
from simpatico.features.heads.folder import heads_folder
from simpatico.features.users.contexts import Contexts
from simpatico.features.users.finetuned_folder import KEY, is_finetuned, load_finetuned, read_key
from simpatico.features.users.folder import USERS_FILE, ModelEvaluation
from simpatico.features.users.identity import new_key, uses_identity, uses_profile
from simpatico.features.users.inputs import encoder_language
from simpatico.features.users.model import Target
from simpatico.features.users.speaker_tokens import SpeakerTokens, texts_with_tokens
from simpatico.files import make_folder, write_atomically
from simpatico.training import finetune
from simpatico.training.card import About
from simpatico.training.finetune.folder import append_to_card, partial_folder
from simpatico.training.users import card, fit, splits
from simpatico.turns import Turns

DEFAULT_ENCODER = "package:minilm-torch"


class TokenData(NamedTuple):
    """Contexts of dialogs, their split, and the target of each, from 0 to 1."""

    target: Target
    labels: tuple[str, ...]
    turns: Turns
    contexts: Contexts
    split: splits.TimeSplit
    y: Floats

    def fine_tune(
        self, out: Path, *, training: fit.UserTraining, about: About, base: str = ""
    ) -> dict[str, Floats]:
        """Fine-tune, write the folder, and predict the test split with what was written.

        Returns the predictions under the name of the model, as `fit_mode` does.
        """
        key = pseudonym_key(out, base)
        store_key(out, key)
        train, validation, test = self.split[:3]
        users = self.contexts.take(train).user if uses_identity(training.mode) else []
        tokens = SpeakerTokens.for_users(users, key, existing=base_token_digits(base))
        start = base or training.encoder or DEFAULT_ENCODER
        problem: finetune.Problem = "single" if self.target == "chance" else "regression"
        settings = finetune.FineTuning(
            start, problem, epochs=training.fine_tune, tokens=tokens.tokens, seed=training.seed
        )
        datasets = []
        for indices in (train, validation):
            contexts, profile = self.contexts.take(indices), uses_profile(training.mode)
            first, second = texts_with_tokens(self.turns, contexts, tokens, profile=profile)
            datasets.append(finetune.TextDataset(first, second, self.y[indices].astype(np.float32)))
        facts = {**about.training, "language": reading_language(start)}
        about = replace(about, training=facts, limits=card.LIMITS if tokens.digits else ())
        finetune.fine_tune(
            datasets[0], datasets[1], out, settings=settings, labels=self.labels, about=about
        )
        folder = load_finetuned(f"path:{out}", self.target)
        features = features_for_texts(folder.needs)
        predictions = folder.predict(self.turns, self.contexts.take(test), features)
        return {f"{fit.MODE_NAMES[training.mode]}, fine-tuned": predictions.value}


def base_token_digits(base: str) -> Collection[str]:
    """Pseudonyms of the users who have a token in the model to start from."""
    if (folder := heads_folder(base)) and (folder / USERS_FILE).is_file():
        raise BadValue(f"{base} is not fine-tuned; to update it, leave out --fine-tune")
    return load_finetuned(base).tokens.digits if is_finetuned(base) else ()


def reading_language(base: str) -> str | None:
    """The one language of a fine-tuned model or of an encoder; null where it is any."""
    return load_finetuned(base).recipe.language if is_finetuned(base) else encoder_language(base)


def append_results(out: Path, test: ModelEvaluation, lines: Sequence[str]) -> None:
    """Write the results on the test split at the end of a finished model's card."""
    append_to_card(out, "\n".join(["", *card.evaluation_lines(test), "", *lines, ""]))


def pseudonym_key(out: Path, base: str = "") -> bytes:
    """The key of the model to start from, or one that stays the same until `out` is finished.

    Speaker tokens are made with it, so that a training that was interrupted needs it to resume.
    """
    if (folder := heads_folder(base)) and (folder / KEY).is_file():
        return read_key(folder / KEY)
    waiting = partial_folder(out) / KEY
    return read_key(waiting) if waiting.is_file() else new_key()


def store_key(out: Path, key: bytes) -> None:
    """Put the key beside the checkpoints, from where it comes into the finished folder."""
    make_folder(partial_folder(out))
    write_atomically(partial_folder(out) / KEY, f"{key.hex()}\n".encode())
