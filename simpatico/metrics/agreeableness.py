"""Agreeableness: how kind and cooperative a speaker sounds, on a Big Five scale from 1 to 7.

The shipped model learned the questionnaire answers of people who negotiated in chat, from all they
wrote there. Outside negotiation it is unproven: on essays its guesses told nothing detectable.
Example: intercept 5 and a sum of weights of -20 over 100 words give 4.8.
"""

from __future__ import annotations

from dataclasses import dataclass

from simpatico.metrics._shared.trait import Trait


@dataclass(frozen=True)
class Agreeableness(Trait):
    """Parameters: `model`, a trained folder or the shipped one; `minimum_words` for a score."""

    model: str = "agreeableness"

    name = "agreeableness"
    about = (
        "Big Five agreeableness of a speaker. The shipped model was trained on negotiation "
        "chat; elsewhere it is unproven."
    )
    comparison = "scores (higher|lower) on the chat-trained agreeableness model"
    careful = (
        "Weak: r = .13 with questionnaires of people who negotiated in chat, "
        "nothing detectable on essays, unproven elsewhere."
    )
