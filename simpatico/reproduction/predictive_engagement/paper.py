"""What Ghazarian et al. (2020), Predictive Engagement, printed, read by hand from its tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

GENERATED, WRITTEN, ALL = "300 generated", "300 human-written", "600 together"
SETS = (GENERATED, WRITTEN, ALL)

CONVERSATIONS = (1690, 21, 81, 47, 147, 63)
"""Table 1, by engagement score from 0 to 5."""
EXCHANGES = (10122, 45, 238, 444, 1492, 783)

KAPPA, PEARSON = 0.52, 0.93
"""Table 2, means over the raters of 297 utterances."""

AGGREGATED = {"min": 0.49, "max": 0.72, "mean": 0.85}
"""Table 3, n = 50 conversations."""
ASSIGNED = 0.60
"""Figure 2, right: utterances against the score of their conversation."""

SPLIT_SIZES = {"train": (6222, 1562), "validation": (2121, 575), "test": (2062, 582)}
"""Table 4: not engaging, engaging."""

RUBER, CTX, MEAN, MAX = "RUBER", "Ctx-RUBER", "MLP BERT (mean)", "MLP BERT (max)"
BOTH_MEAN, BOTH_MAX = f"{MEAN} + {CTX}", f"{MAX} + {CTX}"

CORRELATIONS: Mapping[str, Mapping[str, tuple[float, float]]] = {
    GENERATED: {
        RUBER: (0.28, 0.30),
        CTX: (0.55, 0.45),
        MEAN: (0.06, 0.16),
        MAX: (0.09, 0.03),
        BOTH_MEAN: (0.48, 0.48),
        BOTH_MAX: (0.52, 0.44),
    },
    WRITTEN: {
        RUBER: (0.04, 0.02),
        CTX: (0.14, 0.12),
        MEAN: (0.46, 0.52),
        MAX: (0.53, 0.53),
        BOTH_MEAN: (0.36, 0.39),
        BOTH_MAX: (0.32, 0.39),
    },
    ALL: {
        RUBER: (0.24, 0.30),
        CTX: (0.54, 0.55),
        MEAN: (0.39, 0.45),
        MAX: (0.35, 0.36),
        BOTH_MEAN: (0.61, 0.64),
        BOTH_MAX: (0.60, 0.62),
    },
}
"""Table 5: Pearson and Spearman with the mean of three ratings."""


class PaperExample(NamedTuple):
    """A row of Table 6, all numbers from 0 to 1."""

    query: str
    reply: str
    human: float
    relevance: float
    engagement: float
    both: float


EXAMPLES = (
    PaperExample(
        "OK. What's the reason you are sending her flowers?",
        "Today's her birthday and she told me she wants me to buy her flowers.",
        *(0.92, 0.99, 0.88, 0.94),
    ),
    PaperExample(
        "The kitchen may be large, but it doesn't have any storage space.",
        "The master suite is supposed to be quite elegant. Maybe it will be a little better.",
        *(0.75, 0.65, 0.94, 0.80),
    ),
    PaperExample(
        "Not long, because people rush for lunch.",
        "The line sure does move fast.",
        *(0.33, 0.82, 0.11, 0.47),
    ),
    PaperExample(
        "That's a good idea. And remind them to be slow at the beginning, not to run into the "
        "railings.",
        "OK. Anything else?",
        *(0.42, 0.84, 0.14, 0.49),
    ),
)
