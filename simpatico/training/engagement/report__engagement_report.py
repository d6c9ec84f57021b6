"""What came out of a training for engagement, as figures and as the card of the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from simpatico.features.heads.folder import Recipe
from simpatico.stats.classification__measures import Estimate, Measured, Run, compared
from simpatico.training.card import About, ModelCard
from simpatico.training.engagement.report import OURS, Part, parted
from simpatico.training.engagement.splits import Sides
from simpatico.training.heads.folder import describe_head

LIMITS = (
    "Ratings are of whole conversations: each exchange has that of the conversation it is in.",
    "It sees one exchange and nothing before it.",
    "It knows the language and the manner of the conversations it learned from.",
    "Both labels counted the same in training, so probabilities are too high where engaging "
    "replies are rare.",
)


class Report(NamedTuple):
    """How a model does beside simpler guesses, means over the seeds; the model stands first."""

    rows: list[Measured]
    ahead: dict[str, Estimate]
    """By how much its area is above that of each other one."""
    seeds: int
    dialogs: int
    """Held out, in the first seed."""
    people: dict[str, float | None]
    """On each side of the first seed, the share of engaging exchanges that are between people."""
    parts: list[Part]
    """What was held out in the first seed, by where it comes from and who talks."""
    counts: list[str]
    """What was given, by where it comes from."""
    recipe: Recipe | None
    """That of the heads; null for a model that was fine-tuned."""

    @classmethod
    def of(
        cls, trials: Sequence[Mapping[str, Run]], sides: Sides, recipe: Recipe | None = None
    ) -> Report:
        runs = {name: [trial[name] for trial in trials] for name in trials[0]}
        rows, above = compared(runs, OURS)
        people = {name: side.among_people for name, side in zip(SIDES, sides, strict=True)}
        parts = parted(sides, trials[0][OURS])
        return cls(
            rows, above, len(trials), sides.heldout.dialogs, people, parts, counted(sides), recipe
        )

    @property
    def facts(self) -> dict[str, object]:
        """The figures, to be kept beside the weights."""
        return {
            "measured": [
                {
                    "name": row.name,
                    "balanced": list(row.balanced_accuracy),
                    "auc": list(row.auc),
                    "n": row.n,
                }
                for row in self.rows
            ],
            "ahead": {name: list(found) for name, found in self.ahead.items()},
            "parts": [part.facts for part in self.parts],
            "engaging_between_people": self.people,
        }


SIDES = ("learned from", "decide when to stop", "held out")


def card(report: Report, about: About) -> str:
    """What people should read before they use the model."""
    dialogs = report.recipe.dialogs if report.recipe else report.dialogs
    heads = report.recipe.heads if report.recipe else {}
    return ModelCard(
        "Engagement",
        "Says how likely a reply is to be engaging, from the reply and what it answers.",
        data=[f"- {about.data}: {dialogs:,} dialogs", *report.counts, *between_people(report)],
        evaluation=figures(report),
        method=[f"- {name}: {describe_head(head)}" for name, head in heads.items()],
        limits=report.recipe.limits if report.recipe else LIMITS,
    ).render(about)


def figures(report: Report) -> list[str]:
    """The table of figures, and what it means."""
    return [
        "## How well it does on dialogs it has not seen",
        f"{seeded(report.seeds)}; in brackets where 95% of the resamples of dialogs lie, of "
        "raters where they are known. Beside it what simpler guesses reach.",
        "",
        "| guess by | balanced accuracy | AUC | how far the model's AUC is above it |",
        "|---|---|---|---|",
        *(line(row, report.ahead.get(row.name)) for row in report.rows),
        "",
        *(f"- it is {beside(found)} {name}" for name, found in report.ahead.items()),
        *by_part(report.parts),
    ]


def by_part(parts: Sequence[Part]) -> list[str]:
    """The table of figures by where exchanges come from, if there are several such parts."""
    if len(parts) < 2:
        return []
    return [
        "",
        "### The same by where labels come from",
        "| held out | balanced accuracy | AUC | AUC of reply length | how far above | exchanges | "
        "dialogs |",
        "|---|---|---|---|---|---|---|",
        *(
            f"| {part.name} | {shown(part.ours.balanced_accuracy)} | {shown(part.ours.auc)} | "
            f"{shown(part.length.auc)} | {shown(part.above)} | {part.ours.n:,} | {part.dialogs:,} |"
            for part in parts
        ),
        "",
        *(f"- {part.name}: {beside(part.above)} reply length" for part in parts),
    ]


def counted(sides: Sides) -> list[str]:
    """How much there is of each origin, and which share of it is engaging."""
    lines = []
    for origin in dict.fromkeys(name for side in sides for name in side.origin):
        some = [side.some(np.flatnonzero(np.array(side.origin) == origin)) for side in sides]
        n, dialogs = sum(map(len, some)), sum(part.dialogs for part in some)
        share = sum(int(part.label.sum()) for part in some) / n
        lines.append(f"- {origin}: {n:,} exchanges of {dialogs:,} dialogs, {share:.1%} engaging")
    return lines


def beside(found: Estimate) -> str:
    """Where a model stands that is ahead by so much."""
    if found.high < 0:
        return "below"
    return "above" if found.low > 0 else "not surely above"


def seeded(seeds: int) -> str:
    """Over how many seeds the figures are."""
    if seeds == 1:
        return "Dialogs held out once"
    return f"Means over {seeds} seeds, each with dialogs of its own held out"


def line(row: Measured, above: Estimate | None) -> str:
    """A row of the table of figures."""
    cells = [row.name, shown(row.balanced_accuracy), shown(row.auc), shown(above) if above else ""]
    return f"| {' | '.join(cells)} |"


def shown(found: Estimate) -> str:
    return f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}]"


def between_people(report: Report) -> list[str]:
    """Who talks in the engaging exchanges, where that is known."""
    return [
        f"- of the engaging exchanges {name.replace('decide', 'that decide')}, {share:.1%} are "
        "between people"
        for name, share in report.people.items()
        if share is not None
    ]
