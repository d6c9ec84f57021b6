"""What came out of a training for emotions, as figures and as the card of the model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from simpatico.features.heads.folder import EmotionKind, Recipe
from simpatico.stats.classification import ClassFigures, Row
from simpatico.training.card import About, ModelCard
from simpatico.training.emotion.baselines import OURS, Rows
from simpatico.training.emotion.settings import Prepared, Training
from simpatico.training.engagement.report__engagement_report import shown
from simpatico.training.heads.folder import describe_head

TITLES: Mapping[EmotionKind, str] = {
    "neutrality": "Says how likely an utterance is emotional, be it good or bad.",
    "polarity": "Says how likely an utterance is positive, of those that are emotional.",
    "plutchik": "Says how likely an utterance has each of Plutchik's eight emotions.",
}
CLASSES: Mapping[EmotionKind, tuple[str, str]] = {
    "neutrality": ("neutral", "emotional"),
    "polarity": ("negative", "positive"),
    "plutchik": ("without it", "with it"),
}
LIMITS = (
    "It sees one utterance and nothing before it: irony and what is only hinted at are lost.",
    "It knows the language and the manner of the texts it learned from.",
)
EVEN = (
    "Both classes counted the same in training, so probabilities are too high for the class that "
    "is rare where it is used."
)
RARE = (
    "Emotions that are rare in the training are rarely found: read the figures of each before use."
)


def limits(ready: Prepared, training: Training) -> tuple[str, ...]:
    """What to be careful about."""
    own = (RARE,) if ready.kind == "plutchik" else (EVEN,) if ready.balanced(training) else ()
    return (*LIMITS, *own, *training.limits)


class Report(NamedTuple):
    """How a model does beside simpler guesses, by head; the model stands first."""

    ready: Prepared
    rows: Rows
    limits: dict[str, float]
    """Above which number before the logistic function each head says yes."""
    recipe: Recipe | None
    """That of the heads; null for a model that was fine-tuned."""

    @property
    def facts(self) -> dict[str, object]:
        """The figures, to be kept beside the weights."""
        drawn = self.ready.drawn
        rule = self.ready.meaning.rule
        return {
            "sides": [len(side) for side in drawn.sides],
            "left_out": drawn.left_out,
            "repeated": drawn.repeated,
            "rule": {name: found._asdict() for name, found in rule.items()},
            "limits": {name: round(at, 6) for name, at in self.limits.items()},
            "measured": {name: [row.facts for row in some] for name, some in self.rows.items()},
        }


def card(report: Report, about: About) -> str:
    """What people should read before they use the model."""
    kind, recipe = report.ready.kind, report.recipe
    heads = recipe.heads if recipe else {}
    return ModelCard(
        kind.capitalize(),
        TITLES[kind],
        data=[f"- {about.data}", *counted(report)],
        evaluation=figures(report),
        method=[f"- heads: {describe_head(next(iter(heads.values())))}"] if heads else [],
        limits=recipe.limits if recipe else LIMITS,
    ).render(about)


def counted(report: Report) -> list[str]:
    """How much there is on each side, what came on none, and what the rule said of labels."""
    drawn, rule = report.ready.drawn, report.ready.meaning.rule
    learn, check, heldout = (f"{len(side):,}" for side in drawn.sides)
    return [
        f"- {learn} utterances to learn from, {check} that decide when to stop, {heldout} held out",
        f"- left out: {drawn.left_out:,} whose labels say nothing of it, or two things at once; "
        f"{drawn.repeated:,} whose text another side has, too",
        *(
            f"- label {name!r} by its utterances: {found.positive:.1%} of {found.n:,} positive, so "
            f"{'each by itself' if found.sign == 'each' else found.sign}"
            for name, found in sorted(rule.items())
        ),
    ]


def figures(report: Report) -> list[str]:
    """The tables of figures, and what they mean."""
    table = of_many if report.ready.kind == "plutchik" else of_two
    return [
        "## How well it does on utterances held out",
        "In brackets where 95% of the resamples of dialogs lie, of texts where dialogs are "
        "unknown. Beside it what simpler guesses reach: the commoner class, and how a text is "
        "written (case, spacing of punctuation, length) without its words.",
        "",
        *table(report),
    ]


def of_two(report: Report) -> list[str]:
    """The table of two classes, and how well each is told."""
    ((_, rows),) = report.rows.items()
    names = CLASSES[report.ready.kind]
    return [
        "| guess by | accuracy | macro-F1 | AUC | n |",
        "|---|---|---|---|---|",
        *(
            f"| {row.name} | {shown(row.accuracy)} | {shown(row.macro_f1)} | {shown(row.auc)} | "
            f"{row.n:,} |"
            for row in rows
        ),
        "",
        "| class | precision | recall | F1 | n |",
        "|---|---|---|---|---|",
        *(of_class(name, found) for name, found in zip(names, rows[0].classes, strict=True)),
    ]


def of_class(name: str, found: ClassFigures) -> str:
    precision = "none told" if found.precision is None else f"{found.precision:.3f}"
    return f"| {name} | {precision} | {found.recall:.3f} | {found.f1:.3f} | {found.n:,} |"


def of_many(report: Report) -> list[str]:
    """The table of several emotions."""
    n = next(iter(report.rows.values()))[0].n
    return [
        f"Of {n:,} utterances. An emotion is told where its probability is above the limit that "
        "has the best F1 on the side that decides.",
        "",
        "| emotion | with it | guess by | average precision | F1 | AUC |",
        "|---|---|---|---|---|---|",
        *(of_emotion(name, row) for name, rows in report.rows.items() for row in rows),
    ]


def of_emotion(name: str, row: Row) -> str:
    mine = row.name == OURS
    start = f"{name} | {row.classes[1].n:,}" if mine else " | "
    return f"| {start} | {row.name} | {shown(row.precision)} | {shown(row.f1)} | {shown(row.auc)} |"
