"""Deep FM: whether a turn reads as fluently as its reference, to a language model.

Zhang et al. (2021), Deep AM-FM. A text's fluency f is its mean log-probability per token, to base
e; its first token is given and the end token is counted. The score is the ratio of the two texts'
probabilities per token, the smaller by the larger: exp(-|f_turn - f_reference|). Example: -2 and -3
give exp(-3) / exp(-2) = .368; the ratio of the logarithms, which the baseline of DSTC10 takes,
gives 2 / 3. Of several references the best counts.
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
from simpatico.metric import Card, Carried, Score, UsesModels, model_suffix
from simpatico.metrics._shared.pairs import NEEDS, Pairs, mean_log_probabilities, mean_statistic
from simpatico.models.runtime.language_models import LmTokenizer
from simpatico.models.runtime.torch_backend import load_hf_tokenizer
from simpatico.turns import Level, Turns

GPT2 = "hub:openai-community/gpt2"
CHOICES = {"mode": ("reference", "context"), "ratio": ("probability", "log")}


@dataclass(frozen=True)
class DeepFm(UsesModels):
    """Parameters: `model`, a causal language model; `mode`, "reference" (as fluent as it?) or
    "context" (how much likelier after what it answers?); `ratio` of probabilities or of their
    logarithms.
    """

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
        for field, choices in CHOICES.items():
            if (value := getattr(self, field)) not in choices:
                either = " or ".join(map(repr, choices))
                raise BadValue(f"deep_fm.{field} is {value!r}; it is {either}")

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
                f"deep_fm{model_suffix(self)}",
                of=mean_statistic("fluency"),
                range=(-inf, inf) if free else (0.0, 1.0),
                meaning="mean log-probability of the turn given the turn replied to"
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
            pairs = Pairs.with_answered(turns, features)
            values = pairs.best_per_turn(fluency_gain(model, pairs.other, pairs.text))
            return pairs.statistics("too_long", fluency=values)
        pairs = Pairs.with_references(turns, features)
        of_turns, of_references = (mean_fluency(model, side) for side in (pairs.text, pairs.other))
        ratios = fluency_ratio(of_turns, of_references, self.ratio)
        return pairs.statistics(fluency=pairs.best_per_turn(ratios))


def mean_fluency(model: Any, texts: Sequence[str]) -> Floats:
    """The mean log-probability of each text's tokens; NaN where only one token was read."""
    return mean_log_probabilities(model.of([""] * len(texts), texts))


def fluency_ratio(first: Floats, second: Floats, ratio: Literal["probability", "log"]) -> Floats:
    """The smaller of two fluencies by the larger; 1 where they are the same."""
    if ratio == "probability":
        return np.array([exp(-abs(a - b)) for a, b in zip(first, second, strict=True)], np.float64)
    high, low = np.maximum(first, second), np.minimum(first, second)
    return np.divide(high, low, out=np.ones_like(high), where=low != 0)


def fluency_gain(model: Any, contexts: Sequence[str], texts: Sequence[str]) -> Floats:
    """(log p(context text) - log p(context)) / (tokens the text adds), as DSTC10's baseline.

    NaN where the two are longer than the model reads.
    """
    joint_texts = [f"{a} {b}" for a, b in zip(contexts, texts, strict=True)]
    joint = model.of([""] * len(texts), joint_texts)
    context = model.of([""] * len(texts), contexts)
    longest = max(map(len, joint), default=0)
    tokenizer = LmTokenizer(load_hf_tokenizer(model.model))
    gains = np.full(len(texts), np.nan)
    for row, (text, both, before) in enumerate(zip(joint_texts, joint, context, strict=True)):
        # texts that were cut all have the same length, and none is longer; of a text that was read
        # to its end every token but the first has a number, and so has the end token
        complete = len(both) < longest or len(tokenizer.encode(text)) <= len(both)
        if complete and len(both) > len(before):
            gains[row] = (both.sum() - before.sum()) / (len(both) - len(before))
    return gains
