"""Answers of model judges as they were given: every repeat, both orders of a pair, every failure.

`Judgements` has one value a judge and unit; what a judge says twice about one unit, and how often
it says nothing, is only here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from simpatico.errors import DataError
from simpatico.judgements import (
    JUDGEMENT_KEY,
    PREFERENCE_SCHEMA,
    SCHEMA,
    Judgements,
    Preference,
    Preferences,
)

REPEATED = ("repeat", "order")
"""What tells answers of one judge to one unit apart: the number of the call, who came first."""
MORE = {
    "repeat": pl.Int32(),
    "order": pl.String(),
    "expected": pl.Float64(),
    "null_reason": pl.String(),
}
ANSWER_SCHEMA: dict[str, pl.DataType] = {**SCHEMA, **MORE}
PAIR_ANSWER_SCHEMA: dict[str, pl.DataType] = {**PREFERENCE_SCHEMA, **MORE}
ORDERS = ("ab", "ba")
VALUE_OF = {"a": 1.0, "tie": 0.0, "b": -1.0}
"""A choice as a rating of a pair: how far the first one is preferred."""
VERSUS = " ~ "
"""Between the names of the two sides of a pair."""


@dataclass(frozen=True)
class JudgeAnswers:
    """A row per answer: the fields of a judgement, `repeat`, `order`, `expected`, `null_reason`.

    `expected`: the mean of the scale's values weighted by their probabilities, where the model gave
    these; `null_reason`: why `value` is null. Of pairs (`of_pairs`) the dialog names both sides in
    alphabetical order, and the value is 1, 0 (a tie) or −1: how far the first is preferred.
    """

    frame: pl.DataFrame
    notes: tuple[str, ...] = ()
    of_pairs: bool = False

    @classmethod
    def of(cls, frame: pl.DataFrame, *, of_pairs: bool = False) -> JudgeAnswers:
        """The table of these answers; refuses answers that nothing tells apart."""
        frame = frame.select(list(ANSWER_SCHEMA)).with_columns(pl.col("repeat").fill_null(1))
        if n := int(frame.select([*JUDGEMENT_KEY, *REPEATED]).is_duplicated().sum()):
            raise DataError(
                f"{n:,} of {frame.height:,} answers repeat the unit, quality, judge, repeat and "
                "order of another one; number the repeats of a judge in the field 'repeat'"
            )
        return cls(frame, of_pairs=of_pairs)

    def __len__(self) -> int:
        return self.frame.height

    def with_expected(self) -> JudgeAnswers:
        """With the probability-weighted values of judges that have one beside every answer."""
        lacks = pl.col("value").is_not_null() & pl.col("expected").is_null()
        value = pl.when(lacks.any().over("judge")).then("value").otherwise("expected")
        return JudgeAnswers(self.frame.with_columns(value=value), self.notes, self.of_pairs)

    def judgements(self) -> Judgements:
        """One value a judge and unit: the mean of its answers; of pairs what survives the swap."""
        n = self.frame.height
        frame = merge_repeats(self.frame, of_pairs=self.of_pairs)
        notes = self.notes
        if frame.height < n:
            notes = (*notes, f"{n:,} answers of judges averaged to {frame.height:,}, one a unit")
        return Judgements(Judgements.of(frame.iter_rows()).frame, notes)  # type: ignore[arg-type]


def merge_repeats(frame: pl.DataFrame, *, of_pairs: bool) -> pl.DataFrame:
    """One row a judge and unit: the mean of its answers, of a pair what survives the swap."""
    scale = [pl.col(name).drop_nulls().first() for name in ("scale_min", "scale_max")]
    if of_pairs:
        merged = surviving_choices(frame, JUDGEMENT_KEY).join(
            frame.group_by(JUDGEMENT_KEY).agg(*scale),
            on=JUDGEMENT_KEY,
            nulls_equal=True,
            maintain_order="left",
        )
    else:
        merged = frame.group_by(JUDGEMENT_KEY, maintain_order=True).agg(
            pl.col("value").mean(), *scale
        )
    return merged.select(list(SCHEMA))


def surviving_choices(frame: pl.DataFrame, key: Sequence[str]) -> pl.DataFrame:
    """By `key`, the winner that most repeats of either order name (1, −1); 0 where orders differ.

    Null where an order was asked and never answered: whether a win survives it nobody knows.
    """
    value = pl.col("value")
    winners = frame.group_by([*key, "order"], maintain_order=True).agg(value.mean().sign())
    winner = pl.when(value.min() == value.max()).then(value.min()).otherwise(0.0)
    survives = pl.when(value.null_count() == 0).then(winner)
    return winners.group_by(key, maintain_order=True).agg(survives.alias("value"))


def pair_answers(frame: pl.DataFrame) -> JudgeAnswers:
    """Choices between two units, with columns of `PAIR_ANSWER_SCHEMA`, as ratings of pairs."""
    sides = [side_name(frame, side) for side in "ab"]
    first = pl.col("name_a") <= pl.col("name_b")
    value = pl.col("preferred").replace_strict(VALUE_OF, default=None, return_dtype=pl.Float64)
    named = frame.with_columns(name_a=sides[0], name_b=sides[1])
    null, text = pl.lit(None, pl.Float64), pl.lit(None, pl.String)
    order = pl.col("order").replace_strict({"ab": "ba", "ba": "ab"}, default=None)
    rows = named.with_columns(
        dialog=pl.concat_str(
            pl.min_horizontal("name_a", "name_b"),
            pl.max_horizontal("name_a", "name_b"),
            separator=VERSUS,
        ),
        turn=pl.lit(None, pl.Int32),
        speaker=text,
        value=pl.when(first).then(value).otherwise(-value),
        order=pl.when(first).then("order").otherwise(order),
        scale_min=null,
        scale_max=null,
        expected=null,
    )
    return JudgeAnswers.of(rows, of_pairs=True)


def side_name(frame: pl.DataFrame, side: str) -> pl.Series:
    """What one side of each pair is called: its dialog, turn and speaker, or its system."""
    parts = ("dialog", "turn", "speaker", "system")
    columns = [pl.col(f"{part}_{side}").cast(pl.String) for part in parts]
    prompt = pl.when(pl.col(f"dialog_{side}").is_null()).then("prompt")
    return frame.select(
        pl.concat_str(prompt, *columns, separator=":", ignore_nulls=True)
    ).to_series()


def pairs_as_answers(preferences: Preferences) -> JudgeAnswers:
    """People's choices as ratings of pairs."""
    extra = [pl.lit(None, kind).alias(name) for name, kind in MORE.items()]
    return pair_answers(preferences.frame.with_columns(extra))


def merge_orders(frame: pl.DataFrame) -> Preferences:
    """One choice a judge and pair, of columns of `PAIR_ANSWER_SCHEMA`: a win that survives a swap.

    A choice is of the units, whichever was shown first.
    """
    key = [name for name in Preference._fields if name != "preferred"]
    value = pl.col("preferred").replace_strict(VALUE_OF, default=None, return_dtype=pl.Float64)
    merged = surviving_choices(frame.with_columns(value=value), key)
    names = {number: name for name, number in VALUE_OF.items()}
    preferred = pl.col("value").replace_strict(names, default=None, return_dtype=pl.String)
    rows = merged.with_columns(preferred=preferred).select(Preference._fields).iter_rows()
    return Preferences.of(Preference(*row) for row in rows)


def stack_answers(parts: Sequence[JudgeAnswers]) -> JudgeAnswers:
    """The answers of several files together."""
    if len({part.of_pairs for part in parts}) > 1:
        raise DataError(
            "answers about pairs and about single units; audit them one after the other"
        )
    stacked = JudgeAnswers.of(pl.concat([p.frame for p in parts]), of_pairs=parts[0].of_pairs)
    notes = tuple(dict.fromkeys(note for part in parts for note in part.notes))
    return JudgeAnswers(stacked.frame, notes, stacked.of_pairs)
