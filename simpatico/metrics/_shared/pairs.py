"""What metrics of two texts have in common: which texts stand beside a turn, and why none do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from simpatico.arrays import Floats, Ints
from simpatico.features import Feature, Features
from simpatico.features.embeddings import Vectorised, cosines
from simpatico.features.script import OtherScript
from simpatico.features.words import Words, words
from simpatico.metric import reasons
from simpatico.models.names import any_script
from simpatico.turns import Turns

NEEDS: tuple[Feature, ...] = (Words(), OtherScript())


@dataclass(frozen=True)
class Pairs:
    """Texts of turns, each beside another text; `row` says whose, and may say so repeatedly."""

    rows: int
    row: Ints
    text: Sequence[str]
    other: Sequence[str]
    why: pl.Series

    def __len__(self) -> int:
        return len(self.row)

    def best(self, values: npt.NDArray[np.floating]) -> Floats:
        """For each turn the largest of its pairs' values; NaN for a turn that has none."""
        found = np.full(self.rows, np.nan)
        np.fmax.at(found, self.row, values.astype(np.float64))
        return found

    def statistics(self, unknown: str = "undefined", /, **values: Floats) -> pl.DataFrame:
        """Each value where there is one, how many turns have it, and why the others have none."""
        known = np.all([~np.isnan(found) for found in values.values()], axis=0)
        columns = {name: np.where(known, found, 0.0) for name, found in values.items()}
        lost = pl.Series(~known & np.isin(np.arange(self.rows), self.row), dtype=pl.Boolean)
        why = self.why.to_frame("reason").select(
            reason=pl.when(lost).then(pl.lit(unknown)).otherwise("reason")
        )
        return pl.DataFrame({**columns, "n": known}).with_columns(why)


def unreadable(features: Features, model: str | None) -> npt.NDArray[np.bool_]:
    """Turns in a script that a model does not read; without a model, in other than Latin."""
    foreign: npt.NDArray[np.bool_] = features[OtherScript()]
    return np.zeros_like(foreign) if model is not None and any_script(model) else foreign


def with_references(turns: Turns, features: Features, *, model: str | None = None) -> Pairs:
    """Scored turns beside every reference that has words."""
    wordless, foreign = features[Words()].counts == 0, unreadable(features, model)
    able = turns.scored & ~wordless & ~foreign
    told = turns.frame.select(row=pl.row_index(), text="text", other="references")
    each = told.filter(pl.Series(able, dtype=pl.Boolean)).explode("other").drop_nulls("other")
    each = each.filter(pl.Series(words(each["other"]).counts > 0, dtype=pl.Boolean))
    row = each["row"].to_numpy().astype(np.int64)
    none = ~np.isin(np.arange(len(turns)), row)
    why = reasons(len(turns), no_reference=none, no_words=wordless, other_script=foreign)
    return Pairs(len(turns), row, each["text"].to_list(), each["other"].to_list(), why)


def with_answered(
    turns: Turns,
    features: Features,
    heard: Callable[[int], str] | None = None,
    *,
    model: str | None = None,
) -> Pairs:
    """Scored turns beside what they answer: that turn's text, or what `heard` makes of its row."""
    answered, foreign = turns.answered, unreadable(features, model)
    wordless = features[Words()].counts == 0
    opens = answered < 0
    wordless = wordless | (wordless[answered] & ~opens)
    foreign = foreign | (foreign[answered] & ~opens)
    row = np.flatnonzero(turns.scored & ~opens & ~wordless & ~foreign)
    texts = turns.frame["text"].to_list()
    say = heard or texts.__getitem__
    why = reasons(len(turns), answers_nothing=opens, no_words=wordless, other_script=foreign)
    other = [say(int(place)) for place in answered[row]]
    return Pairs(len(turns), row, [texts[place] for place in row], other, why)


def likeness(vectors: Vectorised, pairs: Pairs) -> Floats:
    """The cosine of each turn's vector and that of the text beside it; NaN where one has none."""
    if not len(pairs):
        return np.zeros(0)
    both = vectors.of([*pairs.text, *pairs.other])
    return cosines(both[: len(pairs)], both[len(pairs) :])


def mean(name: str) -> pl.Expr:
    """The mean over the turns that have a value."""
    return pl.col(name) / pl.col("n")
