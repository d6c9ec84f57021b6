"""Turns with their references, for the metrics that sacrebleu computes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any, ClassVar

import numpy as np

from simpatico.arrays import Bools
from simpatico.errors import MissingResource
from simpatico.features import Feature, Features
from simpatico.features.words import Words
from simpatico.turns import Turns

ABSENT = "comparing with references needs the package sacrebleu; pip install 'simpatico[neural]'"


def sacrebleu_missing() -> str | None:
    """Why sacrebleu cannot be used, null when it can."""
    return None if find_spec("sacrebleu") else ABSENT


@dataclass(frozen=True)
class ReferencePairs:
    """The turns that have words and references; the two masks say which lack one."""

    no_reference: Bools
    no_words: Bools
    rows: list[tuple[int, str, list[str]]]

    def scores(self, metric: Any) -> Iterator[tuple[int, Any]]:
        """Row and sacrebleu's score of each such turn; the same texts are compared once."""
        memo: dict[tuple[str, ...], Any] = {}
        for row, text, references in self.rows:
            key = (text, *references)
            if key not in memo:
                memo[key] = metric.sentence_score(text, references)
            yield row, memo[key]


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

    def compute(self, turns: Turns, features: Features) -> ReferencePairs:
        if why := sacrebleu_missing():
            raise MissingResource(why)
        references = [
            [text for text in cell or () if text and text.strip()]
            for cell in turns.frame["references"].to_list()
        ]
        no_reference = np.array([not row for row in references], np.bool_)
        no_words = features[Words()].counts == 0
        texts = turns.frame["text"]
        rows = np.flatnonzero(turns.scored & ~no_reference & ~no_words).tolist()
        pairs = [(row, texts[row], references[row]) for row in rows]
        return ReferencePairs(no_reference, no_words, pairs)
