"""Deep AM: how close in meaning a turn is to its reference, or to what it answers.

Zhang et al. (2021), Deep AM-FM, adequacy: the cosine of two sentence vectors; of several references
the best counts.
Example: cosines of .3 and .6 with two references give .6.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import polars as pl

from simpatico.errors import BadValue
from simpatico.features import Feature, Features
from simpatico.features.embeddings import MINILM, Embeddings
from simpatico.metric import Card, Carried, Score, UsesModels, model_suffix
from simpatico.metrics._shared.pairs import NEEDS, Pairs, mean_statistic
from simpatico.turns import Level, Turns


@dataclass(frozen=True)
class DeepAm(UsesModels):
    """Parameters: `model`, a sentence encoder; `mode`, "reference" or "context": which text the
    turn is compared with.
    """

    model: str = MINILM
    mode: Literal["reference", "context"] = "reference"

    name: ClassVar = Carried("deep_am")
    published: ClassVar[tuple[str, ...]] = ()
    level: ClassVar[Level] = "turn"
    card: ClassVar[Card] = Card(
        about="How close in meaning a turn is to its reference.",
        undefined=(
            "Null when the turn has no reference with words (in the mode `context`: answers "
            "nothing), has no words itself, or is in a script that the model does not read."
        ),
        citation=(
            "Zhang et al. 2021, Deep AM-FM: Toolkit for Automatic Dialogue Evaluation; "
            "github.com/e0397123/AM-FM and github.com/e0397123/dstc10_metric_track; the published "
            "numbers are of BERT that the authors trained further on dialogs, which cannot be had, "
            "so the name always carries the encoder"
        ),
        kind="traditional",
        careful="A good reply need not mean what the reference means.",
    )

    def __post_init__(self) -> None:
        if self.mode not in ("reference", "context"):
            raise BadValue(f"deep_am.mode is {self.mode!r}; it is 'reference' or 'context'")

    @property
    def needs(self) -> tuple[Feature, ...]:
        return (Embeddings(self.model), *NEEDS)

    @property
    def scores(self) -> tuple[Score, ...]:
        return (
            Score(
                f"deep_am{model_suffix(self)}",
                of=mean_statistic("adequacy"),
                range=(-1.0, 1.0),
                meaning="cosine of the vectors of the turn and its best reference",
                better="higher",
                title="Deep AM",
                more="is more adequate (Deep AM) than",
                less="is less adequate (Deep AM) than",
            ),
        )

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        if self.mode == "reference":
            pairs = Pairs.with_references(turns, features, model=self.model)
        else:
            pairs = Pairs.with_answered(turns, features, model=self.model)
        cosines = pairs.cosines(features[Embeddings(self.model)])
        return pairs.statistics(adequacy=pairs.best_per_turn(cosines))
