"""Deep FM: whether a turn reads as fluently as its reference, to a language model.

A text's fluency is its mean log-probability per word piece, to base e; its first piece is given and
a closing mark is counted. The score is the ratio of the two texts' probabilities per piece, the
smaller by the larger. Example: -2 and -3 give exp(-3) / exp(-2) = .368; the ratio of the
logarithms, which the baseline of DSTC10 takes, gives 2 / 3. Of several references the best counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf
from typing import Any, ClassVar, Literal

import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.errors import BadValue
from simpatico.features import Feature, Features
from simpatico.features.likelihood import Likelihood
from simpatico.metric import Card, Carried, OnModels, Score, mark
from simpatico.metrics._shared.pairs import NEEDS, mean, with_answered, with_references
from simpatico.models.runtime.language_models import Reader
from simpatico.models.runtime.torch_backend import tokenizer
from simpatico.turns import Level, Turns

GPT2 = "hub:openai-community/gpt2"
CHOICES = {"mode": ("reference", "context"), "ratio": ("probability", "log")}


@dataclass(frozen=True)
class DeepFm(OnModels):
    model: str = GPT2
    mode: Literal["reference", "context"] = "reference"
    ratio: Literal["probability", "log"] = "probability"

    name: ClassVar = Carried("deep_fm")
    published: ClassVar[tuple[str, ...]] = ()
    level: ClassVar[Level] = "turn"
    card: ClassVar[Card] = Card(
        about="Whether a turn reads as fluently as its reference, to a language model.",
        undefined=(
            "Null when the turn has no reference with words (in the mode `context`: answers "
            "nothing, or is with what it answers longer than the model reads), has no words "
            "itself, or is in another script."
        ),
        citation=(
            "Zhang et al. 2021, Deep AM-FM: Toolkit for Automatic Dialogue Evaluation; "
            "github.com/e0397123/AM-FM, and for `ratio=log` and `mode=context` "
            "github.com/e0397123/dstc10_metric_track; checkpoint GPT-2, which the authors trained "
            "further on dialogs. The baseline of DSTC10 also rescales what `mode=context` gives by "
            "the lowest scores of a data set; here it stays as it is"
        ),
        kind="traditional",
        careful="A turn that is more fluent than its reference scores no better than a poor one.",
    )

    def __post_init__(self) -> None:
        for field, known in CHOICES.items():
            if (value := getattr(self, field)) not in known:
                raise BadValue(f"deep_fm.{field} is {value!r}; it is {known[0]!r} or {known[1]!r}")

    @property
    def needs(self) -> tuple[Feature, ...]:
        return (self._reader, *NEEDS)

    @property
    def _reader(self) -> Likelihood:
        return Likelihood(self.model, frame="end")

    @property
    def scores(self) -> tuple[Score, ...]:
        free = self.mode == "context"
        return (
            Score(
                f"deep_fm{mark(self)}",
                of=mean("fluency"),
                range=(-inf, inf) if free else (0.0, 1.0),
                meaning="mean log-probability of the turn after what it answers"
                if free
                else "ratio of the fluency of turn and best reference",
                better="higher",
                title="Deep FM",
                more="is more fluent (Deep FM) than",
                less="is less fluent (Deep FM) than",
            ),
        )

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        model = features[self._reader]
        if self.mode == "context":
            pairs = with_answered(turns, features)
            found = pairs.best(gain(model, pairs.other, pairs.text))
            return pairs.statistics("too_long", fluency=found)
        pairs = with_references(turns, features)
        found = likeness(fluency(model, pairs.text), fluency(model, pairs.other), self.ratio)
        return pairs.statistics(fluency=pairs.best(found))


def fluency(model: Any, texts: Sequence[str]) -> Floats:
    """The mean log-probability of each text's pieces; NaN where only one piece was read."""
    logs = model.of([""] * len(texts), texts)
    return np.array([log.mean() if len(log) else np.nan for log in logs], np.float64)


def likeness(first: Floats, second: Floats, ratio: Literal["probability", "log"]) -> Floats:
    """The smaller of two fluencies by the larger; 1 where they are the same."""
    if ratio == "probability":
        return np.array([exp(-abs(a - b)) for a, b in zip(first, second, strict=True)], np.float64)
    high, low = np.maximum(first, second), np.minimum(first, second)
    return np.divide(high, low, out=np.ones_like(high), where=low != 0)


def gain(model: Any, before: Sequence[str], texts: Sequence[str]) -> Floats:
    """What each text adds to the log-probability of what it answers, by the pieces it adds.

    NaN where the two together are longer than the model reads.
    """
    together = [f"{a} {b}" for a, b in zip(before, texts, strict=True)]
    joint = model.of([""] * len(texts), together)
    alone = model.of([""] * len(texts), before)
    added = [(a.sum() - b.sum(), len(a) - len(b)) for a, b in zip(joint, alone, strict=True)]
    found = [more / pieces if pieces > 0 else np.nan for more, pieces in added]
    return np.where(whole(model, together, joint), np.array(found, np.float64), np.nan)


def whole(model: Any, texts: Sequence[str], logs: Sequence[Floats]) -> list[bool]:
    """Whether each text was read to its end: a number for every piece but one, and the mark's."""
    longest, pieces = max(map(len, logs), default=0), Reader(tokenizer(model.model))
    # texts that were cut all have the same length, and none is longer
    return [
        len(log) < longest or len(pieces.text(text)) <= len(log)
        for text, log in zip(texts, logs, strict=True)
    ]
