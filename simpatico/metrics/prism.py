"""Prism: likelihood of a turn given its reference, under a paraphrasing model.

Thompson & Post (2020, EMNLP). H(y | x) is the mean of log p(y_t | y_<t, x), to base e, over the
tokens of y and its end token; a language tag is left out. Beside a reference r the score of a turn
y is (H(y | r) + H(r | y)) / 2. With several references the best counts.
Example: -1 one way and -3 the other give -2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Literal

from simpatico.arrays import Floats
from simpatico.features import Feature, Features
from simpatico.features.likelihood import Likelihood
from simpatico.features.translation import Translation
from simpatico.metric import Card, Carried
from simpatico.metrics._shared.pair_metric import PairMetric
from simpatico.metrics._shared.pairs import NEEDS, Pairs, mean_log_probabilities
from simpatico.models.names import why_missing
from simpatico.turns import Turns

M39V1 = "path:m39v1"
MEANINGS = {
    "reference": "mean log-probability of turn and best reference, each given the other",
    "source": "mean log-probability of the turn given what it answers",
    "unreferenced": "mean log-probability of turn and what it answers, each given the other",
}
"""What the score is in each mode."""


@dataclass(frozen=True)
class Prism(PairMetric):
    """Parameters: `model`, a translation model; `pivot_model`, a second one to translate with
    first; `mode`, "reference", "source" (the turn from what it answers) or "unreferenced" (both
    directions).
    """

    model: str = M39V1
    pivot_model: str = ""
    mode: Literal["reference", "source", "unreferenced"] = "reference"

    name = Carried("prism")
    carries = ("pivot_model", "model")
    statistic = "prism"
    range = (-inf, 0.0)
    comparison = "has a (higher|lower) Prism score"
    card = Card(
        about="Likelihood of a turn given its reference, under a paraphrasing model.",
        undefined=(
            "Null when the turn has no reference with words (in the other modes: answers nothing), "
            "has no words itself, or is in another script."
        ),
        citation=(
            "Thompson and Post 2020, Automatic Machine Translation Evaluation in Many Languages "
            "via Zero-Shot Paraphrasing; github.com/thompsonb/prism; checkpoint m39v1, a fairseq "
            "model: give a folder with its conversion for transformers. A pair of translators "
            "stands in for it with `pivot_model`: what is given is first translated, word by "
            "likeliest word, into the pivot's language, and `model` writes the turn from that"
        ),
        kind="traditional",
        careful=(
            "A fitting reply need not say what a reference says, and with a pivot faults of the "
            "first translation count against the turn."
        ),
    )

    @property
    def missing(self) -> str | None:
        # this checkpoint of fairseq must be converted first: its way out is another than usual
        if self.model == M39V1 and why_missing(M39V1):
            return (
                "prism needs the model m39v1, converted for transformers, in the folder 'm39v1'; "
                "or take two translators: `--set prism.model=package:opus-mt-fr-en --set "
                "prism.pivot_model=package:opus-mt-en-fr`"
            )
        return why_missing(self.model) or (
            why_missing(self.pivot_model) if self.pivot_model else None
        )

    @property
    def feature(self) -> Likelihood:
        return Likelihood(self.model, frame="untagged")

    @property
    def needs(self) -> tuple[Feature, ...]:
        pivot = (Translation(self.pivot_model),) if self.pivot_model else ()
        return (self.feature, *pivot, *NEEDS)

    @property
    def meaning(self) -> str:
        return MEANINGS[self.mode]

    def pairs(self, turns: Turns, features: Features) -> Pairs:
        pair = Pairs.with_references if self.mode == "reference" else Pairs.with_answered
        return pair(turns, features)

    def values(self, features: Features, others: Sequence[str], texts: Sequence[str]) -> Floats:
        def log_probabilities(sources: Sequence[str], targets: Sequence[str]) -> Floats:
            if self.pivot_model:
                sources = features[Translation(self.pivot_model)].of(sources)
            return mean_log_probabilities(features[self.feature].of(sources, targets))

        logs = log_probabilities(others, texts)
        return logs if self.mode == "source" else (logs + log_probabilities(texts, others)) / 2
