"""How rare word pieces are in a list of texts, and how alike texts are that have nothing in common.

Both are for BERTScore. The weight of a piece that c of N texts contain is log((N + 1) / (c + 1)),
so that one in every text weighs nothing and one in none weighs log(N + 1).
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
import numpy.typing as npt

from simpatico.errors import BadValue, DataError, MissingResource
from simpatico.features import Feature, Features
from simpatico.features.lexicon import stamp
from simpatico.models.names import Model, find
from simpatico.models.runtime.tokens import Ids, cutter
from simpatico.turns import Turns

SPACED = ("roberta", "gpt2", "longformer")
"""Kinds of models for which a text begins with a space, as words inside a text do."""


@dataclass(frozen=True)
class Rarity:
    """Weights of word pieces by a file with one text a line."""

    model: str
    file: str

    needs: ClassVar[tuple[Feature, ...]] = ()

    @property
    def fingerprint(self) -> str:
        return f"idf_sha256:{hashlib.sha256(content(self.file)).hexdigest()[:12]}"

    def compute(self, turns: Turns, features: Features) -> Weights:
        path = Path(self.file)
        content(self.file)
        return counted(self.model, find(self.model).sha256, path, stamp(path))


@dataclass(frozen=True)
class Weights:
    """Weights of the word pieces that occur; all others have the one of `unseen`."""

    unseen: float
    known: Mapping[int, float] = field(repr=False)

    def of(self, ids: Ids) -> npt.NDArray[np.float64]:
        """The weight of each piece."""
        return np.array([self.known.get(int(piece), self.unseen) for piece in ids])


@lru_cache(maxsize=4)
def counted(model: str, sha256: str, path: Path, stamp: tuple[int, int]) -> Weights:
    """The weights by one file; kept as long as it has this stamp."""
    try:
        lines = content(str(path)).decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not UTF-8 text at byte {error.start}") from None
    texts = [line for line in lines if line.strip()]
    if not texts:
        raise DataError(f"{path}: no text in it; idf takes one text a line")
    counts = Counter[int]()
    found = find(model)
    for pieces in cutter(found)(prepared(found, texts)):
        counts.update(set(pieces.ids.tolist()))
    n = len(texts) + 1
    return Weights(log(n), {piece: log(n / (c + 1)) for piece, c in counts.items()})


def prepared(model: Model, texts: Iterable[str]) -> list[str]:
    """The texts as BERTScore gives them to a model: stripped, and begun as inside a text."""
    begin = " " if model.config.get("model_type") in SPACED else ""
    return [begin + text.strip() for text in texts]


def content(file: str) -> bytes:
    """The bytes of a file."""
    try:
        return Path(file).read_bytes()
    except (OSError, ValueError):
        raise MissingResource(f"no file {file!r}; give a file of the name that is there") from None


@dataclass(frozen=True)
class Baseline:
    """Precision, recall and F1 of texts that have nothing in common: numbers, or a file's row."""

    told: str
    layer: int | None

    needs: ClassVar[tuple[Feature, ...]] = ()

    @property
    def fingerprint(self) -> str:
        if numbers(self.told):
            return ""
        return f"baseline_sha256:{hashlib.sha256(content(self.told)).hexdigest()[:12]}"

    def compute(self, turns: Turns, features: Features) -> npt.NDArray[np.float64]:
        found = numbers(self.told) or row(self.told, self.layer)
        if not all(isfinite(number) and number < 1 for number in found):
            raise BadValue(f"baseline {self.told!r}; its numbers are below 1")
        return np.array(found)


def numbers(told: str) -> list[float] | None:
    """Three numbers with commas between them; null where it is something else."""
    try:
        found = [float(part) for part in told.split(",")]
    except ValueError:
        return None
    return found if len(found) == 3 else None


def row(file: str, layer: int | None) -> list[float]:
    """The row of a layer, or the last one, of a table LAYER,P,R,F."""
    lines = content(file).decode("utf-8", "replace").split()
    table = {cells[0]: cells[1:] for line in lines[1:] if len(cells := line.split(",")) == 4}
    wanted = str(layer) if layer is not None else next(reversed(table), "")
    try:
        return [float(cell) for cell in table[wanted]]
    except (KeyError, ValueError):
        where = "its last layer" if layer is None else f"layer {layer}"
        raise DataError(f"{file}: no row LAYER,P,R,F with numbers for {where}") from None
