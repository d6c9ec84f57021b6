"""Language style matching of a dyad, over the whole conversation, with category percentages.

Ireland & Pennebaker (2010, JPSP 99:549). All that each of two speakers said is pooled; for each of
nine categories of function words, 1 - |a - b| / (a + b + 0.0001), where a and b are the percentages
of the two speakers' words; the score is the mean of the nine. Both speakers have the same score,
unlike `style_matching`, which compares each turn with the turn it answers. A percentage is of the
speaker's own words, as LIWC prints it.
Example: A says "No." and later "Yes.", B says "Yes.": of A's words half are negations, of B's none,
so that the likeness of negations is 1 - 50 / 50.0001, about 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
import polars as pl

from simpatico.features import Feature, Features
from simpatico.features.lexicon import LexiconSums
from simpatico.features.script import OtherScript
from simpatico.features.words import Words
from simpatico.metric import Card, Score, reasons
from simpatico.metrics._shared.parameters import bounded, check_parameters
from simpatico.metrics._shared.scores import make_score
from simpatico.metrics.style_matching import CATEGORIES, COLUMNS, StyleMatching, percentage
from simpatico.turns import Level, Turns

COUNTS = ["words", *CATEGORIES]


@dataclass(frozen=True)
class DyadStyleMatching:
    """Parameters as of `style_matching`.

    Statistics: words and words of each category, of the speaker (said_...) and of the other one
    (heard_...), over the whole dialog; they stand on the speaker's first turn, so that sums over a
    dialog are the totals.
    """

    lexicon: str = "function_words"
    epsilon: float = bounded(0.0001, 0, 1, open=True)

    name: ClassVar[str] = "dyad_style_matching"
    level: ClassVar[Level] = "dialog"
    card: ClassVar[Card] = Card(
        about=(
            "Whether two speakers use function words at the same rate over a whole conversation: "
            "mean over nine categories of 1 - |a - b| / (a + b + 0.0001), where a and b are the "
            "percentages of the two speakers' words."
        ),
        undefined=(
            "Null when a dialog does not have exactly two speakers, or one of them has no words or "
            "writes in another script."
        ),
        citation=(
            "Ireland & Pennebaker (2010), Language Style Matching in Writing: Synchrony in Essays, "
            "Correspondence, and Poetry"
        ),
        kind="other",
        careful="One number per dyad: both speakers have the same, so count each dialog once.",
    )

    def __post_init__(self) -> None:
        check_parameters(self)

    @property
    def needs(self) -> tuple[Feature, ...]:
        return (LexiconSums(self.lexicon, tuple(CATEGORIES)), Words(), OtherScript())

    @property
    def scores(self) -> tuple[Score, ...]:
        matching = StyleMatching(self.lexicon, self.epsilon)
        overall = make_score(
            self.name,
            matching.mean,
            "similarity of two speakers' function-word rates over the whole dialog",
            "matches the user's function words (more|less) closely over the whole dialog",
            title="Language style matching of the dyad",
        )
        percentages = (
            make_score(
                f"percent_{category}",
                partial(percentage, "said", category),
                f"percentage of the speaker's words that are {words}",
                f"uses (more|fewer) {words}",
                range=(0.0, 100.0),
                title=f"Percentage of {words}",
                unit="%",
            )
            for category, words in CATEGORIES.items()
        )
        likeness = (
            make_score(
                f"{self.name}_{category}",
                partial(matching.likeness, category),
                f"similarity of the two speakers' rates of {words}",
                f"matches the user's use of {words} (more|less) closely",
                title=f"Dyad style matching, {words}",
            )
            for category, words in CATEGORIES.items()
        )
        return (overall, *likeness, *percentages)

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        foreign = features[OtherScript()]
        sums = features[LexiconSums(self.lexicon, tuple(CATEGORIES))]
        counts = np.column_stack([features[Words()].counts, sums]).astype(float)
        counts[foreign] = 0.0
        speaker, dialog = pl.col("dialog", "speaker"), "dialog"
        rows = turns.frame.select(speaker, "system").with_columns(
            pl.DataFrame(counts, COUNTS, orient="row")
        )
        own = [pl.col(c).sum().over("dialog", "speaker").alias(f"said_{c}") for c in COUNTS]
        other = [
            (pl.col(c).sum().over(dialog) - pl.col(c).sum().over("dialog", "speaker")).alias(
                f"heard_{c}"
            )
            for c in COUNTS
        ]
        first = pl.int_range(pl.len()).over("dialog", "speaker", "system") == 0
        pair = pl.col("speaker").n_unique().over(dialog) == 2
        table = rows.select(*own, *other, _first=first, _pair=pair, _foreign=pl.Series(foreign))
        keep = table["_first"] & table["_pair"]
        wordless = (table["said_words"] == 0) | (table["heard_words"] == 0)
        why = reasons(
            len(turns),
            no_words=wordless.to_numpy(),
            other_script=(wordless & table["_foreign"]).to_numpy(),
            not_two_speakers=~table["_pair"].to_numpy(),
        )
        numbers = pl.col(COLUMNS)
        return table.select(pl.when(keep).then(numbers).otherwise(0.0)).with_columns(why)
