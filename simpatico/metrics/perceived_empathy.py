"""Perceived empathy: how empathic a reader finds a reply, given the turn it answers.

The parts are those of EPITOME (Sharma et al. 2020): emotional reaction, interpretation and
exploration, each found in the sentences of a reply by a linear head over MiniLM vectors. How they
make one number is in `features/empathy.py`; a dialog has the mean over its turns.
Example: turns of .2 and .6 make a dialog of .4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.errors import MissingResource
from simpatico.features import Feature, Features
from simpatico.features.chat_words import ChatWordCounts, shuffled_rows
from simpatico.features.degenerate import Degenerate
from simpatico.features.empathy import PARTS, part_scores, perceived_empathy
from simpatico.features.heads.folder import head_encoder, is_heads_folder, load_heads
from simpatico.features.words import Words
from simpatico.metric import Card, Carried, Score
from simpatico.metrics._shared.classifier import BinaryClassifier
from simpatico.metrics._shared.evaluator import OWN_MODEL_CAUTION, ReplyMetric, first_missing
from simpatico.metrics._shared.pairs import NEEDS, Pairs, text_cosines
from simpatico.metrics._shared.scores import mean_statistic
from simpatico.turns import Turns
from simpatico.wording import title_from_name

COMMAND = "simpatico train empathy --data FILE --out MODEL"
MEANINGS = {
    "emotional_reaction": "how much warmth, concern or sympathy the turn expresses",
    "interpretation": "how much the turn says what the other feels or went through",
    "exploration": "how much the turn asks about the other's experience",
}
PHRASES = {
    "emotional_reaction": "expresses (more|less) warmth and concern",
    "interpretation": "puts the other's experience into words (more|less) often",
    "exploration": "asks (more|less) about the other's experience",
}


@dataclass(frozen=True)
class PerceivedEmpathy(ReplyMetric):
    """Parameter `model`: a folder of `simpatico train empathy`."""

    model: str = "perceived_empathy"

    name = Carried("perceived_empathy")
    published = ("perceived_empathy",)
    statistic = "sum"
    meaning = "how empathic the turn reads as a reply, from its wording"
    comparison = "replies with (more|less) perceived empathy"

    @property
    def classifiers(self) -> tuple[BinaryClassifier, ...]:
        """A sentence classifier for each part."""
        setting = f"{self.plain}.model"
        return tuple(
            BinaryClassifier(self.model, "empathy", part, setting, COMMAND) for part in PARTS
        )

    @property
    def missing(self) -> str | None:
        return first_missing(self.classifiers)

    @property
    def encoder(self) -> Feature:
        """What gives texts the vectors that the heads were trained on."""
        return head_encoder(load_heads(self.model, "empathy").recipe.heads[PARTS[0]])

    @property
    def needs(self) -> tuple[Feature, ...]:
        heads = (need for one in self.classifiers for need in one.needs)
        return (*dict.fromkeys(heads), Degenerate(), ChatWordCounts(), *NEEDS)

    @property
    def card(self) -> Card:
        limits = (
            load_heads(self.model, "empathy").recipe.limits if is_heads_folder(self.model) else ()
        )
        return Card(
            about=(
                "How empathic a reader finds a reply, given the turn it answers: emotional "
                "reaction, interpretation and exploration, found sentence by sentence, and how "
                "close the reply stays to what it answers."
            ),
            undefined=(
                "Null when the turn answers nothing, when it or what it answers has no words or "
                "is in another script, or when it repeats itself, has its words in no order or "
                "hardly a known word."
            ),
            citation=(
                "Sharma et al. (2020), A Computational Approach to Understanding Empathy "
                "Expressed in Text-Based Mental Health Support (the three parts; not its model)"
            ),
            kind="evaluator",
            careful=next(iter(limits), OWN_MODEL_CAUTION),
        )

    @property
    def scores(self) -> tuple[Score, ...]:
        parts = [
            self.score(
                f"_{part}",
                mean_statistic(part),
                MEANINGS[part],
                PHRASES[part],
                title=title_from_name(part),
            )
            for part in PARTS
        ]
        return (*super().scores, *parts)

    def pairs(self, turns: Turns, features: Features) -> Pairs:  # type: ignore[override]
        """Replies beside what they answer, without degenerate ones."""
        shuffled = shuffled_rows(features[Words()], features[ChatWordCounts()])
        unlike = features[Degenerate()] | shuffled
        return Pairs.with_answered(turns, features).without(unlike, "degenerate")

    def parts(self, features: Features, texts: Sequence[str]) -> Floats:
        """A column for each part of empathy."""
        if why := self.missing:
            raise MissingResource(why)
        heads = [features[one.feature].of for one in self.classifiers]
        return part_scores(heads, texts)

    def values(self, features: Features, others: Sequence[str], texts: Sequence[str]) -> Floats:
        parts = self.parts(features, texts)
        return perceived_empathy(parts, text_cosines(features[self.encoder], texts, others))

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        pairs = self.pairs(turns, features)
        parts = self.parts(features, pairs.text)
        cosines = text_cosines(features[self.encoder], pairs.text, pairs.other)
        columns = np.column_stack([perceived_empathy(parts, cosines), parts])
        names = (self.statistic, *PARTS)
        return pairs.statistics(
            self.unknown,
            **{n: pairs.best_per_turn(columns[:, at]) for at, n in enumerate(names)},
        )
