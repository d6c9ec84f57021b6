"""The alternative annotator test against a second program in plain loops, and printed values."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control, ttest_1samp

from simpatico.stats.alternative_annotator import MIN_UNITS, contests
from simpatico.stats.correction import correct_p_values

PRINTED = {
    "10k_prompts": (0.15, ".31 .67 .08 .63 .69 .76 .15 .67 .92 .80 .15 .67"),
    "cebab_stars": (0.1, ".60 .82 .80 .87 .90 .90 .60 .85 .90 .89 .50 .83"),
    "lgbteen": (0.2, ".25 .71 .00 .67 .75 .77 .00 .72 .75 .76 .25 .75"),
    "mtbench": (0.2, ".00 .72 .00 .76 .00 .77 .00 .69 .00 .74 .00 .68"),
}
"""Epsilon, and winning rate and advantage of six models, as the notebook of the authors' repository
prints them: gemini_flash, gemini_pro, gpt-4o, llama-31, gpt-4o-mini, mistral-v03."""


def plain(ratings, judge, epsilon, match=False):
    """Winning rate, advantage and p-values, one rating after the other."""
    p_values, advantages = [], []
    for left_out in range(ratings.shape[1]):
        differences, closer = [], []
        for row, answer in zip(ratings, judge, strict=True):
            others = [v for i, v in enumerate(row) if i != left_out and np.isfinite(v)]
            own = row[left_out]
            if not others or not np.isfinite(own) or not np.isfinite(answer):
                continue
            if match:
                score = [np.mean([v == other for other in others]) for v in (own, answer)]
            else:
                score = [-(np.mean([(v - o) ** 2 for o in others]) ** 0.5) for v in (own, answer)]
            differences.append((score[0] >= score[1]) * 1 - (score[1] >= score[0]) * 1)
            closer.append(score[1] >= score[0])
        if len(differences) >= MIN_UNITS:
            p_values.append(ttest_1samp(differences, epsilon, alternative="less").pvalue)
            advantages.append(np.mean(closer))
    wins = np.mean(false_discovery_control(p_values, method="by") <= 0.05)
    return wins, np.mean(advantages), p_values


def sample(seed, people=4, units=60, missing=0.1):
    rng = np.random.default_rng(seed)
    truth = rng.normal(3, 1, units)
    ratings = np.clip(np.round(truth[:, None] + rng.normal(0, 0.8, (units, people))), 1, 5)
    ratings[rng.random(ratings.shape) < missing] = np.nan
    return ratings, np.clip(np.round(truth + rng.normal(0, 0.7, units)), 1, 5)


@pytest.mark.parametrize("match", [False, True])
@hypothesis_settings(max_examples=15)
@given(seed=st.integers(0, 10_000), epsilon=st.sampled_from([0.0, 0.1, 0.2]))
def test_it_is_what_plain_loops_give(match, seed, epsilon):
    ratings, judge = sample(seed)
    contest = contests(
        ratings, judge[:, None], closeness="match" if match else "distance"
    ).of_judge(0)
    rate, advantage, p_values = plain(ratings, judge, epsilon, match)
    assert contest.winning_rate(epsilon) == pytest.approx(rate, abs=1e-8)
    assert contest.advantage.value == pytest.approx(advantage, abs=1e-8)
    assert contest.p_values(epsilon) == pytest.approx(p_values, abs=1e-8)


@pytest.mark.parametrize("name", PRINTED)
def test_published_figures_of_four_sets(data, name):
    epsilon, printed = PRINTED[name]
    folder = data / "alt-test" / name
    people, models = (
        json.loads((folder / f"{who}_annotations.json").read_text()) for who in ("human", "llm")
    )
    units = sorted({unit for own in people.values() for unit in own})
    values = sorted(
        {v for table in (people, models) for own in table.values() for v in own.values()}
    )
    is_text = isinstance(values[0], str)
    code = {v: float(i) if is_text else float(v) for i, v in enumerate(values)}
    ratings, judges = (
        np.array([[code.get(own.get(u), np.nan) for own in table.values()] for u in units])
        for table in (people, models)
    )
    found = contests(ratings, judges, closeness="match" if is_text else "distance")
    own = [found.of_judge(number) for number in range(len(models))]
    figures = [f"{x:.2f}" for c in own for x in (c.winning_rate(epsilon), c.advantage.value)]
    assert " ".join(figures).replace("0.", ".") == printed


def test_the_example_of_the_module():
    """Left out 5: 2² + 2² = 8 to the others, the judge 0. Left out 3: both 0² + 2² = 4, a tie."""
    found = contests(np.array([[3.0, 3.0, 5.0]]), np.array([[3.0]]))
    assert found.person.tolist() == [0, 1, 2]
    assert found.gap[:, 0].tolist() == [0, 0, 1]


@given(st.integers(0, 1_000))
def test_a_larger_epsilon_never_loses_a_rater(seed):
    contest = contests(*(np.atleast_2d(x.T).T for x in sample(seed))).of_judge(0)
    rates = [contest.winning_rate(epsilon) for epsilon in (0, 0.1, 0.2, 0.3, 0.4)]
    assert rates == sorted(rates)
    smallest = contest.smallest_epsilon
    assert smallest is None or contest.passes(smallest)
    assert not smallest or not contest.passes(smallest - 0.01)


def test_units_of_one_dialog_are_no_further_evidence():
    """Every unit four times: p is that of the single units if these are clusters."""
    ratings, judge = sample(1, missing=0)
    once = contests(ratings, judge[:, None]).of_judge(0)
    repeated = np.repeat(ratings, 4, axis=0), np.repeat(judge, 4)[:, None]
    four = contests(*repeated, clusters=np.repeat(np.arange(60), 4)).of_judge(0)
    assert four.p_values(0.1) == pytest.approx(once.p_values(0.1))
    assert four.n == 4 * once.n
    alone = contests(*repeated).of_judge(0)
    assert min(alone.p_values(0.1)) < min(once.p_values(0.1))


def test_raters_of_few_units_are_not_tested():
    ratings, judge = sample(0, units=29, missing=0)
    contest = contests(ratings, judge[:, None]).of_judge(0)
    assert contest.winning_rate(0.2) is None
    assert contest.advantage.result("advantage").status == "too_few"
    assert contest.n == 29


def test_a_judge_is_compared_on_the_units_it_answered():
    ratings, judge = sample(0, missing=0)
    gaps = np.where(np.arange(60) < 40, judge, np.nan)
    with_gaps = contests(ratings, np.column_stack([judge, gaps]))
    short = contests(ratings[:40], judge[:40, None]).of_judge(0)
    assert with_gaps.of_judge(1).advantage == short.advantage
    # beside each other they are compared on the 40 units that both answered
    same = with_gaps.advantage_difference(0, 1)
    assert (same.value, same.n) == (0.0, 160)


def test_units_needed_would_pass():
    """With as many units of the same kind the test passes; with a quarter of them it does not."""
    ratings, judge = sample(4, people=3, units=40, missing=0)
    contest = contests(ratings, judge[:, None]).of_judge(0)
    epsilon = contest.people[0].value + 0.15
    need = contest.units_needed(epsilon)
    assert need is not None
    assert need > 40
    assert contests(ratings, judge[:, None]).of_judge(0).units_needed(-1.0) is None
    times = -(-need // 40)
    more = contests(np.tile(ratings, (times, 1)), np.tile(judge, times)[:, None]).of_judge(0)
    assert more.passes(epsilon)


def test_benjamini_yekutieli_is_that_of_scipy():
    p = [0.01, 0.04, 0.03, 0.005]
    adjusted, n = correct_p_values(p, "by")
    assert n == 4
    assert adjusted == pytest.approx(false_discovery_control(p, method="by"), abs=1e-15)
