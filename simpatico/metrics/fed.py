"""FED: whether what people say to a good turn would follow more easily than what they say to a bad.

A language model reads the conversation and then, one by one, what somebody pleased or displeased
might say next. The score of a quality is the mean loss of its displeased follow-ups less that of
its pleased ones. Example: losses of 3 and 4 against 2 and 3 give 3.5 - 2.5 = 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import inf
from typing import ClassVar, Literal

import msgspec
import numpy as np
import numpy.typing as npt
import polars as pl

from simpatico.arrays import Floats
from simpatico.errors import BadValue
from simpatico.features import Feature, Features
from simpatico.features.likelihood import Followed, Likelihood
from simpatico.features.script import OtherScript
from simpatico.features.words import Words
from simpatico.metric import Card, Carried, OnModels, Score, mark, reasons
from simpatico.models.runtime.language_models import LONGEST
from simpatico.turns import KEYS, Level, Turns

Over = Literal["whole", "followup"]

ALL = "all"
WHOLE = "dialog_"
"""What the statistics of a whole dialog's qualities begin with."""


@dataclass(frozen=True)
class FollowUps:
    """What might be said next, and how much the loss of each weighs in each quality."""

    texts: tuple[str, ...]
    weights: dict[str, Floats]

    def values(self, followed: Followed, over: Over) -> list[float]:
        """The score of each quality."""
        sums, pieces = followed.sums, followed.pieces
        if over == "whole":
            sums, pieces = sums + followed.context, pieces + followed.context_pieces
        return [float((weights * -sums / pieces).sum()) for weights in self.weights.values()]


@cache
def follow_ups(level: Literal["turn", "dialog"]) -> FollowUps:
    """The paper's follow-ups for the qualities of a turn, or of a whole dialog."""
    file = files("simpatico") / "data" / "lexica" / "fed_followups.json"
    kind = dict[str, dict[str, dict[str, list[str]]]]
    qualities = msgspec.json.decode(file.read_bytes(), type=kind)[level]
    texts = tuple(dict.fromkeys(t for q in qualities.values() for side in q.values() for t in side))
    weights = {name: np.zeros(len(texts)) for name in qualities}
    for name, sides in qualities.items():
        for side, sign in (("negative", 1.0), ("positive", -1.0)):
            for text in sides[side]:
                weights[name][texts.index(text)] = sign / len(sides[side])
    return FollowUps(texts, weights)


@dataclass(frozen=True)
class Fed(OnModels):
    model: str = "hub:microsoft/DialoGPT-large"
    over: Over = "whole"

    name: ClassVar = Carried("fed")
    published: ClassVar[tuple[str, ...]] = ("hub:microsoft/DialoGPT-large",)
    level: ClassVar[Level] = "turn"
    card: ClassVar[Card] = Card(
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

    def __post_init__(self) -> None:
        if self.over not in ("whole", "followup"):
            raise BadValue(f"fed.over is {self.over!r}; it is 'whole' or 'followup'")

    @property
    def needs(self) -> tuple[Feature, ...]:
        return (Likelihood(self.model), Words(), OtherScript())

    @property
    def scores(self) -> tuple[Score, ...]:
        turn, dialog = list(follow_ups("turn").weights), list(follow_ups("dialog").weights)
        return (
            self._score("fed", ALL, "n", "all qualities of a turn"),
            *(self._score(f"fed_{q}", q, "n", spoken(q)) for q in turn),
            self._score("fed_dialog", WHOLE + ALL, "dialogs", "all qualities of a dialog"),
            *(self._score(f"fed_{q}", WHOLE + q, "dialogs", spoken(q)) for q in dialog),
        )

    def _score(self, name: str, column: str, count: str, quality: str) -> Score:
        title = name.removeprefix("fed_").replace("_", " ") if name != "fed" else ""
        return Score(
            f"{name}{mark(self)}",
            of=pl.col(column) / pl.col(count),
            range=(-inf, inf),
            meaning=f"loss of displeased less pleased follow-ups, {quality}",
            better="higher",
            title=f"FED {title}".strip(),
            more=f"gets a higher FED score ({quality}) than",
            less=f"gets a lower FED score ({quality}) than",
        )

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        wordless, foreign = features[Words()].counts == 0, features[OtherScript()]
        able = turns.scored & ~wordless & ~foreign
        rows, last = np.flatnonzero(able), last_rows(turns, able)
        why = reasons(len(turns), no_words=wordless, other_script=foreign)
        parts = (
            self._values(turns, features, rows, "turn").with_columns(n=able),
            self._values(turns, features, last, "dialog").rename(WHOLE.__add__),
        )
        closing = pl.Series("dialogs", np.isin(np.arange(len(turns)), last))
        return pl.concat(parts, how="horizontal").with_columns(closing, why)

    def _values(
        self,
        turns: Turns,
        features: Features,
        rows: npt.NDArray[np.int64],
        level: Literal["turn", "dialog"],
    ) -> pl.DataFrame:
        """A column for the mean of all qualities and for each; 0 in rows not asked for."""
        asked = follow_ups(level)
        found = features[Likelihood(self.model)].follow(heard(turns, rows), asked.texts)
        values = np.zeros((len(turns), 1 + len(asked.weights)))
        for row, followed in zip(rows, found, strict=True):
            qualities = asked.values(followed, self.over)
            values[row] = [sum(qualities) / len(qualities), *qualities]
        return pl.DataFrame(values, schema=[ALL, *asked.weights])


def spoken(quality: str) -> str:
    """The quality's name in a sentence."""
    return quality.replace("_", " ")


def heard(turns: Turns, rows: npt.NDArray[np.int64]) -> list[tuple[str, ...]]:
    """For each row all turns of its dialog up to it that have any text.

    A turn takes two word pieces at least, so that more of them would be cut off anyway.
    """
    texts, number = turns.frame["text"].to_list(), turns.frame["turn"].to_list()
    first = [max(row - number[row], row - LONGEST // 2) for row in rows]
    return [
        tuple(text for text in texts[start : row + 1] if text.strip())
        for start, row in zip(first, rows, strict=True)
    ]


def last_rows(turns: Turns, able: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """The last row that can be scored of each speaker in each dialog."""
    rows = turns.frame.select(*KEYS["dialog"], row=pl.row_index())
    kept = rows.filter(pl.Series(able, dtype=pl.Boolean))
    last = kept.group_by(KEYS["dialog"]).agg(pl.col("row").max())["row"].sort()
    return last.cast(pl.Int64).to_numpy()
