"""Agreement of judges: published and second-program values, no statistic ever without an honest number."""

from __future__ import annotations

import time
from itertools import combinations, permutations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simpatico.errors import UnknownName
from simpatico.judgements import Judgement, Judgements
from simpatico.readers.judgement_files import read_judgements
from simpatico.stats.bootstrap import bootstrap_sums
from simpatico.validation.raters.agreement import (
    agreement_rows,
    all_statistics,
    cohen_kappa,
    krippendorff_alpha,
    with_interval,
)
from simpatico.validation.raters.alpha import fleiss_statistic
from simpatico.validation.raters.icc import icc_statistic
from simpatico.validation.raters.kappa import pearson_statistic
from simpatico.validation.raters.ratings import RatingViews, rating_matrix

NAN = float("nan")
FORMS = {"1,1": ("1", False), "2,1": ("2", False), "3,1": ("3", False)}
FORMS |= {"1,k": ("1", True), "2,k": ("2", True), "3,k": ("3", True)}


def fleiss_kappa(matrix):
    return with_interval(fleiss_statistic(RatingViews(matrix)))


def intraclass_correlation(matrix, form="2,1"):
    model, mean = FORMS[form]
    return with_interval(icc_statistic(RatingViews(matrix), model, mean=mean))


def pairwise_pearson(matrix):
    return with_interval(pearson_statistic(RatingViews(matrix)))


def rows_of(judgements, quality):
    return agreement_rows(rating_matrix(judgements, quality), quality)


# Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), example C: 4 observers, 12 units
PUBLISHED = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
).T

# Shrout & Fleiss (1979), Table 2: 6 targets, 4 judges
SHROUT = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], float
)

# made up, for second programs
TWELVE = np.array(
    [
        [1, 2, 1, 2],
        [3, 3, 3, 4],
        [2, 2, 2, 2],
        [4, 4, 5, 5],
        [2, 1, 1, 2],
        [1, 2, 1, 2],
        [3, 3, 3, 4],
        [4, 4, 4, 4],
        [1, 1, 2, 2],
        [2, 1, 1, 2],
        [4, 5, 4, 5],
        [1, 1, 1, 2],
    ],
    float,
)
HOLES = (np.arange(12)[:, None] * 3 + np.arange(4) * 5) % 7 == 0
HOLED = np.where(HOLES, NAN, TWELVE)


@pytest.mark.parametrize(
    ("matrix", "measure", "value"),
    [
        # Krippendorff 2011: .743, .815, .849; the digits are krippendorff 0.9.0's
        (PUBLISHED, "nominal", 0.743421052631579),
        (PUBLISHED, "ordinal", 0.8153875037548814),
        (PUBLISHED, "interval", 0.8491071428571428),
        # krippendorff 0.9.0, alpha(reliability_data=matrix.T, level_of_measurement=measure)
        (TWELVE, "nominal", 0.3405384907091392),
        (TWELVE, "ordinal", 0.80050446629394),
        (TWELVE, "interval", 0.8526895383312156),
        (HOLED, "nominal", 0.30708661417322836),
        (HOLED, "ordinal", 0.7745688145185873),
        (HOLED, "interval", 0.842406876790831),
    ],
)
def test_krippendorffs_alpha(matrix, measure, value):
    result = krippendorff_alpha(matrix, measure)
    assert result.value == pytest.approx(value, abs=1e-12)
    assert result.status == "ok"
    assert result.n == np.count_nonzero(np.isfinite(matrix).sum(axis=1) >= 2)
    assert result.low < value < result.high <= 1


@pytest.mark.parametrize(
    ("matrix", "values"),
    [
        # Shrout & Fleiss 1979, Table 4: .17 .29 .71 .44 .62 .91; the digits are pingouin 0.7.0's
        (
            SHROUT,
            [
                0.1657417684054755,
                0.28976377952755916,
                0.7148407148407154,
                0.44279713367926876,
                0.6200505475989893,
                0.9093155423770697,
            ],
        ),
        # pingouin 0.7.0, intraclass_corr; the last is its cronbach_alpha too
        (
            TWELVE,
            [
                0.8607833076791517,
                0.8624535315985131,
                0.9059282925097623,
                0.9611381648047359,
                0.9616580310880829,
                0.974696839492027,
            ],
        ),
    ],
)
def test_intraclass_correlations(matrix, values):
    estimates = [intraclass_correlation(matrix, form).value for form in FORMS]
    assert estimates == pytest.approx(values, abs=1e-12)


def test_icc_with_missing_ratings():
    # statsmodels 0.15.0 anova_lm of value ~ C(unit): mean squares 5.478566, .270115; k0 = 3.410200
    assert intraclass_correlation(HOLED, "1,1").value == pytest.approx(0.849721629723875, abs=1e-12)
    mean = intraclass_correlation(HOLED, "1,k")
    assert mean.value == pytest.approx(0.9506960516369134, abs=1e-12)
    assert mean.n == 12
    # two-way forms take the units that all judges rated
    complete = HOLED[np.isfinite(HOLED).all(axis=1)]
    for form in ("2,1", "3,1", "2,k", "3,k"):
        result = intraclass_correlation(HOLED, form)
        assert result.value == pytest.approx(
            intraclass_correlation(complete, form).value, abs=1e-12
        )
        assert result.n == len(complete) == 5


def test_fleiss_kappa():
    # statsmodels 0.15.0, fleiss_kappa(aggregate_raters(TWELVE)[0])
    assert fleiss_kappa(TWELVE).value == pytest.approx(0.32650739476678026, abs=1e-12)


def test_fleiss_kappa_with_different_numbers_of_judges():
    matrix = [[1, 1, NAN], [1, 2, 2], [2, 2, 2], [1, NAN, NAN]]
    # P: 1, 1/3, 1 over three units; shares of category 1: 1, 1/3, 0, 1 over four; hence 7/12
    agree, share = (1 + 1 / 3 + 1) / 3, 7 / 12
    chance = share**2 + (1 - share) ** 2
    result = fleiss_kappa(matrix)
    assert result.value == pytest.approx((agree - chance) / (1 - chance), abs=1e-12)
    assert result.n == 3


@pytest.mark.parametrize(
    ("judges", "weights", "value"),
    [
        # scikit-learn 1.9.1, cohen_kappa_score(…, labels=[1, 2, 3, 4, 5]); four: mean over 6 pairs
        ([0, 1], "linear", 0.7),
        ([0, 1], "quadratic", 0.8672566371681416),
        ([0, 1, 2, 3], "linear", 0.6521420114284905),
        ([0, 1, 2, 3], "quadratic", 0.8523923606612219),
    ],
)
def test_cohens_kappa(judges, weights, value):
    assert cohen_kappa(TWELVE[:, judges], weights).value == pytest.approx(value, abs=1e-12)


def test_cohens_kappa_takes_distances_of_values_not_of_the_categories_in_use():
    # judges differ by 2 on a scale where nobody used 2: Σ|d| = 2; by chance, over 16 pairs, a has
    # 1 1 3 3 and b 1 3 3 3: E = (2·3 + 2·1)·2/16 = 1 a unit, so κ = 1 − 2/4 = .5 either way
    matrix = np.array([[1, 1], [1, 3], [3, 3], [3, 3]])
    assert cohen_kappa(matrix, "linear").value == pytest.approx(0.5, abs=1e-12)
    gap = np.array([[1, 1], [1, 3], [3, 3], [3, 4]])
    # Σ|d| = 0 + 2 + 0 + 1 = 3; E: a 1 1 3 3, b 1 3 3 4: (2·(0+2+2+3) + 2·(2+0+0+1))/16·4 = 5
    assert cohen_kappa(gap, "linear").value == pytest.approx(1 - 3 / 5, abs=1e-12)


def test_pairwise_pearson_is_the_mean_over_pairs():
    pairs = [np.corrcoef(TWELVE[:, a], TWELVE[:, b])[0, 1] for a, b in combinations(range(4), 2)]
    assert pairwise_pearson(TWELVE).value == pytest.approx(np.mean(pairs), abs=1e-12)


def test_pairs_of_judges_count_by_the_units_they_share():
    weighted = []
    for a, b in combinations(range(4), 2):
        both = HOLED[:, [a, b]][np.isfinite(HOLED[:, [a, b]]).all(axis=1)]
        weighted.append((np.corrcoef(both.T)[0, 1], len(both)))
    r, shared = np.array(weighted).T
    expected = (r * shared).sum() / shared.sum()
    assert pairwise_pearson(HOLED).value == pytest.approx(expected, abs=1e-12)


def test_a_crowd_whose_judges_seldom_meet_has_no_kappa_but_an_alpha():
    generator = np.random.default_rng(1)
    matrix = np.full((300, 60), NAN)
    for row, truth in zip(matrix, generator.integers(1, 6, 300), strict=True):
        row[generator.choice(60, 3, replace=False)] = truth
    assert cohen_kappa(matrix).status == "too_few"
    assert pairwise_pearson(matrix).status == "too_few"
    assert krippendorff_alpha(matrix).value == 1.0


def test_a_resample_is_the_statistic_of_the_units_drawn():
    # what the sums give must be what the statistic gives on the drawn rows themselves
    rows = np.array([0, 0, 3, 5, 5, 5, 7, 9, 10, 11, 1, 2])
    weights = np.bincount(rows, minlength=12).astype(float)[None, :]
    statistics = all_statistics(RatingViews(HOLED[rows]))
    for statistic, other in zip(all_statistics(RatingViews(HOLED)), statistics, strict=True):
        ours = statistic.function(np.asarray(weights @ statistic.summands))[0]
        total = np.asarray(other.summands.sum(axis=0)).reshape(1, -1)
        assert ours == pytest.approx(other.function(total)[0], abs=1e-9), statistic.name


def test_intervals_are_those_of_clusters_and_stay_the_same():
    clusters = np.arange(12) // 2
    first = krippendorff_alpha(TWELVE, clusters=clusters)
    assert first == krippendorff_alpha(TWELVE, clusters=clusters)
    assert first != krippendorff_alpha(TWELVE, clusters=clusters, seed=1)
    assert first.value == krippendorff_alpha(TWELVE).value
    doubled = np.repeat(TWELVE, 2, axis=0)
    wide = krippendorff_alpha(doubled, "nominal", clusters=np.repeat(np.arange(12), 2))
    narrow = krippendorff_alpha(doubled, "nominal")
    assert wide.high - wide.low > 1.2 * (narrow.high - narrow.low)


ALL = {
    **{
        f"alpha {m}": lambda x, m=m: krippendorff_alpha(x, m)
        for m in ("nominal", "ordinal", "interval")
    },
    "fleiss": fleiss_kappa,
    **{f"cohen {w}": lambda x, w=w: cohen_kappa(x, w) for w in ("linear", "quadratic")},
    **{f"icc {f}": lambda x, f=f: intraclass_correlation(x, f) for f in FORMS},
    "pearson": pairwise_pearson,
}
CASES = {
    "no units": np.zeros((0, 3)),
    "no judges": np.zeros((5, 0)),
    "one unit": [[1.0, 2.0]],
    "two units": [[1.0, 2.0], [2.0, 2.0]],
    "three units": [[1.0, 2.0], [2.0, 2.0], [3.0, 1.0]],
    "one judge": [[1.0], [2.0], [3.0], [4.0]],
    "constant": np.full((8, 3), 4.0),
    "constant 0.1": np.full((8, 3), 0.1),
    "all nan": np.full((8, 3), NAN),
    "all inf": np.full((8, 3), np.inf),
    "inf is no rating": [
        [1, np.inf, 2],
        [2, 3, 1],
        [3, 3, -np.inf],
        [1, 1, 2],
        [2, 2, 2],
        [5, 4, 4],
    ],
    "identical": np.repeat(np.arange(8.0)[:, None], 3, axis=1),
    "identical but one": np.vstack([np.full((9, 2), 1.0), [[1.0, 2.0]]]),
    "two different constants": np.tile([1.0, 5.0], (8, 1)),
    "shifted": np.arange(8.0)[:, None] + [0.0, 0.1, 0.3],
    "opposed": np.column_stack([np.arange(8.0), -np.arange(8.0)]),
    "never two on a unit": np.where(np.eye(6, dtype=bool), 3.0, NAN),
    "judges who never meet": np.array([[1, 2, NAN, NAN], [NAN, NAN, 2, 1]] * 4, float),
    "a constant judge": np.column_stack([np.arange(8.0), np.full(8, 2.0), np.arange(8.0)[::-1]]),
    "huge": np.array([[1e300, -1e300], [1, 2], [3, 4], [1e300, 1e300], [0, 0], [5, 5]]),
    "tiny": np.array([[1, 2], [2, 2], [3, 4], [4, 4], [5, 4], [1, 1]]) * 1e-300,
    "far from zero": np.array([[1, 2], [2, 2], [3, 4], [4, 4], [5, 4], [1, 1]]) + 1e9,
    "no two ratings alike": np.arange(40.0).reshape(20, 2) ** 1.5,
    "many different ratings": np.sin(np.arange(300.0)).reshape(100, 3),
    "one rating differs": np.vstack([np.full((30, 3), 2.0), [[2.0, 2.0, 3.0]]]),
    "duplicate column": np.column_stack([TWELVE[:, 0], TWELVE[:, 0], TWELVE[:, 1]]),
}


def honest(result):
    assert result.status in ("ok", "degenerate", "too_few", "not_converged")
    assert (result.value is None) == (result.status != "ok")
    assert result.p_value is None
    if result.value is not None:
        assert np.isfinite(result.value)
    if result.low is None or result.high is None:
        assert result.low is result.high is None
    else:
        assert result.low < result.high
        assert result.low <= result.value <= result.high


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("case", CASES)
def test_degenerate_matrices_give_an_honest_result(name, case):
    honest(ALL[name](CASES[case]))


def test_what_degenerate_matrices_give():
    for name, statistic in ALL.items():
        assert statistic(CASES["one unit"]).status == "too_few", name
        assert statistic(CASES["one judge"]).status == "too_few", name
        assert statistic(CASES["all nan"]).n == 0, name
        assert statistic(CASES["constant 0.1"]).status == "degenerate", name
        same = statistic(CASES["identical"])
        assert same.value == pytest.approx(1.0, abs=1e-12), name
        assert same.low is None, name
    assert pairwise_pearson(CASES["judges who never meet"]).status == "degenerate"
    assert krippendorff_alpha(CASES["judges who never meet"]).status == "ok"
    assert intraclass_correlation(CASES["judges who never meet"], "2,1").status == "too_few"
    many = cohen_kappa(CASES["many different ratings"], "linear")
    assert (many.status, many.n) == ("degenerate", 100)
    assert many.method.endswith("not for over 100 different ratings")


matrices = st.integers(3, 9).flatmap(
    lambda n: st.lists(
        st.lists(st.sampled_from([1.0, 2.0, 3.0, 5.0, NAN]), min_size=3, max_size=3),
        min_size=n,
        max_size=n,
    )
)


def values(matrix):
    return [
        r.value
        for r in bootstrap_sums(
            all_statistics(RatingViews(matrix)), np.arange(len(matrix)), draws=20
        )
    ]


@settings(max_examples=40)
@given(matrices, st.randoms(use_true_random=False))
def test_order_of_units_and_judges_does_not_matter(rows, random):
    matrix = np.array(rows)
    units, judges = list(range(len(matrix))), [0, 1, 2]
    random.shuffle(units)
    random.shuffle(judges)
    assert values(matrix[units][:, judges]) == pytest.approx(values(matrix), abs=1e-9)


@settings(max_examples=40)
@given(matrices, st.floats(0.01, 100), st.floats(-100, 100))
def test_unit_of_measurement_does_not_matter(rows, stretch, shift):
    matrix = np.array(rows)
    assert values(matrix * stretch + shift) == pytest.approx(values(matrix), abs=1e-7)


@settings(max_examples=60)
@given(matrices)
def test_every_statistic_is_honest_and_at_most_one(rows):
    for result in bootstrap_sums(all_statistics(RatingViews(rows)), np.arange(len(rows)), draws=50):
        honest(result)
        assert result.value is None or result.value <= 1 + 1e-9


def judgement(dialog, judge, value, **other):
    return Judgement(dialog, None, "bot", "engaging", judge, "outsider", value)._replace(**other)


def test_ratings_are_units_by_judges():
    rows = [judgement("b", "ann", 3.0), judgement("a", "bob", 1.0), judgement("a", "ann", None)]
    rows += [judgement("a", "cleo", 5.0, quality="other")]
    for order in permutations(rows):
        ratings = rating_matrix(Judgements.of(order), "engaging")
        assert ratings.judges == ["ann", "bob"]
        assert ratings.units["dialog"].to_list() == ["a", "b"]
        np.testing.assert_array_equal(ratings.matrix, [[NAN, 1.0], [3.0, NAN]])
        assert not ratings.anonymous


def test_judges_without_a_name_are_positions():
    frame = Judgements.of([]).frame
    rows = [judgement("a", None, 1.0), judgement("a", None, 2.0), judgement("b", None, 3.0)]
    frame = pl.concat([frame, pl.DataFrame(rows, schema=frame.schema, orient="row")])
    ratings = rating_matrix(frame, "engaging")
    assert ratings.judges == ["#1", "#2"]
    assert ratings.anonymous
    np.testing.assert_array_equal(ratings.matrix, [[1.0, 2.0], [3.0, NAN]])


def test_one_name_in_two_kinds_is_two_judges():
    rows = [judgement("a", "1", 1.0), judgement("a", "1", 2.0, judge_kind="interlocutor")]
    ratings = rating_matrix(Judgements.of(rows), "engaging")
    assert ratings.judges == ["1 (interlocutor)", "1 (outsider)"]


def test_an_unknown_quality_says_what_there_is():
    with pytest.raises(UnknownName) as error:
        rating_matrix(Judgements.of([judgement("a", "ann", 1.0)]), "engagin")
    assert str(error.value) == ("no ratings of the quality 'engagin'; did you mean 'engaging'?")
    with pytest.raises(UnknownName) as error:
        rating_matrix(Judgements.of([]), "engaging")
    assert str(error.value) == "no ratings of the quality 'engaging'; there are none"


def long(matrix, **other):
    return Judgements.of(
        judgement(f"d{u:02}", f"j{j}", None if np.isnan(value) else value, **other)
        for u, row in enumerate(matrix)
        for j, value in enumerate(row)
    )


def test_agreement_has_every_statistic_in_the_shape_scripts_rely_on():
    rows = rows_of(long(HOLED), "engaging")
    assert [r.score for r in rows] == [s.name for s in all_statistics(RatingViews(HOLED))]
    first = rows[1].as_json()
    assert list(first) == [
        "quality",
        "score",
        "value",
        "low",
        "high",
        "p_value",
        "p_adjusted",
        "n",
        "status",
        "method",
        "level",
    ]
    assert first["score"] == "krippendorff_alpha_ordinal"
    assert first["value"] == pytest.approx(0.7745688145185873, abs=1e-12)
    assert first["method"] == (
        "Krippendorff's alpha, ordinal; 95% bootstrap over dialogs, 2,000 draws"
    )
    assert first["p_value"] is first["p_adjusted"] is None


def test_agreement_does_not_depend_on_the_order_of_the_table():
    table = long(HOLED)
    backwards = Judgements(table.frame.reverse())
    assert rows_of(table, "engaging") == rows_of(backwards, "engaging")


@pytest.mark.timing
def test_two_thousand_draws_of_five_thousand_units_take_a_few_seconds():
    generator = np.random.default_rng(0)
    truth = generator.normal(3, 1, (5000, 1))
    matrix = np.clip(np.round(truth + generator.normal(0, 1, (5000, 5))), 1, 5)
    matrix[generator.random(matrix.shape) < 0.1] = NAN
    start = time.process_time()
    bootstrap_sums(all_statistics(RatingViews(matrix)), np.arange(5000))
    assert time.process_time() - start < 6  # 0.7 on the machine it was written on


@pytest.mark.parametrize(
    ("file", "quality", "alpha", "n"),
    [
        # krippendorff 0.9.0, ordinal, on the ratings of the file
        ("persona-zhao_eval.json", "appropriateness", 0.4841611659329752, 900),
        ("fed-dial_eval.json", "Error recovery", 0.2721082308298566, 117),
        ("topical-usr_eval.json", "Maintains Context", 0.5191295862487638, 360),
    ],
)
def test_alpha_of_real_judgements(data, file, quality, alpha, n):
    path = data / "dstc10-dev" / file
    if not path.is_file():
        pytest.skip(f"no {path}")
    rows = {r.score: r for r in rows_of(read_judgements(path), quality)}
    result = rows["krippendorff_alpha_ordinal"]
    assert result.value == pytest.approx(alpha, abs=1e-8)
    assert result.n == n


def test_judges_who_met_no_other_share_a_column_and_change_no_figure():
    """3 judges of 12 units, and 40 people who rated a unit of their own: the agreement is the same."""
    shared_units = [
        Judgement(
            f"d{u}", None, None, "fun", f"j{j}", "outsider", float((u * (j + 1)) % 5 + 1), 1, 5
        )
        for u in range(12)
        for j in range(3)
    ]
    alone = [
        Judgement(f"x{i}", None, None, "fun", f"s{i}", "outsider", float(i % 5 + 1), 1, 5)
        for i in range(40)
    ]
    few, many = Judgements.of([*shared_units, *alone[:20]]), Judgements.of([*shared_units, *alone])
    assert rating_matrix(few, "fun").matrix.shape == (32, 23)
    assert rating_matrix(many, "fun").matrix.shape == (52, 4)
    alphas = [
        next(r.value for r in rows_of(j, "fun") if r.score == "pairwise_pearson")
        for j in (Judgements.of(shared_units), few, many)
    ]
    assert alphas[0] == pytest.approx(alphas[1], rel=1e-12) == pytest.approx(alphas[2], rel=1e-12)
