"""What people should read before they use a personal model, and how far its chances hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from simpatico.features.users.folder import Bin, Figure, Heldout, PersonalRecipe
from simpatico.features.users.model import People
from simpatico.stats.auc import DECIMALS
from simpatico.stats.bootstrap import FEWEST_CLUSTERS
from simpatico.training.model_folder import About, framed, runs

Numbers = npt.NDArray[np.floating[Any]]

BINS = 10
TITLES = {"chance": "Reply chance", "score": "Interlocutor's score"}
SAYS = {
    "chance": "Says how likely the person who is talked to answers a turn.",
    "score": "Says which score the person who is talked to gives a turn.",
}
LIMITS = (
    "The weights that all persons share learned from all of them, also from those who were "
    "forgotten since.",
    "Who is not known is taken for an average person; a known one is as good as the examples of "
    "theirs.",
)


def reliability(told: Numbers, happened: Numbers) -> tuple[Bin, ...]:
    """For each tenth of chances that were told: how many, their mean, and how often it happened."""
    tenth = np.minimum((told * BINS).astype(np.int64), BINS - 1)
    return tuple(
        Bin(
            int((tenth == number).sum()),
            round(float(told[tenth == number].mean()), DECIMALS),
            round(float(happened[tenth == number].mean()), DECIMALS),
        )
        for number in np.unique(tenth)
    )


def calibration_error(bins: tuple[Bin, ...]) -> float:
    """The mean distance between what is told and what happens, each turn counting the same.

    Example: 3 turns told .2 of which none is answered, 1 told .8 that is: (3 * .2 + .2) / 4 = .2.
    """
    n = sum(one.n for one in bins)
    return round(sum(one.n * abs(one.told - one.happened) for one in bins) / max(n, 1), DECIMALS)


def card(recipe: PersonalRecipe, people: People) -> str:
    """What a folder's card says; who the persons are is not in it."""
    return framed(
        TITLES[recipe.target],
        SAYS[recipe.target],
        About(recipe.data, recipe.licence, recipe.command),
        data=[f"- {recipe.data}: {recipe.examples:,} examples", *known(people)],
        figures=figures(recipe.heldout),
        made=[*made(recipe), *recipe.lines],
        limits=(*LIMITS, *recipe.limits),
    )


def known(people: People) -> list[str]:
    """How many persons there are, and how well they are known."""
    if not len(people.seen):
        return ["- it knows no persons: everybody is an average one"]
    low, middle, high = np.percentile(people.seen, (0, 50, 100)).astype(int)
    return [
        f"- it knows {len(people.seen):,} persons, by {low:,} to {high:,} examples (median "
        f"{middle:,}); names are kept as digits that only its key can make"
    ]


def figures(found: Heldout) -> list[str]:
    """The figures on what is later, and the table of reliability, which only chances have."""
    what = "turns" if found.reliability else "ratings"
    bins = [f"| {one.told:.3f} | {one.happened:.3f} | {one.n:,} |" for one in found.reliability]
    table = [
        "",
        f"### How far its chances hold (expected calibration error "
        f"{calibration_error(found.reliability):.3f})",
        "| told | happened | turns |",
        "|---|---|---|",
        *bins,
    ]
    return [
        f"## How well it does on later {what}, which it has not seen",
        f"{found.n:,} {what} and {found.persons:,} persons; {spread(found)}.",
        "",
        *(f"- {name}: {shown(figure)}" for name, figure in found.figures.items()),
        *(table if bins else []),
    ]


def spread(found: Heldout) -> str:
    """What stands in brackets, or why nothing does."""
    if found.persons < FEWEST_CLUSTERS:
        return f"fewer than {FEWEST_CLUSTERS} persons have no intervals"
    return "in brackets where 95% of the resamples of persons lie"


def shown(figure: Figure) -> str:
    """A figure with its interval, where there is one."""
    if figure.low is None or figure.high is None:
        return f"{figure.value:.3f}"
    return f"{figure.value:.3f} [{figure.low:.3f}, {figure.high:.3f}]"


def made(recipe: PersonalRecipe) -> list[str]:
    """What it sees, and what persons have weights for."""
    form = recipe.form
    vectors = f"vectors of {form.encoder} ({form.encoder_sha256[:12]}), pooled by {form.pooling}"
    told = [vectors if form.encoder else "", runs(form.grams).removeprefix(", and ")]
    profile = " and of the person's profile" if form.profile else ""
    fading = f"; an example counts {recipe.discount:g} after each later one"
    own = f"{', '.join(recipe.own)}{fading if recipe.discount < 1 else ''}"
    return [
        f"- sees of what was heard and said{profile}, but for the person's name: "
        f"{'; '.join(filter(None, told)) or 'nothing'}",
        f"- circumstances: {', '.join(form.circumstances)}",
        f"- persons have weights for: {own if recipe.own else 'nothing'}",
    ]
