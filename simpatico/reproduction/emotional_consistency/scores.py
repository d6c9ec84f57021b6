"""What evaluators and lexica say of texts, and of answers in the human conversations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import NamedTuple

import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.features import Features, alone
from simpatico.features.detokenise import tidied
from simpatico.features.lexicon import LexiconSums
from simpatico.features.plutchik import EMOTIONS
from simpatico.metrics.emotional_consistency import EmotionalConsistency, expected, points
from simpatico.reproduction.request import Asked
from simpatico.turns import Turns

SHIPPED, TUNED, GIVEN = "shipped", "fine-tuned", "as given"
LEXICON, VADER = "our lexicon", "VADER"
GOOD, BAD = ("joy", "trust"), ("anger", "fear", "disgust", "sadness")

Chances = tuple[Floats, Floats]
"""How likely texts are emotional, and positive."""
Says = Callable[[Sequence[str]], Chances]


class Answers(NamedTuple):
    """Points of answers, what probabilities expect, and how likely users' turns are emotional."""

    hard: Floats
    soft: Floats
    prompted: Floats


def evaluators(asked: Asked, absent: list[str]) -> dict[str, EmotionalConsistency]:
    """The metric as shipped and with the models that were given."""
    wanted = {SHIPPED: {}, TUNED: dict(asked.tuned), GIVEN: asked.of("emotional_consistency")}
    found = dict[str, EmotionalConsistency]()
    for name, parameters in wanted.items():
        if not parameters and name != SHIPPED:
            continue
        metric = EmotionalConsistency(**parameters)
        if why := metric.missing:
            absent.append(f"{name} evaluators: {why}")
        else:
            found[name] = metric
    return found


def handle(metric: EmotionalConsistency) -> Features:
    """The features of a metric, for any texts."""
    return alone(metric.needs)


def says(metric: EmotionalConsistency) -> Says:
    """What a metric's evaluators say of texts."""
    features = handle(metric)

    def both(texts: Sequence[str]) -> Chances:
        chance, positive, _ = metric.felt(features, texts, texts)
        return chance, positive

    return both


def lexicon_says(texts: Sequence[str]) -> Chances:
    """1 for emotional where a word of the lexicon is there; the share of good among good and bad.

    Example: joy 3, anger 1 is positive with 3/4; without any of both it is .5.
    """
    frame = pl.DataFrame({"text": pl.Series([tidied(t) for t in texts], dtype=pl.String)})
    feature = LexiconSums("emotions", EMOTIONS)
    sums = Features(Turns(frame), frozenset({feature, *feature.needs}))[feature]
    good, bad = (
        sums[:, [EMOTIONS.index(name) for name in names]].sum(axis=1) for names in (GOOD, BAD)
    )
    both = good + bad
    share = np.divide(good, both, out=np.full(len(good), 0.5), where=both > 0)
    return (both > 0).astype(np.float64), share


def vader_says() -> Says | None:
    """VADER's compound score brought to 0 to 1, emotional where it is not 0; null if absent."""
    try:
        found = import_module("vaderSentiment.vaderSentiment")
    except ImportError:
        return None
    told = found.SentimentIntensityAnalyzer()

    def both(texts: Sequence[str]) -> Chances:
        scores = np.array([told.polarity_scores(tidied(text))["compound"] for text in texts])
        return (scores != 0).astype(np.float64), (1 + scores) / 2

    return both


def judges(
    metrics: Mapping[str, EmotionalConsistency], absent: list[str]
) -> Iterator[tuple[str, Says]]:
    """All that say something of texts, by name."""
    for name, metric in metrics.items():
        yield name, says(metric)
    yield LEXICON, lexicon_says
    if vader := vader_says():
        yield VADER, vader
    else:
        absent.append("VADER: vaderSentiment is not installed")


def answered(who: Says, users: Sequence[str], answers: Sequence[str]) -> Answers:
    """The points of answers to users' turns; neutral turns count, as they do in the paper."""
    emotional, heard = who(users)
    chance, said = who(answers)
    return Answers(points(chance, heard, said), expected(chance, heard, said), emotional)
