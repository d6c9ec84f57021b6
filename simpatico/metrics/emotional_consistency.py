"""Emotional consistency: is good news met with good feeling, and bad news with bad?

Where the answered turn is emotional, an answer gets 1 point if both are positive or both negative,
0 if one is positive and the other negative, and half a point if it is neutral. A dialog has the
mean of its points, the fewest, the most, and the middle of those two. The soft version takes
probabilities in the place of yes and no: with e that the answer is emotional, a and b that what it
answers and the answer are positive, it is (1 - e) / 2 + e (a b + (1 - a) (1 - b)).
Example: e = .8, a = .9, b = .7 is 1 point, and .1 + .8 (.63 + .03) = .628.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.errors import BadValue
from simpatico.features import Feature, Features
from simpatico.features.detokenise import tidied
from simpatico.features.heads.folder import EmotionKind
from simpatico.features.script import OtherScript
from simpatico.features.words import Words
from simpatico.metric import Card, Carried, Merge, OnModels, Score, mark, reasons
from simpatico.metrics._shared.judge import Judge
from simpatico.metrics._shared.left_out import left_out
from simpatico.metrics._shared.pairs import NEEDS, Pairs, mean, with_answered
from simpatico.turns import Level, Turns

EVEN = 0.5
"""From this probability on a text counts as positive."""
NAME = "emotional_consistency"


@dataclass(frozen=True)
class EmotionalConsistency(OnModels):
    neutrality: str = "neutrality"
    polarity: str = "polarity"
    threshold: float = 0.5

    name: ClassVar = Carried(NAME)
    carries: ClassVar[tuple[str, ...]] = ("neutrality", "polarity")
    published: ClassVar[tuple[str, ...]] = ("neutrality", "polarity")
    level: ClassVar[Level] = "turn"
    merge: ClassVar[dict[str, Merge]] = {"least": "min", "most": "max"}
    facts: ClassVar[Card] = Card(
        about="Whether an emotional turn is answered with a feeling of the same sign.",
        undefined=(
            "Null when what the turn answers is neutral, when it answers nothing, or when either "
            "has no words or is in another script."
        ),
        citation=(
            "Liu et al., Evaluator for Emotionally Consistent Chatbots; the authors fine-tune "
            "RoBERTa, here an encoder stays as it is and heads of `simpatico train emotion` read "
            "its vectors"
        ),
        kind="evaluator",
        careful=(
            "A hopeful answer to sad news counts as wrong, and anger answered with anger as right: "
            "it compares signs of feelings and knows nothing of kindness."
        ),
    )

    def __post_init__(self) -> None:
        if not 0 < self.threshold < 1:
            raise BadValue(f"{NAME}.threshold is {self.threshold}; it lies between 0 and 1")

    @property
    def _judges(self) -> tuple[Judge, Judge]:
        """Who says whether a text is emotional, and whether it is positive."""
        return self._judge("neutrality", "emotional"), self._judge("polarity", "positive")

    def _judge(self, kind: EmotionKind, head: str) -> Judge:
        command = f"simpatico train emotion --kind {kind} --data FILE --out MODEL"
        return Judge(getattr(self, kind), kind, head, setting=f"{NAME}.{kind}", command=command)

    @property
    def missing(self) -> str | None:
        return next((why for judge in self._judges if (why := judge.missing)), None)

    @property
    def card(self) -> Card:
        told = [(judge.head, judge.origin) for judge in self._judges]
        origins = [f"{head.capitalize()} or not: {origin}" for head, origin in told if origin]
        return replace(self.facts, about=" ".join([self.facts.about, *origins]))

    @property
    def needs(self) -> tuple[Feature, ...]:
        judging = [feature for judge in self._judges for feature in judge.needs]
        return tuple(dict.fromkeys([*judging, *NEEDS]))

    @property
    def scores(self) -> tuple[Score, ...]:
        least, most = pl.col("least"), pl.col("most")
        return (
            self.score("", mean("points"), "share of points for answers that share the feeling"),
            self.score("_min", least, "fewest points of an answer", " at its worst"),
            self.score("_max", most, "most points of an answer", " at its best"),
            self.score(
                "_mid",
                (least + most) / 2,
                "middle of the fewest and the most points of an answer",
                " in the middle of its range",
            ),
            self.score(
                "_soft", mean("soft"), "points as probabilities expect them", " by probability"
            ),
        )

    def score(self, part: str, of: pl.Expr, meaning: str, where: str = "") -> Score:
        """The mean of the points, or another reading of them."""
        return Score(
            f"{NAME}{part}{mark(self)}",
            of=of,
            range=(0.0, 1.0),
            meaning=meaning,
            better="higher",
            title=f"Emotional consistency{where and ','}{where}",
            more=f"answers feelings in kind more often{where} than",
            less=f"answers feelings in kind less often{where} than",
        )

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        pairs = self.emotional(features, with_answered(turns, features))
        felt = self.felt(features, pairs.other, pairs.text)
        hard = pairs.best(points(*felt, threshold=self.threshold))
        ends = pl.Series(hard).fill_nan(None)
        told = pairs.statistics("no_known_words", points=hard, soft=pairs.best(expected(*felt)))
        return told.with_columns(least=ends, most=ends)

    def emotional(self, features: Features, pairs: Pairs) -> Pairs:
        """Only the pairs in which an emotional turn is answered; why not, of the others."""
        chance = self.chance(features, pairs.other)
        kept = np.flatnonzero(chance >= self.threshold)
        masks = {"user_neutral": chance < self.threshold, "no_known_words": np.isnan(chance)}
        lost = {name: np.isin(np.arange(pairs.rows), pairs.row[m]) for name, m in masks.items()}
        why = pl.select(pl.coalesce(pairs.why, reasons(pairs.rows, **lost))).to_series()
        said, heard = (
            [texts[place] for place in kept.tolist()] for texts in (pairs.text, pairs.other)
        )
        return Pairs(pairs.rows, pairs.row[kept], said, heard, why)

    def chance(self, features: Features, texts: Sequence[str]) -> Floats:
        """How likely each text is emotional; NaN where nothing can be said."""
        return self._judges[0].of(features, self.spelt(texts))

    def felt(
        self, features: Features, heard: Sequence[str], said: Sequence[str]
    ) -> tuple[Floats, Floats, Floats]:
        """How likely the answers are emotional, what they answer positive, and they themselves."""
        count, both = len(heard), self.spelt([*heard, *said])
        neutrality, polarity = self._judges
        positive = polarity.of(features, both)
        return neutrality.of(features, both[count:]), positive[:count], positive[count:]

    @staticmethod
    def spelt(texts: Sequence[str]) -> list[str]:
        """The texts as the judges read them; what is there several times is tidied once."""
        tidy = {text: tidied(text) for text in dict.fromkeys(texts)}
        return [tidy[text] for text in texts]

    def prompted(self, turns: Turns, features: Features) -> Floats:
        """How likely each turn is emotional; NaN without words or in another script."""
        chance = self.chance(features, turns.frame["text"].to_list())
        none = (features[Words()].counts == 0) | features[OtherScript()]
        return np.where(none, np.nan, chance)

    def evidence(self, turns: Turns, features: Features) -> pl.DataFrame:
        """What each word does to the soft score of its turn: the other one moves in steps."""
        pairs = self.emotional(features, with_answered(turns, features))
        return left_out(turns, pairs, lambda a, b: expected(*self.felt(features, a, b)))


def points(emotional: Floats, heard: Floats, said: Floats, *, threshold: float = 0.5) -> Floats:
    """1, 0 or .5 for each answer, from how likely it is emotional and what was heard and said are
    positive; NaN where one of them is."""
    found = np.where(emotional < threshold, 0.5, (heard >= EVEN) == (said >= EVEN))
    return np.where(np.isnan(emotional + heard + said), np.nan, found)


def expected(emotional: Floats, heard: Floats, said: Floats) -> Floats:
    """The points that probabilities expect."""
    alike = heard * said + (1 - heard) * (1 - said)
    return (1 - emotional) / 2 + emotional * alike
