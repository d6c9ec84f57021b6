"""What evaluators of a reply have in common: its probability, its card, and its evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.features import Feature, Features
from simpatico.features.heads.folder import Kind, trained
from simpatico.metric import Card, Merge, OnModels, Score, mark
from simpatico.metrics._shared.judge import Judge
from simpatico.metrics._shared.left_out import left_out
from simpatico.metrics._shared.pairs import NEEDS, Pairs, mean, with_answered
from simpatico.models.names import several
from simpatico.turns import Level, Turns

UNDEFINED = (
    "Null when the turn answers nothing, or when it or what it answers has no words or is in "
    "another script."
)
OWN = "It is only as good as its figures on dialogs it has not seen."
"""What to be careful about with a model that is not shipped and names no limits."""


@dataclass(frozen=True)
class Evaluator(OnModels):
    """A reply's probability of being what people were asked about, given what it answers."""

    model: str = ""

    name: ClassVar[str]
    plain: ClassVar[str]
    kind: ClassVar[Kind]
    head: ClassVar[str]
    facts: ClassVar[Card]
    meaning: ClassVar[str]
    command: ClassVar[str]
    level: ClassVar[Level] = "turn"
    merge: ClassVar[dict[str, Merge]] = {"least": "min", "most": "max"}

    @property
    def judges(self) -> tuple[Judge, ...]:
        """Who say how likely it is; the mean of what they say counts."""
        return self.judged_for(f"{self.plain}.model")

    def judged_for(self, setting: str) -> tuple[Judge, ...]:
        """The same judges for a metric that is set in another place."""
        models = several(self.model)
        return tuple(Judge(m, self.kind, self.head, setting, self.command) for m in models)

    @property
    def missing(self) -> str | None:
        return lacking(self.judges)

    @property
    def card(self) -> Card:
        careful = self.facts.careful if self.model == type(self).model else OWN
        if self.model != type(self).model and all(trained(one.model) for one in self.judges):
            careful = next(iter(self.judges[0].recipe.limits), careful)
        origins = dict.fromkeys(one.origin for one in self.judges)
        return replace(
            self.facts, about=" ".join([self.facts.about, *filter(None, origins)]), careful=careful
        )

    @property
    def needs(self) -> tuple[Feature, ...]:
        return (*dict.fromkeys(need for one in self.judges for need in one.needs), *NEEDS)

    @property
    def scores(self) -> tuple[Score, ...]:
        return (self.score("", mean("sum"), ""),)

    def score(self, part: str, of: pl.Expr, where: str) -> Score:
        """A score of the whole, or of one end of it."""
        return Score(
            f"{self.plain}{part}{mark(self)}",
            of=of,
            range=(0.0, 1.0),
            meaning=self.meaning + where.replace(" at ", ", at "),
            better="higher",
            title=self.plain.capitalize() + where.replace(" at ", ", at "),
            more=f"is more {self.head}{where} than",
            less=f"is less {self.head}{where} than",
        )

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        pairs = with_answered(turns, features)
        found = pairs.best(self.probability(features, pairs.other, pairs.text))
        ends = pl.Series(found).fill_nan(None)
        return pairs.statistics("no_known_words", sum=found).with_columns(least=ends, most=ends)

    def probability(self, features: Features, heard: Sequence[str], said: Sequence[str]) -> Floats:
        """What the judges say of each pair; NaN where one of them can say nothing."""
        return np.asarray(np.mean([j.of(features, heard, said) for j in self.judges], axis=0))

    def evidence(self, turns: Turns, features: Features) -> pl.DataFrame:
        """By how much each word raises or lowers the probability of its turn."""
        pairs: Pairs = with_answered(turns, features)
        return left_out(turns, pairs, lambda a, b: self.probability(features, a, b))


def lacking(judges: Sequence[Judge]) -> str | None:
    """What the first that is not here lacks; null when all are."""
    return next((why for one in judges if (why := one.missing)), None)
