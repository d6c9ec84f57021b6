"""Language style matching: are function words used at the same rate as in the turn answered?

Ireland et al. (2011, Psychological Science 22:39). For each of nine categories of function words,
1 - |a - b| / (a + b + 0.0001), where a and b are the percentages of words in the turn and in the
turn it answers; the score is the mean of the nine. A category that neither side uses counts as a
perfect match (0 and 0), which on short turns is most of the score: `style_matching_empty` says how
many of the nine were so, and `empty="drop"` leaves them out of the mean.
Example: "No." answered by "Yes." gives 7/9 = 0.78: two categories of "no" differ, seven are empty.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial, reduce
from operator import add
from typing import ClassVar, Literal

import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.errors import DataError
from simpatico.features import Feature, Features
from simpatico.features.lexicon import LexiconSums
from simpatico.features.script import OtherScript
from simpatico.features.spans import spans
from simpatico.features.words import Words, WordTable
from simpatico.metric import Card, Score, reasons
from simpatico.metrics._shared.pairs import NEEDS
from simpatico.metrics._shared.parameters import bounded, check_parameters
from simpatico.metrics._shared.scores import make_score
from simpatico.turns import Level, Turns

CATEGORIES = {
    "ppron": "personal pronouns",
    "ipron": "impersonal pronouns",
    "article": "articles",
    "conj": "conjunctions",
    "prep": "prepositions",
    "auxverb": "auxiliary verbs",
    "adverb": "frequent adverbs",
    "negate": "negations",
    "quant": "quantifiers",
}
COLUMNS = [f"{side}_{c}" for side in ("said", "heard") for c in ("words", *CATEGORIES)]


@dataclass(frozen=True)
class StyleMatching:
    """Parameters: `lexicon` of function words; `epsilon`, which keeps a division by 0 away;
    `empty`, whether categories that neither side uses "match" or "drop" out of the mean.

    Statistics: words and words of each category, of the turn (said_...) and of what it answers
    (heard_...).
    """

    lexicon: str = "function_words"
    epsilon: float = bounded(0.0001, 0, 1, open=True)
    empty: Literal["match", "drop"] = "match"

    name: ClassVar[str] = "style_matching"
    level: ClassVar[Level] = "turn"
    card: ClassVar[Card] = Card(
        about="Whether function words are used at the rate of the turn answered.",
        undefined=(
            "Null when a turn answers nothing, either side has no words, or a text is in another "
            'script; with empty="drop" also when neither side has a function word.'
        ),
        citation=(
            "Ireland et al. (2011), Language Style Matching Predicts Relationship Initiation and "
            "Stability"
        ),
        careful=(
            "Plain repetition scores near 1, and in short turns most of the nine categories are "
            "used by neither side, which counts as a match by default."
        ),
    )

    def __post_init__(self) -> None:
        check_parameters(self)

    @property
    def needs(self) -> tuple[Feature, ...]:
        return (LexiconSums(self.lexicon, tuple(CATEGORIES)), *NEEDS)

    @property
    def scores(self) -> tuple[Score, ...]:
        parts = (
            make_score(
                f"style_matching_{category}",
                partial(self.likeness, category),
                f"similarity of the rates of {words}",
                f"mirrors the person's use of {words} (more|less)",
                title=f"Style matching, {words}",
            )
            for category, words in CATEGORIES.items()
        )
        overall = make_score(
            "style_matching",
            self.mean,
            "similarity of function-word rates with the turn replied to",
            "matches the user's function words (more|less) closely",
            title="Language style matching",
        )
        empty = make_score(
            "style_matching_empty",
            count_unused,
            "how many of the nine categories neither side used",
            "has (more|fewer) function-word categories that neither side uses",
            range=(0.0, float(len(CATEGORIES))),
            title="Style matching, unused categories",
            unit="of 9",
        )
        return (overall, empty, *parts)

    def mean(self, counts: pl.DataFrame) -> Floats:
        """Likeness over all categories; NaN where none is compared."""
        parts = [self.likeness(c, counts) for c in CATEGORIES]
        if self.empty == "match":
            return np.asarray(reduce(add, parts) / float(len(parts)))
        # where a side has no words, a likeness that is NaN is compared, so that the mean is NaN
        compared = [~(total_percentage(c, counts) <= 0) for c in CATEGORIES]
        total = reduce(add, map(np.where, compared, parts, [0.0] * len(parts)))
        with np.errstate(invalid="ignore"):
            return np.asarray(total / reduce(add, (c.astype(float) for c in compared)))

    def likeness(self, category: str, counts: pl.DataFrame) -> Floats:
        """How alike both sides use one category, 0 to 1; NaN where a side has no words."""
        said, heard = (percentage(side, category, counts) for side in ("said", "heard"))
        total = said + heard
        likeness = 1 - np.abs(said - heard) / (total + self.epsilon)
        return likeness if self.empty == "match" else np.where(total <= 0, np.nan, likeness)

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        words = features[Words()].counts
        sums = features[LexiconSums(self.lexicon, tuple(CATEGORIES))]
        if (sums < 0).any():
            raise DataError(f"lexicon {self.lexicon!r} has negative weights; style needs 0 or more")
        # a row for each column, whose values then stand side by side in memory
        replies = np.vstack([words, sums.T])
        contexts = replies[:, turns.answered]
        foreign, opens = features[OtherScript()], turns.answered < 0
        foreign = foreign | foreign[turns.answered]
        wordless = (replies[0] == 0) | (contexts[0] == 0)
        # without words there are no rates, so no score, and nothing is added to the dialog's sums
        replies[:, opens | foreign] = contexts[:, opens | foreign] = 0.0
        why = reasons(len(turns), no_words=wordless, other_script=foreign, answers_nothing=opens)
        return pl.DataFrame(np.vstack([replies, contexts]), COLUMNS, orient="col").with_columns(why)

    def evidence(self, turns: Turns, features: Features) -> pl.DataFrame:
        """The score less what it would be without a category, shared by the category's words.

        Without it means that words of no category stand in their places, so that the shares of the
        other categories stay. Leaving out one word at a time would not do: of two words of a
        category that the other side does not use, neither alone makes a difference.
        """
        table: WordTable = features[Words()]
        pairs = self(turns, features).drop("reason").to_numpy()
        scores, per_word = self._scores_of(pairs), np.zeros((len(pairs), len(CATEGORIES)))
        for index in range(len(CATEGORIES)):
            without, count = pairs.copy(), pairs[:, 1 + index]
            without[:, 1 + index] = 0.0
            change = np.nan_to_num(scores - self._scores_of(without))
            per_word[:, index] = np.divide(change, count, np.zeros_like(change), where=count > 0)
        own = LexiconSums(self.lexicon, tuple(CATEGORIES)).weights(table)[table.codes]
        return spans(turns, table, (own * np.repeat(per_word, table.counts, axis=0)).sum(axis=1))

    def _scores_of(self, pairs: Floats) -> Floats:
        """The score of each row of statistics; NaN where there is none."""
        return self.mean(pl.DataFrame(pairs, COLUMNS, orient="row"))


def percentage(side: str, category: str, counts: pl.DataFrame) -> Floats:
    """Per 100 words of a side, how many belong to the category; NaN where there are no words."""
    # get_column takes a third of the time of brackets
    share, words = (counts.get_column(f"{side}_{what}").to_numpy() for what in (category, "words"))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(100 * share / words)


def total_percentage(category: str, counts: pl.DataFrame) -> Floats:
    """The percentages of both sides, added; 0 where neither side uses the category."""
    return percentage("said", category, counts) + percentage("heard", category, counts)


def count_unused(counts: pl.DataFrame) -> Floats:
    """How many categories neither side uses; NaN where a side has no words."""
    totals = [total_percentage(c, counts) for c in CATEGORIES]
    # 0 times NaN is NaN: where a side has no words there is no count, rather than nine
    return np.asarray(reduce(add, (0 * total + (total == 0) for total in totals)))
