"""Conscientiousness: how orderly and dependable a speaker sounds, on a Big Five scale.

No model is shipped: on the open conversations at hand none did reliably better than chance.
Example: intercept 5 and a sum of weights of -20 over 100 words give 4.8.
"""

from __future__ import annotations

from dataclasses import dataclass

from simpatico.metrics._shared.trait import Trait


@dataclass(frozen=True)
class Conscientiousness(Trait):
    """Parameters: `model`, a folder of `simpatico train trait`; `minimum_words` for a score."""

    name = "conscientiousness"
    about = "Big Five conscientiousness of a speaker; needs a model that you train."
    comparison = "sounds (more|less) conscientious"
