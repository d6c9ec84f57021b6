"""Empathic concern, a trait of the writer: how much concern for others the words suggest, 1 to 7.

It is not the empathy of a reply, which `perceived_empathy` measures.

The shipped model learned how moved people said they were by a news story (warm, tender,
sympathetic, softhearted, moved, compassionate) from what they then wrote about it. That is a state
in a situation; the trait that the paper measures, empathic concern, it reaches only weakly.
Example: intercept 4 and a sum of weights of 10 over 100 words give 4.1.
"""

from __future__ import annotations

from dataclasses import dataclass

from simpatico.metrics._shared.trait import Trait


@dataclass(frozen=True)
class Empathy(Trait):
    """Parameters: `model`, a trained folder or the shipped one; `minimum_words` for a score."""

    model: str = "empathy"

    name = "empathy"
    title = "Empathic concern (trait of the writer)"
    about = (
        "Empathic concern of the writer, predicted by a model trained on self-ratings of essay "
        "writers: a state, the reaction to a news story. How empathic a reply reads is "
        "`perceived_empathy`."
    )
    meaning = "empathic concern of the writer, as essay writers rated their own"
    comparison = "scores (higher|lower) on the essay-trained empathic-concern model"
    citation = (
        "Buechel et al. (2018), Modeling Empathy and Distress in Reaction to News Stories; "
        "Giorgi et al. (2023), Psychological Metrics for Dialog System Evaluation"
    )
    careful = (
        "It predicts the state empathy of essay writers (r = .37), hardly the trait (r = .14), "
        "cannot tell it from agreeableness, and says nothing of how empathic a reply reads."
    )
