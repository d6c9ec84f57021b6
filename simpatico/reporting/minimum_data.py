"""How much data each part of the page needs; below that it says so instead of drawing chance."""

from __future__ import annotations

from simpatico.validation.people import RATED as RATED

RADAR_DIALOGS = 20
"""Dialogs per system: a mean of 20 is known to about ±0.45 SD, half the width of a radar's step."""
RADAR_METRICS = 3
"""Two axes enclose no shape."""
HEAT_DIALOGS = 30
"""With 30 dialogs two unrelated metrics correlate beyond ±.36 once in 20 times (Fisher)."""
HEAT_METRICS = 3
"""The correlation of two metrics is one number, which needs no map."""
RATED_MODELS = 60
"""Rated units for T, P and P+T: ten for each of six scores in a model."""
QUOTED = 24
"""Dialogs quoted at most."""
ROWS = 600
"""Rows of verdict tables at most, over all pairs of systems."""
