"""Deep AM-FM: the mean of Deep AM, how close in meaning, and Deep FM, how equally fluent.

Zhang et al. (2021): weight x adequacy + (1 - weight) x fluency.
Example: adequacy .8 and fluency .4 with weight .5 give .6. Of several references the one with the
best such mean counts: beside .5 and .8, which give .65, it is .65.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import polars as pl

from simpatico.errors import BadValue
from simpatico.features import Feature, Features
from simpatico.features.embeddings import MINILM, Embeddings
from simpatico.features.likelihood import Likelihood
from simpatico.metric import Card, Carried, Score, UsesModels
from simpatico.metrics._shared.pairs import NEEDS, NO_REFERENCE, Pairs, mean_statistic
from simpatico.metrics.deep_fm import GPT2, fluency_ratio, mean_fluency
from simpatico.turns import Level, Turns


@dataclass(frozen=True)
class DeepAmFm(UsesModels):
    """Parameters: `model`, a causal language model (fluency); `model_encoder`, a sentence encoder
    (adequacy); `weight` of adequacy in the mean; `ratio` of fluencies, see `deep_fm`.
    """

    model: str = GPT2
    model_encoder: str = MINILM
    weight: float = 0.5
    ratio: Literal["probability", "log"] = "probability"

    name: ClassVar = Carried("deep_am_fm")
    carries: ClassVar[tuple[str, ...]] = ("model_encoder", "model")
    level: ClassVar[Level] = "turn"
    card: ClassVar[Card] = Card(
        about="How close in meaning a turn is to its reference, and whether it reads as fluently.",
        undefined=NO_REFERENCE,
        citation=(
            "Zhang et al. 2021, Deep AM-FM: Toolkit for Automatic Dialogue Evaluation; "
            "github.com/e0397123/AM-FM and, with `ratio=log`, "
            "github.com/e0397123/dstc10_metric_track; both models were trained further on dialogs "
            "and cannot be had, so the name always carries those in use"
        ),
        kind="traditional",
        careful="A good reply need not resemble the reference.",
    )

    def __post_init__(self) -> None:
        if not 0 <= self.weight <= 1:
            raise BadValue(f"deep_am_fm.weight is {self.weight}; it lies between 0 and 1")
        if self.ratio not in ("probability", "log"):
            raise BadValue(f"deep_am_fm.ratio is {self.ratio!r}; it is 'probability' or 'log'")

    @property
    def needs(self) -> tuple[Feature, ...]:
        return (Embeddings(self.model_encoder), Likelihood(self.model, "end"), *NEEDS)

    @property
    def scores(self) -> tuple[Score, ...]:
        return (
            Score(
                self.name,
                of=mean_statistic("both"),
                range=(-1.0, 1.0),
                meaning="mean of adequacy and fluency beside a reference, the best of these means",
                better="higher",
                title="Deep AM-FM",
                more="has a higher Deep AM-FM than",
                less="has a lower Deep AM-FM than",
            ),
        )

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        pairs = Pairs.with_references(turns, features)
        model = features[Likelihood(self.model, "end")]
        adequacy = pairs.cosines(features[Embeddings(self.model_encoder)])
        of_turns, of_references = (mean_fluency(model, side) for side in (pairs.text, pairs.other))
        fluency = fluency_ratio(of_turns, of_references, self.ratio)
        both = self.weight * adequacy + (1 - self.weight) * fluency
        return pairs.statistics(both=pairs.best_per_turn(both))
