"""Table 4 and Figure 3: will this user reply? On logs of IRC, where the paper had X.

The posts of X that the paper trained on are not available. IRC has what the question needs: names
that last, times, and links that say which message replies to which; it has no profiles. As in the
paper an intermediate reply is positive and the last one negative, replies count within 30 minutes,
and the test split is later than the training split.

Two things are added. "Private majority" needs no text, and any model that knows the user should
beat it; the gains over it are tested. And with users shuffled the same model has the same number of
weights but nothing to know, so that what is left of its gain is not knowledge of the user.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import compress
from typing import NamedTuple

import numpy as np

from simpatico.arrays import Bools, Floats
from simpatico.charts.html import Html
from simpatico.errors import SimpaticoError, UnknownName, suggest_names
from simpatico.features.users.inputs import InputSpec
from simpatico.features.users.model import UserModel
from simpatico.registry import load
from simpatico.reproduction.cells import Cell, estimate_cell, make_cell, p_note, printed_tables
from simpatico.reproduction.figures import draw_levels, level_group
from simpatico.reproduction.interlocutors_eye import paper
from simpatico.reproduction.interlocutors_eye.data import cells_until_unusable
from simpatico.reproduction.interlocutors_eye.shuffles import (
    mean_and_range,
    shuffle_users,
    shuffles_note,
)
from simpatico.reproduction.request import Request
from simpatico.stats.by_user import (
    ReplyPredictions,
    ReplyResults,
    compare_replies,
    evaluate_replies,
)
from simpatico.stats.result import Result
from simpatico.training.users.continuity import baselines, data, train
from simpatico.training.users.continuity.baselines import METRICS, USER_MAJORITY
from simpatico.training.users.continuity.data import By, Filters, ReplyExamples
from simpatico.training.users.continuity.outcomes import Window
from simpatico.training.users.examples import UserExamples, input_spec
from simpatico.training.users.fit import FitSettings, fit_both_models, predict_examples
from simpatico.training.users.user_weights import update_users
from simpatico.turns import Turns

TEXT, USER, UPDATED = "text", "+ user", "+ user, updated after each log"
SHUFFLED = "+ user, users shuffled (mean, lowest, highest)"
WORDS, WORDS_USER = "words alone", "words alone + user"
"""Without covariates, which the paper's model does not have either."""
SPLITS: Mapping[str, By | None] = {"over all": None, "over each user's dialogs": "person"}
TABLE, FIGURE_3 = "Table 4 on IRC, split in time", "Figure 3 on IRC: accuracy by number of examples"
BOTS = frozenset({"ubottu", "ubotu", "ubot3", "ubot5"})
WINDOW, FILTERS = Window(30.0, 5.0), Filters(BOTS)
"""Minutes for a reply, as in the paper; turns in the last five minutes of a log are not counted."""
NO_PROFILE = "IRC has no profiles"
GROUPS = 3
"""Of users, as in Figure 3."""
COMPARISONS = {
    USER: (TEXT, USER_MAJORITY),
    UPDATED: (TEXT, USER_MAJORITY),
    WORDS_USER: (WORDS, USER_MAJORITY),
}
"""The models that each user-aware one is compared with."""
CAPTION = (
    "Dot: share of turns predicted correctly; line: 95% CI over users; hollow: the user's majority "
    "class. Each group has about a third of all earlier examples; named by the mean over turns."
)


class ReplyStudy(NamedTuple):
    """Predictions of all models for the test split.

    `n_known`: how many earlier examples there are of each one's user.
    """

    labels: Bools
    users: list[str]
    predictions: dict[str, ReplyPredictions]
    n_known: Floats
    shuffles: list[ReplyPredictions]


def continuity_cells(turns: Turns, request: Request, omissions: list[str]) -> Iterator[Cell]:
    """All models in both splits, for known and for new users, and their gains."""
    for how in SPLITS:
        cells = split_cells(how, turns, request, omissions)
        yield from cells_until_unusable(f"{TABLE} {how}", cells, omissions)


def split_cells(how: str, turns: Turns, request: Request, omissions: list[str]) -> Iterator[Cell]:
    """All models in one of the splits."""
    table, by, seed = f"{TABLE} {how}", SPLITS[how], request.sample.seed
    spec = input_spec("", profile=False)  # character n-grams: a fit takes minutes, not hours
    examples = data.reply_examples(turns, window=WINDOW, by=by, filters=FILTERS).check()
    study = fit_models(examples, spec, seeds=request.seeds if by == "person" else 0)
    yield from model_cells(table, study, seed=seed)
    for name, mask in train.known_and_new_users(study.n_known > 0):
        rows = train.evaluate_subset(study.predictions, study.labels, study.users, mask)
        yield from result_cells(f"{table}: {name}", rows, with_paper=False)
    yield from gain_cells(table, study, seed=seed)
    if by == "person":
        yield from size_cells(study, seed=seed)
    else:
        yield from metric_cells(table, examples, request, omissions)


def fit_models(examples: ReplyExamples, spec: InputSpec, *, seeds: int) -> ReplyStudy:
    """Models with and without users, majorities, and models of shuffled users."""
    splits = train.split_inputs(examples, spec)
    predictions = dict[str, ReplyPredictions]()
    words = [split._replace(covariates=split.covariates[:, :0]) for split in splits]
    for text_name, user_name, inputs in ((WORDS, WORDS_USER, words), (TEXT, USER, splits)):
        model, text_model = fit_reply_models(inputs)
        predictions[text_name] = predict_replies(text_model, inputs[2])
        predictions[user_name] = predict_replies(model, inputs[2])
    predictions[UPDATED] = predict_with_updates(model, splits[2], log_names(examples))
    shuffles = list[ReplyPredictions]()
    for number in range(seeds):
        inputs = [shuffle_users(split, number) for split in splits]
        shuffles.append(predict_replies(fit_reply_models(inputs)[0], inputs[2]))
    counts = Counter([*splits[0].user, *splits[1].user])
    n_known = np.array([counts[user] for user in splits[2].user], np.float64)
    test = examples.split.test
    predictions |= baselines.majority_predictions(examples, test)
    return ReplyStudy(examples.labels(test), examples.users(test), predictions, n_known, shuffles)


def fit_reply_models(splits: Sequence[UserExamples]) -> tuple[UserModel, UserModel]:
    """Models with and without per-user weights."""
    return fit_both_models(splits[0], splits[1], settings=FitSettings("chance"))


def predict_replies(model: UserModel, examples: UserExamples) -> ReplyPredictions:
    return ReplyPredictions.from_probability(predict_examples(model, examples))


def log_names(examples: ReplyExamples) -> list[str]:
    """The log of each turn of the test split: what stands before the colon of its dialog's id."""
    dialog = examples.turns.frame["dialog"].to_list()
    rows = examples.outcomes.row[examples.split.test]
    return [dialog[row].partition(":")[0] for row in rows]


def predict_with_updates(
    model: UserModel, test: UserExamples, logs: Sequence[str]
) -> ReplyPredictions:
    """The predictions of a model that is updated with each log once it is over.

    A log is predicted as a whole before the model is updated with it: no reply is known early.
    """
    probability, names = np.zeros(len(logs)), np.array(logs, object)
    for log in dict.fromkeys(logs):
        indices = np.flatnonzero(names == log)
        part = test.take(indices)
        probability[indices] = predict_examples(model, part)
        model = update_users(model, part)
    return ReplyPredictions.from_probability(probability)


def model_cells(table: str, study: ReplyStudy, *, seed: int) -> Iterator[Cell]:
    """Accuracy, macro-F1 and AUC of every model; those with profiles are the paper's alone."""
    results = evaluate_replies(study.predictions, study.labels, study.users, seed=seed)
    yield from result_cells(table, results)
    if study.shuffles:
        models = {str(number): one for number, one in enumerate(study.shuffles)}
        rows = evaluate_replies(models, study.labels, study.users, seed=seed)
        yield from shuffled_cells(table, rows)
    table_4 = printed_tables("interlocutors_eye")["continuity"]
    for name in (paper.PROFILE, paper.BOTH):
        figures = zip((paper.ACCURACY, paper.MACRO_F1), table_4[name], strict=True)
        for statistic, figure in figures:
            yield make_cell((table, statistic, name), None, paper=figure, notes=[NO_PROFILE])


def statistics_of(row: ReplyResults) -> dict[str, Result]:
    return {paper.ACCURACY: row.accuracy, paper.MACRO_F1: row.macro_f1, "AUC": row.auc}


def shuffled_cells(table: str, rows: Sequence[ReplyResults]) -> Iterator[Cell]:
    """The mean over shuffles, and how far apart they are."""
    for statistic in statistics_of(rows[0]):
        mean = mean_and_range([statistics_of(row)[statistic] for row in rows])
        place, notes = (table, statistic, SHUFFLED), [shuffles_note(len(rows))]
        yield estimate_cell(place, mean, n=rows[0].n, notes=notes)


def result_cells(
    table: str, rows: Sequence[ReplyResults], *, with_paper: bool = True, notes: Sequence[str] = ()
) -> Iterator[Cell]:
    """The three statistics of every model, beside the paper's on X."""
    table_4 = printed_tables("interlocutors_eye")["continuity"] if with_paper else {}
    for row in rows:
        in_paper = table_4.get(row.name, ())
        figures = dict(zip((paper.ACCURACY, paper.MACRO_F1), in_paper, strict=False))
        for statistic, result in statistics_of(row).items():
            place, figure = (table, statistic, row.name), figures.get(statistic)
            all_notes = [f"{row.users:,} users", *notes]
            yield estimate_cell(place, result, n=row.n, paper=figure, notes=all_notes)


def gain_cells(table: str, study: ReplyStudy, *, seed: int) -> Iterator[Cell]:
    """By how much knowing the user is ahead of text and of the user's majority."""
    # the first mask is of known users; where these are all, or none, it would say nothing new
    subsets = train.known_and_new_users(study.n_known > 0)[:1]
    for whom, mask in [("all users", np.ones(len(study.n_known), bool)), *subsets]:
        users = list(compress(study.users, mask))
        for ours, others in COMPARISONS.items():
            models = {name: study.predictions[name].subset(mask) for name in (ours, *others)}
            for row in compare_replies(models, ours, study.labels[mask], users, seed=seed):
                for statistic, result in statistics_of(row).items():
                    note = p_note(result.p_value, f"{len(set(users)):,} users")
                    place = f"{table}: gains", statistic, f"{ours} − {row.name}, {whom}"
                    yield estimate_cell(place, result, n=len(users), notes=[note])


def size_cells(study: ReplyStudy, *, seed: int) -> Iterator[Cell]:
    """Figure 3: users in three groups by the number of their examples."""
    group = group_by_size(study.users, study.n_known)
    for number in range(GROUPS):
        mask = group == number
        if not mask.any():
            continue
        size, users = round(float(np.mean(study.n_known[mask]))), list(compress(study.users, mask))
        models = {
            name: study.predictions[name].subset(mask) for name in (TEXT, USER, USER_MAJORITY)
        }
        for row in evaluate_replies(models, study.labels[mask], users, seed=seed):
            place = FIGURE_3, f"{size:,} examples", row.name
            yield estimate_cell(place, row.accuracy, n=row.n, notes=[f"{row.users:,} users"])


def figures(cells: Sequence[Cell]) -> dict[str, Html]:
    """Figure 3, if there are cells for it, by name."""
    title = "accuracy by the number of the user's examples"
    group = level_group(cells, FIGURE_3, title, 0.5, is_ours=lambda c: c.column != USER_MAJORITY)
    figure = draw_levels([group], CAPTION)
    return {} if figure is None else {"figure-3": figure}


def group_by_size(users: Sequence[str], n_known: Floats) -> Floats:
    """0, 1 or 2 by how many examples of each one's user are known, -1 for none.

    Users are ordered by their examples; each group has about a third of all these examples, decided
    by where the middle of a user's own comes.
    """
    sizes = {name: n for name, n in zip(users, n_known, strict=True) if n > 0}
    order = sorted(sizes, key=lambda name: (sizes[name], name))
    total, sums = sum(sizes.values()), np.cumsum([sizes[name] for name in order])
    middle = sums - np.array([sizes[name] for name in order]) / 2
    group = dict(zip(order, np.minimum(middle * GROUPS // max(total, 1), GROUPS - 1), strict=True))
    return np.array([group.get(name, -1.0) for name in users])


def selected_metrics(request: Request) -> list[str]:
    """The paper's baselines that were asked for, by the paper's name."""
    if request.metrics is None:
        return list(METRICS)
    names = [name for pair in METRICS.items() for name in pair]
    if unknown := [name for name in request.metrics if name not in names]:
        suggestion = suggest_names(unknown[0], METRICS.values())
        raise UnknownName(f"the paper has no metric {unknown[0]!r}; {suggestion}")
    return [name for name, metric in METRICS.items() if {name, metric} & set(request.metrics)]


def metric_cells(
    table: str, examples: ReplyExamples, request: Request, omissions: list[str]
) -> Iterator[Cell]:
    """The paper's baselines, thresholded by the share of replies in the validation split."""
    for name in selected_metrics(request):
        try:
            metric = load(METRICS[name], **request.parameters_of(METRICS[name]))
        except SimpaticoError as error:
            omissions.append(f"{name}: {error}")
            continue
        by_metric = baselines.predict_by_metric(metric, examples, max_turns=request.sample.size)
        if isinstance(by_metric, str):
            omissions.append(f"{name}: {by_metric}")
            continue
        labels, users = examples.labels(by_metric.test), examples.users(by_metric.test)
        notes = [f"{by_metric.unscored:,} turns without a score", "a sample of the test turns"]
        rows = evaluate_replies({name: by_metric.predictions}, labels, users)
        yield from result_cells(table, rows, notes=notes)
