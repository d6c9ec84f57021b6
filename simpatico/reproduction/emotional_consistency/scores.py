"""What evaluators and lexica say of texts, and of answers in the human conversations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import NamedTuple

import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.features import Features, features_for_texts
from simpatico.features.detokenise import detokenise
from simpatico.features.lexicon import LexiconSums
from simpatico.features.plutchik import EMOTIONS
from simpatico.metrics.emotional_consistency import (
    EmotionalConsistency,
    consistency_points,
    expected_points,
)
from simpatico.reproduction.request import Request
from simpatico.turns import Turns

SHIPPED, FINE_TUNED, AS_GIVEN = "shipped", "fine-tuned", "as given"
LEXICON, VADER = "our lexicon", "VADER"
GOOD, BAD = ("joy", "trust"), ("anger", "fear", "disgust", "sadness")

Probabilities = tuple[Floats, Floats]
"""That texts are emotional, and that they are positive."""
TextScorer = Callable[[Sequence[str]], Probabilities]


class AnswerScores(NamedTuple):
    """Points of answers, what probabilities expect, and how likely users' turns are emotional."""

    hard: Floats
    soft: Floats
    user_emotional: Floats


def available_evaluators(request: Request, omissions: list[str]) -> dict[str, EmotionalConsistency]:
    """The metric as shipped and with the models that were given."""
    candidates = {
        SHIPPED: {},
        FINE_TUNED: dict(request.fine_tuned),
        AS_GIVEN: request.parameters_of("emotional_consistency"),
    }
    evaluators = dict[str, EmotionalConsistency]()
    for name, parameters in candidates.items():
        if not parameters and name != SHIPPED:
            continue
        metric = EmotionalConsistency(**parameters)
        if why := metric.missing:
            omissions.append(f"{name} evaluators: {why}")
        else:
            evaluators[name] = metric
    return evaluators


def text_scorers(
    metrics: Mapping[str, EmotionalConsistency], omissions: list[str]
) -> Iterator[tuple[str, TextScorer]]:
    """The evaluators and the lexicon baselines, by name."""
    for name, metric in metrics.items():
        yield name, evaluator_scorer(metric)
    yield LEXICON, lexicon_probabilities
    if vader := vader_scorer():
        yield VADER, vader
    else:
        omissions.append("VADER: vaderSentiment is not installed")


def evaluator_scorer(metric: EmotionalConsistency) -> TextScorer:
    """What a metric's classifiers say of texts."""
    features = features_for_texts(metric.needs)

    def probabilities(texts: Sequence[str]) -> Probabilities:
        emotional, positive, _ = metric.probabilities(features, texts, texts)
        return emotional, positive

    return probabilities


def lexicon_probabilities(texts: Sequence[str]) -> Probabilities:
    """1 for emotional where a word of the lexicon is there; the share of good among good and bad.

    Example: joy 3, anger 1 is positive with 3/4; without any of both it is .5.
    """
    frame = pl.DataFrame({"text": pl.Series([detokenise(t) for t in texts], dtype=pl.String)})
    feature = LexiconSums("emotions", EMOTIONS)
    sums = Features(Turns(frame), frozenset({feature, *feature.needs}))[feature]
    good, bad = (
        sums[:, [EMOTIONS.index(name) for name in names]].sum(axis=1) for names in (GOOD, BAD)
    )
    both = good + bad
    share = np.divide(good, both, out=np.full(len(good), 0.5), where=both > 0)
    return (both > 0).astype(np.float64), share


def vader_scorer() -> TextScorer | None:
    """VADER's compound score brought to 0 to 1, emotional where it is not 0; null if absent."""
    try:
        vader = import_module("vaderSentiment.vaderSentiment")
    except ImportError:
        return None
    analyzer = vader.SentimentIntensityAnalyzer()

    def probabilities(texts: Sequence[str]) -> Probabilities:
        compound = np.array(
            [analyzer.polarity_scores(detokenise(text))["compound"] for text in texts]
        )
        return (compound != 0).astype(np.float64), (1 + compound) / 2

    return probabilities


def score_answers(scorer: TextScorer, users: Sequence[str], answers: Sequence[str]) -> AnswerScores:
    """The points of answers to users' turns; neutral turns count, as they do in the paper."""
    user_emotional, user_positive = scorer(users)
    emotional, positive = scorer(answers)
    return AnswerScores(
        consistency_points(emotional, user_positive, positive),
        expected_points(emotional, user_positive, positive),
        user_emotional,
    )
