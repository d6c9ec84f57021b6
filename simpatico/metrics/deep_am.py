"""Deep AM: how close in meaning a turn is to its reference, or to what it answers.

Zhang et al. (2021), Deep AM-FM, adequacy: the cosine of two sentence vectors; of several references
the best counts.
Example: cosines of .3 and .6 with two references give .6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from simpatico.arrays import Floats
from simpatico.features import Features
from simpatico.features.embeddings import MINILM, Embeddings
from simpatico.metric import Card, Carried
from simpatico.metrics._shared.pair_metric import PairMetric
from simpatico.metrics._shared.pairs import Pairs, text_cosines
from simpatico.turns import Turns


@dataclass(frozen=True)
class DeepAm(PairMetric):
    """Parameters: `model`, a sentence encoder; `mode`, "reference" or "context": which text the
    turn is compared with.
    """

    model: str = MINILM
    mode: Literal["reference", "context"] = "reference"

    name = Carried("deep_am")
    title = "Deep AM"
    statistic = "adequacy"
    range = (-1.0, 1.0)
    meaning = "cosine of the vectors of the turn and its best reference"
    comparison = "is (more|less) adequate (Deep AM)"
    card = Card(
        about="How close in meaning a turn is to its reference.",
        undefined=(
            "Null when the turn has no reference with words (in the mode `context`: answers "
            "nothing), has no words itself, or is in a script that the model does not read."
        ),
        citation=(
            "Zhang et al. 2021, Deep AM-FM: Toolkit for Automatic Dialogue Evaluation; "
            "github.com/e0397123/AM-FM and github.com/e0397123/dstc10_metric_track; the published "
            "numbers are of BERT that the authors trained further on dialogs, which cannot be had, "
            "so the name always carries the encoder"
        ),
        kind="traditional",
        careful="A good reply need not mean what the reference means.",
    )

    @property
    def feature(self) -> Embeddings:
        return Embeddings(self.model)

    def pairs(self, turns: Turns, features: Features) -> Pairs:
        pair = Pairs.with_references if self.mode == "reference" else Pairs.with_answered
        # turns in other scripts are scored, too, where the encoder reads them
        return pair(turns, features, model=self.model)

    def values(self, features: Features, others: Sequence[str], texts: Sequence[str]) -> Floats:
        return text_cosines(features[self.feature], texts, others)
