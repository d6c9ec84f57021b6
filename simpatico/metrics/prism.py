"""Prism: how readily a model that says the same in other words would say a turn.

The number is a mean log-probability, to base e, of word pieces and closing mark; that of a mark
for the language is left out. Beside a reference it is the mean of both directions: the turn from
the reference, and the reference from the turn. With several references the best counts.
Example: -1 one way and -3 the other give -2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from simpatico.errors import BadValue
from simpatico.features import Feature, Features
from simpatico.features.likelihood import Likelihood
from simpatico.features.translation import Translation
from simpatico.metric import Card, Carried, Score, mark
from simpatico.metrics._shared.pairs import NEEDS, Pairs, mean, with_answered, with_references
from simpatico.metrics.bart_score import means
from simpatico.models.names import absent
from simpatico.turns import Level, Turns

M39V1 = "path:m39v1"
MODES = {
    "reference": "mean log-probability of turn and best reference, each given the other",
    "source": "mean log-probability of the turn given what it answers",
    "unreferenced": "mean log-probability of turn and what it answers, each given the other",
}


@dataclass(frozen=True)
class Prism:
    model: str = M39V1
    pivot: str = ""
    mode: Literal["reference", "source", "unreferenced"] = "reference"

    name: ClassVar = Carried("prism")
    published: ClassVar[tuple[str, ...]] = ()
    carries: ClassVar[tuple[str, ...]] = ("pivot", "model")
    level: ClassVar[Level] = "turn"
    card: ClassVar[Card] = Card(
        about="How readily a model that says the same in other words would say a turn.",
        undefined=(
            "Null when the turn has no reference with words (in the other modes: answers nothing), "
            "has no words itself, or is in another script."
        ),
        citation=(
            "Thompson and Post 2020, Automatic Machine Translation Evaluation in Many Languages "
            "via Zero-Shot Paraphrasing; github.com/thompsonb/prism; checkpoint m39v1, a fairseq "
            "model: give a folder with its conversion for transformers. A pair of translators "
            "stands in for it with `pivot`: what is given is first translated, word by likeliest "
            "word, into the pivot's language, and `model` writes the turn from that"
        ),
        kind="traditional",
        careful=(
            "A fitting reply need not say what a reference says, and with a pivot faults of the "
            "first translation count against the turn."
        ),
    )

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            known = ", ".join(map(repr, MODES))
            raise BadValue(f"prism.mode is {self.mode!r}; it is one of {known}")

    @property
    def missing(self) -> str | None:
        if self.model == M39V1 and absent(M39V1):
            return (
                "prism needs the model m39v1, converted for transformers, in the folder 'm39v1'; "
                "or take two translators: `--set prism.model=package:opus-mt-fr-en --set "
                "prism.pivot=package:opus-mt-en-fr`"
            )
        return absent(self.model) or (absent(self.pivot) if self.pivot else None)

    @property
    def needs(self) -> tuple[Feature, ...]:
        pivot = (Translation(self.pivot),) if self.pivot else ()
        return (self._writer, *pivot, *NEEDS)

    @property
    def _writer(self) -> Likelihood:
        return Likelihood(self.model, frame="untagged")

    @property
    def scores(self) -> tuple[Score, ...]:
        return (
            Score(
                f"prism{mark(self)}",
                of=mean("prism"),
                range=(-inf, 0.0),
                meaning=MODES[self.mode],
                better="higher",
                title="Prism",
                more="has a higher Prism score than",
                less="has a lower Prism score than",
            ),
        )

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        beside = with_references if self.mode == "reference" else with_answered
        pairs: Pairs = beside(turns, features)

        def written(given: Sequence[str], texts: Sequence[str]) -> npt.NDArray[np.float64]:
            told = features[Translation(self.pivot)].of(given) if self.pivot else given
            return means(features[self._writer].of(told, texts))

        found = written(pairs.other, pairs.text)
        if self.mode != "source":
            found = (found + written(pairs.text, pairs.other)) / 2
        return pairs.statistics(prism=pairs.best(found))
