"""What both kinds of RUBER share: a referenced part, a trained unreferenced one, and their blend.

Tao et al. (2018, AAAI). The referenced part is the cosine of the vectors of turn and reference;
the unreferenced one is a head's probability that the turn follows the turn replied to. For the
blend, the cosine is first rescaled so that 0 is what replies of different dialogs hardly ever
fall below in the training data, and 1 is 1: s = (cosine - lowest) / (1 - lowest), clipped to 0 to
1. Example: cosine .8, lowest .6, unreferenced .7: referenced (.8 - .6) / (1 - .6) = .5; their
minimum is .5, maximum .7, arithmetic mean .6, geometric mean .592.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.features import Feature, Features
from simpatico.features.heads.folder import (
    HeadKind,
    PairHead,
    head_encoder,
    is_heads_folder,
    load_heads,
)
from simpatico.metric import Score
from simpatico.metrics._shared.model_metric import ModelMetric
from simpatico.metrics._shared.pairs import NEEDS, Pairs, text_cosines
from simpatico.metrics._shared.scores import mean_statistic
from simpatico.models.names import why_missing
from simpatico.turns import Turns

Mode = Literal["blended", "referenced", "unreferenced"]
Blend = Literal["min", "max", "arithmetic", "geometric"]

BLENDS: dict[str, Callable[[Floats, Floats], Floats]] = {
    "min": np.minimum,
    "max": np.maximum,
    "arithmetic": lambda a, b: (a + b) / 2,
    "geometric": lambda a, b: np.sqrt(a * b),
}
MEANINGS = {
    "referenced": "cosine of the vectors of the turn and its best reference",
    "unreferenced": "probability that the turn follows the turn replied to",
    "blended": "the likeness to the best reference and the fit to what is answered, in one",
}
UNDEFINED = (
    "Null when the turn has no reference with words (but for `mode=unreferenced`), answers nothing "
    "(but for `mode=referenced`), has no words, or is in another script."
)


@dataclass(frozen=True)
class Ruber(ModelMetric):
    """A metric of this kind; `model` is an encoder, or path:DIR of a trained folder."""

    model: str = ""
    mode: Mode = "blended"
    blend: Blend = "min"

    kind: ClassVar[HeadKind]

    def vectors(self) -> Feature:
        """What gives texts their vectors where no trained folder names an encoder."""
        raise NotImplementedError

    @property
    def missing(self) -> str | None:
        if is_heads_folder(self.model) or self.mode == "referenced":
            return why_missing(self.model)
        return (
            f"{self.plain} needs a trained part: train one with `simpatico train {self.kind} "
            f"--data DIALOGS --out MODEL`, then add `--set {self.plain}.model=path:MODEL`; or use "
            f"`--set {self.plain}.mode=referenced`"
        )

    @property
    def _encoder(self) -> Feature:
        if is_heads_folder(self.model):
            return head_encoder(load_heads(self.model, self.kind).recipe.heads["unreferenced"])
        return self.vectors()

    @property
    def _head(self) -> PairHead:
        return PairHead(self.model, self.kind, "unreferenced", self.missing)

    @property
    def needs(self) -> tuple[Feature, ...]:
        if self.mode == "referenced" and not is_heads_folder(self.model):
            return (self._encoder, *NEEDS)
        return (self._head, *self._head.needs, *NEEDS)

    @property
    def scores(self) -> tuple[Score, ...]:
        low = -1.0 if self.mode == "referenced" else 0.0
        return (self.score("", mean_statistic(self.mode), MEANINGS[self.mode], range=(low, 1.0)),)

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        if self.mode != "unreferenced":
            references = Pairs.with_references(turns, features)
            encoder = features[self._encoder]
            each = text_cosines(encoder, references.text, references.other)
            cosines = references.best_per_turn(each)
            if self.mode == "referenced":
                return references.statistics("no_known_words", referenced=cosines)
        contexts = Pairs.with_answered(turns, features)
        probabilities = features[self._head].of(contexts.other, contexts.text)
        unreferenced = contexts.best_per_turn(probabilities)
        if self.mode == "unreferenced":
            return contexts.statistics("no_known_words", unreferenced=unreferenced)
        low = load_heads(self.model, self.kind).recipe.cosine_low or 0.0
        referenced = np.clip((cosines - low) / (1 - low), 0.0, 1.0)
        blend = BLENDS[self.blend](referenced, unreferenced)
        table = contexts.statistics("no_known_words", blended=blend)
        # a turn needs both parts: what its reference lacks comes first
        reason = pl.coalesce(pl.lit(references.reason), pl.col("reason")).alias("reason")
        return table.with_columns(reason)
