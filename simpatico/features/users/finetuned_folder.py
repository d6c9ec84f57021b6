"""Folders of encoders that were fine-tuned with speaker tokens, and their predictions."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np

from simpatico.errors import DataError, MissingResource
from simpatico.features import Feature, Features
from simpatico.features.classes import TRAINING, ClassProbabilities
from simpatico.features.heads.folder import heads_folder
from simpatico.features.lexicon import mtime_and_size
from simpatico.features.users import speaker_tokens
from simpatico.features.users.contexts import Contexts
from simpatico.features.users.folder import check_target, missing_model_message
from simpatico.features.users.identity import Mode, parse_key, uses_profile
from simpatico.features.users.model import Target, UserPredictions
from simpatico.models.folder import read_plain_file
from simpatico.models.names import why_missing
from simpatico.turns import Turns

KEY = "person_key.txt"
TARGETS: dict[str, Target] = {"single": "chance", "regression": "score"}


class TokenSettings(msgspec.Struct, frozen=True, rename={"bounds": "ends"}):
    """The settings of a training, as far as they are needed to use the model."""

    mode: Mode
    language: str | None = None
    """The one language that the encoder reads; null where it is any, or nobody knows."""
    bounds: tuple[float, float] | None = None
    """Lowest and highest score; the encoder learned (score - low) / (high - low)."""


class FineTunedRecipe(msgspec.Struct, frozen=True):
    """What a training writes, as far as it is needed to use the model and to describe it."""

    problem: Literal["single", "regression"]
    tokens: tuple[str, ...]
    training: TokenSettings
    base: str
    data: str
    licence: str
    examples: int = msgspec.field(name="learned_from")

    @property
    def target(self) -> Target:
        return TARGETS[self.problem]

    @property
    def language(self) -> str | None:
        return self.training.language

    @property
    def bounds(self) -> tuple[float, float] | None:
        return self.training.bounds


@dataclass(frozen=True)
class FineTunedFolder:
    """An encoder that knows users by their speaker tokens."""

    model: str
    recipe: FineTunedRecipe = field(compare=False, repr=False)
    tokens: speaker_tokens.SpeakerTokens = field(compare=False, repr=False)

    @property
    def classifier(self) -> ClassProbabilities:
        """Gives the probability of a reply, or the position of a score between its bounds."""
        reply = self.recipe.target == "chance"
        return ClassProbabilities(self.model, pair=True, output="softmax" if reply else "logits")

    @property
    def needs(self) -> tuple[Feature, ...]:
        return (self.classifier,)

    @property
    def missing(self) -> str | None:
        """Why the model cannot be used here; null if it can."""
        return why_missing(self.model)

    @property
    def n_users(self) -> int:
        return len(self.tokens.digits)

    def predict(self, turns: Turns, contexts: Contexts, features: Features) -> UserPredictions:
        """Predictions for contexts of these turns.

        The folder does not say how many examples of a user there were; whoever has a token had at
        least `MIN_EXAMPLES`.
        """
        profile = uses_profile(self.recipe.training.mode)
        texts = speaker_tokens.texts_with_tokens(turns, contexts, self.tokens, profile=profile)
        output = features[self.classifier].of(*texts)
        has_token = [self.tokens(user) != speaker_tokens.UNKNOWN_USER for user in contexts.user]
        n_examples = speaker_tokens.MIN_EXAMPLES * np.array(has_token, np.int64)
        if self.recipe.bounds is None:
            return UserPredictions(output[:, 1].astype(np.float64), n_examples)
        low, high = self.recipe.bounds
        share = output[:, 0].astype(np.float64)
        return UserPredictions(np.clip(low + share * (high - low), low, high), n_examples)


def is_finetuned(model: str) -> bool:
    """Whether this names a folder of an encoder that was fine-tuned with speaker tokens."""
    folder = heads_folder(model)
    return folder is not None and (folder / KEY).is_file() and (folder / TRAINING).is_file()


def load_finetuned(model: str, target: Target | None = None) -> FineTunedFolder:
    """The fine-tuned model in the folder that `path:DIR` names."""
    folder = heads_folder(model)
    if folder is None or not is_finetuned(model):
        raise MissingResource(missing_model_message(model, target))
    stamps = tuple(mtime_and_size(folder / name) for name in (KEY, TRAINING))
    finetuned = read_finetuned(model, folder, stamps)
    check_target(folder / TRAINING, finetuned.recipe.target, target)
    return finetuned


@lru_cache(maxsize=8)
def read_finetuned(
    model: str, folder: Path, stamps: tuple[tuple[int, int], ...]
) -> FineTunedFolder:
    """The model in a folder; cached as long as its files have these stamps."""
    path = folder / TRAINING
    try:
        recipe = msgspec.json.decode(read_plain_file(path), type=FineTunedRecipe)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise DataError(f"{path}: not a recipe with speaker tokens; train it again") from None
    bounds = recipe.bounds
    if (bounds is not None) != (recipe.target == "score") or (bounds and not bounds[0] < bounds[1]):
        raise DataError(f"{path}: invalid bounds of the rating scale, {bounds}; train it again")
    digits = speaker_tokens.token_digits(recipe.tokens)
    tokens = speaker_tokens.SpeakerTokens(read_key(folder / KEY), digits)
    return FineTunedFolder(model, recipe, tokens)


def read_key(path: Path) -> bytes:
    """The key that pseudonyms are made with, out of its file."""
    try:
        content = path.read_bytes()
    except OSError:
        content = b""
    return parse_key(content, path)
