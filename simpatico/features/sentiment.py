"""Whether a reply has the sentiment that fits what it answers, by two shipped classifiers.

With u and e that the answered turn and the reply are emotional, a and b that they are positive, all
independent, and a' = 1 - u (1 - a) that the turn is not negative, a reply of the right sentiment
gets 1 point, of the wrong one 0 and a neutral one half a point; the expected points are

    (1 - e) / 2 + e (a' b + (1 - a') (1 - b)).

Example: u = .9, e = .8, a = .9, b = .7: a' = .91, and it is .1 + .8 (.637 + .027) = .6312. For a
surely neutral turn, a' = 1, it is .1 + .8 x .7 = .66.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simpatico.arrays import Floats
from simpatico.features.heads.folder import HeadProbabilities, PairHead

EMOTIONAL = PairHead("neutrality", "neutrality", "emotional")
POSITIVE = PairHead("polarity", "polarity", "positive")
UNKNOWN = 0.5
"""The points of a reply of which nothing can be said."""


def expected_points(
    user_emotional: Floats, emotional: Floats, context: Floats, answer: Floats
) -> Floats:
    """The expected points of each reply, taking the four probabilities as independent."""
    not_negative = 1 - user_emotional * (1 - context)
    same_sign = not_negative * answer + (1 - not_negative) * (1 - answer)
    return (1 - emotional) / 2 + emotional * same_sign


def sentiment_match(
    emotional: HeadProbabilities,
    positive: HeadProbabilities,
    answered: Sequence[str],
    replies: Sequence[str],
) -> Floats:
    """The expected points of each reply to what it answers."""
    both, n = [*answered, *replies], len(answered)
    e, p = emotional.of(both), positive.of(both)
    return np.nan_to_num(expected_points(e[:n], e[n:], p[:n], p[n:]), nan=UNKNOWN)
