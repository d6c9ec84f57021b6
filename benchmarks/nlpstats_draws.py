"""CPU seconds nlpstats takes for a permutation test, run by the Python it is installed in.

python benchmarks/nlpstats_draws.py MATRICES.npz LEVEL COEFFICIENT DRAWS
"""

from __future__ import annotations

import json
import resource
import sys

import numpy as np
from nlpstats.correlations import permutation_test


def cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def main() -> int:
    path, level, coefficient, draws = sys.argv[1:]
    arrays = np.load(path)
    matrices = [arrays[name] for name in ("x", "y", "z")]
    begin = cpu()
    test = permutation_test(*matrices, level, coefficient, "both", n_resamples=int(draws))
    print(json.dumps({"cpu_seconds": cpu() - begin, "p": test.pvalue}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
