"""Texts as a model reads them: word pieces, cut at the model's longest input."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from simpatico.errors import DataError, MissingResource
from simpatico.models.names import Model
from simpatico.models.runtime.sentencepiece import unigram

LONGEST = 256
"""Word pieces of a model whose files do not say more, as all-MiniLM-L6-v2 was trained."""
MOST = 1024
"""Word pieces that are read at most, whatever a model's files say."""

Ids = npt.NDArray[np.int64]


class Pieces(NamedTuple):
    """A text, or two, as word pieces; `special` marks those that are not of the text."""

    ids: Ids
    types: Ids
    special: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Cutter:
    """Cuts texts into the word pieces of one model."""

    sha256: str
    tokenizer: Any = field(compare=False, repr=False)

    def __call__(self, texts: Sequence[str], seconds: Sequence[str] | None = None) -> list[Pieces]:
        clean = [as_utf8(text) for text in texts]
        given: list[Any] = clean
        if seconds is not None:
            given = list(zip(clean, map(as_utf8, seconds), strict=True))
        return [
            Pieces(
                np.array(e.ids, np.int64),
                np.array(e.type_ids, np.int64),
                np.array(e.special_tokens_mask, bool),
            )
            for e in self.tokenizer.encode_batch(given)
        ]


def as_utf8(text: str) -> str:
    """The text without lone surrogates, which no tokenizer can take."""
    return text.encode("utf-8", "replace").decode()


def cutter(model: Model) -> Cutter:
    """What cuts texts for this model; made once."""
    return _cutter(model.sha256, model, longest(model))


@lru_cache(maxsize=8)
def _cutter(sha256: str, model: Model, limit: int) -> Cutter:
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
        tokenizer = unigram(model.folder / "sp.model")
    else:
        tokenizer = Tokenizer.from_str(from_vocabulary(model))
    tokenizer.no_padding()
    tokenizer.enable_truncation(limit)
    # what somebody wrote is text, even where it looks like a mark of the model's own
    tokenizer.encode_special_tokens = True
    return Cutter(sha256, tokenizer)


def from_vocabulary(model: Model) -> str:
    """The tokenizer that transformers makes of a vocabulary, as older checkpoints have one."""
    if not set(model.files) & {"vocab.txt", "vocab.json", "spiece.model"}:
        raise DataError(
            f"{model.folder} has no tokenizer.json; save the model's fast tokenizer there"
        )
    from simpatico.models.runtime.torch_backend import tokenizer

    return str(tokenizer(model).backend_tokenizer.to_str())


def longest(model: Model) -> int:
    """How many word pieces the model reads, as its files say."""
    sentence = model.folder / "sentence_bert_config.json"
    if sentence.is_file():
        told = json.loads(sentence.read_text(encoding="utf-8"))
        most = told.get("max_seq_length") if isinstance(told, dict) else None
        if isinstance(most, int):
            return min(most, MOST)
    places = model.config.get("max_position_embeddings") or model.config.get("n_positions")
    if not isinstance(places, int):
        return LONGEST
    # RoBERTa and MPNet number places from the padding's id on
    first = 2 if model.config.get("model_type") in ("roberta", "mpnet", "xlm-roberta") else 0
    return min(places - first, MOST)
