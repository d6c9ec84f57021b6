"""Extraversion: how outgoing and lively a speaker sounds, on a Big Five scale.

No model is shipped: on the open conversations at hand none did reliably better than chance.
Example: intercept 4 and a sum of weights of 30 over 100 words give 4.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from simpatico.metric import Card
from simpatico.metrics._shared.trait import BIG_FIVE, Trait


@dataclass(frozen=True)
class Extraversion(Trait):
    """Parameters: `model`, a folder of `simpatico train trait`; `minimum_words` for a score."""

    name: ClassVar[str] = "extraversion"
    meaning: ClassVar[str] = "extraversion of the speaker, as a Big Five questionnaire would put it"
    more: ClassVar[str] = "sounds more outgoing than"
    less: ClassVar[str] = "sounds less outgoing than"
    facts: ClassVar[Card] = Card(
        about="Big Five extraversion of a speaker, by a model of your own.",
        undefined="",
        citation=BIG_FIVE,
    )
