"""Relevance: how likely a reply answers what it answers rather than something else.

The unreferenced part of contextual RUBER (Ghazarian et al. 2019, NeuralGen): a small network over
the vectors of a reply and of what it answers, trained to tell true replies from those to other
turns by cross-entropy.
Example: a logit of 0 gives 1 / (1 + exp(0)) = .5.
"""

from __future__ import annotations

from dataclasses import dataclass

from simpatico.metric import Card, Carried
from simpatico.metrics._shared.evaluator import Evaluator
from simpatico.metrics._shared.pairs import NO_ANSWERED_TURN


@dataclass(frozen=True)
class Relevance(Evaluator):
    """Parameter `model`: a folder of `simpatico train relevance`, or several joined by a plus."""

    model: str = "relevance"

    name = Carried("relevance")
    published = ("relevance",)
    kind = "relevance"
    head = "relevant"
    command = "simpatico train relevance --data DIALOGS --out MODEL"
    meaning = "probability that the turn is a reply to what it answers"
    facts = Card(
        about="How likely a turn is a reply to what it answers rather than to something else.",
        undefined=NO_ANSWERED_TURN,
        citation=(
            "Ghazarian et al. 2019, Better Automatic Evaluation of Open-Domain Dialogue Systems "
            "with Contextualized Embeddings, the unreferenced part; a head of `simpatico train "
            "relevance` over an encoder that stays as it is"
        ),
        kind="evaluator",
        careful="Texts on one subject look as if they followed each other, sense or not.",
    )
