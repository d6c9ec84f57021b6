"""Answers of model judges as inputs: how each rater's scale differs from that of the judges.

Every question to every judge is a column, its value the answer, or its mean weighted by answer
probabilities. Shared weights say what people in general make of the answers, per-user weights what
one rater does (after LLM-Rubric, Hashemi et al., ACL 2024, which fits a small network instead).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from simpatico.arrays import Floats, Ints
from simpatico.errors import DataError
from simpatico.judge_answers import JudgeAnswers
from simpatico.judgements import SCHEMA, Judgement, Judgements
from simpatico.training.users.examples import UserExamples
from simpatico.training.users.interlocutor import data as rating_data
from simpatico.training.users.interlocutor.data import InterlocutorRatings
from simpatico.turns import Turns

CALIBRATED = "calibrated"
"""The judge that predictions are said to be of."""


@dataclass(frozen=True, eq=False)
class AnswerInputs:
    """What judges answered about units of one level, a column each question and judge."""

    table: pl.DataFrame
    """Dialog, turn, speaker, and the columns."""
    names: tuple[str, ...]
    means: Floats
    """What stands for an answer that is missing."""
    quality: str
    """The rated quality, of which `as_given` are the judges' own answers."""

    @classmethod
    def of(cls, answers: JudgeAnswers, ratings: InterlocutorRatings) -> AnswerInputs:
        """The answers about units of the ratings' level."""
        frame = answers.with_expected().judgements().frame.drop_nulls("value")
        frame = frame.filter(pl.col("turn").is_null() == (ratings.level == "dialog"))
        if frame.is_empty():
            raise DataError(f"no answers of judges about {ratings.level}s, which were rated")
        name = pl.concat_str("quality", pl.lit(" by "), "judge")
        table = frame.with_columns(name=name).pivot(
            "name", index=["dialog", "turn", "speaker"], values="value", sort_columns=True
        )
        names = tuple(table.columns[3:])
        means = np.array([table[column].mean() for column in names], np.float64)
        return cls(table, names, means, ratings.quality)

    def columns(self, turns: Turns, ratings: InterlocutorRatings) -> Floats:
        """A row for each rating, NaN where a judge gave no answer."""
        first = np.array([rows[0] for rows in ratings.rows], np.int64)
        units = turns.frame[first].select(
            "dialog",
            turn=pl.lit(None, pl.Int32) if ratings.level == "dialog" else pl.col("turn"),
        )
        # whose turns they are may be said of the rating alone, or of the answer alone
        speaker = pl.Series("speaker", ratings.speaker, pl.String)
        named = units.with_columns(speaker).join(
            self.table,
            on=["dialog", "turn", "speaker"],
            how="left",
            nulls_equal=True,
            maintain_order="left",
        )
        single = self.table.unique(["dialog", "turn"], keep="none").drop("speaker")
        bare = units.join(
            single, on=["dialog", "turn"], how="left", nulls_equal=True, maintain_order="left"
        )
        parts = [part.select(self.names).to_numpy().astype(np.float64) for part in (named, bare)]
        return np.where(np.isfinite(parts[0]), *parts)

    def extend(
        self, examples: UserExamples, turns: Turns, ratings: InterlocutorRatings
    ) -> UserExamples:
        """The examples with the answers as further covariates."""
        values = self.columns(turns, ratings)
        if not np.isfinite(values).any():
            raise DataError(
                "no judge answered about any rated unit; dialog ids and turn numbers must be the "
                "same in the files of ratings and of answers"
            )
        filled = np.where(np.isfinite(values), values, self.means)
        return examples._replace(covariates=np.hstack([examples.covariates, filled]))

    def as_given(self, turns: Turns, ratings: InterlocutorRatings) -> Floats | None:
        """The mean of the judges' own answers to the rated quality; null where none was asked."""
        own = [i for i, name in enumerate(self.names) if name.startswith(f"{self.quality} by ")]
        values = self.columns(turns, ratings)[:, own]
        if not np.isfinite(values).any():
            return None
        filled = np.where(np.isfinite(values), values, self.means[own])
        return np.asarray(filled.mean(axis=1))


def units_to_predict(
    turns: Turns, inputs: AnswerInputs, ratings: InterlocutorRatings, before_test: Ints
) -> tuple[InterlocutorRatings, pl.DataFrame]:
    """The judged units that no training has seen, as if they had been rated, and their keys."""
    key = ["dialog", "turn", "speaker"]
    rows = rating_data.rated_rows(turns, inputs.table)
    seen = {int(at) for index in before_test for at in ratings.rows[index]}
    unseen = [i for i, own in enumerate(rows) if len(own) and not seen & set(own.tolist())]
    table = inputs.table[unseen].select(key)
    rows = [rows[i] for i in unseen]
    nobody = table.with_columns(judge=pl.lit(None, pl.String))
    users = rating_data.rater_names(turns, nobody, rows)
    nothing = np.zeros(len(rows))
    units = replace(
        ratings, rows=rows, speaker=table["speaker"].to_list(), user=users, target=nothing
    )
    return units, table


def calibrated_answers(
    table: pl.DataFrame, predictions: Floats, ratings: InterlocutorRatings
) -> Judgements:
    """The predicted ratings as those of a judge, on the scale of people's."""
    frame = table.with_columns(
        quality=pl.lit(ratings.quality),
        judge=pl.lit(CALIBRATED),
        judge_kind=pl.lit("model"),
        value=pl.Series(predictions),
        scale_min=pl.lit(ratings.bounds[0]),
        scale_max=pl.lit(ratings.bounds[1]),
    )
    return Judgements.of(Judgement(*row) for row in frame.select(list(SCHEMA)).iter_rows())
