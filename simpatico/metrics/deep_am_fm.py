"""Deep AM-FM: the mean of Deep AM, how close in meaning, and Deep FM, how equally fluent.

Example: adequacy .8 and fluency .4 with weight .5 give .6.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import polars as pl

from simpatico.errors import BadValue
from simpatico.features import Feature, Features
from simpatico.features.embeddings import MINILM
from simpatico.features.models import absent, short
from simpatico.metric import Card, Score
from simpatico.metrics._pairs import mean
from simpatico.metrics.deep_am import DeepAm
from simpatico.metrics.deep_fm import GPT2, DeepFm
from simpatico.turns import Level, Turns


class Both:
    """The metric's name, which carries both of its models."""

    def __get__(self, metric: object, kind: type | None = None) -> str:
        return "deep_am_fm" if metric is None else f"deep_am_fm{marks(metric)}"


@dataclass(frozen=True)
class DeepAmFm:
    model: str = GPT2
    model_encoder: str = MINILM
    weight: float = 0.5
    ratio: Literal["probability", "log"] = "probability"

    name: ClassVar = Both()
    level: ClassVar[Level] = "turn"
    card: ClassVar[Card] = Card(
        about="How close in meaning a turn is to its reference, and whether it reads as fluently.",
        undefined=(
            "Null when the turn has no reference with words, no words itself, or is in another "
            "script."
        ),
        citation=(
            "Zhang et al. 2021, Deep AM-FM: Toolkit for Automatic Dialogue Evaluation; "
            "github.com/e0397123/AM-FM and, with `ratio=log`, "
            "github.com/e0397123/dstc10_metric_track; both models were trained further on dialogs "
            "and cannot be had, so the name always carries those in use"
        ),
        kind="traditional",
        careful="A good reply need not resemble the reference.",
    )

    def __post_init__(self) -> None:
        if not 0 <= self.weight <= 1:
            raise BadValue(f"deep_am_fm.weight is {self.weight}; it lies between 0 and 1")
        if self.ratio not in ("probability", "log"):
            raise BadValue(f"deep_am_fm.ratio is {self.ratio!r}; it is 'probability' or 'log'")

    @property
    def missing(self) -> str | None:
        return absent(self.model_encoder) or absent(self.model)

    @property
    def _parts(self) -> tuple[DeepAm, DeepFm]:
        return DeepAm(self.model_encoder), DeepFm(self.model, ratio=self.ratio)

    @property
    def needs(self) -> tuple[Feature, ...]:
        adequate, fluent = self._parts
        return tuple(dict.fromkeys((*adequate.needs, *fluent.needs)))

    @property
    def scores(self) -> tuple[Score, ...]:
        return (
            Score(
                self.name,
                of=mean("both"),
                range=(-1.0, 1.0),
                meaning="mean of adequacy and fluency beside the best reference",
                better="higher",
                title="Deep AM-FM",
                more="has a higher Deep AM-FM than",
                less="has a lower Deep AM-FM than",
            ),
        )

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        adequate, fluent = (part(turns, features) for part in self._parts)
        both = self.weight * adequate["adequacy"] + (1 - self.weight) * fluent["fluency"]
        known = (adequate["n"] & fluent["n"]).alias("n")
        why = pl.select(pl.coalesce(adequate["reason"], fluent["reason"]).alias("reason"))
        zero = pl.select(pl.when(known).then(both).otherwise(0.0).alias("both"))
        return pl.DataFrame([zero.to_series(), known, why.to_series()])


def marks(metric: object) -> str:
    """Both models in brackets."""
    names = (getattr(metric, field) for field in ("model_encoder", "model"))
    return f"[{'+'.join(short(name) for name in names)}]"
