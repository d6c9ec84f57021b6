"""Texts as a model reads them: token ids, truncated at the model's longest input."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from simpatico.arrays import Bools, Ints
from simpatico.errors import DataError, MissingResource
from simpatico.models.names import Model
from simpatico.models.runtime.sentencepiece import unigram_tokenizer

DEFAULT_TOKENS = 256
"""Of a model whose files do not say how many it reads: all-MiniLM-L6-v2 was trained on so many."""
MAX_TOKENS = 1024
"""That are read of a text, whatever a model's files say: attention takes their square."""
MIN_TOKENS = 8
"""Fewer leave no room for words between the special tokens of a pair."""


class Encoding(NamedTuple):
    """A text, or a pair, as token ids and segment ids; `special` flags the special tokens."""

    ids: Ints
    types: Ints
    special: Bools


@dataclass(frozen=True)
class TextTokenizer:
    """Encodes texts with the tokenizer of one model."""

    sha256: str
    tokenizer: Any = field(compare=False, repr=False)

    def __call__(
        self, texts: Sequence[str], seconds: Sequence[str] | None = None
    ) -> list[Encoding]:
        clean = [as_utf8(text) for text in texts]
        inputs: list[Any] = clean
        if seconds is not None:
            inputs = list(zip(clean, map(as_utf8, seconds), strict=True))
        return [
            Encoding(
                np.array(e.ids, np.int64),
                np.array(e.type_ids, np.int64),
                np.array(e.special_tokens_mask, bool),
            )
            for e in self.tokenizer.encode_batch(inputs)
        ]


def as_utf8(text: str) -> str:
    """The text without lone surrogates, which no tokenizer can take."""
    return text.encode("utf-8", "replace").decode()


@lru_cache(maxsize=8)
def load_tokenizer(model: Model) -> TextTokenizer:
    """The tokenizer of this model; loaded once."""
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise MissingResource(
            "neural metrics need the package tokenizers; pip install 'simpatico[neural]'"
        ) from None
    path = model.folder / "tokenizer.json"
    if path.is_file():
        try:
            tokenizer = Tokenizer.from_file(str(path))
        except Exception:  # the library raises plain Exception for any fault in the file
            raise DataError(f"{path} is not a tokenizer; get the model again") from None
    elif "sp.model" in model.files:
        tokenizer = unigram_tokenizer(model.folder / "sp.model")
    elif set(model.files) & {"vocab.txt", "vocab.json", "spiece.model"}:
        # transformers makes a tokenizer of a vocabulary, which is what older checkpoints have
        from simpatico.models.runtime.torch_backend import load_hf_tokenizer

        tokenizer = Tokenizer.from_str(load_hf_tokenizer(model).backend_tokenizer.to_str())
    else:
        raise DataError(
            f"{model.folder} has no tokenizer.json; save the model's fast tokenizer there"
        )
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_model_tokens(model))
    # what somebody wrote is text, even where it looks like a special token
    tokenizer.encode_special_tokens = True
    return TextTokenizer(model.sha256, tokenizer)


def max_model_tokens(model: Model) -> int:
    """How many tokens the model reads, as its files say."""
    sentence = model.folder / "sentence_bert_config.json"
    if sentence.is_file():
        try:
            settings = json.loads(sentence.read_text(encoding="utf-8"))
        except (ValueError, RecursionError):
            raise DataError(f"{sentence}: not valid JSON; get the model again") from None
        limit = settings.get("max_seq_length") if isinstance(settings, dict) else None
        if isinstance(limit, int):
            return smallest_limit(model.folder, MAX_TOKENS, limit)
    positions = model.config.get("max_position_embeddings") or model.config.get("n_positions")
    if not isinstance(positions, int):
        return DEFAULT_TOKENS
    # RoBERTa and MPNet count positions from the padding's id + 1 = 2 on
    first = 2 if model.config.get("model_type") in ("roberta", "mpnet", "xlm-roberta") else 0
    return smallest_limit(model.folder, MAX_TOKENS, positions - first)


def smallest_limit(folder: object, *limits: int | None) -> int:
    """The smallest of the limits that a model's files state; refused where no text would fit."""
    tokens = int(min(limit for limit in limits if limit is not None))
    if tokens < MIN_TOKENS:
        raise DataError(
            f"{folder}: its settings let it read {tokens} tokens of a text, and a model must "
            f"read {MIN_TOKENS}; get the model again or name another"
        )
    return tokens


def unknown_tokens(place: object) -> DataError:
    """The error for token ids that a model has no weights for."""
    return DataError(
        f"{place}: the tokenizer gives tokens that the weights do not know, so that they do not "
        "belong together; get the model again"
    )
