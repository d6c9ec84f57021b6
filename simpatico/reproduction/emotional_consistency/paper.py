"""What Liu et al., Evaluator for Emotionally Consistent Chatbots, print, read by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

PEOPLE, BLENDER, GPT = "human", "Blenderbot", "DialoGPT"
RESPONDERS = (PEOPLE, BLENDER, GPT)


class ResponderFigures(NamedTuple):
    """Table 1 and Table 5 of one responder."""

    evaluator: float
    turns: float
    dialogs: float
    most: float
    least: float
    middle: float


SCORES: Mapping[str, ResponderFigures] = {
    PEOPLE: ResponderFigures(0.8085, 0.8511, 0.8942, 0.9492, 0.5847, 0.7669),
    BLENDER: ResponderFigures(0.8865, 0.8617, 0.9117, 0.9831, 0.7627, 0.8729),
    GPT: ResponderFigures(0.6879, 0.6525, 0.6442, 0.9068, 0.4237, 0.6653),
}
SENTENCES, DIALOGS = 0.9375, 0.8882
"""The correlations over three responders, of sentences and of dialogs."""
TURNS: Mapping[int, int] = {1: 2, 2: 43, 3: 7, 4: 8}
"""Table 3: dialogs by how many turns they have."""
LENGTHS: Mapping[str, float] = {"user": 12.32, PEOPLE: 10.72, BLENDER: 15.74, GPT: 7.65}
"""Table 4: mean number of words."""
ACCURACY: Mapping[str, tuple[float, float]] = {"NNC": (0.9398, 0.9192), "EC": (0.8382, 0.8442)}
"""On the validation and the test file."""
