"""The card of a user-aware model, with the reliability of its probabilities."""

from __future__ import annotations

import numpy as np

from simpatico.arrays import Floats
from simpatico.features.users.folder import (
    ModelEvaluation,
    RecordedResult,
    ReliabilityBin,
    UserModelRecipe,
)
from simpatico.features.users.model import UserWeights
from simpatico.stats.bootstrap import DECIMALS, MIN_CLUSTERS
from simpatico.training.card import About, ModelCard, describe_char_ngrams

BINS = 10
TITLES = {"chance": "Reply chance", "score": "Interlocutor's score"}
SUMMARIES = {
    "chance": "Says how likely the person who is talked to answers a turn.",
    "score": "Says which score the person who is talked to gives a turn.",
}
LIMITS = (
    "The weights that all persons share learned from all of them, also from those who were "
    "forgotten since.",
    "Who is not known is taken for an average person; a known one is as good as the examples of "
    "theirs.",
)


def reliability_bins(predicted: Floats, observed: Floats) -> tuple[ReliabilityBin, ...]:
    """For each tenth of predicted probabilities: how many, their mean, and the share of replies."""
    tenth = np.minimum((predicted * BINS).astype(np.int64), BINS - 1)
    return tuple(
        ReliabilityBin(
            int((tenth == number).sum()),
            round(float(predicted[tenth == number].mean()), DECIMALS),
            round(float(observed[tenth == number].mean()), DECIMALS),
        )
        for number in np.unique(tenth)
    )


def calibration_error(bins: tuple[ReliabilityBin, ...]) -> float:
    """Expected calibration error (Naeini et al. 2015): sum_b n_b |predicted_b - observed_b| / n.

    Example: 3 turns predicted .2 of which none is answered, 1 predicted .8 that is:
    (3 * .2 + .2) / 4 = .2.
    """
    n = sum(one.n for one in bins)
    gaps = sum(one.n * abs(one.predicted - one.observed) for one in bins)
    return round(gaps / max(n, 1), DECIMALS)


def user_model_card(recipe: UserModelRecipe, users: UserWeights) -> str:
    """The card of a folder; it does not say who the users are."""
    if len(users.n_examples):
        low, median, high = np.percentile(users.n_examples, (0, 50, 100)).astype(int)
        known = (
            f"- it knows {len(users.n_examples):,} persons, by {low:,} to {high:,} examples "
            f"(median {median:,}); names are kept as digits that only its key can make"
        )
    else:
        known = "- it knows no persons: everybody is an average one"
    return ModelCard(
        TITLES[recipe.target],
        SUMMARIES[recipe.target],
        data=[f"- {recipe.data}: {recipe.examples:,} examples", known],
        evaluation=evaluation_lines(recipe.test),
        method=[*method_lines(recipe), *recipe.lines],
        limits=(*LIMITS, *recipe.limits),
    ).render(About(recipe.data, recipe.licence, recipe.command))


def evaluation_lines(test: ModelEvaluation) -> list[str]:
    """Results on the test split and, for probabilities, the table of reliability."""
    noun = "turns" if test.reliability else "ratings"
    brackets = (
        f"fewer than {MIN_CLUSTERS} persons have no intervals"
        if test.users < MIN_CLUSTERS
        else "in brackets where 95% of the resamples of persons lie"
    )
    lines = [
        f"## How well it does on later {noun}, which it has not seen",
        f"{test.n:,} {noun} and {test.users:,} persons; {brackets}.",
        "",
        *(f"- {name}: {format_recorded_result(result)}" for name, result in test.results.items()),
    ]
    if not test.reliability:
        return lines
    return [
        *lines,
        "",
        f"### How far its chances hold (expected calibration error "
        f"{calibration_error(test.reliability):.3f})",
        "| told | happened | turns |",
        "|---|---|---|",
        *(f"| {b.predicted:.3f} | {b.observed:.3f} | {b.n:,} |" for b in test.reliability),
    ]


def format_recorded_result(result: RecordedResult) -> str:
    """A value with its interval, where there is one."""
    if result.low is None or result.high is None:
        return f"{result.value:.3f}"
    return f"{result.value:.3f} [{result.low:.3f}, {result.high:.3f}]"


def method_lines(recipe: UserModelRecipe) -> list[str]:
    """The inputs, the covariates, and the terms that users have weights for."""
    spec = recipe.inputs
    vectors = f"vectors of {spec.encoder} ({spec.encoder_sha256[:12]}), pooled by {spec.pooling}"
    inputs = [
        vectors if spec.encoder else "",
        describe_char_ngrams(spec.char_ngrams).removeprefix(", and "),
    ]
    profile = " and of the person's profile" if spec.profile else ""
    discount = f"; an example counts {recipe.discount:g} after each later one"
    terms = f"{', '.join(recipe.terms)}{discount if recipe.discount < 1 else ''}"
    return [
        f"- sees of what was heard and said{profile}, but for the person's name: "
        f"{'; '.join(filter(None, inputs)) or 'nothing'}",
        f"- circumstances: {', '.join(spec.covariates)}",
        f"- persons have weights for: {terms if recipe.terms else 'nothing'}",
    ]
