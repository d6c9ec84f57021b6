"""What both kinds of RUBER share: a referenced part, a trained unreferenced one, and their blend.

The referenced part is the cosine of the vectors of turn and reference; the unreferenced one is a
head's probability that the turn follows what it answers. For the blend, the cosine is first spread
so that 0 is what replies of different dialogs hardly ever fall below in the training, and 1 is 1.
Example: cosine .8, lowest .6, unreferenced .7: referenced (.8 - .6) / (1 - .6) = .5; their minimum
is .5, maximum .7, arithmetic mean .6, geometric mean .592.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.errors import BadValue
from simpatico.features import Feature, Features
from simpatico.features.heads.folder import Kind, PairHead, encoder, load_heads, trained
from simpatico.metric import Card, Score, mark
from simpatico.metrics._shared.pairs import (
    NEEDS,
    Pairs,
    likeness,
    mean,
    with_answered,
    with_references,
)
from simpatico.models.names import absent
from simpatico.turns import Level, Turns

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
    "unreferenced": "probability that the turn follows what it answers",
    "blended": "the likeness to the best reference and the fit to what is answered, in one",
}
UNDEFINED = (
    "Null when the turn has no reference with words (but for `mode=unreferenced`), answers nothing "
    "(but for `mode=referenced`), has no words, or is in another script."
)


@dataclass(frozen=True)
class Ruber:
    """A metric of this kind; `model` is an encoder, or path:DIR of a trained folder."""

    model: str = ""
    mode: Mode = "blended"
    blend: Blend = "min"

    name: ClassVar[str]
    plain: ClassVar[str]
    kind: ClassVar[Kind]
    title: ClassVar[str]
    card: ClassVar[Card]
    level: ClassVar[Level] = "turn"

    def __post_init__(self) -> None:
        for field, known in (("mode", MEANINGS), ("blend", BLENDS)):
            if (value := getattr(self, field)) not in known:
                raise BadValue(f"{self.plain}.{field} is {value!r}; there are {', '.join(known)}")

    def vectors(self) -> Feature:
        """What gives texts their vectors where no head says it."""
        raise NotImplementedError

    @property
    def missing(self) -> str | None:
        if trained(self.model) or self.mode == "referenced":
            return absent(self.model)
        return (
            f"{self.plain} needs a trained part: train one with `simpatico train {self.kind} "
            f"--data DIALOGS --out MODEL`, then add `--set {self.plain}.model=path:MODEL`; or use "
            f"`--set {self.plain}.mode=referenced`"
        )

    @property
    def _encoder(self) -> Feature:
        if trained(self.model):
            return encoder(load_heads(self.model, self.kind).recipe.heads["unreferenced"])
        return self.vectors()

    @property
    def _head(self) -> PairHead:
        return PairHead(self.model, self.kind, "unreferenced", self.missing)

    @property
    def needs(self) -> tuple[Feature, ...]:
        if self.mode == "referenced" and not trained(self.model):
            return (self._encoder, *NEEDS)
        return (self._head, *self._head.needs, *NEEDS)

    @property
    def scores(self) -> tuple[Score, ...]:
        return (
            Score(
                f"{self.plain}{mark(self)}",
                of=mean(self.mode),
                range=(-1.0 if self.mode == "referenced" else 0.0, 1.0),
                meaning=MEANINGS[self.mode],
                better="higher",
                title=self.title,
                more=f"has a higher {self.title} than",
                less=f"has a lower {self.title} than",
            ),
        )

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        parts: list[tuple[Pairs, Floats]] = []
        if self.mode != "unreferenced":
            pairs = with_references(turns, features)
            parts.append((pairs, pairs.best(likeness(features[self._encoder], pairs))))
        if self.mode != "referenced":
            pairs = with_answered(turns, features)
            found = features[self._head].of(pairs.other, pairs.text)
            parts.append((pairs, pairs.best(found)))
        if self.mode != "blended":
            pairs, found = parts[0]
            return pairs.statistics("no_known_words", **{self.mode: found})
        return self.blended(*parts)

    def blended(
        self, reference: tuple[Pairs, Floats], answer: tuple[Pairs, Floats]
    ) -> pl.DataFrame:
        """Both parts in one, where a turn has both."""
        low = load_heads(self.model, self.kind).recipe.cosine_low or 0.0
        like = np.clip((reference[1] - low) / (1 - low), 0.0, 1.0)
        table = answer[0].statistics("no_known_words", blended=BLENDS[self.blend](like, answer[1]))
        why = pl.coalesce(pl.lit(reference[0].why), pl.col("reason")).alias("reason")
        return table.with_columns(why)
