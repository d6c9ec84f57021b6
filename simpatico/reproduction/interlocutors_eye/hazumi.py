"""Tables 1 and 2: Hazumi, where a participant and five outsiders rated every turn of the Wizard.

Table 1: dialogs, exchanges and utterance lengths in characters. Table 2: Pearson's r with the
participant's own scores (1 to 7) of models that were trained on outsiders' mean or on the
participant's scores, each with and without knowledge of who the participant is. As in the paper
each dialog is split in its order: eight tenths for training, one for validation, the last for test.

The paper lacks the baseline that needs no text: the participant's own mean over the training part.
Knowing the participant raises its r from .166 to .496, and that baseline shows how much of this is
the level of a participant's ratings. Deviations: the paper drops exchanges with an empty utterance
without a list of them, ours are those with all six scores; the model is linear, not a BERT.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
import polars as pl

from simpatico.arrays import Floats, Ints
from simpatico.errors import DataError
from simpatico.features.char_ngrams import CharNgramSettings
from simpatico.features.users.inputs import InputSpec
from simpatico.features.users.model import UserModel
from simpatico.judgements import UNIT, Judgements
from simpatico.reproduction.cells import Cell, count_cell, estimate_cell, make_cell, p_note
from simpatico.reproduction.interlocutors_eye import paper
from simpatico.reproduction.interlocutors_eye.data import RatedData
from simpatico.reproduction.interlocutors_eye.shuffles import (
    mean_and_range,
    shuffle_users,
    shuffles_note,
)
from simpatico.stats.by_user import compare_ratings, evaluate_ratings
from simpatico.training.users.examples import UserExamples, user_means
from simpatico.training.users.fit import (
    FitSettings,
    fit_both_models,
    fit_user_model,
    predict_examples,
)
from simpatico.training.users.interlocutor.train import (
    InterlocutorTraining,
    RatingData,
    outsider_examples,
    rating_examples,
)
from simpatico.training.users.splits import TimeSplit
from simpatico.training.users.user_weights import update_users

TABLE_1 = "Table 1: Hazumi, exchanges with all six scores"
TABLE_2 = "Table 2: scores that the interlocutor gave, the last tenth of each dialog"
GAINS = "Table 2: gains, resampled by participant"
AFTER_UPDATE = "Table 2: after an update with the validation tenth"
OUTSIDERS = "the five outsiders themselves"
USER_MEAN = "the participant's mean, no text"
NO_TEXT = "the participant's scores so far, no text"
DEVIATION = "the participant's mean plus the deviation predicted from text"
OUTSIDER, INTERLOCUTOR, AWARE = paper.OUTSIDER, paper.INTERLOCUTOR, paper.AWARE
ALL_SIX, OURS = "trained on all six" + AWARE, INTERLOCUTOR + AWARE
SHUFFLED = f"{OURS}, participants shuffled (mean, lowest, highest)"
R, MSE = "Pearson's r", "mean squared error"
COMPARISONS: Mapping[str, tuple[str, ...]] = {
    OURS: (USER_MEAN, NO_TEXT, INTERLOCUTOR),
    ALL_SIX: (USER_MEAN, NO_TEXT, OURS),
    DEVIATION: (USER_MEAN,),
}
"""The models that each user-aware one is compared with."""
INPUTS = InputSpec(char_ngrams=CharNgramSettings(1, 2, 2**13))
"""Japanese has no spaces, and one character may be a word. On the validation tenth, vectors of the
encoder `use-multilingual` do no better (r .639) than these character n-grams (.643)."""
SOURCES: tuple[Literal["interlocutor", "outsiders"], ...] = ("interlocutor", "outsiders")
ONE_OPTIMUM = (
    "the fit has one optimum, so that every seed gives this figure; the interval is by participant"
)
NONE_COMPLETE = "no value: no exchange has all six scores"
SETTINGS = FitSettings("score", bounds=(1.0, 7.0), update_on_validation=False)
"""Hazumi's scale. The users' weights are not updated with the validation tenth, as the paper's are
not; what such an update gains is a table of its own."""


class HazumiData(NamedTuple):
    """Ratings and their split, the inputs of each, and the outsiders' means."""

    data: RatingData
    examples: UserExamples
    outsider_means: Floats


class GroundTruth(NamedTuple):
    """The participants' ratings in the test split, and the seed of the resamples."""

    own: Floats
    users: Sequence[str]
    seed: int


def statistics_cells(sets: Mapping[str, RatedData]) -> Iterator[Cell]:
    """Table 1, counted anew."""
    for name, rated in sets.items():
        figures, judgements = paper.STATISTICS[name], complete_judgements(rated.judgements).frame
        exchanges, dialogs = judgements.select(UNIT).n_unique(), judgements["dialog"].n_unique()
        for column, n in ((paper.DIALOGS, dialogs), (paper.EXCHANGES, exchanges)):
            yield count_cell((TABLE_1, name, column), n, paper=int(figures[column]), total=n)
        lengths = rated.turns.frame.with_columns(pl.col("text").str.len_chars())
        units = judgements.select("dialog", "turn").unique()
        for column, later in ((paper.WIZARD, 0), (paper.PARTICIPANT, 1)):
            turns = units.with_columns(pl.col("turn") + later)
            chars = lengths.join(turns, on=["dialog", "turn"])["text"]
            mean = float(np.mean(chars.to_numpy())) if len(chars) else None
            notes = ["silence counts as no character", *([] if len(chars) else [NONE_COMPLETE])]
            place = TABLE_1, name, column
            yield make_cell(place, mean, paper=figures[column], n=len(chars), notes=notes)


def complete_judgements(judgements: Judgements) -> Judgements:
    """Those of turns that everybody rated, the participant and outsiders.

    Models of either are then trained and tested on the same turns, so that their r can be compared.
    """
    no_null = pl.col("value").is_not_null().all().over(UNIT)
    by_both = pl.col("judge_kind").n_unique().over(UNIT) == len(SOURCES)
    return Judgements(judgements.frame.filter(no_null & by_both))


def load_hazumi(rated: RatedData, spec: InputSpec) -> HazumiData:
    """All that the fits need."""
    judgements = complete_judgements(rated.judgements)
    if judgements.frame.is_empty():
        raise DataError("no exchange has all six scores; training needs some")
    data, outside = (
        RatingData.load(rated.turns, judgements, InterlocutorTraining(learn=source))
        for source in SOURCES
    )
    examples = rating_examples(rated.turns, data.ratings, spec)
    return HazumiData(data, examples, outside.ratings.target)


def prediction_cells(rated: RatedData, *, seeds: int, seed: int) -> Iterator[Cell]:
    """Table 2 with the baselines it lacks, the gains over them, and the models after an update."""
    hazumi = load_hazumi(rated, INPUTS)
    test = hazumi.data.split.test
    before_update, after_update = predict_models(hazumi)
    shuffles = predict_shuffled(hazumi, seeds=seeds)
    truth = GroundTruth(hazumi.data.ratings.own[test], hazumi.data.users(test), seed)
    yield from rating_cells(TABLE_2, before_update, truth)
    yield from shuffle_cells(shuffles, truth)
    yield from rating_gain_cells(GAINS, before_update, COMPARISONS, truth)
    yield from shuffle_gain_cells(before_update[OURS], shuffles, truth)
    yield from rating_cells(AFTER_UPDATE, after_update, truth)
    comparisons = dict.fromkeys((OURS, ALL_SIX, DEVIATION), (USER_MEAN, NO_TEXT))
    yield from rating_gain_cells(AFTER_UPDATE, after_update, comparisons, truth)


def predict_models(hazumi: HazumiData) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """Predictions of each model for the test split: before and after an update with validation.

    The update uses the tenth that is closest to the test in time; the paper does not.
    """
    examples, split = hazumi.examples, hazumi.data.split
    train, validation, test = (examples.take(indices) for indices in split[:3])
    no_inputs = drop_inputs(examples)
    # outsiders' single scores join the training as those of other users, one in each dialog
    all_six = train.stack(outsider_examples(hazumi.data, examples))
    from_outsiders = examples._replace(y=hazumi.outsider_means)
    outsider_aware, outsider_text = fit_split(from_outsiders, split)
    own_aware, own_text = fit_split(examples, split)
    models = {
        OUTSIDER: outsider_text,
        OUTSIDER + AWARE: outsider_aware,
        INTERLOCUTOR: own_text,
        OURS: own_aware,
        ALL_SIX: fit_user_model(all_six, validation, settings=SETTINGS),
    }
    no_text, _ = fit_split(no_inputs, split)
    before = {name: predict_examples(model, test) for name, model in models.items()}
    before[OUTSIDERS] = hazumi.outsider_means[split.test]
    before[USER_MEAN] = user_means(examples.user, examples.y, split.train, split.test)
    before[DEVIATION] = predict_deviation(examples, split, split.train)
    before[NO_TEXT] = predict_examples(no_text, no_inputs.take(split.test))
    after = {
        name: predict_examples(update_users(models[name], validation), test)
        for name in (OURS, ALL_SIX)
    }
    after[USER_MEAN] = user_means(examples.user, examples.y, split.before_test, split.test)
    after[DEVIATION] = predict_deviation(examples, split, split.before_test)
    no_text = update_users(no_text, no_inputs.take(split.validation))
    after[NO_TEXT] = predict_examples(no_text, no_inputs.take(split.test))
    return before, after


def drop_inputs(examples: UserExamples) -> UserExamples:
    """The same without any input of a turn: only who it is, and in which order."""
    from scipy import sparse

    n = len(examples.y)
    return examples._replace(rows=sparse.csr_matrix((n, 0)), covariates=np.zeros((n, 0)))


def predict_shuffled(hazumi: HazumiData, *, seeds: int) -> list[Floats]:
    """Predictions of models of shuffled participants, one for each shuffle.

    Whoever's name a score gets, the model has as many weights as before.
    """
    split = hazumi.data.split
    shuffles = [shuffle_users(hazumi.examples, number) for number in range(seeds)]
    return [predict_examples(fit_split(one, split)[0], one.take(split.test)) for one in shuffles]


def fit_split(examples: UserExamples, split: TimeSplit) -> tuple[UserModel, UserModel]:
    """Models of these examples with and without per-user weights."""
    train, validation = examples.take(split.train), examples.take(split.validation)
    return fit_both_models(train, validation, settings=SETTINGS)


def predict_deviation(examples: UserExamples, split: TimeSplit, history: Ints) -> Floats:
    """Each participant's mean over their history, plus the deviation that the text predicts."""
    everything = np.arange(len(examples.y))
    means = user_means(examples.user, examples.y, split.train, everything)
    deviations = examples._replace(y=examples.y - means)
    settings = FitSettings("score", per_user=False, update_on_validation=False)
    train, validation = deviations.take(split.train), deviations.take(split.validation)
    model = fit_user_model(train, validation, settings=settings)
    deviation = predict_examples(model, examples.take(split.test))
    return user_means(examples.user, examples.y, history, split.test) + deviation


def rating_cells(table: str, models: Mapping[str, Floats], truth: GroundTruth) -> Iterator[Cell]:
    """r and the error of every model."""
    for row in evaluate_ratings(models, truth.own, truth.users, seed=truth.seed):
        figure = paper.PREDICTED.get(row.name) if table == TABLE_2 else None
        place, notes = (table, R, row.name), [ONE_OPTIMUM]
        yield estimate_cell(place, row.r, n=row.n, paper=figure, notes=notes)
        if row.name not in (OUTSIDER, OUTSIDER + AWARE, OUTSIDERS):
            yield estimate_cell((table, MSE, row.name), row.mse, n=row.n, notes=notes)


def rating_gain_cells(
    table: str,
    models: Mapping[str, Floats],
    comparisons: Mapping[str, Sequence[str]],
    truth: GroundTruth,
) -> Iterator[Cell]:
    """By how much models are above others in r, and below them in the error."""
    for ours, others in comparisons.items():
        own = {name: models[name] for name in (ours, *others)}
        for row in compare_ratings(own, ours, truth.own, truth.users, seed=truth.seed):
            for statistic, gain in ((R, row.r), (f"less {MSE}", row.mse)):
                note = p_note(gain.p_value if gain else None, "participants")
                place = table, statistic, f"{ours} − {row.name}"
                yield estimate_cell(place, gain, n=len(truth.own), notes=[note])


def shuffle_cells(shuffles: Sequence[Floats], truth: GroundTruth) -> Iterator[Cell]:
    """The mean of r and of the error over shuffles of the participants."""
    if not shuffles:
        return
    models = {str(number): prediction for number, prediction in enumerate(shuffles)}
    rows = evaluate_ratings(models, truth.own, truth.users, seed=truth.seed)
    for statistic, results in ((R, [row.r for row in rows]), (MSE, [row.mse for row in rows])):
        place, notes = (TABLE_2, statistic, SHUFFLED), [shuffles_note(len(rows))]
        yield estimate_cell(place, mean_and_range(results), n=len(truth.own), notes=notes)


def shuffle_gain_cells(
    ours: Floats, shuffles: Sequence[Floats], truth: GroundTruth
) -> Iterator[Cell]:
    """By how much our model is better than those of shuffled participants, on average."""
    if not shuffles:
        return
    models = {OURS: ours} | {str(number): one for number, one in enumerate(shuffles)}
    rows = compare_ratings(models, OURS, truth.own, truth.users, seed=truth.seed)
    r_gains, mse_gains = [row.r for row in rows], [row.mse for row in rows]
    for statistic, gains in ((R, r_gains), (f"less {MSE}", mse_gains)):
        p_values = [gain.p_value for gain in gains if gain and gain.p_value is not None]
        highest = max(p_values) if len(p_values) == len(rows) else None
        notes = [shuffles_note(len(rows)), f"the highest {p_note(highest, 'participants')}"]
        place = GAINS, statistic, f"{OURS} − {SHUFFLED}"
        yield estimate_cell(place, mean_and_range(gains), n=len(truth.own), notes=notes)
