"""Neuroticism: how anxious and easily upset a speaker sounds, on a Big Five scale.

The name is that of the Big Five; a questionnaire that gives emotional stability must be reversed
before training (on a scale from 1 to 7: 8 minus the answer). No model is shipped: on the open
conversations at hand none did reliably better than chance.
Example: intercept 3 and a sum of weights of 30 over 100 words give 3.3.
"""

from __future__ import annotations

from dataclasses import dataclass

from simpatico.metrics._shared.trait import Trait


@dataclass(frozen=True)
class Neuroticism(Trait):
    """Parameters: `model`, a folder of `simpatico train trait`; `minimum_words` for a score."""

    name = "neuroticism"
    about = (
        "Big Five neuroticism of a speaker, the reverse of emotional stability, by a model of "
        "your own."
    )
    comparison = "sounds (more|less) anxious"
