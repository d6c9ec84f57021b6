"""Table 5's design: interlocutors' own ratings of what people and of what systems say.

The paper has two annotators who rated answers to their own posts on X, which are not published.
RealPersonaChat has people who rated each other, Ji et al. crowd workers who rated bots; both have
ids that last, and ratings of whole dialogs. The score of a dialog is the mean over its turns.

In the paper knowing the user helps with what people say (.646 to .720) and not with what systems
say (.401 to .364), for the first annotator. Each design is repeated here on dialogs that the same
user rated later, and one model is that of Table 4 as it is, which never saw a rating.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec
import numpy as np
import polars as pl

from simpatico.arrays import Floats, Ints
from simpatico.features.char_ngrams import CharNgramSettings
from simpatico.features.users.contexts import turn_contexts
from simpatico.features.users.inputs import InputSpec
from simpatico.features.users.model import UserModel
from simpatico.judgements import Judgements
from simpatico.reproduction.cells import Cell, estimate_cell, make_cell, p_note, printed_tables
from simpatico.reproduction.interlocutors_eye.continuity import FILTERS, TEXT, USER, WINDOW
from simpatico.reproduction.interlocutors_eye.data import UNUSABLE, RatedData
from simpatico.reproduction.interlocutors_eye.paper import BOTH, HUMAN, PROFILE, SYSTEM
from simpatico.reproduction.request import sample_names
from simpatico.stats.by_user import compare_ratings, evaluate_ratings
from simpatico.training.users.continuity.data import reply_examples
from simpatico.training.users.continuity.train import split_inputs
from simpatico.training.users.examples import input_spec, turn_examples, user_means
from simpatico.training.users.fit import FitSettings, fit_user_model, predict_examples
from simpatico.training.users.interlocutor.data import interlocutor_ratings
from simpatico.training.users.interlocutor.train import (
    USER_MEAN,
    InterlocutorTraining,
    RatingData,
    rating_examples,
)
from simpatico.turns import Turns

TABLE = "Table 5's design: Pearson's r with the interlocutor's own rating"
GAINS = "Table 5's design: gains, resampled by user"
CONTINUITY_MODEL = "continuity, trained on IRC without ratings"
MODES = {TEXT: (False, False), USER: (True, False), PROFILE: (False, True), BOTH: (True, True)}
"""Whether users, and whether profiles are known."""
SATISFACTION = "satisfaction"
ENGAGING = ("interesting", "fun")
CONTROL = "QualityControl"
MAX_DIALOGS = 3_000
"""Of RealPersonaChat, which has several times as many; the time of a fit grows with them."""
CHAR_NGRAMS = {"ja": CharNgramSettings(1, 2, 2**10), "en": CharNgramSettings(2, 4, 2**11)}
"""The mean over a dialog's turns fills most buckets, so that more of them would only cost time."""
ON_X = "the paper's are of two annotators on X, the first one's here"
NO_IDS = "RealPersonaChat has no ids of those who talked with a system, so no user is known"
NO_PROFILE = "Ji et al. publish only the ids of their workers"


class RatingStudy(NamedTuple):
    """Predictions of all models for the test split, and its ratings.

    `turns`: the rows of the turns that each rating is about.
    """

    predictions: dict[str, Floats]
    own: Floats
    users: list[str]
    turns: list[Ints]
    text_model: UserModel
    text_inputs: InputSpec


def fit_rating_models(
    rated: RatedData, quality: str, language: str, modes: Sequence[str]
) -> RatingStudy:
    """Models of one quality, and each user's mean, on the last of each user's dialogs."""
    data = RatingData.load(rated.turns, rated.judgements, InterlocutorTraining(quality=quality))
    split, predictions = data.split, dict[str, Floats]()
    for mode in modes:
        per_user, profile = MODES[mode]
        spec = input_spec("", profile=profile)
        spec = msgspec.structs.replace(spec, char_ngrams=CHAR_NGRAMS[language])
        examples = rating_examples(rated.turns, data.ratings, spec)
        settings = FitSettings("score", per_user=per_user, bounds=data.ratings.bounds)
        train, validation, test = (examples.take(indices) for indices in split[:3])
        model = fit_user_model(train, validation, settings=settings)
        predictions[mode] = predict_examples(model, test)
        if mode == TEXT:
            text_model, text_inputs = model, spec
    predictions[USER_MEAN] = user_means(examples.user, examples.y, split.before_test, split.test)
    own, users = data.ratings.own[split.test], data.users(split.test)
    turns = [data.ratings.rows[at] for at in split.test]
    return RatingStudy(predictions, own, users, turns, text_model, text_inputs)


def persona_cells(people: RatedData, systems: RatedData | None, *, seed: int) -> Iterator[Cell]:
    """RealPersonaChat: people about people and, by those without an id, about systems."""
    sample = sample_dialogs(people, MAX_DIALOGS, seed=seed)
    n_sample, total = (one.turns.frame["dialog"].n_unique() for one in (sample, people))
    study = fit_rating_models(sample, SATISFACTION, "ja", tuple(MODES))
    row = f"{HUMAN}: RealPersonaChat, {SATISFACTION}"
    yield from study_cells(row, study, HUMAN, [f"{n_sample:,} of {total:,} dialogs"], seed=seed)
    if systems is not None:
        yield from system_cells(systems, study, seed=seed)


def sample_dialogs(rated: RatedData, n: int, *, seed: int) -> RatedData:
    """A random sample of dialogs, the same whatever the order of the file."""
    names = sample_names(rated.turns.frame["dialog"], n, seed=seed)
    return filter_dialogs(rated, pl.col("dialog").is_in(names))


def filter_dialogs(rated: RatedData, predicate: pl.Expr) -> RatedData:
    """The turns that meet a predicate, with the judgements of their dialogs."""
    turns = rated.turns.frame.filter(predicate)
    dialogs = turns.select("dialog").unique()
    judgements = rated.judgements.frame.join(dialogs, on="dialog", how="semi")
    return RatedData(Turns(turns.rechunk()), Judgements(judgements))


def system_cells(rated: RatedData, study: RatingStudy, *, seed: int) -> Iterator[Cell]:
    """Predictions for systems of a model of people's ratings of people."""
    ratings = interlocutor_ratings(
        rated.turns, rated.judgements, quality=SATISFACTION, source="interlocutor"
    )
    examples = rating_examples(rated.turns, ratings, study.text_inputs)
    prediction = predict_examples(study.text_model, examples)
    row = f"{SYSTEM}: RealPersonaChat, {SATISFACTION}"
    # nobody says who rated: files name raters alike, so that each dialog counts as one
    dialogs = [str(at) for at in ratings.dialog]
    for one in evaluate_ratings({TEXT: prediction}, ratings.own, dialogs, seed=seed):
        place, paper = (TABLE, row, TEXT), first_annotator(TEXT, SYSTEM)
        notes = ["trained on people's ratings of people", "resampled by dialog", ON_X]
        yield estimate_cell(place, one.r, n=one.n, paper=paper, notes=notes)
    yield from paper_cells(row, (USER, PROFILE, BOTH), NO_IDS)


def paper_cells(row: str, modes: Sequence[str], why: str) -> Iterator[Cell]:
    """The paper's figures about systems that cannot be recomputed, and why."""
    for mode in modes:
        paper = first_annotator(mode, SYSTEM)
        yield make_cell((TABLE, row, mode), None, paper=paper, notes=[why])


def first_annotator(mode: str, kind: str) -> float | None:
    """The paper's figure of a model, for the first of its two annotators; null where none is."""
    figures = printed_tables("interlocutors_eye")["own_ratings"][kind].get(mode)
    return figures[0] if figures else None


def crowd_cells(
    crowd: RatedData, logs: Turns | None, omissions: list[str], *, seed: int
) -> Iterator[Cell]:
    """Ji et al.: crowd workers about bots."""
    is_control = (pl.col("system") == CONTROL).any().over("dialog")
    bots, probabilities = filter_dialogs(crowd, ~is_control.fill_null(False)), None
    try:
        probabilities = None if logs is None else reply_probabilities(logs, bots.turns)
    except UNUSABLE as error:
        omissions.append(f"Table 5, {CONTINUITY_MODEL}: {error}")
    for quality in ENGAGING:
        study = fit_rating_models(bots, quality, "en", (TEXT, USER))
        if probabilities is not None:
            # the mean probability over the turns of each rating in the test split
            means = [np.mean([probabilities[int(row)] for row in rows]) for rows in study.turns]
            study.predictions[CONTINUITY_MODEL] = np.array(means)
        row = f"{SYSTEM}: Ji et al., {quality}"
        notes = [f"without the dialogs of {CONTROL}"]
        yield from study_cells(row, study, SYSTEM, notes, seed=seed)
        yield from paper_cells(row, (PROFILE, BOTH), NO_PROFILE)


def reply_probabilities(logs: Turns, turns: Turns) -> dict[int, float]:
    """For every turn, the probability of a reply by a model that was trained on logs."""
    examples = reply_examples(logs, window=WINDOW, filters=FILTERS).check()
    spec = input_spec("", profile=False)
    train, validation, _ = split_inputs(examples, spec)
    model = fit_user_model(train, validation, settings=FitSettings("chance", per_user=False))
    contexts = turn_contexts(turns)
    inputs = turn_examples(contexts, spec, np.zeros(len(contexts)))
    probability = predict_examples(model, inputs)
    return dict(zip(contexts.row.tolist(), probability.tolist(), strict=True))


def study_cells(
    row: str, study: RatingStudy, kind: str, notes: Sequence[str], *, seed: int
) -> Iterator[Cell]:
    """r of every model, and what knowing the user gains."""
    for one in evaluate_ratings(study.predictions, study.own, study.users, seed=seed):
        paper = first_annotator(one.name, kind)
        all_notes = [f"{one.users:,} users", *notes, *([] if paper is None else [ON_X])]
        yield estimate_cell((TABLE, row, one.name), one.r, n=one.n, paper=paper, notes=all_notes)
    models = {name: study.predictions[name] for name in (USER, TEXT, USER_MEAN)}
    for gain in compare_ratings(models, USER, study.own, study.users, seed=seed):
        p_value = gain.r.p_value if gain.r else None
        note = p_note(p_value, f"{len(set(study.users)):,} users")
        place = GAINS, row, f"{USER} − {gain.name}"
        yield estimate_cell(place, gain.r, n=len(study.own), notes=[note])
