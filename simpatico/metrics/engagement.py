"""Engagement: how likely a reply engages its addressee.

Ghazarian et al. (2020, AAAI), Predictive Engagement. A logistic head over the vectors of a reply
and of what it answers, and over the character n-grams of both, trained on ratings of how engaging a
conversation was. A dialog has the mean over its turns, the lowest and the highest.
Example: turns of .2, .9 and .4 make a dialog of .5, from .2 to .9.
"""

from __future__ import annotations

from dataclasses import dataclass

from simpatico.metric import Card, Carried
from simpatico.metrics._shared.evaluator import Evaluator
from simpatico.metrics._shared.pairs import NO_ANSWERED_TURN


@dataclass(frozen=True)
class Engagement(Evaluator):
    """Parameter `model`: a folder of `simpatico train engagement`, or several joined by a plus."""

    model: str = "engagement"

    name = Carried("engagement")
    published = ("engagement",)
    kind = "engagement"
    head = "engaging"
    shows_extremes = True
    command = "simpatico train engagement --data FILE --out MODEL"
    meaning = "probability that the turn engages its addressee"
    facts = Card(
        about="How likely a turn engages its addressee.",
        undefined=NO_ANSWERED_TURN,
        citation=(
            "Ghazarian et al. 2020, Predictive Engagement: An Efficient Metric for Automatic "
            "Evaluation of Open-Domain Dialogue Systems; the authors use BERT, here an encoder "
            "stays as it is and a head of `simpatico train engagement` reads its vectors"
        ),
        kind="evaluator",
        careful=(
            "It was trained on ratings of whole conversations; on some unseen data reply length "
            "correlates better with ratings: compare it with length; a reply that copies the turn "
            "it replies to scores high."
        ),
    )
