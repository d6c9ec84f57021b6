"""Array types, named once."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Floats32 = npt.NDArray[np.float32]
AnyFloats = npt.NDArray[np.floating[Any]]
"""Of single or double precision."""
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
