"""The results of a training for engagement, over all and by part, and the card of the model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from simpatico.arrays import Ints
from simpatico.features.heads.folder import HeadsRecipe
from simpatico.stats.classification import LabelledPredictions, ModelResults, compare_runs
from simpatico.stats.result import Result
from simpatico.training.card import About, ModelCard, format_result
from simpatico.training.engagement.baselines import LENGTH, length_and_question_predictions
from simpatico.training.engagement.exchanges import EngagementSplits, Exchanges
from simpatico.training.heads.folder import describe_head

OURS = "engagement"
FEWEST_GROUPS = 5
"""Dialogs, or raters, of either label without which a part has no results: with fewer the bootstrap
interval of the AUC says nothing."""
LIMITS = (
    "Ratings are of whole conversations: each exchange has the rating of its conversation.",
    "It sees one exchange without earlier context.",
    "It is valid for the language and the style of its training conversations.",
    "Both labels had equal weight in training, so probabilities are too high where engaging "
    "replies are rare.",
)
SPLIT_NAMES = ("learned from", "decide when to stop", "held out")
"""Training, validation and test as recipes name them; recipes of shipped models cannot change."""


Trial = Mapping[str, LabelledPredictions]
"""What a model and its baselines predict with one seed, by name."""


class PartResult(NamedTuple):
    """The results of a model, and of reply length as a baseline, on a part of the test split."""

    name: str
    dialogs: int
    ours: ModelResults
    length: ModelResults
    above: Result
    """The difference of their AUCs."""

    @property
    def facts(self) -> dict[str, object]:
        """The results for the recipe."""
        return {
            "name": self.name,
            "n": self.ours.n,
            "dialogs": self.dialogs,
            **result_facts(self.ours),
            "length_auc": list(self.length.auc.value_and_interval),
            "ahead": list(self.above.value_and_interval),
        }


class EngagementReport(NamedTuple):
    """The results of a model and its baselines, means over the seeds; the model stands first."""

    rows: list[ModelResults]
    ahead: dict[str, Result]
    """By how much its AUC is above that of each baseline."""
    seeds: int
    dialogs: int
    """Of the test split of the first seed."""
    people: dict[str, float | None]
    """In each split of the first seed, the share of engaging exchanges that are between people."""
    parts: list[PartResult]
    """The test split of the first seed, by where labels come from and who talks."""
    counts: list[str]
    """The data, by where labels come from."""
    recipe: HeadsRecipe | None
    """That of the heads; null for a model that was fine-tuned."""

    @classmethod
    def of(
        cls, trials: Sequence[Trial], splits: EngagementSplits, recipe: HeadsRecipe | None = None
    ) -> EngagementReport:
        runs = {name: [trial[name] for trial in trials] for name in trials[0]}
        rows, ahead = compare_runs(runs, OURS)
        shares = (split.share_between_people for split in splits)
        people = dict(zip(SPLIT_NAMES, shares, strict=True))
        parts, counts = evaluate_parts(splits, trials[0][OURS]), describe_origins(splits)
        n, dialogs = len(trials), splits.test.dialogs
        return cls(rows, ahead, n, dialogs, people, parts, counts, recipe)

    @property
    def facts(self) -> dict[str, object]:
        """The results for the recipe."""
        return {
            "measured": [{"name": row.name, **result_facts(row), "n": row.n} for row in self.rows],
            "ahead": {name: list(gain.value_and_interval) for name, gain in self.ahead.items()},
            "parts": [part.facts for part in self.parts],
            "engaging_between_people": self.people,
        }


def result_facts(results: ModelResults) -> dict[str, object]:
    """Balanced accuracy and AUC for the recipe: [value, low, high] each."""
    return {
        "balanced": list(results.balanced_accuracy.value_and_interval),
        "auc": list(results.auc.value_and_interval),
    }


def evaluate_parts(splits: EngagementSplits, ours: LabelledPredictions) -> list[PartResult]:
    """The results of every origin of labels, and of each kind of talk in it.

    A model that only separates people from bots does well over all and badly within each kind.
    """
    results = []
    train_parts = dict(part_rows(splits.train))
    for name, rows in part_rows(splits.test):
        test = splits.test.take(rows)
        groups = np.array(test.group)
        if min(len(set(groups[test.label == label])) for label in (0, 1)) < FEWEST_GROUPS:
            continue
        # the threshold of reply length comes from the same part of the training split, if it has it
        train = splits.train.take(train_parts.get(name, np.arange(len(splits.train))))
        own = test.label_predictions(ours.score[rows], ours.predicted[rows])
        baseline = length_and_question_predictions(train, test)[LENGTH]
        runs = {OURS: [own], LENGTH: [baseline]}
        (model, length), above = compare_runs(runs, OURS)
        results.append(PartResult(name, test.dialogs, model, length, above[LENGTH]))
    return results


def part_rows(exchanges: Exchanges) -> Iterator[tuple[str, Ints]]:
    """The rows of every origin, and of each kind of talk in it if there are several."""
    origins, kinds = np.array(exchanges.origin), np.array(exchanges.kind)
    for origin in dict.fromkeys(exchanges.origin):
        mask = origins == origin
        yield origin, np.flatnonzero(mask)
        own = dict.fromkeys(kinds[mask].tolist())
        for kind in own if len(own) > 1 else ():
            yield f"{origin}, {kind or 'unknown'}", np.flatnonzero(mask & (kinds == kind))


def render_engagement_card(report: EngagementReport, recipe: HeadsRecipe, about: About) -> str:
    """What people should read before they use the model."""
    return ModelCard(
        "Engagement",
        "Predicts the probability that a reply is engaging, from the reply and what it replies to.",
        data=[
            f"- {about.data}: {recipe.dialogs:,} dialogs",
            *report.counts,
            *describe_share_between_people(report),
        ],
        evaluation=describe_engagement_results(report),
        method=[f"- {name}: {describe_head(head)}" for name, head in recipe.heads.items()],
        limits=recipe.limits,
    ).render(about)


def describe_origins(splits: EngagementSplits) -> list[str]:
    """How much there is of each origin, over all splits, and which share of it is engaging."""
    lines = []
    for origin in dict.fromkeys(name for split in splits for name in split.origin):
        parts = [split.take(np.flatnonzero(np.array(split.origin) == origin)) for split in splits]
        n, dialogs = sum(map(len, parts)), sum(part.dialogs for part in parts)
        share = sum(int(part.label.sum()) for part in parts) / n
        lines.append(f"- {origin}: {n:,} exchanges of {dialogs:,} dialogs, {share:.1%} engaging")
    return lines


def describe_engagement_results(report: EngagementReport) -> list[str]:
    """The tables of results, and what they mean."""
    several = f"Means over {report.seeds} random splits"
    seeds = several if report.seeds > 1 else "One random split"
    lines = [
        "## Results on the test set",
        f"{seeds}; in brackets: 95% CI (bootstrap over dialogs, or over raters where they are "
        "known). Compared with simple baselines.",
        "",
        "| model | balanced accuracy | AUC | difference in AUC (engagement − model) |",
        "|---|---|---|---|",
    ]
    for row in report.rows:
        results = " | ".join(map(format_result, (row.balanced_accuracy, row.auc)))
        gain = report.ahead.get(row.name)
        lines.append(f"| {row.name} | {results} | {format_result(gain) if gain else ''} |")
    verdicts = [
        f"- its AUC is {compare_with_zero(gain)} that of {name}"
        for name, gain in report.ahead.items()
    ]
    return [*lines, "", *verdicts, *part_table(report.parts)]


def part_table(parts: Sequence[PartResult]) -> list[str]:
    """The results by where labels come from, if there are several such parts."""
    if len(parts) < 2:
        return []
    lines = [
        "",
        "### Results by origin of the labels",
        "| test set | balanced accuracy | AUC | AUC of reply length | difference | exchanges | "
        "dialogs |",
        "|---|---|---|---|---|---|---|",
    ]
    for part in parts:
        results = (part.ours.balanced_accuracy, part.ours.auc, part.length.auc, part.above)
        cells = [part.name, *map(format_result, results), f"{part.ours.n:,}", f"{part.dialogs:,}"]
        lines.append(f"| {' | '.join(cells)} |")
    verdicts = [
        f"- {part.name}: AUC {compare_with_zero(part.above)} that of reply length" for part in parts
    ]
    return [*lines, "", *verdicts]


def compare_with_zero(gain: Result) -> str:
    """Whether the 95% CI of a difference of AUCs is above or below 0."""
    _, low, high = gain.numbers
    if high < 0:
        return "below"
    return "above" if low > 0 else "not significantly above"


def describe_share_between_people(report: EngagementReport) -> list[str]:
    """Who talks in the engaging exchanges, where that is known.

    If nearly all are between people, a model may have learned to recognise bots.
    """
    names = ("training", "validation", "test")
    return [
        f"- {share:.1%} of the engaging exchanges of the {split} set are between two people"
        for split, share in zip(names, report.people.values(), strict=True)
        if share is not None
    ]
