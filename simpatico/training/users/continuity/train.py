"""Train a model of whether the addressed user replies, from logs without any rating.

The split is chronological: train, validation, test. Users are updated with the validation split
once everything is chosen, so that the model knows as much as the majorities it is compared with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from simpatico.arrays import Bools, Floats
from simpatico.errors import DataError
from simpatico.features.users.folder import FILES, ModelEvaluation, RecordedResult
from simpatico.features.users.inputs import InputSpec
from simpatico.models.names import public_model_name
from simpatico.stats import by_user
from simpatico.stats.by_user import ReplyPredictions, ReplyResults, describe_auc, evaluate_replies
from simpatico.training.card import About
from simpatico.training.model_folder import check_writable
from simpatico.training.users import card, finetuned, fit, splits, update
from simpatico.training.users.continuity.baselines import BaselineMetrics, majority_predictions
from simpatico.training.users.continuity.data import By, Filters, ReplyExamples, reply_examples
from simpatico.training.users.continuity.outcomes import Window
from simpatico.training.users.examples import UserExamples
from simpatico.training.users.folder import save_user_model
from simpatico.turns import Turns

NO_METRICS = BaselineMetrics({})
LABELS = ("no answer", "answer")


@dataclass(frozen=True)
class ContinuityTraining(fit.UserTraining):
    """The settings of a training, named as the options of the command line."""

    window: Window = field(default_factory=Window)
    filters: Filters = field(default_factory=Filters)
    by: By | None = None
    """How examples are split; null for 8:1:1 in time."""

    @property
    def facts(self) -> dict[str, object]:
        """The settings as the recipe keeps them; bots are counted, never named."""
        settings = asdict(self.filters) | {"bots": len(self.filters.bots)} | asdict(self.window)
        first = {"mode": self.mode, "encoder": public_model_name(self.encoder), "seed": self.seed}
        return {**first, **settings, "split": "person" if self.by == "person" else "time"}

    def examples(self, turns: Turns) -> ReplyExamples:
        """The examples that the settings ask for."""
        self.check_profiles(turns)
        return reply_examples(turns, window=self.window, by=self.by, filters=self.filters).check()


class ContinuityReport(NamedTuple):
    """Results on the test split; those of our model come first."""

    results: list[ReplyResults]
    gains: list[ReplyResults]
    """By how much our model is above each of the others."""
    subsets: dict[str, list[ReplyResults]]
    """Of the turns to known and to new users, where there are both."""
    unavailable: dict[str, str]
    """Baselines that could not run, and why."""
    test: ModelEvaluation
    excluded: dict[str, int]
    unscored: dict[str, int]
    """For each metric, how many turns of the test split it was to score and did not."""
    unfinished: int
    """Turns of the test split that count as without a reply though the log ends too early."""


def train_continuity(
    turns: Turns,
    out: Path,
    *,
    training: ContinuityTraining,
    about: About,
    baselines: BaselineMetrics = NO_METRICS,
) -> ContinuityReport:
    """Train, evaluate on the test split, and write the folder."""
    check_writable(out, FILES)
    examples = training.examples(turns)
    model, probabilities = fit.fit_mode(
        training, fit.FitSettings("chance"), lambda spec: split_inputs(examples, spec)
    )
    report = evaluate_continuity(examples, probabilities, baselines)
    about = replace(about, training={**about.training, **training.facts, "aside": report.excluded})
    n, lines = len(examples.split.before_test), reply_card_lines(report)
    save_user_model(
        out, model, inputs=training.inputs, n_examples=n, test=report.test, about=about, lines=lines
    )
    return report


def fine_tune_continuity(
    turns: Turns, out: Path, *, training: ContinuityTraining, about: About, base: str = ""
) -> ContinuityReport:
    """Fine-tune an encoder with speaker tokens, from `base` if one is named; else the same."""
    examples = training.examples(turns)
    y = examples.outcomes.has_reply.astype(np.float64)
    tokens = finetuned.TokenData("chance", LABELS, turns, examples.contexts, examples.split, y)
    about = replace(about, training={**about.training, **training.facts})
    probabilities = tokens.fine_tune(out, training=training, about=about, base=base)
    report = evaluate_continuity(examples, probabilities)
    finetuned.append_results(out, report.test, reply_card_lines(report))
    return report


class ReplyUpdate(NamedTuple):
    """How well new replies were predicted, which turns were excluded, and which are uncertain."""

    results: ReplyResults
    excluded: dict[str, int]
    window: Window
    unfinished: int


def update_continuity(
    turns: Turns, request: update.UpdateRequest, *, left: float, filters: Filters
) -> ReplyUpdate:
    """Update users with their replies in these logs, within the model's own reply window."""
    folder = request.load_base("chance")
    window = Window(folder.recipe.training.get("minutes", Window().minutes), left)
    new = reply_examples(turns, window=window, by=splits.TRAIN_ON_ALL, filters=filters)
    indices = new.split.train
    if not len(indices):
        why = new.describe_excluded()
        raise DataError(f"no turns to update with: none has a known outcome{why}")
    examples = update.use_pseudonyms(new.inputs(indices, folder.recipe.inputs), folder.key)
    probability = fit.predict_examples(folder.model, examples)
    predictions = {update.BEFORE_UPDATE: ReplyPredictions.from_probability(probability)}
    (results,) = evaluate_replies(predictions, new.labels(indices), new.users(indices))
    figures = f"accuracy {results.accuracy.value:.3f}, {describe_auc(results.auc)}"
    request.write(folder, examples, figures)
    return ReplyUpdate(results, new.split.excluded, window, new.count_unfinished(indices))


def split_inputs(examples: ReplyExamples, spec: InputSpec) -> list[UserExamples]:
    """The inputs of the train, validation and test examples."""
    indices = np.concatenate(examples.split[:3])
    # all at once: encoders work in batches, and texts recur between splits
    inputs = examples.inputs(indices, spec)
    ends = np.cumsum([len(split) for split in examples.split[:2]])
    return [inputs.take(rows) for rows in np.split(np.arange(len(indices)), ends)]


def evaluate_continuity(
    examples: ReplyExamples,
    probabilities: Mapping[str, Floats],
    baselines: BaselineMetrics = NO_METRICS,
) -> ContinuityReport:
    """Results of our predictions, which come first, of majorities and of metrics."""
    split = examples.split
    labels, users = examples.labels(split.test), examples.users(split.test)
    ours, *_ = probabilities
    predictions = {
        name: ReplyPredictions.from_probability(values) for name, values in probabilities.items()
    }
    predictions |= majority_predictions(examples, split.test)
    results = evaluate_replies(predictions, labels, users)
    own = results[0]
    is_known = np.isin(users, examples.users(split.before_test))
    subsets = {
        name: evaluate_subset(predictions, labels, users, mask)
        for name, mask in known_and_new_users(is_known)
    }
    bins = card.reliability_bins(predictions[ours].score, labels.astype(np.float64))
    statistics = {
        "accuracy": own.accuracy,
        "macro-F1": own.macro_f1,
        "area under the curve": own.auc,
    }
    for_recipe = {name: card.record_result(one) for name, one in statistics.items()}
    for_recipe["expected calibration error"] = RecordedResult(card.calibration_error(bins))
    by_metrics, unavailable, unscored = baselines.evaluate(examples)
    return ContinuityReport(
        [*results, *by_metrics],
        by_user.compare_replies(predictions, ours, labels, users),
        subsets,
        unavailable,
        ModelEvaluation(own.n, own.users, for_recipe, bins),
        split.excluded,
        unscored,
        examples.count_unfinished(split.test),
    )


def known_and_new_users(is_known: Bools) -> list[tuple[str, Bools]]:
    """Masks of the test examples of known and of new users, where there are both."""
    masks = [("persons met before", is_known), ("persons never met", ~is_known)]
    return [(name, mask) for name, mask in masks if 0 < mask.sum() < len(mask)]


def evaluate_subset(
    predictions: Mapping[str, ReplyPredictions], labels: Bools, users: Sequence[str], mask: Bools
) -> list[ReplyResults]:
    """Results on the examples of a mask."""
    subset = {name: one.subset(mask) for name, one in predictions.items()}
    names = [user for user, inside in zip(users, mask, strict=True) if inside]
    return evaluate_replies(subset, labels[mask], names)


def reply_card_lines(report: ContinuityReport) -> tuple[str, ...]:
    """What the card says of other predictions, and of examples that were not used."""
    lines = []
    for row in report.results[1:]:
        turns = "the same turns"
        if row.n != report.test.n:
            unscored = report.unscored.get(row.name, 0)
            without = f", without {unscored:,} that it did not score" if unscored else ""
            turns = f"{row.n:,} of the {report.test.n:,} turns{without}"
        lines.append(
            f"- baseline on {turns}: {row.name}, accuracy {row.accuracy.value:.3f}, "
            f"macro-F1 {row.macro_f1.value:.3f}, {describe_auc(row.auc)}"
        )
    return (*lines, *card.excluded_lines(report.excluded, "turns"))
