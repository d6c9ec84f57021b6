"""Noise ceiling and the line of one more judge: second ways to the numbers, and known truths."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings

from simpatico.readers.judgement_files import read_judgements
from simpatico.validation.raters.agreement import AgreementRow
from simpatico.validation.raters.ceiling import noise_ceiling, random_halves, split_judges
from simpatico.validation.raters.ratings import RatingMatrix, rating_matrix
from tests.validation.raters.test_agreement import CASES, HOLED, NAN, TWELVE, honest, long, matrices


class Ceiling(NamedTuple):
    analytic: AgreementRow
    split_half: AgreementRow
    one_more_judge: AgreementRow


def of(matrix, *, seed=0):
    matrix = np.array(matrix, float)
    units = pl.DataFrame({"dialog": [f"d{u:05}" for u in range(len(matrix))]})
    judges = [f"j{j}" for j in range(matrix.shape[1])]
    return Ceiling(*noise_ceiling(RatingMatrix(matrix, units, judges), "engaging", seed=seed))


def correlation(x, y):
    return float(np.corrcoef(x, y)[0, 1])


def test_the_analytic_ceiling_is_the_root_of_cronbachs_alpha():
    # pingouin 0.7.0, cronbach_alpha(TWELVE) = .974696839492027
    assert of(TWELVE).analytic.value == pytest.approx(0.974696839492027**0.5, abs=1e-12)


def test_with_missing_ratings_it_is_stepped_up_to_the_harmonic_mean():
    # ICC(1,1) by statsmodels as in test_agreement; 7 units with three ratings, 5 with four
    single, k = 0.849721629723875, 12 / (7 / 3 + 5 / 4)
    expected = (k * single / (1 + (k - 1) * single)) ** 0.5
    result = of(HOLED).analytic
    assert result.value == pytest.approx(expected, abs=1e-12)
    assert result.method.startswith("√ICC(1,k), k the harmonic mean; 95% bootstrap over dialogs")


def test_split_half_over_all_three_ways_to_halve_four_judges():
    halves = [((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2))]
    r = np.mean(
        [correlation(TWELVE[:, a].mean(axis=1), TWELVE[:, b].mean(axis=1)) for a, b in halves]
    )
    result = of(TWELVE).split_half
    assert result.value == pytest.approx((2 * r / (1 + r)) ** 0.5, abs=1e-12)
    assert "3 splits" in result.method


def test_split_half_of_three_judges_steps_up_from_one_to_three():
    three = TWELVE[:, :3]
    r = np.mean([correlation(three[:, a], three[:, b]) for a, b in ((0, 1), (0, 2), (1, 2))])
    assert of(three).split_half.value == pytest.approx((3 * r / (1 + 2 * r)) ** 0.5, abs=1e-12)


def test_one_more_judge_is_the_mean_over_judges():
    r = [correlation(TWELVE[:, j], np.delete(TWELVE, j, axis=1).mean(axis=1)) for j in range(4)]
    assert of(TWELVE).one_more_judge.value == pytest.approx(np.mean(r), abs=1e-12)


@pytest.mark.parametrize("missing", [0.0, pytest.param(0.3, marks=pytest.mark.slow)])
def test_ceilings_are_what_the_truth_reaches(missing):
    generator = np.random.default_rng(7)
    truth = generator.normal(size=20_000)
    matrix = truth[:, None] + generator.normal(0, 1.5, (20_000, 4))
    matrix[generator.random(matrix.shape) < missing] = NAN
    rated = np.isfinite(matrix).any(axis=1)
    correlation_with_truth = correlation(truth[rated], np.nanmean(matrix[rated], axis=1))
    result = of(matrix)
    assert result.analytic.value == pytest.approx(correlation_with_truth, abs=0.01)
    assert result.split_half.value == pytest.approx(correlation_with_truth, abs=0.01)
    assert result.analytic.low < result.analytic.value < result.analytic.high
    if not missing:
        # r(x, mean of 3) = var / √((var + s)(var + s/3)) with var = 1, s = 2.25
        line = 1 / ((1 + 2.25) * (1 + 0.75)) ** 0.5
        assert result.one_more_judge.value == pytest.approx(line, abs=0.015)


def test_judges_without_any_agreement_leave_a_ceiling_of_nought():
    matrix = np.column_stack([np.arange(9.0), -np.arange(9.0), np.arange(9.0) % 2])
    result = of(matrix)
    assert result.analytic.value == 0.0
    assert result.one_more_judge.value < 0


def test_levels_of_judges_do_not_lower_the_ceiling_where_all_rated_all():
    shifted = TWELVE + np.array([0, 10, 20, 30])
    assert of(shifted).analytic.value == pytest.approx(of(TWELVE).analytic.value, abs=1e-12)
    assert of(shifted).split_half.value == pytest.approx(of(TWELVE).split_half.value, abs=1e-12)


@pytest.mark.parametrize(("judges", "splits"), [(2, 1), (3, 3), (4, 3), (5, 15), (6, 10), (8, 35)])
def test_few_judges_are_halved_in_every_way(judges, splits):
    sides = split_judges(judges, 0)
    assert len(sides) == len({tuple(s[0]) for s in sides}) == splits
    assert all((s == 1).sum() == (s == 2).sum() == judges // 2 for s in sides)


def test_chance_halves_are_even_and_leave_out_what_is_missing():
    sides = random_halves(np.isfinite(HOLED), 0, 3)
    assert (sides[~np.isfinite(HOLED)] == 0).all()
    half = np.isfinite(HOLED).sum(axis=1) // 2
    assert ((sides == 1).sum(axis=1) == half).all()
    assert ((sides == 2).sum(axis=1) == half).all()
    assert (sides != random_halves(np.isfinite(HOLED), 0, 4)).any()


def test_ceilings_of_judgements_and_their_rows():
    ratings = rating_matrix(long(HOLED), "engaging")
    rows = noise_ceiling(ratings, "engaging")
    assert rows == noise_ceiling(ratings, "engaging")
    assert rows != noise_ceiling(ratings, "engaging", seed=1)
    assert [r.score for r in rows] == ["ceiling", "ceiling_split_half", "one_more_judge"]
    assert [r.value for r in rows] == [r.value for r in of(HOLED)]
    assert {r.n for r in rows} == {12}


@pytest.mark.parametrize("case", CASES)
def test_degenerate_matrices_give_an_honest_result(case):
    matrix = np.array(CASES[case], float)
    results = of(matrix)
    for result in (results.analytic, results.split_half, results.one_more_judge):
        honest(result)


def test_what_degenerate_matrices_give():
    for case, status in (("one judge", "too_few"), ("constant 0.1", "degenerate")):
        result = of(CASES[case])
        kinds = {result.analytic.status, result.split_half.status, result.one_more_judge.status}
        assert kinds == {status}


@settings(max_examples=30)
@given(matrices)
def test_ceilings_lie_between_0_and_1(rows):
    results = of(rows)
    for result in (results.analytic, results.split_half, results.one_more_judge):
        honest(result)
        assert result.value is None or -1 <= result.value <= 1 + 1e-9
    assert results.analytic.value is None or results.analytic.value >= 0


def test_real_judgements_have_both_ceilings_close(data):
    path = data / "dstc10-dev" / "persona-zhao_eval.json"
    if not path.is_file():
        pytest.skip(f"no {path}")
    ratings = rating_matrix(read_judgements(path), "appropriateness")
    result = Ceiling(*noise_ceiling(ratings, "appropriateness"))
    assert result.analytic.n == 900
    assert result.analytic.value == pytest.approx(result.split_half.value, abs=0.005)
    assert result.one_more_judge.value < result.analytic.value
