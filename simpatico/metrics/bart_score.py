"""BARTScore: how readily a model would write a turn after reading a reference, or the reverse.

The number is the mean log-probability of what is written, to base e, its closing mark included.
Precision writes the turn from the reference, recall the reference from the turn, F is their mean;
faithfulness writes the turn from what it answers. With several references the best counts.
Example: log-probabilities -1, -2 and -3 give -2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import polars as pl

from simpatico.features import Feature, Features
from simpatico.features.likelihood import Likelihood
from simpatico.metric import Card, Carried, OnModels, Score, mark
from simpatico.metrics._shared.pairs import NEEDS, mean, with_answered, with_references
from simpatico.turns import Level, Turns

MEANINGS = {
    "": "mean of precision and recall",
    "_precision": "mean log-probability of the turn given its best reference",
    "_recall": "mean log-probability of the best reference given the turn",
    "_faithfulness": "mean log-probability of the turn given what it answers",
}


@dataclass(frozen=True)
class BartScore(OnModels):
    model: str = "hub:facebook/bart-large-cnn"

    name: ClassVar = Carried("bart_score")
    published: ClassVar[tuple[str, ...]] = ("hub:facebook/bart-large-cnn",)
    level: ClassVar[Level] = "turn"
    card: ClassVar[Card] = Card(
        about="How readily a model would write a turn from its reference, and the reverse.",
        undefined=(
            "Null when the turn has no reference with words (for faithfulness: answers nothing), "
            "has no words itself, or is in another script."
        ),
        citation=(
            "Yuan, Neubig and Liu 2021, BARTScore: Evaluating Generated Text as Text Generation; "
            "github.com/neulab/BARTScore; checkpoint facebook/bart-large-cnn"
        ),
        kind="traditional",
        careful="A causal model in place of BART only continues the reference: other numbers.",
    )

    @property
    def needs(self) -> tuple[Feature, ...]:
        return (Likelihood(self.model), *NEEDS)

    @property
    def scores(self) -> tuple[Score, ...]:
        return tuple(
            Score(
                f"bart_score{part}{mark(self)}",
                of=pl.col("faithfulness") / pl.col("answers")
                if part == "_faithfulness"
                else mean(part.removeprefix("_") or "f"),
                range=(-inf, 0.0),
                meaning=meaning,
                better="higher",
                title=f"BARTScore{part.replace('_', ' ')}",
                more=f"has a higher BARTScore{part.replace('_', ' ')} than",
                less=f"has a lower BARTScore{part.replace('_', ' ')} than",
            )
            for part, meaning in MEANINGS.items()
        )

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        model = features[Likelihood(self.model)]

        def written(given: Sequence[str], texts: Sequence[str]) -> npt.NDArray[np.float64]:
            return means(model.of(given, texts))

        pairs, answers = with_references(turns, features), with_answered(turns, features)
        precision, recall = written(pairs.other, pairs.text), written(pairs.text, pairs.other)
        source = answers.statistics(
            faithfulness=answers.best(written(answers.other, answers.text))
        ).select("faithfulness", answers="n")
        found = pairs.statistics(
            f=pairs.best((precision + recall) / 2),
            precision=pairs.best(precision),
            recall=pairs.best(recall),
        )
        return pl.concat([found, source], how="horizontal")


def means(logs: Sequence[npt.NDArray[np.float64]]) -> npt.NDArray[np.float64]:
    """The mean of each text's log-probabilities; NaN for a text that has none."""
    return np.array([log.mean() if len(log) else np.nan for log in logs], np.float64)
