"""Predicted rating: how people would rate a reply, from 1 to 5.

A linear model of a few readable columns (`features.replies`), trained on ratings of replies and of
whole dialogs, standardised within each data set: 3 is the average reply of its kind and a point is
one standard deviation of ratings. Six parts add up to it: fit to the context, fluency, specificity,
repetition, tone and length. A dialog has the mean over its turns. 80% of people's mean ratings are
expected in the range, whose ends are 1.28 standard deviations from the prediction: for n turns the
variance is that of dialogs plus that of turns over n.
Example: parts of .3, .1, .1, -.2, 0 and 0 make 3.3; with variances of .5 and .4 a single turn has a
standard deviation of .949, and the lower end is 3.3 - 1.28 x .949 = 2.084.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add

import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.errors import MissingResource
from simpatico.features import Feature, Features
from simpatico.features.chat_words import ChatWordCounts, shuffled_rows
from simpatico.features.degenerate import Degenerate
from simpatico.features.rating_model import (
    COMMAND,
    HIGHEST,
    LOWEST,
    MIDDLE,
    RatingParts,
    RatingRecipe,
    has_rating_model,
    load_rating_model,
)
from simpatico.features.replies import PARTS, Replies, find_replies
from simpatico.features.script import OtherScript
from simpatico.features.words import Words
from simpatico.metric import Card, Carried, Score, reasons
from simpatico.metrics._shared.model_metric import ModelMetric
from simpatico.metrics._shared.occlusion import occlusion_evidence
from simpatico.metrics._shared.pairs import NEEDS, Pairs
from simpatico.metrics._shared.scores import mean_statistic
from simpatico.models.names import why_missing
from simpatico.turns import Turns
from simpatico.wording import format_interval

MAX_WORDS = 1_000
"""Of a reply; hardly any of those that were rated is as long."""
Z_80 = 1.2815515655446004
"""The normal deviate beyond which a tenth lies on either side."""
COMPARISONS = {
    "fit": "keeps (closer|less close) to what it answers",
    "fluency": "reads (more|less) fluently",
    "specificity": "says (more|fewer) different things",
    "repetition": "copies and repeats (less|more)",
    "tone": "has a (more|less) fitting tone",
    "length": "has replies of a (more|less) suitable length",
}
"""What is said of a system whose part is higher, and of one whose part is lower."""


@dataclass(frozen=True)
class PredictedRating(ModelMetric):
    """Parameter `model`: "neural" or "core", which uses no encoder, or path:DIR with a folder of
    `simpatico train rating`.

    Statistics: sums of the points of each part, over `n` replies.
    """

    model: str = "neural"

    name = Carried("predicted_rating")
    published = ("neural",)
    called = ("neural", "core")
    title = "Predicted rating"
    facts = Card(
        about=(
            "How people would rate a reply: 3 is an average reply, and a point is one standard "
            "deviation of ratings. Fit, fluency, specificity, repetition, tone and length add up "
            "to it."
        ),
        undefined=(
            "Null when the turn answers nothing, has no words or more than 1,000, is in another "
            "script, or is no text to judge (loops, gibberish, shuffled words)."
        ),
        citation=(
            "ridge regression on readable features of a reply, after Yeh et al. 2021, A "
            "Comprehensive Assessment of Dialog Evaluation Metrics, who compare such features"
        ),
        kind="evaluator",
        careful=(
            "It does not check facts or what a user needs; the interval of a single turn is "
            "wide, so compare means over many."
        ),
    )

    @property
    def recipe(self) -> RatingRecipe:
        return load_rating_model(self.model).recipe

    @property
    def missing(self) -> str | None:
        if not has_rating_model(self.model):
            return (
                f"there is no rating model {self.model!r}: train one with `{COMMAND}`, then add "
                "`--set predicted_rating.model=path:MODEL`"
            )
        if (encoder := self.recipe.encoder) and (why := why_missing(encoder)):
            return f"{why}; predicted_rating[core] needs no model"
        return None

    @property
    def card(self) -> Card:
        if not has_rating_model(self.model):
            return self.facts
        recipe = self.recipe
        origin = f"Trained on {recipe.data} (licence: {recipe.licence})."
        own = [one for one in recipe.evaluation if one.score == "predicted_rating"]
        results = [
            f"{one.data} {one.rho:.2f} (95% CI {format_interval(one.low, one.high)}, n = {one.n:,})"
            for one in own
        ]
        accuracy = (
            f"Spearman's rho with ratings of a set left out of the training: {', '.join(results)}."
            if results
            else ""
        )
        careful = next(iter(recipe.limits), self.facts.careful)
        about = " ".join(filter(None, [self.facts.about, origin, accuracy]))
        return replace(self.facts, about=about, careful=careful)

    @property
    def feature(self) -> RatingParts:
        return RatingParts(self.model, self.missing)

    @property
    def needs(self) -> tuple[Feature, ...]:
        return (self.feature, *self.feature.needs, Degenerate(), *NEEDS)

    @property
    def scores(self) -> tuple[Score, ...]:
        rating = MIDDLE + reduce(add, [mean_statistic(part) for part in PARTS])
        bounds = (LOWEST, HIGHEST)
        main = self.score(
            "",
            rating.clip(*bounds),
            "rating that people would give, from 1 to 5; 3 is an average reply",
            "is predicted to be rated (higher|lower)",
            range=bounds,
        )
        turn, dialog = (self.recipe.turn_sd, self.recipe.dialog_sd) if not self.missing else (1, 1)
        # the variance of one turn is that of its dialog and what turns of a dialog differ by
        within = max(turn**2 - dialog**2, 0.0)
        spread = Z_80 * (dialog**2 + within / pl.col("n")).sqrt()
        interval = [
            replace(
                self.score(
                    part,
                    expression.clip(*bounds),
                    f"{side} end of the interval that holds 80% of people's mean ratings",
                    range=bounds,
                    better=None,
                    title=f"Predicted rating, {side} end",
                ),
                more=f"has a higher {side} end of the predicted rating than",
                less=f"has a lower {side} end of the predicted rating than",
            )
            for part, expression, side in (
                ("_range_low", rating - spread, "lower"),
                ("_range_high", rating + spread, "upper"),
            )
        ]
        parts = [
            self.score(
                f"_{part}",
                mean_statistic(part),
                f"points that {part} adds to the predicted rating",
                COMPARISONS[part],
                range=(-HIGHEST, HIGHEST),
                title=f"Predicted rating: {part}",
            )
            for part in PARTS
        ]
        return (main, *interval, *parts)

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        replies, why = self.replies(turns, features)
        parts = features[self.feature].of(replies)
        columns = {name: np.zeros(len(turns)) for name in (*PARTS, "n")}
        for part, points in parts.items():
            columns[part][replies.row] = points
        columns["n"][replies.row] = 1.0
        return pl.DataFrame(columns).with_columns(why)

    def replies(self, turns: Turns, features: Features) -> tuple[Replies, pl.Series]:
        """The replies that can be scored, and why other turns cannot."""
        if why_not := self.missing:
            raise MissingResource(why_not)
        table, foreign, degenerate = (
            features[one] for one in (Words(), OtherScript(), Degenerate())
        )
        shuffled = shuffled_rows(table, features[ChatWordCounts()])
        masks = {
            "degenerate": degenerate | shuffled,
            "too_long": table.counts > MAX_WORDS,
            "answers_nothing": turns.answered < 0,
            "no_words": table.counts == 0,
            "other_script": foreign,
        }
        unusable = np.logical_or.reduce(list(masks.values()))
        return find_replies(turns, table, ~unusable), reasons(len(turns), **masks)

    def evidence(self, turns: Turns, features: Features) -> pl.DataFrame:
        """By how many points each word raises or lowers the rating of its turn (occlusion)."""
        replies, why = self.replies(turns, features)
        predictor = features[self.feature]

        # each altered text comes with the index of its reply, whose context is known
        def predict_texts(indices: Sequence[str], texts: Sequence[str]) -> Floats:
            altered = replies.take(np.array([int(at) for at in indices], np.int64), texts)
            return np.asarray(reduce(add, predictor.of(altered).values()))

        indices = [str(at) for at in range(len(replies))]
        pairs = Pairs(len(turns), replies.row, replies.text, indices, why)
        return occlusion_evidence(turns, pairs, predict_texts)
