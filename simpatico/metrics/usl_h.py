"""USL-H: whether a turn can be understood, makes sense as an answer, and says something specific.

Phy, Zhao & Aizawa (2020, COLING). Understandability U is a head's probability that somebody wrote
the text rather than damaged one; sensibleness S is a head's probability that it follows what it
answers; specificity L is its negative log-likelihood, rescaled from 0 at the first quartile of the
training data to 1 at the third. `how` says how they are put together: "h" (U + U S + U S L) / 3, as
the paper does; "hs" (U + S + S L) / 3, as its program does; "a" (U + S + L) / 3.
Example: U .9, S .5, L .2 give (.9 + .45 + .09) / 3 = .48.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.features import Feature, Features
from simpatico.features.heads.folder import PairHead, is_heads_folder, load_heads
from simpatico.features.likelihood import MaskedLikelihood
from simpatico.features.words import cut_words
from simpatico.metric import Card, Carried, Score
from simpatico.metrics._shared.model_metric import ModelMetric
from simpatico.metrics._shared.pairs import NEEDS, Pairs
from simpatico.metrics._shared.scores import mean_statistic
from simpatico.turns import Turns

PARTS = {
    "understandable": "probability that somebody wrote the turn as it is",
    "sensible": "probability that the turn follows the turn replied to",
    "specific": "how unlikely the turn's words are, from 0 to 1",
}
"""In the order in which each part presupposes the one before it."""


@dataclass(frozen=True)
class UslH(ModelMetric):
    """Parameters: `model`, a folder of `simpatico train usl-h`; `how` the parts are combined."""

    model: str = ""
    how: Literal["h", "hs", "a"] = "h"

    name = Carried("usl_h")
    title = "USL-H"
    card = Card(
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

    @property
    def missing(self) -> str | None:
        if is_heads_folder(self.model):
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
        costs = None if self.missing else load_heads(self.model, "usl-h").recipe.likelihood
        more = (MaskedLikelihood(costs.source),) if costs and costs.source else ()
        # both heads may have been trained over the same encoder
        return tuple(dict.fromkeys((valid, follows, *valid.needs, *follows.needs, *more, *NEEDS)))

    @property
    def scores(self) -> tuple[Score, ...]:
        overall = "understandable, then sensible, then specific, in one number"
        return (
            self.score("", mean_statistic("usl"), overall),
            *(
                self.score(
                    f"_{part}",
                    mean_statistic(part),
                    meaning,
                    f"is (more|less) {part}",
                    title=f"USL-H, {part}",
                )
                for part, meaning in PARTS.items()
            ),
        )

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        pairs = Pairs.with_answered(turns, features)
        valid, follows = (features[head] for head in self._heads)
        parts = (
            valid.of(pairs.text, pairs.text),
            follows.of(pairs.other, pairs.text),
            self._specificity(pairs, features),
        )
        values = {"usl": compose_usl(*parts, self.how), **dict(zip(PARTS, parts, strict=True))}
        likelihood = load_heads(self.model, "usl-h").recipe.likelihood
        unknown = "undefined" if likelihood else "no_likelihood"
        best = {name: pairs.best_per_turn(column) for name, column in values.items()}
        return pairs.statistics(unknown, **best)

    def _specificity(self, pairs: Pairs, features: Features) -> Floats:
        """Negative log-likelihoods between the quartiles of the training; NaN where it has none."""
        folder = load_heads(self.model, "usl-h")
        recipe = folder.recipe.likelihood
        if recipe is None:
            return np.full(len(pairs), np.nan)
        if recipe.source:
            logs: list[Any] = features[MaskedLikelihood(recipe.source)].of(pairs.text)
            losses = np.array([-float(log.sum()) for log in logs])
        else:
            # the negative log frequencies of each text's words, summed
            table = cut_words(pl.Series("text", list(pairs.text), pl.String))
            rare = folder.costs.get("", 0.0)
            costs = np.array(
                [folder.costs.get(word, rare) for word in table.vocabulary], np.float64
            )
            losses = table.sums(costs[:, None])[:, 0]
        return np.asarray(np.clip((losses - recipe.low) / (recipe.high - recipe.low), 0.0, 1.0))


def compose_usl(valid: Floats, follows: Floats, specific: Floats, how: str) -> Floats:
    """Three parts in one number; in a hierarchy a part counts as far as those before it hold."""
    match how:
        case "h":
            parts = (valid, valid * follows, valid * follows * specific)
        case "hs":
            parts = (valid, follows, follows * specific)
        case _:
            parts = (valid, follows, specific)
    return np.asarray(sum(parts) / 3)
