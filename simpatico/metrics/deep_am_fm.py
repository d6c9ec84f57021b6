"""Deep AM-FM: the mean of Deep AM, how close in meaning, and Deep FM, how equally fluent.

Zhang et al. (2021): weight x adequacy + (1 - weight) x fluency.
Example: adequacy .8 and fluency .4 with weight .5 give .6. Of several references the one with the
best such mean counts: beside .5 and .8, which give .65, it is .65.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simpatico.arrays import Floats
from simpatico.features import Feature, Features
from simpatico.features.embeddings import MINILM, Embeddings
from simpatico.features.likelihood import Likelihood
from simpatico.metric import Card, Carried
from simpatico.metrics._shared.pair_metric import PairMetric
from simpatico.metrics._shared.pairs import NEEDS, NO_REFERENCE, Pairs, text_cosines
from simpatico.metrics._shared.parameters import bounded
from simpatico.metrics.deep_fm import GPT2, Ratio, fluency_ratio


@dataclass(frozen=True)
class DeepAmFm(PairMetric):
    """Parameters: `model`, a causal language model (fluency); `encoder_model`, a sentence encoder
    (adequacy); `weight` of adequacy in the mean; `ratio` of fluencies, see `deep_fm`.
    """

    model: str = GPT2
    encoder_model: str = MINILM
    weight: float = bounded(0.5, 0, 1)
    ratio: Ratio = "probability"

    name = Carried("deep_am_fm")
    carries = ("encoder_model", "model")
    title = "Deep AM-FM"
    pairs = Pairs.with_references
    statistic = "both"
    range = (-1.0, 1.0)
    meaning = "mean of adequacy and fluency beside a reference, the best of these means"
    card = Card(
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

    @property
    def needs(self) -> tuple[Feature, ...]:
        return (Embeddings(self.encoder_model), Likelihood(self.model, "end"), *NEEDS)

    def values(self, features: Features, others: Sequence[str], texts: Sequence[str]) -> Floats:
        adequacy = text_cosines(features[Embeddings(self.encoder_model)], texts, others)
        model = features[Likelihood(self.model, "end")]
        fluency = fluency_ratio(model, texts, others, self.ratio)
        return self.weight * adequacy + (1 - self.weight) * fluency
