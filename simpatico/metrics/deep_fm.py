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
from typing import Any, Literal

import numpy as np

from simpatico.arrays import Floats
from simpatico.features import Features
from simpatico.features.likelihood import Likelihood
from simpatico.metric import Card, Carried
from simpatico.metrics._shared.pair_metric import PairMetric
from simpatico.metrics._shared.pairs import Pairs, mean_log_probabilities
from simpatico.models.runtime.language_models import LmTokenizer
from simpatico.models.runtime.torch_backend import load_hf_tokenizer
from simpatico.turns import Turns

GPT2 = "hub:openai-community/gpt2"
Ratio = Literal["probability", "log"]


@dataclass(frozen=True)
class DeepFm(PairMetric):
    """Parameters: `model`, a causal language model; `mode`, "reference" (as fluent as it?) or
    "context" (how much likelier after what it answers?); `ratio` of probabilities or of their
    logarithms.
    """

    model: str = GPT2
    mode: Literal["reference", "context"] = "reference"
    ratio: Ratio = "probability"

    name = Carried("deep_fm")
    title = "Deep FM"
    statistic = "fluency"
    comparison = "is (more|less) fluent (Deep FM)"
    card = Card(
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

    @property
    def feature(self) -> Likelihood:
        return Likelihood(self.model, frame="end")

    @property
    def meaning(self) -> str:
        if self.mode == "context":
            return "mean log-probability of the turn given the turn replied to"
        return "ratio of the fluency of turn and best reference"

    @property
    def range(self) -> tuple[float, float]:
        return (-inf, inf) if self.mode == "context" else (0.0, 1.0)

    @property
    def unknown(self) -> str:
        # beside a reference a text that is too long is cut; after a context its gain would be wrong
        return "too_long" if self.mode == "context" else "undefined"

    def pairs(self, turns: Turns, features: Features) -> Pairs:
        pair = Pairs.with_references if self.mode == "reference" else Pairs.with_answered
        return pair(turns, features)

    def values(self, features: Features, others: Sequence[str], texts: Sequence[str]) -> Floats:
        model = features[self.feature]
        if self.mode == "context":
            return fluency_gain(model, others, texts)
        return fluency_ratio(model, texts, others, self.ratio)


def fluency_ratio(model: Any, texts: Sequence[str], others: Sequence[str], ratio: Ratio) -> Floats:
    """The smaller of two texts' fluencies by the larger; NaN where only one token was read."""
    first, second = (
        mean_log_probabilities(model.of([""] * len(side), side)) for side in (texts, others)
    )
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
