"""T, P and P+T against statsmodels and refits by hand; tests that mind clusters and one that does not."""

import json
import time
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ttest_rel

from simpatico.errors import DataError, UnknownName
from simpatico.stats.draws import Draws, draw_counts
from simpatico.stats.regression import (
    adjusted_r2,
    adjusted_r2_draws,
    bootstrap_products,
    prepare_nested,
    product_sums,
    unpack_sums,
)
from simpatico.stats.result import Result
from simpatico.validation.correlations import CorrelationSettings
from simpatico.validation.incremental import (
    IncrementalSettings,
    format_exact_p,
    format_gain,
    incremental,
    model_results,
)
from simpatico.validation.incremental.rows import batch_by_size, correct_every_way, incremental_rows
from simpatico.validation.incremental.tests import (
    clustered_t_test,
    cross_validation_errors,
    folds_by_cluster,
    paired_t_test,
    score_test,
)

I = np.arange(120)  # noqa: E741
G = I // 6
S = G // 5
T = np.column_stack([I * 37 % 101 / 100, (I * I + 3 * G) % 53 / 53])
P = np.column_stack([(I * 29 + G * G) % 97 / 97, (I * I * 7 + G) % 61 / 61])
Y = 2 * T[:, 0] + 0.5 * P[:, 0] + (I * 17 + 5 * G) % 41 / 41 + G * 13 % 7 / 7


def results(model):
    return {k: v for k, v in vars(model).items() if isinstance(v, Result)}


def honest(model):
    """No NaN, no infinity, no p of 0, no interval of no width, a status with every null."""
    for r in results(model).values():
        numbers = [x for x in (r.value, r.low, r.high, r.p_value) if x is not None]
        assert np.isfinite(numbers).all()
        assert r.p_value is None or 0 < r.p_value <= 1
        assert (r.low is None) == (r.high is None)
        assert r.low is None or r.low < r.high
        assert (r.value is None) == (r.status != "ok")
        assert r.value is not None or (r.low, r.p_value) == (None, None)
    json.dumps(model.as_json(), allow_nan=False)
    assert model.verdict.endswith(".")


def test_against_statsmodels():
    """statsmodels 0.15.0: OLS(...).fit().rsquared_adj of z-scores; scipy 1.17.1: ttest_rel.

    The clustered mean: OLS(d, 1).fit(cov_type="cluster", use_t=True). The score test: F of OLS(1,
    s_g) without a constant, s_g the sums by cluster of (residuals of P on T) x (residuals of T).
    """
    model = incremental(T, P, Y, clusters=G)
    assert model.t.value == pytest.approx(0.6354539382452017, abs=1e-10)
    assert model.p.value == pytest.approx(0.15031616157326444, abs=1e-10)
    assert model.pt.value == pytest.approx(0.7039294357431566, abs=1e-10)
    assert model.gain.value == pytest.approx(0.7039294357431566 - 0.6354539382452017, abs=1e-10)
    assert model.paper.p_value == pytest.approx(0.013639553529220142, abs=1e-10)
    assert model.clustered.value == pytest.approx(0.054536209781813734, abs=1e-10)
    assert model.clustered.p_value == pytest.approx(0.017796960852967433, abs=1e-10)
    assert (model.clustered.low, model.clustered.high) == pytest.approx(
        (0.01053911, 0.09853331), abs=1e-8
    )
    assert model.added.value == pytest.approx(19.50805784132744, abs=1e-8)
    assert model.added.p_value == pytest.approx(3.115113704129656e-05, abs=1e-12)
    assert model.gain.p_value == model.added.p_value
    honest(model)


def test_data_sets_as_fixed_effects_against_statsmodels():
    """The same with a dummy for each of four sets; R² = 1 - mse / mse of the dummies alone."""
    model = incremental(T, P, Y, clusters=G, how=IncrementalSettings(sets=S))
    assert model.t.value == pytest.approx(0.6464627693834668, abs=1e-10)
    assert model.p.value == pytest.approx(0.14691043226779554, abs=1e-10)
    assert model.pt.value == pytest.approx(0.7125002115392665, abs=1e-10)
    assert model.paper.p_value == pytest.approx(0.013956557487496945, abs=1e-10)
    assert model.clustered.p_value == pytest.approx(0.008032024326847458, abs=1e-10)
    assert model.added.value == pytest.approx(17.486899922935148, abs=1e-8)
    assert model.added.p_value == pytest.approx(6.038129308817728e-05, abs=1e-12)
    assert "within 4 data sets" in model.t.method


def random_data(seed, n=80, t=2, p=2, groups=16):
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=(n, t)), rng.normal(size=(n, p))
    y = x.sum(axis=1) + 0.3 * z[:, 0] + rng.normal(size=n)
    return x, z, y, rng.integers(0, groups, n)


@given(st.integers(0, 10_000), st.integers(1, 3), st.integers(1, 3))
@settings(max_examples=20, deadline=None)
def test_the_papers_test_is_scipys_paired_t_test(seed, t, p):
    x, z, y, g = random_data(seed, t=t, p=p)
    model = incremental(x, z, y, clusters=g)
    scaled = (y - y.mean()) / y.std()
    rest = []
    for scores in (x, np.column_stack([x, z])):
        design = np.column_stack([np.ones(len(y)), scores])
        rest.append(np.abs(scaled - design @ np.linalg.lstsq(design, scaled, rcond=None)[0]))
    expected = ttest_rel(*rest)
    assert model.paper.p_value == pytest.approx(expected.pvalue, abs=1e-8)
    assert model.paper.value == pytest.approx((rest[0] - rest[1]).mean(), abs=1e-10)
    assert model.t.value == pytest.approx(adjusted_r2(x, y, g).value, abs=1e-10)


@given(st.integers(0, 10_000))
@settings(max_examples=10, deadline=None)
def test_row_order_scale_and_names_of_clusters_change_nothing(seed):
    x, z, y, g = random_data(seed)
    model = incremental(x, z, y, clusters=g, how=IncrementalSettings(sets=g % 2))
    order = np.random.default_rng(seed).permutation(len(y))
    names = np.array([f"c{c:03}" for c in g])
    transformed = incremental(
        1e5 * x[order] - 7,
        3 - z[order],
        0.01 * y[order] + 400,
        clusters=names[order],
        how=IncrementalSettings(sets=g[order] % 2),
    )
    for name, r in results(model).items():
        other = results(transformed)[name]
        assert (r.value, r.low, r.high, r.p_value) == pytest.approx(
            (other.value, other.low, other.high, other.p_value), abs=1e-6
        )


def dummies(x, sets):
    kinds = np.unique(sets)
    return np.column_stack([(sets[:, None] == kinds).astype(float), x]), len(kinds)


@pytest.mark.parametrize("sets", [1, 3])
def test_a_resample_is_a_refit_to_the_rows_of_the_drawn_clusters(sets):
    x, z, y, g = random_data(3)
    data = prepare_nested((x, z), y, clusters=g, sets=g % sets)
    (sampled,) = bootstrap_products([product_sums(data, data.code, data.clusters)], Draws(5, 11))
    draws = adjusted_r2_draws(data, sampled)
    for draw, weights in enumerate(draw_counts(16, 5, 11)):
        rows = np.concatenate(
            [np.flatnonzero(g == c).repeat(int(w)) for c, w in enumerate(weights)]
        )
        home = g[rows] % sets
        base, k = dummies(np.empty((len(rows), 0)), home)
        for model, scores in (("t", x), ("p", z), ("pt", np.hstack([x, z]))):
            design, _ = dummies(scores[rows], home)
            rest, none = (
                ((y[rows] - d @ np.linalg.lstsq(d, y[rows], rcond=None)[0]) ** 2).sum()
                for d in (design, base)
            )
            n, width = len(rows), scores.shape[1]
            expected = 1 - rest / (n - k - width) / (none / (n - k))
            assert draws[model][draw] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("sets", [1, 3])
def test_cross_validation_is_a_refit_without_each_fold(sets):
    x, z, y, g = random_data(4)
    data = prepare_nested((x, z), y, clusters=g, sets=g % sets)
    fold = folds_by_cluster(data, 5, 0)
    assert all(len(set(fold[g == c])) == 1 for c in np.unique(g))
    errors = cross_validation_errors(data, fold)
    scaled, home = data.columns[:, -1], g % sets
    for column, scores in enumerate((np.empty((80, 0)), x, np.hstack([x, z]))):
        design, _ = dummies(scores, home)
        for f in range(5):
            train = fold != f
            b = np.linalg.lstsq(design[train], scaled[train], rcond=None)[0]
            expected = (scaled[~train] - design[~train] @ b) ** 2
            assert errors[~train, column] == pytest.approx(expected, abs=1e-9)
    model = incremental(x, z, y, clusters=g, how=IncrementalSettings(sets=home, folds=5))
    sums = errors.sum(axis=0)
    assert model.held_out.value == pytest.approx((sums[1] - sums[2]) / sums[0], abs=1e-10)


def test_a_data_set_that_is_in_one_fold_only_is_predicted_from_the_others():
    x, z, y, g = random_data(5)
    model = incremental(x, z, y, clusters=g, how=IncrementalSettings(sets=(g == 0).astype(int)))
    assert model.held_out.status == "ok"
    honest(model)


def test_all_models_use_the_rows_that_have_everything():
    x, z, y, g = random_data(6)
    expected = incremental(x[3:], z[3:], y[3:], clusters=g[3:])
    x[0, 0], z[1, 1], y[2] = np.nan, np.inf, np.nan
    model = incremental(x, z, y, clusters=g)
    assert (model.n, model.nulls) == (77, 3)
    assert {r.n for r in results(model).values()} == {77}
    assert model == replace(expected, nulls=3)


def same(n, value=1.0):
    return np.full(n, value)


CASES = {
    "no rows": (random_data(0, n=0), "too_few"),
    "one row": (random_data(0, n=1), "too_few"),
    "two rows": (random_data(0, n=2), "too_few"),
    "three rows": (random_data(0, n=3), "too_few"),
    "six rows": (random_data(0, n=6), "too_few"),
    "no T": ((np.empty((80, 0)), *random_data(0)[1:]), "degenerate"),
    "no P": ((random_data(0)[0], np.empty((80, 0)), *random_data(0)[2:]), "degenerate"),
    "constant T": ((same(80, 0.1), *random_data(0)[1:]), "degenerate"),
    "constant P": ((random_data(0)[0], same(80, 1e300), *random_data(0)[2:]), "degenerate"),
    "constant judgements": ((*random_data(0)[:2], same(80, 0.1), random_data(0)[3]), "degenerate"),
    "nothing but nulls": ((*random_data(0)[:2], same(80, np.nan), random_data(0)[3]), "too_few"),
}


@pytest.mark.parametrize(("data", "status"), CASES.values(), ids=CASES)
def test_what_cannot_be_fitted_says_so(data, status):
    x, z, y, g = data
    model = incremental(x, z, y, clusters=g)
    assert {r.status for r in results(model).values()} == {status}
    assert model.verdict.startswith("not tested: ")
    honest(model)


def test_p_that_follows_from_t_adds_nothing():
    x, _, y, g = random_data(7)
    model = incremental(x, x @ [[1.0], [-2]], y, clusters=g)
    assert model.t.value == pytest.approx(model.pt.value, abs=1e-12)
    assert (model.gain.status, model.paper.status) == ("degenerate", "degenerate")
    assert model.verdict == "not tested: P adds no information to T."
    honest(model)


def test_copies_and_constants_are_left_out_and_said_to_be():
    x, z, y, g = random_data(8)
    plain = incremental(x, z, y, clusters=g)
    model = incremental(np.column_stack([x, 5 * x[:, 0], same(80)]), z, y, clusters=g)
    assert model.pt.value == pytest.approx(plain.pt.value, abs=1e-10)
    assert model.added.p_value == pytest.approx(plain.added.p_value, abs=1e-10)
    assert "without 2 scores that are constant or follow from others" in model.t.method


@pytest.mark.parametrize(
    "change",
    [
        lambda x, z, y, g: (x, z, x.sum(axis=1), g),
        lambda x, z, y, g: (x, z, x[:, 0] + z[:, 0], g),
        lambda x, z, y, g: (x * 1e300, z * 1e-300, y * 1e200, g),
        lambda x, z, y, g: (np.round(x), np.round(z), np.sign(y), g),
        lambda x, z, y, g: (x, z, y, np.zeros(80)),
        lambda x, z, y, g: (x, z, y, g % 4),
        lambda x, z, y, g: (x, z, y, np.arange(80)),
        lambda x, z, y, g: (x.repeat(3, 0), z.repeat(3, 0), y.repeat(3), g.repeat(3)),
        lambda x, z, y, g: (np.eye(80)[:, :2], np.eye(80)[:, 2:4], y, g),
        lambda x, z, y, g: (x[:14], z[:14], y[:14], np.arange(14)),
    ],
)
def test_odd_data_give_honest_results(change):
    model = incremental(*change(*random_data(9))[:3], clusters=change(*random_data(9))[3])
    assert model.t.value is not None
    honest(model)


def test_few_clusters_have_no_interval_and_no_clustered_test():
    x, z, y, g = random_data(10)
    model = incremental(x, z, y, clusters=g % 9, how=IncrementalSettings(unit="system"))
    assert model.paper.p_value is not None
    assert (model.gain.low, model.gain.p_value) == (None, None)
    assert {model.clustered.status, model.added.status, model.held_out.status} == {"too_few"}
    assert "9 clusters by system are too few" in model.verdict
    honest(model)


def test_what_does_not_belong_together_is_refused():
    x, z, y, g = random_data(0)
    with pytest.raises(DataError, match="80 rows of traditional scores, 79 of psychological"):
        incremental(x, z[1:], y, clusters=g)
    with pytest.raises(DataError, match="cross-validation needs at least 2 folds, not 1"):
        IncrementalSettings(folds=1)


def test_under_the_null_clusters_fool_the_papers_test_and_not_ours():
    """1,000 samples of 100 clusters x 10 rows, all columns with an intraclass correlation of .5."""
    rng = np.random.default_rng(1)
    g = np.arange(100).repeat(10)
    zeros = np.zeros(1000, dtype=np.int64)
    rejections = []
    for _ in range(1000):
        rows = (rng.normal(size=(100, 7))[g] + rng.normal(size=(1000, 7))) / 2**0.5
        y = 0.3 * rows[:, 0] + rows[:, -1]
        data = prepare_nested((rows[:, :1], rows[:, 1:6]), y, clusters=g, sets=zeros)
        tests = paired_t_test(data), clustered_t_test(data), score_test(data)
        rejections.append([t.p_value < 0.05 for t in tests])
    paper, clustered, added = np.mean(rejections, axis=0)
    assert paper > 0.2
    assert clustered < 0.06
    assert 0.036 <= added <= 0.064


def test_the_interval_of_a_gain_of_nothing_holds_0():
    """Of 200 samples as above, at most 7% above 0 (2.5% expected; 68% with the bias left in)."""
    rng = np.random.default_rng(2)
    g, above = np.arange(100).repeat(10), 0
    for seed in range(200):
        rows = (rng.normal(size=(100, 7))[g] + rng.normal(size=(1000, 7))) / 2**0.5
        y = 0.3 * rows[:, 0] + rows[:, -1]
        zeros = np.zeros(1000, dtype=np.int64)
        data = prepare_nested((rows[:, :1], rows[:, 1:6]), y, clusters=g, sets=zeros)
        (sampled,) = bootstrap_products([product_sums(data, data.code, 100)], Draws(400, seed))
        above += model_results(data, sampled)[3].low > 0
    assert above <= 14


def test_a_gain_that_is_there_is_found_by_all():
    model = incremental(
        *random_data(1, n=600, groups=60)[:3], clusters=random_data(1, n=600, groups=60)[3]
    )
    assert 0 < model.gain.low < model.gain.value < model.gain.high
    assert 0 < model.held_out.low < model.held_out.value < model.held_out.high
    assert max(model.paper.p_value, model.clustered.p_value, model.added.p_value) < 0.01


@pytest.mark.timing
def test_thirteen_thousand_rows_take_seconds():
    x, z, y, g = random_data(2, n=13_773, t=9, p=5, groups=1_500)
    start = time.process_time()
    incremental(x, z, y, clusters=g, how=IncrementalSettings(sets=g % 5))
    assert time.process_time() - start < 3


def test_the_sentence_spells_out_the_difference():
    """Thirty prompts, each answered twenty times with the same words: the evidence is thirty."""
    x, z, y, g = (a.repeat(20, axis=0) for a in (*random_data(0, n=30)[:3], np.arange(30)))
    model = incremental(x, z, y, clusters=g, how=IncrementalSettings(unit="prompt"))
    assert model.paper.p_value < 1e-4
    assert model.verdict == (
        "paired t-test (Giorgi et al. 2023): p < .0001; clustered by prompt: p = .19, added "
        "coefficients p = .80; cross-validated gain "
        "−.034 [−.082, −.004]."
    )


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (0.213, "p = .21"),
        (0.0497, "p = .0497"),
        (0.0123, "p = .012"),
        (0.0003, "p = .0003"),
        (1e-9, "p < .0001"),
        (1.0, "p = 1.00"),
    ],
)
def test_p_is_written_as_papers_write_it(p, text):
    assert format_exact_p(p) == text


def test_numbers_are_written_as_papers_write_them():
    texts = [format_gain(v) for v in (-0.0012, 0.25, -0.00004, 0.0004, 1.5, -2)]
    assert texts == ["−.001", ".250", ".0000", ".0004", "1.500", "−2.000"]


def test_a_family_is_corrected_in_three_ways():
    """p = .01, .02, .04, m = 3: Bonferroni m p; Holm 3p, 2p, p; BH 3p/1, 3p/2, 3p/3, from above."""
    correction = correct_every_way([0.01, None, 0.04, 0.02])
    assert correction.family == 3
    assert correction.bonferroni == [
        pytest.approx(0.03),
        None,
        pytest.approx(0.12),
        pytest.approx(0.06),
    ]
    assert correction.holm == [pytest.approx(0.03), None, pytest.approx(0.04), pytest.approx(0.04)]
    assert correction.bh == [pytest.approx(0.03), None, pytest.approx(0.04), pytest.approx(0.03)]


def tables(n=80):
    x, z, y, g = random_data(12, n=n)
    keys = {"dialog": [f"d{c}" for c in g], "turn": np.arange(n), "speaker": ["bot"] * n}
    scores = pl.DataFrame(
        {**keys, "bleu": x[:, 0], "length": x[:, 1], "warmth": z[:, 0], "entropy": z[:, 1]}
    )
    gold = pl.DataFrame({**keys, "quality": ["overall"] * n, "value": y})
    return scores, gold.sample(fraction=1, shuffle=True, seed=0)


def test_rows_for_each_and_all_of_both_kinds():
    """Two T and two P: (2 + all) x (2 + all) = 9 rows, one family."""
    scores, gold = tables()
    rows = incremental_rows(
        scores.with_columns(bleu=pl.when(pl.col("turn") > 1).then("bleu")),
        gold,
        traditional=["bleu", "length"],
        psychological=["warmth", "entropy"],
        how=CorrelationSettings(correction="bh"),
    )
    assert [(r.score, r.added_name, r.n, r.nulls) for r in rows] == [
        ("bleu", "warmth", 78, 2), ("bleu", "entropy", 78, 2), ("bleu", "all", 78, 2),
        ("length", "warmth", 80, 0), ("length", "entropy", 80, 0), ("length", "all", 80, 0),
        ("all", "warmth", 78, 2), ("all", "entropy", 78, 2), ("all", "all", 78, 2),
    ]  # fmt: skip
    assert [r.added for r in rows[:3]] == [("warmth",), ("entropy",), ("warmth", "entropy")]
    assert {(r.quality, r.family) for r in rows} == {("overall", 9)}
    assert [r.p_adjusted for r in rows] == [r.p_bh for r in rows]
    assert all(r.p_value <= r.p_holm <= r.p_bonferroni for r in rows)
    assert all(r.p_paper <= r.p_paper_holm <= r.p_paper_bonferroni for r in rows)
    assert [r.p_bonferroni for r in rows] == pytest.approx([min(1, 9 * r.p_value) for r in rows])
    head = list(rows[0].as_json())[:10]
    assert head == [
        "quality", "score", "value", "low", "high", "p_value", "p_adjusted", "n", "status", "method"
    ]  # fmt: skip
    json.dumps([r.as_json() for r in rows], allow_nan=False)


@pytest.mark.parametrize(("t", "p"), [([0], [1]), ([1], [0, 1]), ([0, 1], [0]), ([0, 1], [0, 1])])
@pytest.mark.parametrize("clusters", ["dialog", None])
def test_models_told_together_are_those_told_alone(t, p, clusters):
    """Every figure, intervals too, is that of the same models by themselves; two qualities."""
    scores, gold = tables()
    names = ["bleu", "length"], ["warmth", "entropy"]
    scores = scores.with_columns(bleu=pl.when(pl.col("turn") > 1).then("bleu"))
    more = gold.with_columns(quality=pl.lit("second"), value=pl.col("value") ** 2)
    rows = incremental_rows(
        scores,
        pl.concat([gold, more]),
        traditional=names[0],
        psychological=names[1],
        how=CorrelationSettings(clusters=clusters, seed=4),
    )
    x, z, y, g = random_data(12)
    x[:2, 0] = np.nan
    # rows come in the order of their keys, which is the order in which they are drawn
    order = np.lexsort([np.arange(80), [f"d{c}" for c in g]])
    x, z, y = x[order], z[order], y[order]
    groups = np.array([f"d{c}" for c in g])[order] if clusters else np.arange(80)
    for quality, ratings in (("overall", y), ("second", y**2)):
        alone = incremental(
            x[:, t], z[:, p], ratings, clusters=groups, how=IncrementalSettings(seed=4)
        )
        label = [n[k[0]] if len(k) == 1 else "all" for n, k in zip(names, (t, p), strict=True)]
        (row,) = [r for r in rows if [r.quality, r.score, r.added_name] == [quality, *label]]
        figures = [row.value, row.low, row.high, row.p_value, row.p_paper, row.p_clustered]
        figures += [row.adj_r2_t, row.adj_r2_p, row.adj_r2_pt, row.cv_gain, row.cv_low, row.cv_high]
        gain, held_out = alone.gain, alone.held_out
        expected = [gain.value, gain.low, gain.high, gain.p_value, alone.paper.p_value]
        expected += [alone.clustered.p_value, alone.t.value, alone.p.value, alone.pt.value]
        assert figures == pytest.approx(
            [*expected, held_out.value, held_out.low, held_out.high], abs=1e-12
        )


@given(st.lists(st.integers(2, 30), max_size=8), st.integers(1, 3000))
def test_batches_hold_every_model_once_in_order(sizes, room):
    cases = []
    for n in sizes:
        x, z, y, g = random_data(0, n=n)
        cases.append(
            (prepare_nested((x, z), y, clusters=g, sets=np.zeros(n)), IncrementalSettings())
        )
    batches = list(batch_by_size(cases, room))
    assert [data.n for batch in batches for data, _ in batch] == sizes
    assert all(batches)
    assert room > 1 or all(len(batch) == 1 for batch in batches)


@pytest.mark.parametrize("sets", [1, 3])
@pytest.mark.parametrize("width", [1, 2, 7])
def test_flat_sums_come_back_as_moments(sets, width):
    rng = np.random.default_rng(width)
    rows, place = rng.normal(size=(40, width)), np.arange(40) % sets
    data = prepare_nested((rows[:, :0], rows[:, :-1]), rows[:, -1], clusters=place, sets=place)
    moments = unpack_sums(product_sums(data, np.zeros(40, dtype=np.int64), 1), sets)
    assert moments.n[0] == pytest.approx([(place == s).sum() for s in range(sets)])
    assert moments.first[0] == pytest.approx(
        np.array([data.columns[place == s].sum(axis=0) for s in range(sets)]), abs=1e-12
    )
    assert moments.second[0] == pytest.approx(data.columns.T @ data.columns, abs=1e-12)


@pytest.mark.timing
def test_five_scores_and_three_on_as_many_dialogs_as_answers_take_seconds():
    """(3 + all) x (5 + all) models of four qualities of 4,829 rows: 96 rows."""
    rng = np.random.default_rng(0)
    n, new, old = 4829, [f"p{i}" for i in range(5)], ["t0", "t1", "t2"]
    keys = {"dialog": [f"d{i}" for i in range(n)], "turn": [1] * n, "speaker": ["bot"] * n}
    scores = pl.DataFrame({**keys, **{name: rng.normal(size=n) for name in new + old}})
    judgements = {q: 0.3 * scores["t0"].to_numpy() + rng.normal(size=n) for q in "abcd"}
    gold = pl.concat(
        pl.DataFrame({**keys, "quality": q, "value": v}) for q, v in judgements.items()
    )
    start = time.process_time()
    rows = incremental_rows(scores, gold, traditional=old, psychological=new)
    assert time.process_time() - start < 9
    assert len(rows) == 96
    assert {r.family for r in rows} == {24}


def test_rows_without_scores_of_a_kind_are_none_and_unknown_ones_are_named():
    scores, gold = tables()
    assert incremental_rows(scores, gold, traditional=[], psychological=["warmth"]) == []
    assert incremental_rows(scores, gold, traditional=["bleu"], psychological=[]) == []
    with pytest.raises(UnknownName, match="no score 'blue'; there are bleu, length"):
        incremental_rows(scores, gold, traditional=["blue"], psychological=["warmth"])


def test_rows_that_stand_for_themselves_are_clusters_of_one():
    scores, gold = tables()
    (row,) = incremental_rows(
        scores,
        gold,
        traditional=["bleu"],
        psychological=["warmth"],
        how=CorrelationSettings(clusters=None),
    )
    assert row.clusters == 80
    assert "clustered by row" in row.verdict
