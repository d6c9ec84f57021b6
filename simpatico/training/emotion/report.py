"""The results of a training for emotions, and the card of the model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from simpatico.features.heads.folder import EmotionKind, HeadsRecipe
from simpatico.features.plutchik import EMOTIONS
from simpatico.training.card import About, ModelCard, format_result
from simpatico.training.emotion.baselines import OURS, ResultRows
from simpatico.training.emotion.task import EmotionSettings, EmotionTask
from simpatico.training.heads.folder import describe_head

SUMMARIES: Mapping[EmotionKind, str] = {
    "neutrality": "Predicts the probability that an utterance is emotional, positive or not.",
    "polarity": "Predicts the probability that an emotional utterance is positive.",
    "plutchik": "Predicts the probability of each of Plutchik's eight emotions in an utterance.",
}
LABELS: Mapping[EmotionKind, tuple[str, ...]] = {
    "neutrality": ("neutral", "emotional"),
    "polarity": ("negative", "positive"),
    "plutchik": EMOTIONS,
}
"""Of a fine-tuned model, by class; of the first two kinds also for the table of classes."""
LIMITS = (
    "It sees one utterance without context: irony and implied emotions are missed.",
    "It is valid for the language and the style of its training texts.",
)
RARE_EMOTIONS = (
    "Emotions that are rare in training are rarely detected: read the results of each before use."
)
EQUAL_WEIGHT = (
    "Both classes had equal weight in training, so probabilities are too high for the class that "
    "is rarer in use."
)


def model_limits(task: EmotionTask, settings: EmotionSettings) -> tuple[str, ...]:
    """What to be careful about."""
    if task.kind == "plutchik":
        return (*LIMITS, RARE_EMOTIONS, *settings.limits)
    balance = settings.balances_classes(task.kind)
    return (*LIMITS, *([EQUAL_WEIGHT] if balance else []), *settings.limits)


class EmotionReport(NamedTuple):
    """The results of a model and its baselines, by head; the model stands first."""

    task: EmotionTask
    rows: ResultRows
    thresholds: dict[str, float]
    """The logit above which each head predicts class 1."""
    recipe: HeadsRecipe | None
    """That of the heads; null for a model that was fine-tuned."""

    @property
    def facts(self) -> dict[str, object]:
        """The results for the recipe; the keys are those of the models that were shipped first."""
        task = self.task
        return {
            "sides": [len(texts) for texts in task.splits],
            "left_out": task.left_out,
            "repeated": task.duplicates,
            "rule": {name: sign._asdict() for name, sign in task.meaning.rule.items()},
            "limits": {name: round(at, 6) for name, at in self.thresholds.items()},
            "measured": {name: [row.as_json() for row in own] for name, own in self.rows.items()},
        }


def render_emotion_card(report: EmotionReport, recipe: HeadsRecipe, about: About) -> str:
    """What people should read before they use the model; its heads differ in nothing but name."""
    kind, head = report.task.kind, next(iter(recipe.heads.values()))
    return ModelCard(
        kind.capitalize(),
        SUMMARIES[kind],
        data=[f"- {about.data}", *describe_emotion_data(report)],
        evaluation=describe_emotion_results(report),
        method=[f"- heads: {describe_head(head)}"],
        limits=recipe.limits,
    ).render(about)


def describe_emotion_data(report: EmotionReport) -> list[str]:
    """The size of each split, what came into none, and the signs the rule gave to labels."""
    task = report.task
    train, validation, test = (f"{len(texts):,}" for texts in task.splits)
    return [
        f"- {train} utterances in the training set, {validation} in the validation set, {test} in "
        "the test set",
        f"- excluded: {task.left_out:,} with irrelevant or contradictory labels; "
        f"{task.duplicates:,} with a text that is also in another split",
        *(
            f"- label {name!r} by its utterances: {sign.positive:.1%} of {sign.n:,} positive, so "
            f"{'each by itself' if sign.sign == 'each' else sign.sign}"
            for name, sign in sorted(task.meaning.rule.items())
        ),
    ]


def describe_emotion_results(report: EmotionReport) -> list[str]:
    """The tables of results, and what they mean."""
    table = emotion_table if report.task.kind == "plutchik" else class_tables
    return [
        "## Results on the test set",
        "In brackets: 95% CI (bootstrap over dialogs, or over texts where dialogs are unknown). "
        "Baselines: the majority class, and the style of a text (case, spacing of punctuation, "
        "length) without its words.",
        "",
        *table(report),
    ]


def class_tables(report: EmotionReport) -> list[str]:
    """The results for two classes, and those of each class.

    Macro-F1, the mean over both classes, counts the rarer one as much as the commoner.
    """
    ((_, rows),) = report.rows.items()
    lines = ["| model | accuracy | macro-F1 | AUC | n |", "|---|---|---|---|---|"]
    for row in rows:
        results = " | ".join(map(format_result, (row.accuracy, row.macro_f1, row.auc)))
        lines.append(f"| {row.name} | {results} | {row.n:,} |")
    lines += ["", "| class | precision | recall | F1 | n |", "|---|---|---|---|---|"]
    for name, own in zip(LABELS[report.task.kind], rows[0].classes, strict=True):
        precision = "none predicted" if own.precision is None else f"{own.precision:.3f}"
        lines.append(f"| {name} | {precision} | {own.recall:.3f} | {own.f1:.3f} | {own.n:,} |")
    return lines


def emotion_table(report: EmotionReport) -> list[str]:
    """The results for each of several emotions.

    Average precision comes first: of a class of 2% a high AUC still means mostly false alarms.
    """
    n = next(iter(report.rows.values()))[0].n
    lines = [
        f"{n:,} utterances. An emotion is predicted where its probability is above the threshold "
        "with the best F1 on the validation set.",
        "",
        "| emotion | with it | model | average precision | F1 | AUC |",
        "|---|---|---|---|---|---|",
    ]
    for name, rows in report.rows.items():
        for row in rows:
            start = f"{name} | {row.classes[1].n:,}" if row.name == OURS else " | "
            results = " | ".join(map(format_result, (row.average_precision, row.f1, row.auc)))
            lines.append(f"| {start} | {row.name} | {results} |")
    return lines
