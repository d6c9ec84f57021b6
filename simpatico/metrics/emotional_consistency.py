"""Emotional consistency: is good news met with good feeling, and bad news with bad?

After Liu et al., Evaluator for Emotionally Consistent Chatbots.
Where the answered turn is emotional, an answer gets 1 point if both are positive or both negative,
0 if one is positive and the other negative, and half a point if it is neutral. A dialog has the
mean of its points, the fewest, the most, and the middle of those two. As in the paper, answers to
neutral turns get no points.

The soft score takes probabilities in the place of yes and no, and so also covers turns that are
neutral or nearly so. The paper does not say what is consistent with a neutral turn: here a positive
reply is (1), a negative one is not (0), and a neutral one gets its half point. So a reply should be
negative after a negative turn and positive after any other; `features.sentiment` has the formula.
Of the rules tried for neutral turns this one had the highest correlation with ratings on 13 known
sets (docs/emotional-consistency.md); where a turn is surely emotional, all are the same.
Example: probabilities that turn and reply are emotional of .9 and .8, that they are positive of .9
and .7: 1 point, and a soft score of .6312.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.features import Feature, Features
from simpatico.features.detokenise import detokenise
from simpatico.features.heads.folder import EmotionKind
from simpatico.features.script import OtherScript
from simpatico.features.sentiment import expected_points
from simpatico.features.words import Words
from simpatico.metric import Card, Carried, Score
from simpatico.metrics._shared.classifier import BinaryClassifier
from simpatico.metrics._shared.evaluator import first_missing
from simpatico.metrics._shared.model_metric import EXTREMES, ModelMetric, with_extremes
from simpatico.metrics._shared.occlusion import occlusion_evidence
from simpatico.metrics._shared.pairs import NEEDS, Pairs
from simpatico.metrics._shared.parameters import bounded, check_parameters
from simpatico.metrics._shared.scores import mean_statistic
from simpatico.turns import Turns

POSITIVE_FROM = 0.5
"""From this probability on a text counts as positive."""


@dataclass(frozen=True)
class EmotionalConsistency(ModelMetric):
    """Parameters: `neutrality_model` and `polarity_model`, classifiers of emotional and of positive
    texts; `threshold`, from which probability on a text counts as emotional.

    Statistics: the sum and the extremes of points over `n` answers to emotional turns, and the sum
    of soft points over the `n_soft` answers to any turn.
    """

    neutrality_model: str = "neutrality"
    polarity_model: str = "polarity"
    threshold: float = bounded(0.5, 0, 1, open=True)

    name = Carried("emotional_consistency")
    carries = ("neutrality_model", "polarity_model")
    published = ("neutrality", "polarity")
    merge = EXTREMES
    facts = Card(
        about="Whether an emotional turn gets a reply of the same sentiment.",
        undefined=(
            "Null when what the turn answers is neutral (the soft score is not), when it answers "
            "nothing, or when either has no words or is in another script."
        ),
        citation=(
            "Liu et al. 2022, Evaluator for Emotionally Consistent Chatbots; the authors fine-tune "
            "RoBERTa, here an encoder stays as it is and heads of `simpatico train emotion` read "
            "its vectors"
        ),
        kind="evaluator",
        careful=(
            "A hopeful answer to sad news counts as wrong, and anger answered with anger as right: "
            "it compares the sign of the sentiment, not how kind a reply is."
        ),
    )

    def __post_init__(self) -> None:
        check_parameters(self)

    @property
    def classifiers(self) -> tuple[BinaryClassifier, BinaryClassifier]:
        """Of texts that are emotional, and of those that are positive."""

        def classifier(kind: EmotionKind, head: str) -> BinaryClassifier:
            command = f"simpatico train emotion --target {kind} --data FILE --out MODEL"
            setting = f"{self.plain}.{kind}_model"
            return BinaryClassifier(getattr(self, f"{kind}_model"), kind, head, setting, command)

        return classifier("neutrality", "emotional"), classifier("polarity", "positive")

    @property
    def missing(self) -> str | None:
        return first_missing(self.classifiers)

    @property
    def card(self) -> Card:
        origins = [
            f"{one.head.capitalize()} or not: {origin}"
            for one in self.classifiers
            if (origin := one.origin)
        ]
        return replace(self.facts, about=" ".join([self.facts.about, *origins]))

    @property
    def needs(self) -> tuple[Feature, ...]:
        features = (feature for one in self.classifiers for feature in one.needs)
        return tuple(dict.fromkeys([*features, *NEEDS]))

    @property
    def scores(self) -> tuple[Score, ...]:
        points, soft = mean_statistic("points"), pl.col("soft") / pl.col("n_soft")
        least, most = pl.col("least"), pl.col("most")
        middle = "middle of the fewest and the most points of an answer"
        return tuple(
            self.score(
                part,
                of,
                meaning,
                f"matches the user's sentiment (more|less) often{where}",
                title=f"Emotional consistency{where and ','}{where}",
            )
            for part, of, meaning, where in (
                ("", points, "mean points for replies with the same sentiment", ""),
                ("_min", least, "fewest points of an answer", " at its worst"),
                ("_max", most, "most points of an answer", " at its best"),
                ("_mid", (least + most) / 2, middle, " in the middle of its range"),
                ("_soft", soft, "points as probabilities expect them", " by probability"),
            )
        )

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        pairs = Pairs.with_answered(turns, features)
        exchange = self.probabilities(features, pairs.other, pairs.text)
        points = consistency_points(*exchange[1:], threshold=self.threshold)
        hard = pairs.best_per_turn(np.where(exchange[0] < self.threshold, np.nan, points))
        soft = pairs.best_per_turn(expected_points(*exchange))
        table = with_extremes(pairs.statistics("no_known_words", points=hard), "points")
        # of the answers that have a soft score, only those to neutral turns have no points
        user_neutral = pl.Series(np.isnan(hard) & ~np.isnan(soft), dtype=pl.Boolean)
        return table.with_columns(
            soft=np.nan_to_num(soft),
            n_soft=~np.isnan(soft),
            reason=pl.when(user_neutral).then(pl.lit("user_neutral")).otherwise("reason"),
        )

    def emotional_probability(self, features: Features, texts: Sequence[str]) -> Floats:
        """That each text is emotional; NaN where nothing can be said."""
        return self.classifiers[0].probabilities(features, tidy_texts(texts))

    def probabilities(
        self, features: Features, contexts: Sequence[str], texts: Sequence[str]
    ) -> tuple[Floats, Floats, Floats, Floats]:
        """That what is answered and the answers are emotional, and that they are positive."""
        count, both = len(contexts), tidy_texts([*contexts, *texts])
        emotional, positive = (one.probabilities(features, both) for one in self.classifiers)
        return emotional[:count], emotional[count:], positive[:count], positive[count:]

    def turn_emotionality(self, turns: Turns, features: Features) -> Floats:
        """How likely each turn is emotional; NaN without words or in another script."""
        probability = self.emotional_probability(features, turns.frame["text"].to_list())
        unreadable = (features[Words()].counts == 0) | features[OtherScript()]
        return np.where(unreadable, np.nan, probability)

    def evidence(self, turns: Turns, features: Features) -> pl.DataFrame:
        """What each word does to the soft score of its turn: the other score moves in steps."""
        pairs = Pairs.with_answered(turns, features)
        # only of turns that have points: evidence belongs to the main score
        emotional = self.emotional_probability(features, pairs.other) >= self.threshold
        rows = np.flatnonzero(emotional)
        texts, contexts = (
            [side[row] for row in rows.tolist()] for side in (pairs.text, pairs.other)
        )
        pairs = replace(pairs, turn_rows=pairs.turn_rows[rows], text=texts, other=contexts)
        return occlusion_evidence(
            turns, pairs, lambda a, b: expected_points(*self.probabilities(features, a, b))
        )


def tidy_texts(texts: Sequence[str]) -> list[str]:
    """The texts as the classifiers read them; what is there several times is tidied once."""
    tidy = {text: detokenise(text) for text in dict.fromkeys(texts)}
    return [tidy[text] for text in texts]


def consistency_points(
    emotional: Floats, context: Floats, answer: Floats, *, threshold: float = 0.5
) -> Floats:
    """1, 0 or .5 for each answer; NaN where a probability is.

    `emotional`: that the answer is; `context`, `answer`: that these are positive.
    """
    same_sign = (context >= POSITIVE_FROM) == (answer >= POSITIVE_FROM)
    points = np.where(emotional < threshold, 0.5, same_sign)
    return np.where(np.isnan(emotional + context + answer), np.nan, points)
