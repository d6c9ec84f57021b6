"""What the trait metrics have in common: a linear model of word n-grams, per speaker and dialog.

In the manner of Park et al. (2015, JPSP 108:934): with c(g) the count of an n-gram g of order n
among the N_n n-grams of that order, and w(g) its weight,
trait = intercept + sum over n of (sum over g of w(g) c(g)) / N_n, clipped to the scale.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
import polars as pl

from simpatico.errors import MissingResource
from simpatico.features import Feature, Features
from simpatico.features.chat_words import ChatWordCounts
from simpatico.features.degenerate import DegenerateSpeaker
from simpatico.features.ngram_model import NgramSums, TraitModel, load_trait_model, trait_folder
from simpatico.features.script import OtherScript
from simpatico.features.spans import spans
from simpatico.features.words import Words, WordTable
from simpatico.metric import Card, Score, reasons
from simpatico.metrics._shared.pairs import NEEDS
from simpatico.metrics._shared.parameters import bounded, check_parameters
from simpatico.metrics._shared.scores import make_score, ordered_sum
from simpatico.turns import Level, Turns
from simpatico.wording import format_interval

COMMAND = (
    "simpatico train trait --data FILE --text COLUMN --target COLUMN --person COLUMN --out MODEL"
)
BIG_FIVE = (
    "Park et al. (2015), Automatic Personality Assessment Through Social Media Language; "
    "Giorgi et al. (2023), Psychological Metrics for Dialog System Evaluation"
)
DEFAULT_SCALE = (1.0, 7.0)
"""The scale of the usual short questionnaires, where no model names another."""

OWN_MODEL_CAUTION = (
    "A system is not a person: the score says what its words would suggest of one, by a model that "
    "is only as good as its figures on people it has not seen."
)
"""What the number cannot say, for a model that is not shipped."""


@dataclass(frozen=True)
class Trait:
    """A person's answers to a questionnaire, as a model predicts them from their words."""

    model: str = ""
    minimum_words: int = bounded(20, 0, 10**6)

    name: ClassVar[str]
    about: ClassVar[str]
    comparison: ClassVar[str]
    title: ClassVar[str] = ""
    """Where the metric's name in plain words would not do."""
    citation: ClassVar[str] = BIG_FIVE
    careful: ClassVar[str] = OWN_MODEL_CAUTION
    """What the number of the shipped model cannot say."""
    level: ClassVar[Level] = "dialog"

    def __post_init__(self) -> None:
        check_parameters(self)

    @property
    def meaning(self) -> str:
        """What the score says; unless a metric says otherwise, it is one of the Big Five."""
        return f"{self.name} of the speaker, as a Big Five questionnaire would put it"

    @property
    def missing(self) -> str | None:
        """What to do when there is no such model."""
        if trait_folder(self.model):
            return None
        where = f" and there is none at {self.model!r}" if self.model else ""
        return (
            f"{self.name} needs a trait model{where}: train one with "
            f"`{COMMAND}`, then add `--set {self.name}.model=MODEL`"
        )

    @property
    def is_shipped(self) -> bool:
        """Whether the model is the one that the class speaks of."""
        return self.model == type(self).model

    @property
    def _trait_model(self) -> TraitModel | None:
        """The model, unless it is missing."""
        return None if self.missing else load_trait_model(self.model)

    @property
    def card(self) -> Card:
        model = self._trait_model
        # of the class it says what the shipped model learned; another one tells its own data
        about = self.about if self.is_shipped else f"{self.title or self.name} of a speaker."
        return Card(
            about=about if model is None else f"{about} {describe_trait_model(model)}",
            undefined=(
                f"Null when a speaker has fewer than {self.minimum_words} words in the dialog; "
                "turns in another script, that repeat themselves or have hardly a known word do "
                "not count, and none does where the speaker's turns together do so or have their "
                "words in no order."
            ),
            citation=self.citation,
            careful=self.careful if self.is_shipped else OWN_MODEL_CAUTION,
            validity="weak" if self.is_shipped and model else "unproven",
        )

    @property
    def needs(self) -> tuple[Feature, ...]:
        unlike = (DegenerateSpeaker(), ChatWordCounts())
        return (NgramSums(self.model, self.missing), *unlike, *NEEDS)

    @property
    def scores(self) -> tuple[Score, ...]:
        model = self._trait_model
        low, high = model.recipe.scale if model else DEFAULT_SCALE
        # a speaker of no words has no n-grams to divide by, whatever the minimum
        enough = pl.col("words") >= max(self.minimum_words, 1)
        value = (
            pl.when(enough).then(trait_expression(model).clip(low, high)) if model else pl.lit(None)
        )
        words = (self.meaning, self.comparison)
        if model and not self.is_shipped:
            measures, name = model.recipe.measures, self.name.replace("_", " ")
            words = (f"{measures}, as the model predicts it", f"has a (higher|lower) {name}")
        return (make_score(self.name, value, *words, range=(low, high), title=self.title),)

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        if self.missing:
            raise MissingResource(self.missing)
        words, foreign = features[Words()].counts, features[OtherScript()]
        degenerate = features[DegenerateSpeaker()]
        sums = np.vstack([words, features[NgramSums(self.model)].T])
        why = reasons(
            len(turns),
            too_few_words=words < self.minimum_words,
            degenerate=degenerate,
            no_words=words == 0,
            other_script=foreign,
        )
        columns = ["words", *load_trait_model(self.model).columns]
        rows = np.where(foreign | degenerate, 0.0, sums)
        return pl.DataFrame(rows, columns, orient="col").with_columns(why)

    def evidence(self, turns: Turns, features: Features) -> pl.DataFrame:
        """Points of the scale that each word adds to its turn, read by itself.

        An n-gram adds its weight over the number of n-grams of its order in the turn, in equal
        parts to its words.
        """
        if self.missing:
            raise MissingResource(self.missing)
        table: WordTable = features[Words()]
        # a word of a turn that does not count adds nothing: its weight is divided by infinity
        skip = features[OtherScript()] | features[DegenerateSpeaker()]
        words = np.where(skip, np.inf, table.counts)
        turn_length = np.repeat(words, table.counts)
        points = np.zeros(len(table.codes))
        for order, start, weights in load_trait_model(self.model).hits(table):
            each = weights / (turn_length[start] - order + 1) / order
            for step in range(order):
                points += np.bincount(start + step, each, len(points))
        return spans(turns, table, points)


@lru_cache(maxsize=16)
def trait_expression(model: TraitModel) -> pl.Expr:
    """Intercept plus, for every order, summed weights over the number of n-grams."""
    shares = [
        pl.when(pl.col(f"total_{n}") > 0)
        .then(pl.col(f"sum_{n}") / pl.col(f"total_{n}"))
        .otherwise(0)
        for n in model.orders
    ]
    return model.intercept + ordered_sum(shares)


def describe_trait_model(model: TraitModel) -> str:
    """What a model was trained on, and how well it does on people of the test split."""
    recipe, test = model.recipe, model.recipe.heldout[0]
    data = f"Trained on {recipe.people:,} people: {recipe.measures}."
    if test.r is None or test.low is None or test.high is None:
        return f"{data} In cross-validation its predictions did not vary."
    length = recipe.word_count.r
    baseline = "" if length is None else f"; the number of words alone reaches {length:.2f}"
    return (
        f"{data} In cross-validation r = {test.r:.2f} "
        f"(95% CI {format_interval(test.low, test.high)}, n = {test.n:,}){baseline}."
    )
