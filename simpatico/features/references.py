"""Turns beside their references, for what sacrebleu compares."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from simpatico.errors import MissingResource
from simpatico.features import Feature, Features
from simpatico.features.words import Words
from simpatico.turns import Turns

ABSENT = "comparing with references needs the package sacrebleu; pip install 'simpatico[neural]'"


def absent() -> str | None:
    """Why sacrebleu cannot be used, null when it can."""
    return None if find_spec("sacrebleu") else ABSENT


@dataclass(frozen=True)
class Compared:
    """The turns that have words and references; the two masks say which lack one."""

    no_reference: npt.NDArray[np.bool_]
    no_words: npt.NDArray[np.bool_]
    rows: list[tuple[int, str, list[str]]]

    def scores(self, metric: Any) -> Iterator[tuple[int, Any]]:
        """Row and sacrebleu's score of each such turn; the same texts are compared once."""
        known: dict[tuple[str, ...], Any] = {}
        for row, text, references in self.rows:
            key = (text, *references)
            if key not in known:
                known[key] = metric.sentence_score(text, references)
            yield row, known[key]


@dataclass(frozen=True)
class References:
    """What each scored turn can be compared with: the references that are not blank."""

    needs: ClassVar[tuple[Feature, ...]] = (Words(),)

    @property
    def fingerprint(self) -> str:
        try:
            return f"sacrebleu:{version('sacrebleu')}"
        except PackageNotFoundError:
            raise MissingResource(ABSENT) from None

    def compute(self, turns: Turns, features: Features) -> Compared:
        if lack := absent():
            raise MissingResource(lack)
        told = turns.frame["references"].to_list()
        kept = [[r for r in given or () if r and r.strip()] for given in told]
        none = np.array([not found for found in kept], np.bool_)
        silent = features[Words()].counts == 0
        texts = turns.frame["text"]
        rows = np.flatnonzero(turns.scored & ~none & ~silent).tolist()
        return Compared(none, silent, [(row, texts[row], kept[row]) for row in rows])
