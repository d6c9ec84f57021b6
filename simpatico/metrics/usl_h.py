"""USL-H: whether a turn can be understood, makes sense as an answer, and says something specific.

Understandability U is a head's probability that somebody wrote the text rather than spoilt one;
sensibleness S is a head's probability that it follows what it answers; specificity L is its
negative log-likelihood, spread from 0 at the first quartile of the training to 1 at the third.
`how` says how they are put together: "h" (U + U S + U S L) / 3, as the paper does; "hs"
(U + S + S L) / 3, as its program does; "a" (U + S + L) / 3.
Example: U .9, S .5, L .2 give (.9 + .45 + .09) / 3 = .48.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.errors import BadValue
from simpatico.features import Feature, Features
from simpatico.features.heads.folder import HeadFolder, PairHead, load_heads, trained
from simpatico.features.masked import MaskedLikelihood
from simpatico.features.words import words
from simpatico.metric import Card, Carried, Score, mark
from simpatico.metrics._shared.pairs import NEEDS, Pairs, mean, with_answered
from simpatico.turns import Level, Turns

PARTS = {
    "understandable": "probability that somebody wrote the turn as it is",
    "sensible": "probability that the turn follows what it answers",
    "specific": "how unlikely the turn's words are, from 0 to 1",
}


@dataclass(frozen=True)
class UslH:
    model: str = ""
    how: Literal["h", "hs", "a"] = "h"

    name: ClassVar = Carried("usl_h")
    published: ClassVar[tuple[str, ...]] = ()
    level: ClassVar[Level] = "turn"
    card: ClassVar[Card] = Card(
        about="Whether a turn can be understood, makes sense as an answer, and is specific.",
        undefined=(
            "Null when the turn answers nothing, when it or what it answers has no words or is in "
            "another script, or when the trained folder has no likelihood."
        ),
        citation=(
            "Phy, Zhao and Aizawa 2020, Deconstruct to Reconstruct a Configurable Evaluation "
            "Metric for Open-Domain Dialogue Systems; github.com/vitouphy/usl_dialogue_metric. The "
            "paper trains three BERTs; here the parts are heads of `simpatico train usl-h` over a "
            "frozen encoder, and specificity comes from a masked language model where one was "
            "named in training, else from how often each word occurs"
        ),
        kind="traditional",
        careful=(
            "Specificity is a sum over words, so that long turns are specific; with word counts "
            "only, rare words are all there is to it."
        ),
    )

    def __post_init__(self) -> None:
        if self.how not in ("h", "hs", "a"):
            raise BadValue(f"usl_h.how is {self.how!r}; there are h, hs and a")

    @property
    def missing(self) -> str | None:
        if trained(self.model):
            return None
        where = f" and there are none at {self.model!r}" if self.model else ""
        return (
            f"usl_h needs trained parts{where}: train them with `simpatico train usl-h "
            "--data DIALOGS --out MODEL`, then add `--set usl_h.model=path:MODEL`"
        )

    @property
    def _heads(self) -> tuple[PairHead, PairHead]:
        valid, follows = (
            PairHead(self.model, "usl-h", name, self.missing) for name in ("valid", "next")
        )
        return valid, follows

    @property
    def needs(self) -> tuple[Feature, ...]:
        valid, follows = self._heads
        more: list[Feature] = []
        if not self.missing and (source := self._source):
            more.append(MaskedLikelihood(source))
        found = (valid, follows, *valid.needs, *follows.needs, *more, *NEEDS)
        return tuple(dict.fromkeys(found))

    @property
    def _source(self) -> str:
        likely = load_heads(self.model, "usl-h").recipe.likelihood
        return likely.source if likely else ""

    @property
    def scores(self) -> tuple[Score, ...]:
        whole = Score(
            f"usl_h{mark(self)}",
            of=mean("usl"),
            range=(0.0, 1.0),
            meaning="understandable, then sensible, then specific, in one number",
            better="higher",
            title="USL-H",
            more="has a higher USL-H than",
            less="has a lower USL-H than",
        )
        return (whole, *(self.part(name, meaning) for name, meaning in PARTS.items()))

    def part(self, name: str, meaning: str) -> Score:
        return Score(
            f"usl_h_{name}{mark(self)}",
            of=mean(name),
            range=(0.0, 1.0),
            meaning=meaning,
            better="higher",
            title=f"USL-H, {name}",
            more=f"is more {name} than",
            less=f"is less {name} than",
        )

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        pairs = with_answered(turns, features)
        valid, follows = (features[head] for head in self._heads)
        parts = (
            valid.of(pairs.text, pairs.text),
            follows.of(pairs.other, pairs.text),
            self.specific(pairs, features),
        )
        values = {"usl": composed(*parts, self.how), **dict(zip(PARTS, parts, strict=True))}
        lost = "undefined" if load_heads(self.model, "usl-h").recipe.likelihood else "no_likelihood"
        best = {name: pairs.best(found) for name, found in values.items()}
        return pairs.statistics(lost, **best)

    def specific(self, pairs: Pairs, features: Features) -> Floats:
        """Negative log-likelihoods between the quartiles of the training; NaN where it has none."""
        folder = load_heads(self.model, "usl-h")
        told = folder.recipe.likelihood
        if told is None:
            return np.full(len(pairs), np.nan)
        if told.source:
            logs: list[Any] = features[MaskedLikelihood(told.source)].of(pairs.text)
            found = np.array([-float(log.sum()) for log in logs])
        else:
            found = rarity(folder, pairs)
        return np.asarray(np.clip((found - told.low) / (told.high - told.low), 0.0, 1.0))


def rarity(folder: HeadFolder, pairs: Pairs) -> Floats:
    """The costs of each text's words, summed."""
    table = words(pl.Series("text", list(pairs.text), pl.String))
    unknown = folder.costs.get("", 0.0)
    each = [folder.costs.get(word, unknown) for word in table.vocabulary]
    return table.sums(np.array(each, np.float64)[:, None])[:, 0]


def composed(valid: Floats, follows: Floats, specific: Floats, how: str) -> Floats:
    """Three parts in one number, each third as far as the ones before it hold."""
    match how:
        case "h":
            parts = (valid, valid * follows, valid * follows * specific)
        case "hs":
            parts = (valid, follows, follows * specific)
        case _:
            parts = (valid, follows, specific)
    return np.asarray(sum(parts) / 3)
