"""What Liu et al., Evaluator for Emotionally Consistent Chatbots, print, read by hand.

Tables 1 and 5 are in printed.toml.
"""

from __future__ import annotations

from collections.abc import Mapping

PEOPLE, BLENDER, GPT = "human", "Blenderbot", "DialoGPT"
RESPONDERS = (PEOPLE, BLENDER, GPT)
SENTENCES, DIALOGS = 0.9375, 0.8882
"""The correlations over three responders, of sentences and of dialogs."""
TURNS: Mapping[int, int] = {1: 2, 2: 43, 3: 7, 4: 8}
"""Table 3: dialogs by how many turns they have."""
LENGTHS: Mapping[str, float] = {"user": 12.32, PEOPLE: 10.72, BLENDER: 15.74, GPT: 7.65}
"""Table 4: mean number of words."""
ACCURACY: Mapping[str, tuple[float, float]] = {"NNC": (0.9398, 0.9192), "EC": (0.8382, 0.8442)}
"""On the validation and the test file."""
