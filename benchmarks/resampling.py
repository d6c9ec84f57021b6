"""CPU seconds of permutation tests and bootstraps, beside nlpstats, in one run.

    python benchmarks/resampling.py [--nlpstats PYTHON] [--rounds 3]

PERM-BOTH of 10 systems by 100 inputs, 9,999 draws. nlpstats takes a quarter of an hour for Kendall
at the level of inputs, so there it makes few draws and its time is scaled up: draws cost the same.
Its p for Kendall is smaller, because rounding makes it miss draws that tie with what was seen.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from speed import Row, cpu_time, show

from simpatico.stats.correlation_bootstrap import bootstrap_correlations
from simpatico.stats.systems.resampling import ResamplingPlan, compare_metrics, matrix_interval

HERE = Path(__file__).parent
SYSTEMS, INPUTS, DRAWS, TIMES = 10, 100, 9_999, 100
STATISTICS = (("system", "pearson", DRAWS), ("system", "kendall", 999), ("input", "kendall", 99))
METRICS, ROWS, CLUSTERS, SECONDS = 50, 13_773, 2_500, 10


def matrices() -> dict[str, np.ndarray]:
    """Two metrics and judgements of the same hidden quality."""
    rng = np.random.default_rng(0)
    quality = rng.normal(size=(SYSTEMS, 1))
    weights = {"x": 0.6, "y": 0.4, "z": 1.0}
    return {n: w * quality + rng.normal(size=(SYSTEMS, INPUTS)) for n, w in weights.items()}


def theirs(python: Path, level: str, coefficient: str, draws: int) -> tuple[float, float]:
    """CPU seconds of nlpstats for so many draws, and its p."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "matrices.npz")
        np.savez(path, **matrices())
        script = HERE / "nlpstats_draws.py"
        command = [python, script, path, level, coefficient, str(draws)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    cost = json.loads(done.stdout.splitlines()[-1])
    return cost["cpu_seconds"], cost["p"]


def against_nlpstats(python: Path, rounds: int) -> list[Row]:
    """Ours against nlpstats, statistic by statistic."""
    x, y, z = matrices().values()
    rows = []
    for level, coefficient, draws in STATISTICS:
        plan = ResamplingPlan(level, coefficient, "both", DRAWS)
        name = f"PERM-BOTH, {level}-level {coefficient}"
        took = min(
            cpu_time(lambda plan=plan: compare_metrics(x, y, z, plan)) for _ in range(rounds)
        )
        p = compare_metrics(x, y, z, plan).p_value
        boot = min(cpu_time(lambda plan=plan: matrix_interval(x, z, plan)) for _ in range(rounds))
        rows += [
            Row(f"{name}: ours, CPU seconds", took, note=f"p = {p:.4f}"),
            Row(f"BOOT-BOTH, {level}-level {coefficient}: ours, CPU seconds", boot),
        ]
        if not python.exists():
            rows.append(Row("nlpstats, not measured", 0.0, note=f"no {python}; see README.md"))
            continue
        other, their_p = theirs(python, level, coefficient, draws)
        seconds = other * DRAWS / draws
        note = f"p = {their_p:.4f}, {draws:,} draws in {other:.1f}"
        rows += [
            Row(f"{name}: nlpstats, CPU seconds", seconds, note=note),
            Row(f"{name}: times as fast as nlpstats", seconds / took, TIMES),
        ]
    return rows


def many_metrics() -> list[Row]:
    """Bootstrap of the correlations of many metrics with one rating, over resamples of clusters."""
    rng = np.random.default_rng(0)
    scores, ratings = rng.normal(size=(ROWS, METRICS)), rng.normal(size=ROWS)
    clusters = rng.integers(CLUSTERS, size=ROWS)
    took = cpu_time(lambda: bootstrap_correlations(scores, ratings, clusters))
    name = f"{METRICS} metrics x 9,999 bootstrap draws on {ROWS:,} rows"
    return [
        Row(f"{name}, CPU seconds", took),
        Row("the seconds allowed over those taken", SECONDS / took, 1),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nlpstats", type=Path, default=HERE.parent / ".venv-bench/bin/python")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    rows = [*against_nlpstats(options.nlpstats, options.rounds), *many_metrics()]
    show(rows)
    return 0 if all(row.meets_target for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
