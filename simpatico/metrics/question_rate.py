"""Question rate: the share of turns that ask something.

Turns that ask / turns. A turn asks if it has a question mark, in whatever script, that
is no part of a web address.
Example: "Tea? Or coffee?" and "See http://a.org/?b=c" are two turns, one of which asks: 0.5.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from simpatico.features import Feature, Features
from simpatico.metric import Card, Score
from simpatico.metrics._shared.scores import make_score
from simpatico.turns import Level, Turns

ADDRESS = r"(?:[Hh][Tt][Tt][Pp][Ss]?://|[Ww]{3}\.)[!-~]*[A-Za-z0-9/&=#%_~+-]"
"""A web address; a question mark at its very end belongs to the sentence."""

MARK = "[?\uff1f\u061f\u037e]"
"""Question marks: Latin, full-width, Arabic, Greek."""


@dataclass(frozen=True)
class QuestionRate:
    """Statistics: turns that ask, and turns."""

    name: ClassVar[str] = "question_rate"
    level: ClassVar[Level] = "turn"
    card: ClassVar[Card] = Card(
        about="Share of turns that ask something.",
        undefined="Never null: a turn without a question mark does not ask.",
        citation="a count of turns with a question mark",
        kind="traditional",
        language=None,
        careful="It sees question marks only: a question without one is missed.",
    )
    needs: ClassVar[tuple[Feature, ...]] = ()
    scores: ClassVar[tuple[Score, ...]] = (
        make_score(
            "question_rate",
            pl.col("asking") / pl.col("turns"),
            "share of turns with a question mark",
            "asks a question in (more|fewer) of its turns",
        ),
    )

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        text = turns.frame["text"].str.replace_all(ADDRESS, " ")
        return pl.DataFrame({"asking": text.str.contains(MARK)}).with_columns(turns=1)

    def evidence(self, turns: Turns, features: Features) -> pl.DataFrame:
        """Each question mark, with its part of the 1 that a turn gets for asking."""
        either = re.compile(f"{ADDRESS}|({MARK})")
        rows = list[tuple[int, int, int, float]]()
        for row, text in enumerate(turns.frame["text"]):
            marks = [match.start() for match in either.finditer(text) if match[1]]
            rows += [(row, mark, mark + 1, 1 / len(marks)) for mark in marks]
        return pl.DataFrame(rows, ["row", "start", "end", "weight"], orient="row")
