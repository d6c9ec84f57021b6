"""What Ghazarian et al. (2020), Predictive Engagement, printed, read by hand from its tables.

Tables 5 and 6 are in printed.toml.
"""

from __future__ import annotations

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
