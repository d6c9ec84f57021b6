"""What Tsuta et al. (2023), Rethinking Response Evaluation from Interlocutor's Eye, printed.

Tables 4 and 5 are in printed.toml; their model BERT-DCP (dialog continuity prediction) is "text"
here.
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
HUMAN, SYSTEM = "what people say", "what systems say"
PROFILE, BOTH = "+ profile", "+ both"
