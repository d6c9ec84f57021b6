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
from simpatico.files import write_atomically
from simpatico.training.card import About
from simpatico.training.finetune import FineTuning, TextDataset, fine_tune
from simpatico.training.finetune.folder import append_to_card
from simpatico.training.users.card import LIMITS, evaluation_lines
from simpatico.training.users.fit import MODE_NAMES, UserTraining
from simpatico.training.users.splits import TimeSplit
from simpatico.turns import Turns

DEFAULT_ENCODER = "package:minilm-torch"


class TokenData(NamedTuple):
    """Contexts of dialogs, their split, and the target of each, from 0 to 1."""

    target: Target
    labels: tuple[str, ...]
    turns: Turns
    contexts: Contexts
    split: TimeSplit
    y: Floats


def fine_tune_with_tokens(
    data: TokenData, out: Path, *, training: UserTraining, about: About, base: str = ""
) -> dict[str, Floats]:
    """Fine-tune, write the folder, and predict the test split with what was written.

    Returns the predictions under the name of the model, as `fit_mode` does.
    """
    key = pseudonym_key(out, base)
    train, validation, test = data.split[:3]
    users = data.contexts.take(train).user if uses_identity(training.mode) else []
    tokens = SpeakerTokens.for_users(users, key, existing=base_token_digits(base))
    start = base or training.encoder or DEFAULT_ENCODER
    settings = FineTuning(
        start,
        "single" if data.target == "chance" else "regression",
        epochs=training.fine_tune,
        tokens=tokens.tokens,
        seed=training.seed,
    )
    datasets = []
    for indices in (train, validation):
        contexts, profile = data.contexts.take(indices), uses_profile(training.mode)
        first, second = texts_with_tokens(data.turns, contexts, tokens, profile=profile)
        datasets.append(TextDataset(first, second, data.y[indices].astype(np.float32)))
    about = replace(
        about,
        training={**about.training, "language": reading_language(start)},
        limits=LIMITS if tokens.digits else (),
    )
    fine_tune(datasets[0], datasets[1], out, settings=settings, labels=data.labels, about=about)
    store_key(out, key)
    folder = load_finetuned(f"path:{out}", data.target)
    features = features_for_texts(folder.needs)
    predictions = folder.predict(data.turns, data.contexts.take(test), features)
    return {f"{MODE_NAMES[training.mode]}, fine-tuned": predictions.value}


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
    append_to_card(out, "\n".join(["", *evaluation_lines(test), "", *lines, ""]))


def pseudonym_key(out: Path, base: str = "") -> bytes:
    """The key of the model to start from, or one that stays the same until `out` is finished.

    Speaker tokens are made with it, so that a training that was interrupted needs it to resume.
    """
    if base.startswith("path:"):
        path = Path(base.removeprefix("path:")) / KEY
        if path.is_file():
            return read_key(path)
    waiting = out.absolute().with_name(f"{out.name}.{KEY}")
    if not waiting.is_file():
        write_key(waiting, new_key())
    return read_key(waiting)


def store_key(out: Path, key: bytes) -> None:
    """Put the key into the finished folder, readable by its owner only."""
    write_key(out / KEY, key)
    out.absolute().with_name(f"{out.name}.{KEY}").unlink(missing_ok=True)


def write_key(path: Path, key: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, lambda place: place.write_text(f"{key.hex()}\n"), private=True)
