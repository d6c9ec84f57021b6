"""Next sentence: how likely a turn follows what it answers.

The probability that the turn is the next sentence, p(next | what is answered, turn): either BERT's
own head (Devlin et al. 2019, NAACL), which was trained to tell a text's next sentence from
another's, or a head that `simpatico train nsp` has trained over frozen vectors of dialogs' turns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from simpatico.features import Feature, Features
from simpatico.features.classes import NEXT_SENTENCE, ClassProbabilities
from simpatico.features.heads.folder import PairHead, is_heads_folder
from simpatico.metric import Card, Carried, Score, UsesModels, model_suffix
from simpatico.metrics._shared.pairs import NEEDS, NO_ANSWERED_TURN, Pairs, mean_statistic
from simpatico.turns import Level, Turns

BERT = ("hub:google-bert/bert-base-uncased", "hub:bert-base-uncased")


@dataclass(frozen=True)
class Nsp(UsesModels):
    """Parameter `model`: a BERT with its next-sentence head, or path:DIR of a trained folder."""

    model: str = BERT[0]

    name: ClassVar = Carried("nsp")
    published: ClassVar[tuple[str, ...]] = BERT
    level: ClassVar[Level] = "turn"
    card: ClassVar[Card] = Card(
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
    def needs(self) -> tuple[Feature, ...]:
        return (self._classifier, *self._classifier.needs, *NEEDS)

    @property
    def _classifier(self) -> PairHead | ClassProbabilities:
        if is_heads_folder(self.model):
            return PairHead(self.model, "nsp", "next")
        return ClassProbabilities(self.model, pair=True, head="next-sentence")

    @property
    def scores(self) -> tuple[Score, ...]:
        return (
            Score(
                f"nsp{model_suffix(self)}",
                of=mean_statistic("next"),
                range=(0.0, 1.0),
                meaning="probability that the turn follows the turn replied to",
                better="higher",
                title="Next sentence",
                more="gives more probable next turns than",
                less="gives less probable next turns than",
            ),
        )

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        pairs = Pairs.with_answered(turns, features)
        probabilities = features[self._classifier].of(pairs.other, pairs.text)
        if len(pairs) and not is_heads_folder(self.model):
            probabilities = probabilities[:, NEXT_SENTENCE.index("is_next")]
        return pairs.statistics("no_known_words", next=pairs.best_per_turn(probabilities.ravel()))
