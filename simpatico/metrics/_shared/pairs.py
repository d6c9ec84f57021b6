"""What metrics of two texts have in common: which texts stand beside a turn, and why none do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from simpatico.arrays import Bools, Floats, Ints
from simpatico.features import Feature, Features
from simpatico.features.embeddings import TextEncoder, row_cosines
from simpatico.features.script import OtherScript
from simpatico.features.words import Words, cut_words
from simpatico.metric import reasons
from simpatico.models.names import reads_any_script
from simpatico.turns import Turns

NEEDS: tuple[Feature, ...] = (Words(), OtherScript())
NO_REFERENCE = (
    "Null when the turn has no reference with words, no words itself, or is in another script."
)
NO_ANSWERED_TURN = (
    "Null when the turn answers nothing, or when it or what it answers has no words or is in "
    "another script."
)
"""`Card.undefined` of metrics that pair turns with references, or with what they answer."""


@dataclass(frozen=True)
class Pairs:
    """Texts of turns, each beside another text.

    `turn_rows`: the turn of each pair, the same one repeatedly where it has several references;
    `reason`: for each of the `n_turns` turns, why it has no pair.
    """

    n_turns: int
    turn_rows: Ints
    text: Sequence[str]
    other: Sequence[str]
    reason: pl.Series

    @classmethod
    def of_single_turns(cls, turns: Turns, features: Features) -> Pairs:
        """Scored turns that have words, each beside itself."""
        wordless, foreign = features[Words()].counts == 0, features[OtherScript()]
        rows = np.flatnonzero(turns.scored & ~wordless & ~foreign)
        texts = turns.frame["text"].gather(rows).to_list()
        reason = reasons(len(turns), no_words=wordless, other_script=foreign)
        return cls(len(turns), rows, texts, texts, reason)

    @classmethod
    def with_references(
        cls, turns: Turns, features: Features, *, model: str | None = None
    ) -> Pairs:
        """Scored turns beside every reference that has words."""
        wordless, foreign = features[Words()].counts == 0, unreadable_turns(features, model)
        able = turns.scored & ~wordless & ~foreign
        frame = turns.frame.select(row=pl.row_index(), text="text", other="references")
        pairs = frame.filter(pl.Series(able, dtype=pl.Boolean)).explode("other").drop_nulls("other")
        pairs = pairs.filter(pl.Series(cut_words(pairs["other"]).counts > 0, dtype=pl.Boolean))
        rows = pairs["row"].to_numpy().astype(np.int64)
        no_reference = ~np.isin(np.arange(len(turns)), rows)
        reason = reasons(
            len(turns), no_reference=no_reference, no_words=wordless, other_script=foreign
        )
        return cls(len(turns), rows, pairs["text"].to_list(), pairs["other"].to_list(), reason)

    @classmethod
    def with_answered(
        cls,
        turns: Turns,
        features: Features,
        context_of: Callable[[int], str] | None = None,
        *,
        model: str | None = None,
    ) -> Pairs:
        """Scored turns beside what they answer: that turn's text, or `context_of` its row."""
        answered, foreign = turns.answered, unreadable_turns(features, model)
        wordless, opens = features[Words()].counts == 0, turns.answered < 0
        # an opening has -1 for what it answers, which would look up the last turn
        wordless = wordless | (wordless[answered] & ~opens)
        foreign = foreign | (foreign[answered] & ~opens)
        rows = np.flatnonzero(turns.scored & ~opens & ~wordless & ~foreign)
        texts = turns.frame["text"].to_list()
        context_of = context_of or texts.__getitem__
        contexts = [context_of(int(row)) for row in answered[rows]]
        reason = reasons(len(turns), answers_nothing=opens, no_words=wordless, other_script=foreign)
        return cls(len(turns), rows, [texts[row] for row in rows], contexts, reason)

    def without(self, turns: Bools, reason: str) -> Pairs:
        """The pairs of all other turns; those that had one have this reason for having none."""
        had_pair = np.isin(np.arange(self.n_turns), self.turn_rows) & turns
        kept = np.flatnonzero(~turns[self.turn_rows]).tolist()
        why = pl.when(pl.Series(had_pair, dtype=pl.Boolean)).then(pl.lit(reason))
        return Pairs(
            self.n_turns,
            self.turn_rows[kept],
            [self.text[at] for at in kept],
            [self.other[at] for at in kept],
            self.reason.to_frame("reason").select(reason=why.otherwise("reason"))["reason"],
        )

    def __len__(self) -> int:
        return len(self.turn_rows)

    def best_per_turn(self, values: npt.NDArray[np.floating]) -> Floats:
        """For each turn the largest of its pairs' values; NaN for a turn that has none."""
        best = np.full(self.n_turns, np.nan)
        # unlike maximum, fmax passes over NaN: a pair without a value does not hide the others
        np.fmax.at(best, self.turn_rows, values.astype(np.float64))
        return best

    def statistics(self, unknown: str = "undefined", /, **values: Floats) -> pl.DataFrame:
        """Each value where there is one, how many turns have it, and why the others have none.

        `unknown` is the reason of a turn that has a pair and yet no value.
        """
        has_values = np.all([~np.isnan(column) for column in values.values()], axis=0)
        columns = {name: np.where(has_values, column, 0.0) for name, column in values.items()}
        has_pair = np.isin(np.arange(self.n_turns), self.turn_rows)
        no_value = pl.Series(~has_values & has_pair, dtype=pl.Boolean)
        reason = self.reason.to_frame("reason").select(
            reason=pl.when(no_value).then(pl.lit(unknown)).otherwise("reason")
        )
        return pl.DataFrame({**columns, "n": has_values}).with_columns(reason)


def unreadable_turns(features: Features, model: str | None) -> Bools:
    """Turns in a script that a model does not read; without a model, in other than Latin."""
    foreign: Bools = features[OtherScript()]
    return np.zeros_like(foreign) if model is not None and reads_any_script(model) else foreign


def text_cosines(encoder: TextEncoder, texts: Sequence[str], others: Sequence[str]) -> Floats:
    """The cosine of each text with the one beside it; NaN where one has no vector."""
    if not texts:
        return np.zeros(0)
    vectors = encoder.of([*texts, *others])
    return row_cosines(vectors[: len(texts)], vectors[len(texts) :])


def mean_log_probabilities(logs: Sequence[Floats]) -> Floats:
    """The mean of each text's log-probabilities per token; NaN for a text that has none."""
    return np.array([log.mean() if len(log) else np.nan for log in logs], np.float64)
