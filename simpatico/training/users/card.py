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
from simpatico.wording import format_interval, format_number

BINS = 10
TITLES = {"chance": "Reply chance", "score": "Interlocutor's score"}
SUMMARIES = {
    "chance": "Predicts the probability that the addressed user replies to a turn.",
    "score": "Predicts the rating that the addressed user gives a turn.",
}
LIMITS = (
    "Removing a user deletes their own weights; the shared weights were trained on all users and "
    "keep what they learned from users who were removed since.",
    "An unknown user is treated as an average user; predictions for a known user are as good as "
    "the examples of this user.",
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
            f"- per-user weights: {len(users.n_examples):,} users with {low:,} to {high:,} "
            f"examples (median {median:,}); names are stored as keyed pseudonyms"
        )
    else:
        known = "- no per-user weights: every user is treated as an average user"
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
        f"no 95% CI with fewer than {MIN_CLUSTERS} users"
        if test.users < MIN_CLUSTERS
        else "in brackets: 95% CI (bootstrap over users)"
    )
    lines = [
        f"## Results on the test set (later {noun})",
        f"{test.n:,} {noun} and {test.users:,} users; {brackets}.",
        "",
        *(f"- {name}: {format_recorded_result(result)}" for name, result in test.results.items()),
    ]
    if not test.reliability:
        return lines
    return [
        *lines,
        "",
        f"### Calibration (expected calibration error {calibration_error(test.reliability):.3f})",
        "| predicted | observed | turns |",
        "|---|---|---|",
        *(f"| {b.predicted:.3f} | {b.observed:.3f} | {b.n:,} |" for b in test.reliability),
    ]


def format_recorded_result(result: RecordedResult) -> str:
    """A value with its interval, where there is one."""
    if result.low is None or result.high is None:
        return format_number(result.value, 3)
    interval = format_interval(result.low, result.high, 3)
    return f"{format_number(result.value, 3)} {interval}"


def method_lines(recipe: UserModelRecipe) -> list[str]:
    """The inputs, the covariates, and the terms that users have weights for."""
    spec = recipe.inputs
    vectors = f"vectors of {spec.encoder} ({spec.encoder_sha256[:12]}), pooled by {spec.pooling}"
    inputs = [
        vectors if spec.encoder else "",
        describe_char_ngrams(spec.char_ngrams).removeprefix(", and "),
    ]
    profile = " and the user's profile" if spec.profile else ""
    discount = f"; older examples are discounted by {recipe.discount:g} per later example"
    terms = f"{', '.join(recipe.terms)}{discount if recipe.discount < 1 else ''}"
    return [
        f"- inputs from context and turn{profile}, without the user's name: "
        f"{'; '.join(filter(None, inputs)) or 'none'}",
        f"- covariates: {', '.join(spec.covariates)}",
        f"- per-user weights for: {terms if recipe.terms else 'none'}",
    ]
