"""BARTScore: how readily a model would write a turn after reading a reference, or the reverse.

Yuan, Neubig & Liu (2021, NeurIPS). The score of writing y from x is the mean of
log p(y_t | y_<t, x) over the tokens of y, its end token included, to base e. Precision writes the
turn from the reference, recall the reference from the turn, F is their mean; faithfulness writes
the turn from what it answers. With several references the best counts.
Example: log-probabilities -1, -2 and -3 give -2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import polars as pl

from simpatico.arrays import Floats
from simpatico.features import Feature, Features
from simpatico.features.likelihood import Likelihood
from simpatico.metric import Card, Carried, Score
from simpatico.metrics._shared.model_metric import ModelMetric
from simpatico.metrics._shared.pairs import NEEDS, Pairs, mean_log_probabilities
from simpatico.metrics._shared.scores import mean_statistic
from simpatico.turns import Turns

MEANINGS = {
    "": "mean of precision and recall",
    "_precision": "mean log-probability of the turn given its best reference",
    "_recall": "mean log-probability of the best reference given the turn",
    "_faithfulness": "mean log-probability of the turn given what it answers",
}
"""What the names of the scores end in, and what each is."""


@dataclass(frozen=True)
class BartScore(ModelMetric):
    """Parameter `model`: a sequence-to-sequence model, or a causal one that continues the source.

    Statistics: sums of f, precision and recall over `n` turns with a reference, and of faithfulness
    over `answers` turns that answer something.
    """

    model: str = "hub:facebook/bart-large-cnn"

    name = Carried("bart_score")
    published = ("hub:facebook/bart-large-cnn",)
    card = Card(
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
            self.score(
                part,
                pl.col("faithfulness") / pl.col("answers")
                if part == "_faithfulness"
                else mean_statistic(part.removeprefix("_") or "f"),
                meaning,
                range=(-inf, 0.0),
                title=f"BARTScore{part.replace('_', ' ')}",
            )
            for part, meaning in MEANINGS.items()
        )

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        model = features[Likelihood(self.model)]

        def log_probabilities(sources: Sequence[str], targets: Sequence[str]) -> Floats:
            return mean_log_probabilities(model.of(sources, targets))

        references = Pairs.with_references(turns, features)
        contexts = Pairs.with_answered(turns, features)
        precision = log_probabilities(references.other, references.text)
        recall = log_probabilities(references.text, references.other)
        faithfulness = log_probabilities(contexts.other, contexts.text)
        table = references.statistics(
            f=references.best_per_turn((precision + recall) / 2),
            precision=references.best_per_turn(precision),
            recall=references.best_per_turn(recall),
        )
        # its own count: a turn may answer something and have no reference
        source = contexts.statistics(faithfulness=contexts.best_per_turn(faithfulness))
        source = source.select("faithfulness", answers="n")
        return pl.concat([table, source], how="horizontal")
