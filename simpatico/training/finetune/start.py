"""A pretrained encoder made ready for training: special tokens, and a classification layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any

import numpy as np

from simpatico.errors import DataError
from simpatico.models.names import Model
from simpatico.models.runtime import torch_backend
from simpatico.models.runtime.encoders import has_segments
from simpatico.models.runtime.tokens import TextTokenizer, load_tokenizer, max_model_tokens
from simpatico.training.card import About

if TYPE_CHECKING:
    from simpatico.training.finetune import FineTuning, TextDataset

NOISE = 0.1
"""SD of new token vectors around the mean of the old ones, as a share of the old ones' SD."""
CAPITAL, SPACE = "↑", "←"
"""What stands before a word with a capital, and before punctuation that stands apart."""


@dataclass(frozen=True)
class TrainableModel:
    """A classifier with its tokenizer, which cuts at `limit` tokens.

    `segments`: whether it takes token types, which tell first texts from second (BERT).
    """

    model: Any
    tokenizer: Any
    limit: int
    segments: bool

    @property
    def encode(self) -> TextTokenizer:
        """Encodes texts just as they are encoded when the finished model is used."""
        copy = type(self.tokenizer).from_str(self.tokenizer.to_str())
        copy.enable_truncation(self.limit)
        copy.encode_special_tokens = True
        return TextTokenizer("", copy)


@dataclass(frozen=True)
class FineTuningRun:
    """All that a fine-tuning starts from, and the folder of its checkpoints."""

    trainable: TrainableModel
    base: Model
    settings: FineTuning
    labels: tuple[str, ...]
    train: TextDataset
    validation: TextDataset
    about: About
    partial: Path


def prepare_model(base: Model, settings: FineTuning, labels: tuple[str, ...]) -> TrainableModel:
    """The base with a new classification layer; random weights come from the seed."""
    import torch

    torch.manual_seed(settings.seed)
    model = load_classifier(base, settings, labels)
    tokenizer, new = add_tokens(base, settings.tokens)
    if settings.spelling:
        show_spelling(tokenizer)
    with torch_backend.quiet_loading(torch_backend.import_transformers(base)):
        embed_tokens(model, new, settings.seed)
    # memory of our own, aligned alike whether weights come from a file or a checkpoint: kernels may
    # add up in another order at another alignment
    for weight in model.parameters():
        weight.data = weight.data.clone()
    segments = "token_type_ids" in signature(model.forward).parameters and has_segments(base)
    limit = min(settings.longest, max_model_tokens(base))
    return TrainableModel(model.to(torch_backend.device()), tokenizer, limit, segments)


def load_classifier(base: Model, settings: FineTuning, labels: tuple[str, ...]) -> Any:
    """The base as a classifier of transformers, all weights from its file but those of classes."""
    import torch

    transformers = torch_backend.import_transformers(base)
    kind = "" if settings.problem == "regression" else "_label_classification"
    with torch_backend.quiet_loading(transformers):
        try:
            model, loading = transformers.AutoModelForSequenceClassification.from_pretrained(
                base.folder,
                local_files_only=True,
                use_safetensors=True,
                ignore_mismatched_sizes=True,
                dtype=torch.float32,
                output_loading_info=True,
                num_labels=len(labels),
                id2label=dict(enumerate(labels)),
                label2id={label: index for index, label in enumerate(labels)},
                problem_type=f"{settings.problem}{kind}",
            )
        except Exception as error:  # a faulty folder makes it raise nearly anything
            raise torch_backend.unloadable(base, "an encoder", error) from None
    # a new classification layer has no weights yet, and some encoders are saved without a pooler
    inner = f"{model.base_model_prefix}."
    missing = [
        k for k in sorted(loading["missing_keys"]) if k.startswith(inner) and "pooler" not in k
    ]
    if missing:
        raise DataError(
            f"{base.folder} is not an encoder: it has no weights for {missing[0]!r}; "
            "name a model that was saved as one"
        )
    return model


def add_tokens(base: Model, tokens: Sequence[str]) -> tuple[Any, list[int]]:
    """The base's tokenizer with these tokens, and the ids of those that are new to it."""
    from tokenizers import AddedToken, Tokenizer

    tokenizer = Tokenizer.from_str(load_tokenizer(base).tokenizer.to_str())
    tokenizer.no_truncation()
    tokenizer.no_padding()
    new = [token for token in tokens if tokenizer.token_to_id(token) is None]
    # not as the library's special tokens: it takes those for plain text when it encodes user text
    tokenizer.add_tokens([AddedToken(token, normalized=False, special=False) for token in new])
    return tokenizer, [int(tokenizer.token_to_id(token) or 0) for token in new]


def show_spelling(tokenizer: Any) -> None:
    """Make the tokenizer keep what lower-casing and splitting off punctuation would lose.

    Example: "No . I know!" is read as "↑ no ← . ↑ i know !"; both arrows are in BERT's vocabulary.
    """
    from tokenizers import Regex
    from tokenizers.normalizers import Replace, Sequence

    if lacking := [mark for mark in (CAPITAL, SPACE) if tokenizer.token_to_id(mark) is None]:
        raise DataError(
            f"the vocabulary of the encoder has no {lacking[0]!r}, which would show spelling; "
            "leave out --spelling"
        )
    # one rule a letter, as a replacement cannot repeat what was matched
    spaces = [Replace(Regex(rf"\s\{sign}"), f" {SPACE} {sign}") for sign in ".,?!;:"]
    capitals = [Replace(Regex(rf"\b{one}"), f"{CAPITAL} {one}") for one in ascii_uppercase]
    tokenizer.normalizer = Sequence([*spaces, *capitals, tokenizer.normalizer])


def embed_tokens(model: Any, new: Sequence[int], seed: int) -> None:
    """Give new tokens a vector each: the mean of the old ones and a little noise.

    Near the mean they start out as average words; the noise lets them part from each other.
    """
    import torch

    if not new:
        return
    old = model.get_input_embeddings().weight.detach()
    # padding of the vocabulary to a round number, after the last real token, was never trained
    mean, sd = old[: min(new)].mean(dim=0), old[: min(new)].std(dim=0)
    noise = np.random.default_rng(seed).standard_normal((len(new), old.shape[1]))
    if max(new) >= len(old):
        model.resize_token_embeddings(max(new) + 1, mean_resizing=False)
    with torch.no_grad():
        shift = torch.from_numpy(noise.astype(np.float32)) * sd * NOISE
        model.get_input_embeddings().weight[list(new)] = mean + shift
