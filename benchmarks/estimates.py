"""Do intervals of estimated ratings hold the truth, and what are a few ratings worth?

    python benchmarks/estimates.py coverage [--datasets 2000]
    python benchmarks/estimates.py worth --run RUN --judgements FILE --quality Q [--datasets 500]
    python benchmarks/estimates.py speed

`coverage`: made-up ratings of 1 to 5 with a known mean, whole dialogs or turns of dialogs. `worth`:
of a run that is rated as a whole, n dialogs at random keep their ratings; the truth is the mean of
all. Whole dialogs are drawn with replacement, so that the run is the population of both parts.
`speed`: CPU seconds of a comparison of 10 systems with 100,000 scored dialogs each.
"""

from __future__ import annotations

import argparse
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
from calibration import Tally

from simpatico.arrays import Floats, Ints
from simpatico.comparison.estimates.dialogs import BLEND, DialogTable, find_proxy, stack_systems
from simpatico.comparison.estimates.ratings import EstimateSettings, estimate_ratings
from simpatico.comparison.estimates.sampling import SampleSize, draw_sample
from simpatico.comparison.samples import PEOPLE, ComparedSystem, ScoreInfo, Selection
from simpatico.readers.judgement_files import read_judgements
from simpatico.run import Run
from simpatico.stats.cross_fit import cross_fit
from simpatico.stats.prediction_powered import (
    RatedUnits,
    correlation_within,
    prediction_powered,
)
from simpatico.stats.result import Result
from simpatico.stats.rogan_gladen import JudgeCounts, difference_of_shares, rogan_gladen
from simpatico.validation.judge_scores import leading_quality, load_judged_systems, split_judges

UNRATED = (100, 300, 2_000)
WEIGHTS = np.array([0.5, 0.4, 0.3, 0.2, 0.0, 0.0, 0.0, 0.0])
"""Of eight scores of the blend; the last four are noise."""


def seeded(*names: object) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(repr(names).encode()))


def ratings_of(latent: Floats) -> Floats:
    """Ratings of 1 to 5, skewed: most are 4 and 5."""
    return np.clip(np.round(3.8 + 1.2 * latent), 1, 5)


TRUTH = float(ratings_of(seeded("truth").normal(size=4_000_000)).mean())


def draw_units(
    rng: np.random.Generator, rated: int, unrated: int, turns: int
) -> tuple[Ints, Floats, Floats]:
    """Clusters, latent quality and eight scores of units, `turns` a dialog with an ICC of .4."""
    dialogs = (rated + unrated) // turns
    cluster = np.repeat(np.arange(dialogs), turns)
    share = 0.4 if turns > 1 else 0.0
    latent = np.sqrt(share) * rng.normal(size=dialogs)[cluster]
    latent = latent + np.sqrt(1 - share) * rng.normal(size=len(cluster))
    scores = latent[:, None] * WEIGHTS + rng.normal(size=(len(cluster), len(WEIGHTS)))
    return cluster, latent, scores


def one_data_set(
    rng: np.random.Generator, sizes: tuple[int, int], turns: int, systems: int
) -> dict[str, list[tuple[Result, float]]]:
    """Each estimate with its truth; the systems differ by nothing."""
    rated, unrated = sizes
    parts = [draw_units(rng, rated, unrated, turns) for _ in range(systems)]
    group = np.repeat(np.arange(systems), len(parts[0][0]))
    cluster = np.concatenate([c + s * len(c) for s, (c, _, _) in enumerate(parts)])
    ratings = np.concatenate([ratings_of(latent) for _, latent, _ in parts])
    known = np.concatenate([np.arange(len(c)) < rated for c, _, _ in parts])
    scores = np.concatenate([s for _, _, s in parts])
    units = RatedUnits(group, np.where(known, ratings, np.nan), scores[:, 0], cluster)
    fitted = cross_fit(scores, units)
    blend = replace(units, proxy=fitted.predictions, refits=fitted.refits)
    made = {
        "ratings alone": prediction_powered(units, slope=0.0),
        "PPI, λ = 1": prediction_powered(units, slope=1.0),
        "PPI, one score": prediction_powered(units),
        "PPI, blend of 8": prediction_powered(blend, positive=True),
    }
    results = {}
    for name, powered in made.items():
        results[name] = [(powered.mean(g), TRUTH) for g in range(systems)]
        pairs = list(combinations(range(systems), 2))
        results[f"{name}, difference"] = [(powered.difference(a, b), 0.0) for a, b in pairs]
    return results


def yes_no_data_set(
    rng: np.random.Generator, rated: int, unrated: int
) -> dict[str, list[tuple[Result, float]]]:
    """Rogan-Gladen with TPR .9 and TNR .8, 70% yes, and PPI on the same answers."""
    shares, powered = [], []
    for _ in range(2):
        people = rng.random(rated + unrated) < 0.7
        judge = np.where(people, rng.random(len(people)) < 0.9, rng.random(len(people)) < 0.2)
        yes, no = people[:rated], ~people[:rated]
        counts = (unrated, judge[rated:], yes, yes & judge[:rated], no, no & ~judge[:rated])
        shares.append(rogan_gladen(JudgeCounts(*(int(np.sum(c)) for c in counts))))
        ratings = np.where(np.arange(len(people)) < rated, people.astype(float), np.nan)
        zeros, own = np.zeros(len(people), dtype=np.int64), np.arange(len(people))
        units = RatedUnits(zeros, ratings, judge.astype(float), own)
        powered.append(prediction_powered(units).mean(0))
    return {
        "Rogan-Gladen": [(share, 0.7) for share in shares],
        "Rogan-Gladen, difference": [(difference_of_shares(*shares), 0.0)],
        "PPI on yes and no": [(own, 0.7) for own in powered],
    }


def sampled_data_set(
    rng: np.random.Generator, sizes: tuple[int, int], seed: int
) -> dict[str, list[tuple[Result, float]]]:
    """A stratified sample drawn by `draw_sample`, after a first one, with its weights."""
    rated, unrated = sizes
    _, latent, scores = draw_units(rng, rated, unrated, 1)
    n = len(latent)
    frame = pl.DataFrame({"dialog": [str(i) for i in range(n)], "system": ["s"] * n})
    zeros = np.zeros(n, dtype=np.int64)
    table = DialogTable(frame, ["s"], zeros, np.arange(n), {}, [])
    before = np.arange(n) < rated // 2
    drawn = draw_sample(table, scores[:, 0], before, SampleSize(rated - rated // 2, 1, seed))
    joined = frame.join(drawn, on="dialog", how="left", maintain_order="left")["weight"]
    weights = joined.cast(pl.Float64).fill_null(float("nan")).to_numpy()
    ratings = np.where(np.isfinite(weights), ratings_of(latent), np.nan)
    units = RatedUnits(zeros, ratings, scores[:, 0], np.arange(n), np.nan_to_num(weights, nan=1.0))
    alone = prediction_powered(units, slope=0.0).mean(0)
    return {
        "sample, ratings alone": [(alone, TRUTH)],
        "sample, PPI, one score": [(prediction_powered(units).mean(0), TRUTH)],
    }


def coverage_rows(datasets: int) -> Iterator[str]:
    """Rows of the table of coverage; widths are beside those of the ratings alone."""
    settings: list[
        tuple[str, Callable[[np.random.Generator, int, int], dict[str, list[tuple[Result, float]]]]]
    ] = [
        ("100 dialogs, 1 system", lambda rng, u, _: one_data_set(rng, (100, u), 1, 1)),
        ("50 dialogs each, 2 systems", lambda rng, u, _: one_data_set(rng, (50, u // 2), 1, 2)),
        ("100 turns of 25 dialogs, 1 system", lambda rng, u, _: one_data_set(rng, (100, u), 4, 1)),
        ("10 dialogs each, 10 systems", lambda rng, u, _: one_data_set(rng, (10, u // 10), 1, 10)),
        ("100 dialogs each, yes and no", lambda rng, u, _: yes_no_data_set(rng, 100, u)),
        ("100 of strata, 50 before", lambda rng, u, seed: sampled_data_set(rng, (100, u), seed)),
    ]
    for label, make in settings:
        for unrated in UNRATED:
            tallies, widths = dict[str, Tally](), dict[str, list[float]]()
            rng = seeded(label, unrated)
            for seed in range(datasets):
                for name, results in make(rng, unrated, seed).items():
                    for result, truth in results[:3]:
                        low, high = result.numbers[1:]
                        if np.isfinite(low):
                            tallies.setdefault(name, Tally()).add(low <= truth <= high)
                            widths.setdefault(name, []).append(high - low)
            mean = {name: float(np.mean(own)) for name, own in widths.items()}
            for name, tally in tallies.items():
                yield f"| {label} | {unrated:,} | {name} | {tally} | {mean[name]:.3f} |"


def subsample(table: DialogTable, n: int, rng: np.random.Generator) -> tuple[DialogTable, Ints]:
    """As many dialogs of each system as it has, drawn with replacement; n keep their ratings.

    Also the rows of the table that were drawn.
    """
    parts = [np.flatnonzero(table.group == g) for g in range(len(table.systems))]
    drawn = [rng.choice(own, len(own)) for own in parts]
    rows = np.concatenate(drawn)
    keep = pl.Series(np.concatenate([np.arange(len(own)) < n // len(parts) for own in drawn]))
    frame = table.frame[rows].with_columns(
        pl.when(keep).then(pl.col(name)).otherwise(None).alias(name) for name in table.qualities
    )
    return replace(table, frame=frame, group=table.group[rows], cluster=np.arange(len(rows))), rows


def actual_worth(units: RatedUnits, ratings: Floats, *, positive: bool) -> float:
    """The worth by the correlation with ratings of the unrated, which the estimate never saw."""
    hidden = replace(units, ratings=np.where(units.rated, np.nan, ratings), refits=None)
    r, _ = correlation_within(hidden)
    n = units.rated.sum()
    r = max(r, 0.0) if positive else r
    return float(n / (1 - r**2 * (1 - n / len(ratings))))


def rated_table(options: argparse.Namespace) -> tuple[DialogTable, str]:
    """The rated dialogs of a run and the column of the quality."""
    people, models = split_judges(read_judgements(options.judgements))
    table = stack_systems(load_judged_systems(Run(options.run), people, models, Selection()))
    quality = leading_quality(list(table.qualities), options.quality)
    rated = table.frame[quality].is_not_null().to_numpy()
    group = table.group[rated] * (not options.pooled)
    systems = ["all"] if options.pooled else table.systems
    return replace(
        table, frame=table.frame.filter(pl.Series(rated)), group=group, systems=systems
    ), quality


def worth_rows(options: argparse.Namespace) -> Iterator[str]:
    """Rows of the table of worth, n dialogs being rated, as many of each system."""
    table, quality = rated_table(options)
    ratings = table.frame[quality].to_numpy()
    groups = range(len(table.systems))
    truth = np.array([ratings[table.group == g].mean() for g in groups])
    variance = np.array([ratings[table.group == g].var() for g in groups])
    for name in options.proxy or [BLEND]:
        for n in (100, 200, 400):
            rng, errors = seeded(quality, name, n), []
            held, alone, pairs, worth = (Tally() for _ in range(4))
            worths = []
            for seed in range(options.datasets):
                drawn, rows = subsample(table, n, rng)
                units = drawn.units(quality, find_proxy(drawn, name, quality, seed))
                powered = prediction_powered(units, positive=name == BLEND)
                people = prediction_powered(units, slope=0.0)
                for g in groups:
                    for tally, made in ((held, powered), (alone, people)):
                        low, high = made.mean(g).numbers[1:]
                        tally.add(low <= truth[g] <= high)
                for a, b in combinations(groups, 2):
                    low, high = powered.difference(a, b).numbers[1:]
                    pairs.add(low <= truth[a] - truth[b] <= high)
                worths.append(powered.worth.numbers)
                if np.isfinite(worths[-1][1]):
                    actual = actual_worth(units, ratings[rows], positive=name == BLEND)
                    worth.add(worths[-1][1] <= actual <= worths[-1][2])
                errors.append(powered.values - truth)
            squares = np.mean(np.square(errors), axis=0).sum()
            by_error = n * float(np.sum(variance / (n // len(truth))) / squares)
            low, median, high = np.quantile([w[0] for w in worths], [0.025, 0.5, 0.975])
            bounds = np.nanmedian([w[1:] for w in worths], axis=0)
            yield (
                f"| {name} | {n} | {median:.0f} ({low:.0f}–{high:.0f}) | {by_error:.0f} | {held} "
                f"| {pairs if pairs.of else '–'} | {alone} | {worth} "
                f"| {bounds[0]:.0f}–{bounds[1]:.0f} |"
            )


def speed_rows() -> Iterator[str]:
    """CPU seconds of 45 differences of 10 systems with 100,000 dialogs each: one score, a blend."""
    rng, n, scores = seeded("speed"), 100_000, [f"s{i}" for i in range(10)]
    info = {s: ScoreInfo(s, s, None, (0.0, 1.0), s) for s in scores}
    quality = f"{PEOPLE}: overall"
    info = {
        quality: ScoreInfo(PEOPLE, quality, None, (1.0, 5.0), PEOPLE, "overall", kind=PEOPLE),
        **info,
    }
    systems = []
    for name in "abcdefghij":
        latent = rng.normal(size=n)
        ratings = np.where(np.arange(n) < 100, ratings_of(latent), np.nan)
        columns = {s: latent + 2 * rng.normal(size=n) for s in scores}
        own = [f"{name}{i}" for i in range(n)]
        frame = pl.DataFrame({"dialog": own, "prompt": [None] * n, quality: ratings, **columns})
        frame = frame.with_columns(pl.col(quality).fill_nan(None), pl.col("prompt").cast(pl.String))
        systems.append(ComparedSystem(name, name, Path("run"), info, frame))
    for proxy in ("s0", BLEND):
        start = time.process_time()
        (made,) = estimate_ratings(systems, EstimateSettings(proxy=proxy))
        seconds = time.process_time() - start
        yield f"{proxy}: {seconds:.2f} CPU s, {len(made.differences)} differences"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=["coverage", "worth", "speed"])
    parser.add_argument("--datasets", type=int, default=None)
    parser.add_argument("--run", type=Path)
    parser.add_argument("--judgements", type=Path)
    parser.add_argument("--quality")
    parser.add_argument("--pooled", action="store_true", help="all systems as one")
    parser.add_argument("--proxy", action="append")
    options = parser.parse_args()
    if options.part == "coverage":
        rows = coverage_rows(options.datasets or 2_000)
    elif options.part == "worth":
        options.datasets = options.datasets or 500
        rows = worth_rows(options)
    else:
        rows = speed_rows()
    for row in rows:
        print(row, flush=True)


if __name__ == "__main__":
    main()
