"""Openness to experience: how curious and imaginative a speaker sounds, on a Big Five scale.

No model is shipped: on the open conversations at hand none did reliably better than chance.
Example: intercept 5 and a sum of weights of -20 over 100 words give 4.8.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from simpatico.metric import Card
from simpatico.metrics._shared.trait import BIG_FIVE, Trait


@dataclass(frozen=True)
class Openness(Trait):
    """Parameters: `model`, a folder of `simpatico train trait`; `minimum_words` for a score."""

    name: ClassVar[str] = "openness"
    meaning: ClassVar[str] = "openness of the speaker, as a Big Five questionnaire would put it"
    more: ClassVar[str] = "sounds more curious and imaginative than"
    less: ClassVar[str] = "sounds less curious and imaginative than"
    facts: ClassVar[Card] = Card(
        about="Big Five openness to experience of a speaker, by a model of your own.",
        undefined="",
        citation=BIG_FIVE,
    )
