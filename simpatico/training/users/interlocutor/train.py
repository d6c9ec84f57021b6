"""Train a model of the score that the addressed user gives a turn or a dialog.

It learns from the ratings of interlocutors, from outsiders' means, or from all raters, each of whom
then is a user. It is evaluated against later ratings of interlocutors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec
import numpy as np

from simpatico.arrays import Floats, Ints
from simpatico.errors import BadValue, DataError
from simpatico.features.users.contexts import turn_contexts
from simpatico.features.users.folder import FILES, ModelEvaluation
from simpatico.features.users.inputs import InputSpec
from simpatico.judge_answers import JudgeAnswers
from simpatico.judgements import Judgements
from simpatico.models.names import public_model_name
from simpatico.stats.by_user import RatingResults, compare_ratings, evaluate_ratings
from simpatico.training.card import About
from simpatico.training.model_folder import check_writable
from simpatico.training.users import card, finetuned, fit, splits, update
from simpatico.training.users.examples import UserExamples, group_examples, user_means
from simpatico.training.users.folder import save_user_model
from simpatico.training.users.interlocutor import data as rating_data
from simpatico.training.users.interlocutor.answers import (
    AnswerInputs,
    calibrated_answers,
    units_to_predict,
)
from simpatico.training.users.interlocutor.data import Along, InterlocutorRatings, split_ratings
from simpatico.turns import Turns

GLOBAL_MEAN, USER_MEAN = "mean of all", "mean of the person"
AS_GIVEN = "judges, as given"
OUTSIDER_WEIGHT = 0.2
"""Of one outsider's rating beside the interlocutor's, where all are trained on: five outsiders,
as many as Hazumi has, count as much as the interlocutor."""
MIN_RATINGS = 2
"""Fewest ratings in a split: one alone has no variance."""


@dataclass(frozen=True)
class InterlocutorTraining(fit.UserTraining):
    """The settings of a training, named as the options of the command line and in the recipe."""

    learn: Literal["interlocutor", "outsiders", "all"] = "interlocutor"
    """Whose ratings are trained on."""
    quality: str | None = None
    along: Along | None = None
    """In which order ratings are split."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.learn not in ("interlocutor", "outsiders", "all"):
            raise BadValue(
                f"unknown raters {self.learn!r}; choose one of interlocutor, outsiders, all"
            )

    @property
    def facts(self) -> dict[str, object]:
        """The settings as the recipe keeps them; in this order since the first version."""
        order = ("mode", "encoder", "learn", "quality", "along", "seed", "fine_tune")
        settings = {name: getattr(self, name) for name in order}
        return {**settings, "encoder": public_model_name(self.encoder)}


class InterlocutorReport(NamedTuple):
    """Results on the test split; those of our model come first."""

    results: list[RatingResults]
    gains: list[RatingResults]
    """By how much our model is better than each of the others."""
    test: ModelEvaluation
    excluded: dict[str, int]
    calibrated: Judgements | None = None
    """Predictions for judged units outside of training, where judges are inputs."""


@dataclass(frozen=True, eq=False)
class RatingData:
    """Ratings with the turns they are of, the judgements they come from, and their split."""

    turns: Turns
    judgements: Judgements
    ratings: InterlocutorRatings
    split: splits.TimeSplit
    answers: AnswerInputs | None = None

    @classmethod
    def load(
        cls,
        turns: Turns,
        judgements: Judgements,
        training: InterlocutorTraining,
        answers: JudgeAnswers | None = None,
    ) -> RatingData:
        """What the settings of a training ask for."""
        training.check_profiles(turns)
        source: rating_data.Source = (
            "outsiders" if training.learn == "outsiders" else "interlocutor"
        )
        ratings = rating_data.interlocutor_ratings(
            turns, judgements, quality=training.quality, source=source
        )
        split = split_ratings(ratings, training.along)
        if min(sizes := [len(indices) for indices in split[:3]]) < MIN_RATINGS:
            raise DataError(
                f"{sizes[0]:,} training, {sizes[1]:,} validation and {sizes[2]:,} test ratings; "
                f"{MIN_RATINGS} or more of each are needed"
            )
        inputs = None if answers is None else AnswerInputs.of(answers, ratings)
        return cls(turns, judgements, ratings.with_bounds_of(split.before_test), split, inputs)

    def users(self, indices: Ints) -> list[str]:
        return [self.ratings.user[at] for at in indices]


def train_interlocutor(
    turns: Turns,
    judgements: Judgements,
    out: Path,
    *,
    training: InterlocutorTraining,
    about: About,
    answers: JudgeAnswers | None = None,
) -> InterlocutorReport:
    """Train, evaluate on the test split, and write the folder; `answers` of judges are inputs."""
    check_writable(out, FILES)
    data = RatingData.load(turns, judgements, training, answers)

    def split_examples(inputs: InputSpec) -> list[UserExamples]:
        examples = answered_examples(data, data.ratings, inputs)
        train, *others = (examples.take(indices) for indices in data.split[:3])
        if training.learn == "all":
            train = train.stack(outsider_examples(data, examples))
        return [train, *others]

    settings = fit.FitSettings("score", bounds=data.ratings.bounds)
    model, predictions = fit.fit_mode(training, settings, split_examples)
    # outsiders served to fit the shared weights; nobody will ask for theirs
    interlocutors = set(data.users(data.split.before_test))
    users = model.users.select([name for name in model.users.row_of if name in interlocutors])
    model = replace(model, users=users)
    report, inputs = evaluate_interlocutor(data, predictions), training.inputs
    if data.answers is not None:
        units, table = units_to_predict(turns, data.answers, data.ratings, data.split.before_test)
        unseen = fit.predict_examples(model, answered_examples(data, units, inputs))
        report = report._replace(calibrated=calibrated_answers(table, unseen, data.ratings))
        inputs = msgspec.structs.replace(inputs, answers=data.answers.names)
    details = {"quality": data.ratings.quality, "aside": report.excluded}
    about = replace(about, training={**about.training, **training.facts, **details})
    n, lines = len(data.split.before_test), rating_card_lines(report)
    save_user_model(
        out, model, inputs=inputs, n_examples=n, test=report.test, about=about, lines=lines
    )
    return report


def answered_examples(
    data: RatingData, ratings: InterlocutorRatings, spec: InputSpec
) -> UserExamples:
    """An example for each rating, with the judges' answers where these are inputs."""
    examples = rating_examples(data.turns, ratings, spec)
    return examples if data.answers is None else data.answers.extend(examples, data.turns, ratings)


def fine_tune_interlocutor(
    data: RatingData, out: Path, *, training: InterlocutorTraining, about: About, base: str = ""
) -> InterlocutorReport:
    """Fine-tune an encoder with speaker tokens, from `base` if one is named; else the same.

    The target is (score - low) / (high - low). A dialog is read up to its last rated turn.
    """
    if training.learn == "all":
        raise BadValue("fine-tuning takes raters 'interlocutor' or 'outsiders', not 'all'")
    low, high = data.ratings.bounds
    if not low < high:
        raise BadValue(f"all training scores are {low:g}; they must differ")
    quality, y = data.ratings.quality, (data.ratings.target - low) / (high - low)
    contexts = turn_contexts(data.turns)
    last = np.array([rows[-1] for rows in data.ratings.rows], np.int64)
    contexts = replace(contexts.take(np.searchsorted(contexts.row, last)), user=data.ratings.user)
    tokens = finetuned.TokenData("score", (quality,), data.turns, contexts, data.split, y)
    details = {"quality": quality, "ends": data.ratings.bounds}
    about = replace(about, training={**about.training, **training.facts, **details})
    predictions = tokens.fine_tune(out, training=training, about=about, base=base)
    report = evaluate_interlocutor(data, predictions)
    finetuned.append_results(out, report.test, rating_card_lines(report))
    return report


def update_interlocutor(
    turns: Turns, judgements: Judgements, request: update.UpdateRequest, *, quality: str | None
) -> RatingResults:
    """Update users with their ratings of these dialogs; returns how well these were predicted."""
    folder = request.load_base("score")
    if folder.recipe.inputs.answers:
        raise BadValue(
            f"{request.base} reads answers of judges and cannot be updated; train it again with "
            "--judges"
        )
    trained_on = folder.recipe.training.get("quality")
    if quality and trained_on and quality != trained_on:
        raise BadValue(
            f"{request.base} was trained on {trained_on!r} and cannot be updated with {quality!r}"
        )
    ratings = rating_data.interlocutor_ratings(turns, judgements, quality=quality or trained_on)
    (low, high), bounds = ratings.bounds, folder.recipe.bounds or (-np.inf, np.inf)
    own = judgements.frame.filter(quality=ratings.quality)
    has_scale = own["scale_min"].null_count() == own["scale_max"].null_count() == 0
    # a declared scale must be the model's; where none is declared, the ratings must be within it
    other_scale = has_scale and folder.recipe.bounds not in (None, (low, high))
    if other_scale or not bounds[0] <= low <= high <= bounds[1]:
        raise BadValue(
            f"ratings of {ratings.quality!r} go from {low:g} to {high:g}; {request.base} was "
            f"trained on a scale from {bounds[0]:g} to {bounds[1]:g}"
        )
    by_name = rating_examples(turns, ratings, folder.recipe.inputs)
    examples = update.use_pseudonyms(by_name, folder.key)
    predictions = {update.BEFORE_UPDATE: fit.predict_examples(folder.model, examples)}
    (results,) = evaluate_ratings(predictions, by_name.y, by_name.user)
    correlation = "no r" if results.r is None else f"r {results.r.value:.3f}"
    request.write(folder, examples, f"{correlation}, squared error {results.mse.value:.3f}")
    return results


def rating_examples(turns: Turns, ratings: InterlocutorRatings, spec: InputSpec) -> UserExamples:
    """An example for each rating: the mean of the inputs of its turns."""
    contexts = turn_contexts(turns)
    groups = [np.searchsorted(contexts.row, rows) for rows in ratings.rows]
    members = np.unique(np.concatenate(groups))  # turns without a rating need no vectors
    groups = [np.searchsorted(members, group) for group in groups]
    return group_examples(contexts.take(members), groups, spec, ratings.user, ratings.target)


def outsider_examples(data: RatingData, examples: UserExamples) -> UserExamples:
    """The single ratings of outsiders in the training split; each is a user in each dialog."""
    ratings = data.ratings
    dialog, turn = (data.turns.frame[name].to_list() for name in ("dialog", "turn"))
    example_of = dict[tuple[str, int | None, str | None], int]()
    for n in data.split.train.tolist():
        at = int(ratings.rows[n][0])
        unit = (turn[at], None) if ratings.level == "turn" else (None, ratings.speaker[n])
        example_of[dialog[at], *unit] = n
    outside = data.judgements.frame.filter(judge_kind="outsider", quality=ratings.quality)
    columns = outside.drop_nulls("value").select("dialog", "turn", "speaker", "judge", "value")
    matches = sorted(
        (example_of[key], f"{where}/{judge}", value)
        for where, number, speaker, judge, value in columns.iter_rows()
        if (key := (where, number, speaker if number is None else None)) in example_of
    )
    if not matches:
        raise DataError("no outsider's rating in the training set; use raters 'interlocutor'")
    inputs = examples.take(np.array([at for at, _, _ in matches], np.int64))
    y = np.array([value for _, _, value in matches], np.float64)
    weight = np.full(len(matches), OUTSIDER_WEIGHT)
    return inputs._replace(user=[judge for _, judge, _ in matches], y=y, weight=weight)


def evaluate_interlocutor(
    data: RatingData, predictions: Mapping[str, Floats]
) -> InterlocutorReport:
    """Results of our predictions, which come first, and of means.

    The means are of training and validation, as users were updated with the latter. They are of
    interlocutors' own ratings even where outsiders' were trained on: that is what is predicted.
    """
    ratings, before, test = data.ratings, data.split.before_test, data.split.test
    own, users = ratings.own[test], data.users(test)
    ours, *_ = predictions
    models = {
        **predictions,
        USER_MEAN: user_means(ratings.user, ratings.own, before, test),
        GLOBAL_MEAN: np.full(len(test), ratings.own[before].mean()),
    }
    as_given = None if data.answers is None else data.answers.as_given(data.turns, ratings)
    if as_given is not None:
        models[AS_GIVEN] = as_given[test]
    results = evaluate_ratings(models, own, users)
    statistics = {"Pearson's r": results[0].r, "mean squared error": results[0].mse}
    for_recipe = {name: card.record_result(one) for name, one in statistics.items() if one}
    evaluation = ModelEvaluation(results[0].n, results[0].users, for_recipe)
    gains = compare_ratings(models, ours, own, users)
    return InterlocutorReport(results, gains, evaluation, data.split.excluded)


def rating_card_lines(report: InterlocutorReport) -> tuple[str, ...]:
    """What the card says of other predictions, and of ratings that were not used."""
    lines = [
        f"- baseline on the same ratings: {row.name}, "
        f"{'no r' if row.r is None else f'r {row.r.value:.3f}'}, squared error {row.mse.value:.3f}"
        for row in report.results[1:]
    ]
    return (*lines, *card.excluded_lines(report.excluded, "ratings"))
