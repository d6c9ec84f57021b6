"""MAUVE: hand derivations, and equality with the package of its authors."""

import os
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

from simpatico import Turns, load, read, score, signature
from simpatico.errors import BadValue
from simpatico.metrics._shared.jackknife import deviation_factor, draw_halves, half_sample_interval
from simpatico.metrics._shared.kmeans import faiss_permutation, kmeans_labels
from simpatico.metrics.mauve import (
    cluster_histograms,
    divergence_area,
    half_histograms,
    plain_and_smoothed,
    reduce_dimensions,
)


def vectors(rows, dialogs=None):
    names = [str(i) for i in range(len(rows))] if dialogs is None else dialogs
    column = pl.Series(list(rows), dtype=pl.List(pl.Float32))
    return pl.DataFrame({"dialog": names, "vector": column})


def test_the_same_shares_are_one_and_no_shared_cluster_is_near_nothing():
    """p = q: the curve goes by (1, 1). No shared cluster: KL(q|r) = -ln(1 - w), KL(p|r) = -ln w,
    so the curve is x = (1 - w)^5, y = w^5: the area is 5!5!/10! = 1/252 = .00397, which 27 points
    on it make .00407 (the trapezoids lie above a hollow curve)."""
    same = np.array([3.0, 5.0])
    assert float(divergence_area(same, same)) == pytest.approx(1.0, abs=1e-5)
    disjoint = float(divergence_area(np.array([4.0, 0.0]), np.array([0.0, 9.0])))
    assert disjoint == pytest.approx(1 / 252, abs=2e-4)
    assert disjoint == pytest.approx(0.004072, abs=1e-6)


def test_smoothing_adds_half_a_text_to_every_cluster():
    p, q = np.array([4.0, 0.0]), np.array([0.0, 9.0])
    plain, smooth = plain_and_smoothed(p, q)
    assert float(plain) == float(divergence_area(p, q))
    assert float(smooth) == float(divergence_area(np.array([4.5, 0.5]), np.array([0.5, 9.5])))


def test_an_area_is_the_same_alone_and_among_others():
    rows = np.random.default_rng(0).integers(0, 9, (2, 5, 6)).astype(float) + 1
    both = divergence_area(rows[0], rows[1])
    alone = [float(divergence_area(p, q)) for p, q in zip(*rows, strict=True)]
    assert both.tolist() == pytest.approx(alone, abs=1e-12)


def test_the_permutation_is_that_of_faiss():
    """What faiss 1.15.1 gives for rand_perm(20, seed=27)."""
    assert faiss_permutation(20, 27).tolist() == [
        *(19, 3, 6, 8, 12, 16, 13, 18, 17, 7, 2, 11, 0, 14, 5, 4, 9, 10, 15, 1)
    ]


def test_two_heaps_are_two_clusters_and_an_empty_cluster_takes_part_of_a_full_one():
    heaps = np.array([[0.0], [0.1], [5.0], [5.1]] * 8, np.float32)
    labels = kmeans_labels(heaps, 2, starts=5, rounds=50, seed=1)
    assert (labels == labels[0]).tolist() == [True, True, False, False] * 8
    same = np.ones((30, 2), np.float32)
    assert len(kmeans_labels(same, 3, starts=2, rounds=500, seed=1)) == 30


def test_few_dimensions_keep_nine_tenths_of_the_variance():
    """Spread along one axis only: one dimension is enough."""
    rows = np.zeros((50, 8), np.float32)
    rows[:, 0], rows[:, 1] = 1.0, np.linspace(-1, 1, 50)
    assert reduce_dimensions(rows).shape == (50, 1)


CLUSTERED = """
import numpy as np
from simpatico.metrics._shared.kmeans import kmeans_labels, nearest_centres
from simpatico.metrics.mauve import reduce_dimensions
rng = np.random.default_rng(0)
points = reduce_dimensions(rng.normal(size=(600, 200)).astype(np.float32))
found = nearest_centres(points, points[:50])[1]
labels = kmeans_labels(points, 30, starts=2, rounds=30, seed=1)
print(np.abs(points).tobytes().hex(), found.tobytes().hex(), labels.tolist())
"""


def test_clusters_are_the_same_on_one_thread_and_on_two():
    """600 points of 200 numbers, 50 centres: products that BLAS shares out among its threads."""
    outputs = [
        subprocess.check_output(
            [sys.executable, "-c", CLUSTERED], env={**os.environ, "OPENBLAS_NUM_THREADS": threads}
        )
        for threads in ("1", "2")
    ]
    assert outputs[0] == outputs[1]


def oracle(p, q, seed):
    mauve = pytest.importorskip("mauve")
    return mauve.compute_mauve(p_features=p, q_features=q, seed=seed)


@pytest.mark.parametrize("seed", [25, 3, 99])
@pytest.mark.parametrize("shift", [0.0, 0.3, 1.0])
def test_it_equals_the_package_of_its_authors_on_made_up_vectors(seed, shift):
    rng = np.random.default_rng(seed)
    basis = rng.normal(size=(12, 48))
    q, p = (rng.normal(size=(150, 12)) @ basis + s for s in (shift, 0.0))
    q, p = q.astype(np.float32), p.astype(np.float32)
    expected = oracle(p, q, seed)
    ours, theirs = cluster_histograms(vectors(q), vectors(p), seed + 2)
    plain, smooth = plain_and_smoothed(theirs.sum(0), ours.sum(0))
    assert float(plain) == pytest.approx(expected.mauve, abs=1e-5)
    assert float(smooth) == pytest.approx(expected.mauve_star, abs=1e-5)


def test_beyond_256_points_a_cluster_a_sample_is_clustered_as_there():
    rng = np.random.default_rng(5)
    q, p = rng.normal(size=(30, 6)).astype("f4"), rng.normal(size=(900, 6)).astype("f4")
    expected = oracle(p, q, 25)
    ours, theirs = cluster_histograms(vectors(q), vectors(p), 27)
    assert float(plain_and_smoothed(theirs.sum(0), ours.sum(0))[0]) == pytest.approx(
        expected.mauve, abs=1e-5
    )


@pytest.mark.slow
@pytest.mark.parametrize("system", ["TeamB", "Baseline", "human"])
def test_it_equals_the_package_of_its_authors_on_200_real_pairs(data, system):
    if not (data / "dstc7").is_dir():
        pytest.skip(f"no dstc7 in {data}")
    metric = load("mauve")
    if metric.missing:
        pytest.skip(metric.missing)
    frame = read(data / "dstc7").frame
    has_reference = pl.col("references").list.len() > 0
    rows = frame.filter((pl.col("system") == system) & has_reference & (pl.col("text") != "")).head(
        200
    )
    table = score(Turns(rows.with_columns(turn=pl.lit(0, pl.Int32))), [metric])
    statistic = table.statistics[metric.name]
    q, p = (np.stack(list(statistic[side].to_numpy())) for side in ("said", "meant"))
    assert len(q) == 200
    expected, row = oracle(p, q, metric.seed), table.at("system").row(0, named=True)
    assert row["mauve[minilm]"] == pytest.approx(expected.mauve, abs=1e-5)
    assert row["mauve_star[minilm]"] == pytest.approx(expected.mauve_star, abs=1e-5)
    assert row["mauve[minilm]_low"] <= row["mauve[minilm]"] <= row["mauve[minilm]_high"]
    assert row["mauve[minilm]_n"] == 200


def material(**sides):
    """Rows of (system, dialog, turn, said, meant); `sides`: system -> (said, meant or none)."""
    rows = []
    for system, (own, references) in sides.items():
        for i, vector in enumerate(own):
            reference = None if references is None else list(map(float, references[i]))
            rows.append((system, f"{system}{i // 5}", i, list(map(float, vector)), reference, i))
    kind = pl.List(pl.Float32)
    names = {"system": pl.String, "dialog": pl.String, "turn": pl.Int32}
    return pl.DataFrame(
        rows, {**names, "said": kind, "meant": kind, "rank": pl.UInt64}, orient="row"
    )


def cloud(n, shift=0.0, seed=0):
    return np.random.default_rng(seed).normal(size=(n, 5)) + shift


def test_too_few_turns_are_told_with_how_many_there_are():
    metric = load("mauve", minimum=40)
    summary = metric.summary(material(a=(cloud(30), cloud(30)), b=(cloud(60), cloud(60))), seed=0)
    assert summary["reason"].to_list() == ["too_few_turns (30 of 40)", None]
    assert summary["mauve[minilm]"].is_null().to_list() == [True, False]


def test_without_references_the_turns_of_people_are_the_other_side():
    metric = load("mauve", minimum=40)
    sides = {"human": (cloud(50), None), "near": (cloud(50, seed=1), None)}
    summary = metric.summary(material(**sides, far=(cloud(50, 4.0, 2), None)), seed=0)
    assert summary.select("system", "reason").rows() == [
        ("far", None),
        ("human", "is_the_reference"),
        ("near", None),
    ]
    far, _, near = summary["mauve[minilm]"]
    assert far < 0.1 < 0.7 < near


def test_without_people_and_references_there_is_nothing_to_be_near_to():
    metric = load("mauve")
    summary = metric.summary(material(a=(cloud(120), None)), seed=0)
    assert summary["reason"].to_list() == ["no_reference"]
    with_some = metric.summary(
        material(a=(cloud(120), None), b=(cloud(120), cloud(120, seed=1))), seed=0
    )
    assert with_some["reason"].to_list() == ["no_reference", None]


def test_a_sample_is_the_same_whether_drawn_at_once_or_on_the_way():
    metric = load("mauve", minimum=20, most=20)
    frame = material(a=(cloud(60), None), b=(cloud(30), None))
    frame = frame.with_columns(rank=pl.col("rank").shuffle(seed=1).over("system"))
    once = metric.sample(frame)
    parts = metric.sample(pl.concat([metric.sample(frame[:40]), frame[40:]]))
    assert once.sort("system", "turn").equals(parts.sort("system", "turn"))
    assert once["system"].value_counts().sort("system").rows() == [("a", 20), ("b", 20)]


def test_halves_spread_as_the_whole_does_about_the_truth():
    """For a mean the spread of halves is exactly the standard error: sd / sqrt(n)."""
    values = np.random.default_rng(0).normal(size=200)
    means = draw_halves(200, 4_000, 0) @ values / 100
    assert draw_halves(200, 3, 0).sum(1).tolist() == [100.0] * 3
    assert means.std() == pytest.approx(values.std(ddof=1) / np.sqrt(200), rel=0.05)
    low, high = half_sample_interval(float(values.mean()), means, (-9.0, 9.0), 200)
    assert high - low == pytest.approx(2 * 1.972 * values.std() / np.sqrt(200), rel=0.08)
    assert half_sample_interval(0.5, np.full(9, 0.5), (0.0, 1.0), 9) == (None, None)


def test_intervals_of_few_dialogs_are_wider():
    """11 dialogs: 5 are drawn, t of 10 degrees 2.2281: sqrt(5 / 6) 2.2281 / 1.9600 = 1.0378.
    Beside 40 on the other side, of which 20 are drawn: 1 * 2.2281 / 1.9600 = 1.1368."""
    assert draw_halves(11, 3, 0).sum(1).tolist() == [5.0] * 3
    assert deviation_factor(11) == pytest.approx(1.0378, abs=1e-4)
    assert deviation_factor(11, 40) == deviation_factor(40, 11) == pytest.approx(1.1368, abs=1e-4)


@pytest.mark.parametrize("n", [6, 10, 15, 21, 40])
def test_of_a_hundred_intervals_about_95_hold_the_truth(n):
    """Means of n normal numbers, whose true mean is 0, 1,500 times."""
    values = np.random.default_rng(n).normal(size=(1_500, n))
    means = values @ draw_halves(n, 999, 7).T / (n // 2)
    ends = [
        half_sample_interval(float(v.mean()), d, (-9.0, 9.0), n)
        for v, d in zip(values, means, strict=True)
    ]
    assert 0.92 <= np.mean([low <= 0 <= high for low, high in ends]) <= 0.97


def within(sizes, vectors):
    """Turns of one system, so many in each dialog."""
    names = [f"{size}-{i}" for i, size in enumerate(sizes) for _ in range(size)]
    column = pl.Series([list(map(float, v)) for v in vectors], dtype=pl.List(pl.Float32))
    return pl.DataFrame({"dialog": names, "said": column})


def two_sides(people, bot):
    """Dialogs of so many turns each, of people and of a bot."""
    sides = [("human", people, 0), ("bot", bot, 1)]
    kind = {"turn": pl.lit(0, pl.Int32), "meant": pl.lit(None, pl.List(pl.Float32))}
    return pl.concat(
        within(sizes, cloud(sum(sizes), seed=seed)).select(
            pl.lit(system).alias("system"), pl.col("dialog") + system, said="said", **kind
        )
        for system, sizes, seed in sides
    )


def test_there_is_no_interval_unless_both_sides_have_enough_dialogs():
    """People in 1 dialog of 150 turns, the bot in 6: of halves of all 7, half have no people."""
    metric, ends = load("mauve"), ["mauve[minilm]_low", "mauve_star[minilm]_high"]
    bot = metric.summary(two_sides([150], [25] * 6), seed=0).filter(system="bot")
    assert bot["mauve[minilm]"].null_count() == 0
    assert bot.select(ends).row(0) == (None, None)
    bot = metric.summary(two_sides([25] * 6, [25] * 6), seed=0).filter(system="bot")
    assert None not in bot.select(ends).row(0)


def test_a_half_is_drawn_of_each_side():
    """6 dialogs of people and 9 of the system, of one text each: every half has 3 and 4 of them."""
    p, q = np.zeros((15, 2)), np.zeros((15, 2))
    p[:6, 0], q[6:, 1] = 1, 1
    theirs, ours = half_histograms(p, q, 0)
    assert set(map(tuple, theirs)) == {(3.0, 0.0)}
    assert set(map(tuple, ours)) == {(0.0, 4.0)}
    shared = np.eye(12)
    assert np.array_equal(*half_histograms(shared, shared, 0))
    assert np.isnan(plain_and_smoothed(np.zeros(2), np.ones(2))).all()


def test_the_name_carries_the_encoder_and_the_signature_the_seed():
    metric = load("mauve")
    assert [s.name for s in metric.scores] == ["mauve[minilm]", "mauve_star[minilm]"]
    assert load("mauve", model="hub:openai-community/gpt2-large").name == "mauve"
    if not metric.missing:
        assert "|seed:25|" in signature(metric)
        assert "minilm_sha256:" in signature(metric)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"minimum": 1}, "mauve.minimum is 1; it is from 2 to 100,000"),
        ({"most": 50}, "mauve.most is 50; it is at least minimum, 100"),
    ],
)
def test_a_parameter_that_makes_no_sense_is_refused(parameters, sentence):
    with pytest.raises(BadValue) as error:
        load("mauve", **parameters)
    assert str(error.value) == sentence
