"""FED: whether what people say to a good turn would follow more easily than what they say to a bad.

Mehri & Eskenazi (2020, SIGDIAL). A language model reads the conversation and then, one by one, what
somebody pleased or displeased might say next. The score of a quality is the mean loss (negative
log-likelihood per token) of its displeased follow-ups less that of its pleased ones.
Example: losses of 3 and 4 against 2 and 3 give 3.5 - 2.5 = 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import inf
from typing import Literal

import msgspec
import numpy as np
import polars as pl

from simpatico.arrays import Bools, Floats, Ints
from simpatico.features import Feature, Features
from simpatico.features.likelihood import FollowUps, Likelihood, Likelihoods
from simpatico.features.script import OtherScript
from simpatico.features.words import Words
from simpatico.metric import Card, Carried, Score, reasons
from simpatico.metrics._shared.model_metric import ModelMetric
from simpatico.metrics._shared.pairs import NEEDS
from simpatico.models.runtime.language_models import MAX_TOKENS
from simpatico.turns import KEYS, Turns

Over = Literal["whole", "followup"]
"""What a loss is the mean over: the tokens of context and follow-up, or of the follow-up alone."""

ALL = "all"
"""The column of the mean of all qualities."""
DIALOG_PREFIX = "dialog_"
"""What the statistics of a whole dialog's qualities begin with."""


@dataclass(frozen=True)
class QualityFollowUps:
    """What might be said next, and how much the loss of each weighs in each quality."""

    texts: tuple[str, ...]
    weights: dict[str, Floats]

    def values(self, losses: FollowUps, over: Over) -> list[float]:
        """The score of each quality."""
        sums, tokens = losses.sums, losses.tokens
        if over == "whole":
            sums, tokens = sums + losses.context, tokens + losses.context_tokens
        return [float((weights * -sums / tokens).sum()) for weights in self.weights.values()]


@cache
def follow_ups(level: Literal["turn", "dialog"]) -> QualityFollowUps:
    """The paper's follow-ups for the qualities of a turn, or of a whole dialog."""
    file = files("simpatico") / "data" / "lexica" / "fed_followups.json"
    kind = dict[str, dict[str, dict[str, list[str]]]]
    qualities = msgspec.json.decode(file.read_bytes(), type=kind)[level]
    texts = tuple(dict.fromkeys(t for q in qualities.values() for side in q.values() for t in side))
    weights = {name: np.zeros(len(texts)) for name in qualities}
    for name, sides in qualities.items():
        # a mean of losses each: displeased less pleased; some qualities have no pleased follow-up
        for side, sign in (("negative", 1.0), ("positive", -1.0)):
            for text in sides[side]:
                weights[name][texts.index(text)] = sign / len(sides[side])
    return QualityFollowUps(texts, weights)


@dataclass(frozen=True)
class Fed(ModelMetric):
    """Parameters: `model`, a causal language model; `over`, whether the loss is that of the "whole"
    text with the follow-up, as in the authors' program, or of the "followup" alone.
    """

    model: str = "hub:microsoft/DialoGPT-large"
    over: Over = "whole"

    name = Carried("fed")
    published = ("hub:microsoft/DialoGPT-large",)
    card = Card(
        about=(
            "How much harder a language model finds displeased follow-ups than pleased ones, for "
            "eight qualities of a turn and ten of a whole dialog."
        ),
        undefined=(
            "Null when the turn has no words or is in another script; the qualities of a whole "
            "dialog are read once, after the speaker's last turn."
        ),
        citation=(
            "Mehri and Eskenazi 2020, Unsupervised Evaluation of Interactive Dialog with DialoGPT; "
            "github.com/Shikib/fed; checkpoint microsoft/DialoGPT-large. The repository gives no "
            "overall score: fed is the mean of the eight qualities of a turn, fed_dialog that of "
            "the ten of a dialog"
        ),
        kind="traditional",
        careful=(
            "Some qualities have displeased follow-ups only, so that their scores rise with any "
            "text that the model finds unlikely."
        ),
    )

    @property
    def needs(self) -> tuple[Feature, ...]:
        return (Likelihood(self.model), *NEEDS)

    @property
    def scores(self) -> tuple[Score, ...]:
        scores = list[Score]()
        for level, ending, prefix, count in (
            ("turn", "", "", "n"),
            ("dialog", "_dialog", DIALOG_PREFIX, "dialogs"),
        ):
            overall = (ending, ALL, f"all qualities of a {level}")
            each = ((f"_{q}", q, q.replace("_", " ")) for q in follow_ups(level).weights)
            scores += (
                self.score(
                    part,
                    pl.col(prefix + column) / pl.col(count),
                    f"loss of displeased less pleased follow-ups, {quality}",
                    f"gets a (higher|lower) FED score ({quality})",
                    range=(-inf, inf),
                    title=f"FED{part.replace('_', ' ')}",
                )
                for part, column, quality in (overall, *each)
            )
        return tuple(scores)

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        wordless, foreign = features[Words()].counts == 0, features[OtherScript()]
        able = turns.scored & ~wordless & ~foreign
        rows, last = np.flatnonzero(able), last_rows_of_speakers(turns, able)
        why = reasons(len(turns), no_words=wordless, other_script=foreign)
        parts = (
            self._values(turns, features, rows, "turn").with_columns(n=able),
            self._values(turns, features, last, "dialog").rename(DIALOG_PREFIX.__add__),
        )
        closing = pl.Series("dialogs", np.isin(np.arange(len(turns)), last))
        return pl.concat(parts, how="horizontal").with_columns(closing, why)

    def _values(
        self, turns: Turns, features: Features, rows: Ints, level: Literal["turn", "dialog"]
    ) -> pl.DataFrame:
        """A column for the mean of all qualities and for each; 0 in rows not asked for."""
        qualities = follow_ups(level)
        likelihoods: Likelihoods = features[Likelihood(self.model)]
        losses = likelihoods.follow_ups(dialog_contexts(turns, rows), qualities.texts)
        values = np.zeros((len(turns), 1 + len(qualities.weights)))
        for row, loss in zip(rows, losses, strict=True):
            each = qualities.values(loss, self.over)
            values[row] = [sum(each) / len(each), *each]
        return pl.DataFrame(values, [ALL, *qualities.weights], orient="row")


def dialog_contexts(turns: Turns, rows: Ints) -> list[tuple[str, ...]]:
    """For each row all turns of its dialog up to it that have any text.

    A turn takes two tokens at least, so that more turns would be cut off anyway.
    """
    texts, number = turns.frame["text"].to_list(), turns.frame["turn"].to_list()
    first = [max(row - number[row], row - MAX_TOKENS // 2) for row in rows]
    return [
        tuple(text for text in texts[start : row + 1] if text.strip())
        for start, row in zip(first, rows, strict=True)
    ]


def last_rows_of_speakers(turns: Turns, able: Bools) -> Ints:
    """The last row that can be scored of each speaker in each dialog."""
    rows = turns.frame.select(*KEYS["dialog"], row=pl.row_index())
    rows = rows.filter(pl.Series(able, dtype=pl.Boolean))
    last = rows.group_by(KEYS["dialog"]).agg(pl.col("row").max())["row"].sort()
    return last.cast(pl.Int64).to_numpy()
