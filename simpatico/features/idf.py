"""Inverse document frequencies and baselines, both for BERTScore (Zhang et al., 2020).

The idf of a token that c of N texts contain is log((N + 1) / (c + 1)), so that a token in every
text weighs nothing and one in none weighs log(N + 1). A baseline is the score of unrelated texts.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from math import isfinite, log
from pathlib import Path
from typing import ClassVar

import numpy as np

from simpatico import limits
from simpatico.arrays import Floats, Ints
from simpatico.errors import BadValue, DataError, MissingResource
from simpatico.features import Feature, Features
from simpatico.features.lexicon import mtime_and_size
from simpatico.models.names import Model, find_model
from simpatico.models.runtime.tokens import load_tokenizer
from simpatico.turns import Turns

SPACED = ("roberta", "gpt2", "longformer")
"""Model types whose tokens differ inside a text: BERTScore puts a space before the first word."""


@dataclass(frozen=True)
class Idf:
    """Weights of tokens by a file with one text a line."""

    model: str
    file: str

    needs: ClassVar[tuple[Feature, ...]] = ()

    @property
    def fingerprint(self) -> str:
        return f"idf_sha256:{hashlib.sha256(read_bytes(self.file)).hexdigest()[:12]}"

    def compute(self, turns: Turns, features: Features) -> IdfWeights:
        path = Path(self.file)
        read_bytes(self.file)  # its error names the file
        return count_idf(self.model, find_model(self.model).sha256, path, mtime_and_size(path))


@dataclass(frozen=True)
class IdfWeights:
    """Weights of the tokens that occur; all others have that of `unseen`."""

    unseen: float
    by_token: Mapping[int, float] = field(repr=False)

    def of(self, ids: Ints) -> Floats:
        """The weight of each token."""
        return np.array([self.by_token.get(int(token), self.unseen) for token in ids])


@lru_cache(maxsize=4)
def count_idf(model: str, sha256: str, path: Path, stamp: tuple[int, int]) -> IdfWeights:
    """The weights by one file; kept in memory until its stamp changes."""
    try:
        lines = read_bytes(str(path)).decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not UTF-8 text at byte {error.start}") from None
    texts = [line for line in lines if line.strip()]
    if not texts:
        raise DataError(f"{path}: it has no text; idf needs one text per line")
    counts = Counter[int]()
    encoder = find_model(model)
    for text in load_tokenizer(encoder)(bert_score_texts(encoder, texts)):
        counts.update(set(text.ids.tolist()))
    n = len(texts) + 1
    return IdfWeights(log(n), {token: log(n / (c + 1)) for token, c in counts.items()})


def bert_score_texts(model: Model, texts: Iterable[str]) -> list[str]:
    """The texts as BERTScore gives them to a model: stripped, with a space where it matters."""
    begin = " " if model.config.get("model_type") in SPACED else ""
    return [begin + text.strip() for text in texts]


def read_bytes(file: str) -> bytes:
    """The bytes of a file that the user named."""
    try:
        limits.check_resource(Path(file))
        return Path(file).read_bytes()
    except (OSError, ValueError):
        raise MissingResource(f"no file {file!r}; give the path of an existing file") from None


@dataclass(frozen=True)
class Baseline:
    """Precision, recall and F1 of unrelated texts: three numbers, or a row of a file."""

    source: str
    layer: int | None

    needs: ClassVar[tuple[Feature, ...]] = ()

    @property
    def fingerprint(self) -> str:
        if parse_numbers(self.source):
            return ""
        return f"baseline_sha256:{hashlib.sha256(read_bytes(self.source)).hexdigest()[:12]}"

    def compute(self, turns: Turns, features: Features) -> Floats:
        scores = parse_numbers(self.source) or self._read_row()
        if not all(isfinite(score) and score < 1 for score in scores):
            raise BadValue(f"baseline {self.source!r}; its numbers must be below 1")
        return np.array(scores)

    def _read_row(self) -> list[float]:
        """The row of the layer, or the last one, of a table LAYER,P,R,F."""
        lines = read_bytes(self.source).decode("utf-8", "replace").split()
        table = {cells[0]: cells[1:] for line in lines[1:] if len(cells := line.split(",")) == 4}
        key = next(reversed(table), "") if self.layer is None else str(self.layer)
        try:
            return [float(cell) for cell in table[key]]
        except (KeyError, ValueError):
            where = "its last layer" if self.layer is None else f"layer {self.layer}"
            raise DataError(f"{self.source}: no row LAYER,P,R,F with numbers for {where}") from None


def parse_numbers(source: str) -> list[float] | None:
    """Three numbers with commas between them; null for anything else."""
    try:
        numbers = [float(part) for part in source.split(",")]
    except ValueError:
        return None
    return numbers if len(numbers) == 3 else None
