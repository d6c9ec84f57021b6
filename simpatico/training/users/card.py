"""The card of a user-aware model, with the reliability of its probabilities."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from simpatico.arrays import Floats
from simpatico.features.users import folder
from simpatico.features.users.model import UserWeights
from simpatico.stats.bootstrap import DECIMALS, MIN_CLUSTERS
from simpatico.stats.result import Result
from simpatico.training.card import About, ModelCard, describe_char_ngrams
from simpatico.wording import format_interval, format_number

BINS = 10
TITLES = {"chance": "Reply probability", "score": "User rating"}
SUMMARIES = {
    "chance": "Predicts the probability that the addressed user replies to a turn. Used by the "
    "metric `reply_chance`.",
    "score": "Predicts the rating that the addressed user gives a turn. Used by the metric "
    "`interlocutor_score`.",
}
TERM_NAMES = {folder.INTERCEPT: "intercept", folder.SHARED_PREDICTOR: "shared predictor"}
LIMITS = (
    "Removing a user deletes their own weights; the shared weights were trained on all users and "
    "still reflect users who have been removed.",
    "An unknown user is treated as an average user; predictions for a known user depend on how "
    "many examples of this user there were.",
)


def reliability_bins(probability: Floats, outcome: Floats) -> tuple[folder.ReliabilityBin, ...]:
    """For each tenth of predicted probabilities: how many, their mean, and the share of replies."""
    tenth = np.minimum((probability * BINS).astype(np.int64), BINS - 1)
    masks = [tenth == number for number in np.unique(tenth)]
    return tuple(
        folder.ReliabilityBin(
            int(mask.sum()),
            *(round(float(column[mask].mean()), DECIMALS) for column in (probability, outcome)),
        )
        for mask in masks
    )


def calibration_error(bins: tuple[folder.ReliabilityBin, ...]) -> float:
    """Expected calibration error (Naeini et al. 2015): sum_b n_b |predicted_b - observed_b| / n.

    Example: 3 turns predicted .2 of which none is answered, 1 predicted .8 that is:
    (3 * .2 + .2) / 4 = .2.
    """
    n = sum(one.n for one in bins)
    gaps = sum(one.n * abs(one.predicted - one.observed) for one in bins)
    return round(gaps / max(n, 1), DECIMALS)


def user_model_card(recipe: folder.UserModelRecipe, users: UserWeights) -> str:
    """The card of a folder; it does not say who the users are."""
    spec = recipe.inputs
    if len(users.n_examples):
        low, median, high = np.percentile(users.n_examples, (0, 50, 100)).astype(int)
        user_line = (
            f"- per-user weights: {len(users.n_examples):,} users with {low:,} to {high:,} "
            f"examples (median {median:,}); names are stored as keyed pseudonyms"
        )
    else:
        user_line = "- no per-user weights: every user is treated as an average user"
    vectors = f"vectors of {spec.encoder} ({spec.encoder_sha256[:12]}), pooled by {spec.pooling}"
    char_ngrams = describe_char_ngrams(spec.char_ngrams).removeprefix(", and ")
    inputs = "; ".join(filter(None, [vectors if spec.encoder else "", char_ngrams])) or "none"
    profile = " and the user's profile" if spec.profile else ""
    terms = ", ".join(TERM_NAMES.get(name, name) for name in recipe.terms) or "none"
    if recipe.terms and recipe.discount < 1:
        terms += f"; older examples are discounted by {recipe.discount:g} per later example"
    return ModelCard(
        TITLES[recipe.target],
        SUMMARIES[recipe.target],
        data=[f"- {recipe.data}: {recipe.examples:,} examples", user_line],
        evaluation=[*evaluation_lines(recipe.test), *(("", *recipe.lines) if recipe.lines else ())],
        method=[
            f"- inputs from context and turn{profile}, without the user's name: {inputs}",
            f"- covariates: {', '.join(spec.columns)}",
            f"- per-user weights for: {terms}",
        ],
        limits=(*LIMITS, *recipe.limits),
    ).render(About(recipe.data, recipe.licence, recipe.command))


def evaluation_lines(test: folder.ModelEvaluation) -> list[str]:
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
    ]
    for name, result in test.results.items():
        has_interval = result.low is not None and result.high is not None
        interval = f" {format_interval(result.low, result.high, 3)}" if has_interval else ""
        lines.append(f"- {name}: {format_number(result.value, 3)}{interval}")
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


def record_result(result: Result) -> folder.RecordedResult:
    return folder.RecordedResult(result.numbers[0], result.low, result.high)


def excluded_lines(counts: Mapping[str, int], noun: str) -> list[str]:
    """Examples that were not used, by reason."""
    return [f"- excluded: {n:,} {noun} {why}" for why, n in counts.items() if n]
