"""How often do the tests cry wolf, and the intervals miss, on real scores of real systems?

    python benchmarks/calibration.py --data DIR [--datasets 500] [--part null|coverage|few]

DIR holds the DSTC10 test sets. Each simulated data set has two metrics that are equally good by
construction, made of a real one by adding, to each, a bias per system, a bias per input (SD 0.5)
and noise (SD 1), in units of the real metric's SD; a test at 5 % should call one better in 5 %.
"""

from __future__ import annotations

import argparse
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from simpatico.arrays import Floats, Ints
from simpatico.readers import Conversations
from simpatico.readers.judgement_files import read_judgements
from simpatico.registry import load
from simpatico.scoring import score
from simpatico.stats.systems.resampling import (
    MatrixLevel,
    Redrawn,
    ResamplingPlan,
    compare_metrics,
    matrix_interval,
)
from simpatico.stats.systems.weighted_correlation import Coefficient

SETS = {
    "persona": ("dstc10-persona_clean_eval-addrank.json", "emotional_entropy"),
    "topical": ("dstc10-topical_clean_eval-addrank.json", "style_matching"),
}
STATISTICS: tuple[tuple[MatrixLevel, Coefficient], ...] = (
    ("system", "pearson"),
    ("input", "kendall"),
    ("global", "pearson"),
)
SCHEMES: tuple[Redrawn, ...] = ("systems", "inputs", "both", "cells")
BIASES = (0.0, 0.2, 0.5)
INPUTS, DRAWS, ALPHA = 100, 499, 0.05
POPULATION = 4_000


@dataclass(frozen=True)
class Real:
    """A metric's scores and the judgements, standardised, systems by inputs, NaN where none is."""

    name: str
    scores: Floats
    ratings: Floats

    def part(self, columns: Ints) -> Real:
        return Real(self.name, self.scores[:, columns], self.ratings[:, columns])


@dataclass
class Tally:
    """How often something happened among data sets."""

    hits: int = 0
    of: int = 0

    def add(self, hit: bool) -> None:
        self.hits, self.of = self.hits + hit, self.of + 1

    def __str__(self) -> str:
        """The share with its 95 % interval (Wilson, 1927)."""
        n, share, z2 = self.of, self.hits / self.of, 1.96**2
        centre = (share + z2 / (2 * n)) / (1 + z2 / n)
        half = 1.96 * np.sqrt(share * (1 - share) / n + z2 / (4 * n * n)) / (1 + z2 / n)
        return f"{share:.3f} ({centre - half:.3f}–{centre + half:.3f})"


def real(name: str, data: Path) -> Real:
    """Scores and appropriateness of one DSTC10 test set."""
    file, metric = SETS[name]
    path = next(p for p in (data / file, data / "dstc10-test" / file) if p.is_file())
    (chunk,) = Conversations((path,), format="dstc10-test").chunks(10**9)
    table = score(chunk.turns, [load(metric)])
    ratings = read_judgements(path, format="dstc10-test").frame.filter(
        pl.col("quality").str.to_lowercase() == "appropriateness"
    )
    unit = ["dialog", "turn", "speaker"]
    rows = table.at("turn").select(*unit, metric).with_columns(table.keys["system", "prompt"])
    rows = rows.join(ratings.select(*unit, "value"), on=unit, how="inner", validate="1:1")
    shape = rows["system"].n_unique(), rows["prompt"].n_unique()
    place = tuple(rows[key].rank("dense").to_numpy() - 1 for key in ("system", "prompt"))
    matrices = []
    for column in (metric, "value"):
        cells = np.full(shape, np.nan)
        cells[place] = rows[column].cast(pl.Float64).fill_null(float("nan")).to_numpy()
        matrices.append((cells - np.nanmean(cells)) / np.nanstd(cells))
    return Real(f"{name}, {metric}", *matrices)


def seeded(*names: object) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(repr(names).encode()))


def twin(scores: Floats, bias: float, rng: np.random.Generator) -> Floats:
    """The real metric with errors of its own."""
    systems, inputs = scores.shape
    of_system = bias * rng.normal(size=(systems, 1))
    of_input = 0.5 * rng.normal(size=(1, inputs))
    return scores + of_system + of_input + rng.normal(size=scores.shape)


def false_positives(source: Real, datasets: int) -> Iterator[str]:
    """Rows of the table of false-positive rates under a true null."""
    for level, coefficient in STATISTICS:
        # single cells at the level of inputs take as long as all the rest together
        schemes = SCHEMES[:3] if level == "input" else SCHEMES
        for bias in BIASES:
            tallies = {scheme: Tally() for scheme in schemes}
            for number in range(datasets):
                rng = seeded(source.name, bias, number)
                sample = source.part(rng.choice(source.scores.shape[1], INPUTS, replace=False))
                pair = twin(sample.scores, bias, rng), twin(sample.scores, bias, rng)
                for scheme, tally in tallies.items():
                    plan = ResamplingPlan(level, coefficient, scheme, DRAWS, number)
                    p = compare_metrics(*pair, sample.ratings, plan).p_value
                    tally.add(p is not None and p <= ALPHA)
            cells = " | ".join(str(tally) for tally in tallies.values())
            yield f"| {source.name} | {level}-level {coefficient} | {bias} | {cells} |"


def new_systems(source: Real, size: int, rng: np.random.Generator) -> Real:
    """Systems that might have been: means drawn from a normal fitted to those of the real ones, and
    around them the residuals of a real system.
    """
    both = np.stack([source.scores, source.ratings])
    means = np.nanmean(both, axis=2)
    new_means = rng.multivariate_normal(means.mean(axis=1), np.cov(means), size=size).T
    rows = rng.integers(len(source.scores), size=size)
    cells = (both - means[:, :, None])[:, rows] + new_means[:, :, None]
    return Real(source.name, cells[0], cells[1])


def value(source: Real, plan: ResamplingPlan) -> float:
    return matrix_interval(source.scores, source.ratings, plan).numbers[0]


def coverage(source: Real, datasets: int) -> Iterator[str]:
    """Rows of the table of how often 95 % intervals hold the true value, by what is new."""
    columns = source.scores.shape[1]
    for level, coefficient in STATISTICS[::2]:
        once = ResamplingPlan(level, coefficient, "inputs", 1)
        great = new_systems(source, POPULATION, seeded(source.name, "population"))
        for claim, truth in (
            ("same systems, new inputs", value(source, once)),
            ("new systems, new inputs", value(great, once)),
        ):
            tallies = {scheme: Tally() for scheme in SCHEMES[:3]}
            for number in range(datasets):
                rng = seeded(source.name, claim, number)
                sample = source if "same" in claim else new_systems(source, len(source.scores), rng)
                sample = sample.part(rng.integers(columns, size=INPUTS))
                for scheme, tally in tallies.items():
                    plan = ResamplingPlan(level, coefficient, scheme, DRAWS, number)
                    result = matrix_interval(sample.scores, sample.ratings, plan)
                    low, high = result.low, result.high
                    tally.add(low is not None and high is not None and low <= truth <= high)
            cells = " | ".join(str(tally) for tally in tallies.values())
            what = f"{source.name} | {level}-level {coefficient}"
            yield f"| {what} | {claim} | {truth:.3f} | {cells} |"


def few_systems(datasets: int) -> Iterator[str]:
    """False-positive rates of PERM-SYSTEMS by the number of systems, on made-up scores."""
    for systems in (5, 8, 10, 24):
        tally = Tally()
        for number in range(datasets):
            rng = np.random.default_rng(number)
            ratings = rng.normal(size=(systems, 1)) + rng.normal(size=(systems, 6))
            pair = (
                ratings + rng.normal(size=(2, systems, 6)) + 0.5 * rng.normal(size=(2, systems, 1))
            )
            p = compare_metrics(*pair, ratings, ResamplingPlan(draws=199, seed=number)).p_value
            tally.add(p is not None and p <= ALPHA)
        yield f"| {systems} systems | {tally} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="not needed for the part 'few'")
    parser.add_argument("--datasets", type=int, default=500)
    parser.add_argument("--set", choices=SETS, action="append")
    parser.add_argument("--part", choices=("null", "coverage", "few"), action="append")
    options = parser.parse_args()
    parts = options.part or ["null", "coverage"]
    if "few" in parts:
        print(*few_systems(options.datasets), sep="\n")
    on_real = {"null": false_positives, "coverage": coverage}
    on_real = {part: rows for part, rows in on_real.items() if part in parts}
    if on_real and options.data is None:
        parser.error("--data is needed: the folder of the DSTC10 test sets")
    for name in (options.set or SETS) if on_real else ():
        source = real(name, options.data)
        for rows in on_real.values():
            for row in rows(source, options.datasets):
                print(row, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
