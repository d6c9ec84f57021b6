"""What Tsuta et al. (2023), Rethinking Response Evaluation from Interlocutor's Eye, printed.

Table 4 calls its model BERT-DCP (dialog continuity prediction); here it is "text".
"""

from __future__ import annotations

from collections.abc import Mapping

DIALOGS, EXCHANGES = "dialogs", "exchanges"
WIZARD, PARTICIPANT = "characters of the Wizard", "characters of the participant"
STATISTICS: Mapping[str, Mapping[str, float]] = {
    "Hazumi1902": {DIALOGS: 30, EXCHANGES: 2477, WIZARD: 22.7, PARTICIPANT: 22.2},
    "Hazumi1911": {DIALOGS: 30, EXCHANGES: 2824, WIZARD: 20.8, PARTICIPANT: 25.1},
}
"""Table 1."""

OUTSIDER, INTERLOCUTOR = "trained on outsiders", "trained on the interlocutor"
AWARE = ", aware of the target"
PREDICTED: Mapping[str, float] = {
    OUTSIDER: 0.141,
    OUTSIDER + AWARE: 0.142,
    INTERLOCUTOR: 0.166,
    INTERLOCUTOR + AWARE: 0.496,
}
"""Table 2: Pearson's r with the interlocutor's scores."""


ACCURACY, MACRO_F1 = "accuracy", "macro-F1"
CONTINUITY: Mapping[str, tuple[float, float]] = {
    "global majority": (0.564, 0.361),
    "private majority": (0.683, 0.659),
    "NSP": (0.548, 0.444),
    "RUBER": (0.541, 0.488),
    "Deep-AM": (0.507, 0.495),
    "Deep-FM": (0.543, 0.533),
    "Deep-AM-FM": (0.541, 0.531),
    "FED": (0.460, 0.446),
    "text": (0.668, 0.653),
    "+ user": (0.751, 0.744),
    "+ profile": (0.746, 0.738),
    "+ both": (0.751, 0.744),
}
"""Table 4: accuracy and macro-F1 of predicting whether a user replies."""

HUMAN, SYSTEM = "what people say", "what systems say"
UNAWARE, KNOWING, PROFILE, BOTH = "text", "+ user", "+ profile", "+ both"
JUDGED: Mapping[tuple[str, str], tuple[float, float]] = {
    (UNAWARE, HUMAN): (0.646, 0.578),
    (UNAWARE, SYSTEM): (0.401, 0.156),
    (KNOWING, HUMAN): (0.720, 0.582),
    (KNOWING, SYSTEM): (0.364, 0.072),
    (PROFILE, HUMAN): (0.754, 0.543),
    (PROFILE, SYSTEM): (0.369, 0.077),
    (BOTH, HUMAN): (0.727, 0.527),
    (BOTH, SYSTEM): (0.367, 0.078),
}
"""Table 5: Pearson's r with the own scores of the first and of the second annotator."""
