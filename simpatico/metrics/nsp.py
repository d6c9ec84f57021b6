"""Next sentence: how likely a turn follows what it answers.

The probability that the turn is the next sentence, p(next | what is answered, turn): either BERT's
own head (Devlin et al. 2019, NAACL), which was trained to tell a text's next sentence from
another's, or a head that `simpatico train nsp` has trained over frozen vectors of dialogs' turns.
Example: logits of 2 for the next sentence and 0 for another give 1 / (1 + exp(-2)) = .88.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simpatico.arrays import Floats
from simpatico.features import Features
from simpatico.features.classes import NEXT_SENTENCE, ClassProbabilities
from simpatico.features.heads.folder import PairHead, is_heads_folder
from simpatico.metric import Card, Carried
from simpatico.metrics._shared.pair_metric import PairMetric
from simpatico.metrics._shared.pairs import NO_ANSWERED_TURN, Pairs

BERT = ("hub:google-bert/bert-base-uncased", "hub:bert-base-uncased")


@dataclass(frozen=True)
class Nsp(PairMetric):
    """Parameter `model`: a BERT with its next-sentence head, or path:DIR of a trained folder."""

    model: str = BERT[0]

    name = Carried("nsp")
    published = BERT
    title = "Next sentence"
    pairs = Pairs.with_answered
    statistic = "next"
    meaning = "probability that the turn follows the turn replied to"
    comparison = "gives (more|less) probable next turns"
    unknown = "no_known_words"
    card = Card(
        about="How likely a turn follows what it answers.",
        undefined=NO_ANSWERED_TURN,
        citation=(
            "Devlin et al. 2019, BERT: Pre-training of Deep Bidirectional Transformers; checkpoint "
            "hub:google-bert/bert-base-uncased with its next-sentence head. A folder of "
            "`simpatico train nsp` can stand in for it and is named in brackets"
        ),
        kind="traditional",
        careful="Texts on one subject look as if they followed each other, sense or not.",
    )

    @property
    def feature(self) -> PairHead | ClassProbabilities:
        if is_heads_folder(self.model):
            return PairHead(self.model, "nsp", "next")
        return ClassProbabilities(self.model, pair=True, head="next-sentence")

    def values(self, features: Features, others: Sequence[str], texts: Sequence[str]) -> Floats:
        probabilities = features[self.feature].of(others, texts)
        if texts and not is_heads_folder(self.model):
            probabilities = probabilities[:, NEXT_SENTENCE.index("is_next")]
        return np.ravel(probabilities)
