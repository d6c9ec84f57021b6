"""Power and plans. Oracle: statsmodels 0.15.0, TTestPower and TTestIndPower, run offline."""

import numpy as np
import pytest
from scipy import stats

from simpatico.comparison.difference import ComparisonSettings, compare_samples
from simpatico.comparison.plan import measure_pilot, plan_comparisons, sd_within_columns
from simpatico.comparison.samples import ScoreInfo, Selection, TwoSamples
from simpatico.stats.power import Design, detectable_difference, t_test_power, units_needed
from tests.comparison.runs import make_run

RNG = np.random.default_rng(5)


@pytest.mark.parametrize(
    ("effect", "n", "family", "alpha", "paired", "unpaired"),
    [  # TTestPower().power(effect, n, alpha / family), TTestIndPower().power(...)
        (0.5, 22, 1, 0.05, 0.609184804183963, 0.3672710825914737),
        (0.2, 100, 1, 0.05, 0.508264806621038, 0.29064587165908673),
        (0.8, 10, 15, 0.05, 0.1664111905046996, 0.08833919667158331),
        (0.3, 60, 1, 0.01, 0.3755547925089531, 0.1696322052615531),
    ],
)
def test_power_is_statsmodels(effect, n, family, alpha, paired, unpaired):
    for design, power in (
        (Design(True, family, alpha), paired),
        (Design(False, family, alpha), unpaired),
    ):
        shift = effect / design.standard_error(1.0, n)
        assert t_test_power(shift, design.df(n), design.level) == pytest.approx(power, abs=1e-8)


@pytest.mark.parametrize(
    ("n", "family", "power", "paired", "unpaired"),
    [  # brentq(lambda e: TTestPower().power(e, n, .05 / family) - power, ..., xtol=1e-14)
        (22, 1, 0.8, 0.6264201330574849, 0.8646473047771898),
        (22, 15, 0.8, 0.8983437851316505, 1.200717637966692),
        (100, 1, 0.9, 0.3273431403832169, 0.46065951425003226),
    ],
)
def test_detectable_size_is_statsmodels(n, family, power, paired, unpaired):
    # its own solve_power stops at about 1e-6, so its power was solved for the effect
    assert detectable_difference(1, n, design=Design(True, family, power=power)) == pytest.approx(
        paired, abs=1e-8
    )
    assert detectable_difference(2, n, design=Design(False, family, power=power)) == pytest.approx(
        2 * unpaired, abs=1e-8
    )


@pytest.mark.parametrize(
    ("effect", "family", "power", "paired", "unpaired"),
    [  # solve_power(effect_size=effect, ...), to be rounded up
        (0.2, 1, 0.8, 198.150820955562, 393.4056930002526),
        (0.5, 1, 0.8, 33.36713118431779, 63.76561058891169),
        (0.5, 15, 0.8, 61.37776908800445, 116.28014493605453),
        (0.1, 1, 0.9, 1052.664547339556, 2102.4447100825073),
    ],
)
def test_units_needed_are_statsmodels(effect, family, power, paired, unpaired):
    assert units_needed(1, effect, design=Design(True, family, power=power)) == np.ceil(paired)
    assert units_needed(3, -3 * effect, design=Design(False, family, power=power)) == np.ceil(
        unpaired
    )


@pytest.mark.parametrize("freedom", [5, 21, 198, 1e5, 1e8])
@pytest.mark.parametrize("level", [0.05, 0.05 / 15, 0.05 / 1000])
def test_power_grows_with_the_difference_and_is_always_a_number(freedom, level):
    """Far out, SciPy's noncentral t is NaN; a plan must not be."""
    powers = np.array(
        [t_test_power(s, freedom, level) for s in [*np.linspace(0, 40, 400), 100, 1000]]
    )
    assert ((powers > 0) & (powers <= 1 + 1e-12)).all()
    assert (np.diff(powers) > -1e-8).all()


def test_no_test_can_show_anything_below_its_smallest_p():
    # 2 / 2^9 > .05 / 15 >= 2 / 2^10, and 2 / C(10, 5) = .0079 > .05 / 15 >= 2 / C(12, 6)
    assert detectable_difference(1, 9, design=Design(True, 15)) is None
    assert detectable_difference(1, 10, design=Design(True, 15)) is not None
    assert detectable_difference(1, 5, design=Design(False, 15)) is None
    assert units_needed(1, 100.0, design=Design(True, 15)) == 10
    assert units_needed(1, 100.0, design=Design(False, 15)) == 6


@pytest.mark.parametrize("n", [0, 1])
def test_nothing_shows_with_nothing(n):
    assert detectable_difference(1, n, design=Design()) is None


def test_no_number_is_enough_for_no_difference():
    assert units_needed(1, 0.0, design=Design()) is None
    assert units_needed(0, 1.0, design=Design()) is None
    assert units_needed(1, 1e-6, design=Design()) is None


def test_the_detectable_difference_is_found_four_times_in_five():
    """300 studies of 30 prompts whose true difference is what 30 prompts should find."""
    size = detectable_difference(1.0, 30, design=Design(True))
    measure = ScoreInfo("m", "m", None, (0, 1), "m")
    none = np.zeros(30)
    samples = [
        TwoSamples(measure, "a", "b", RNG.normal(size, 1, 30), none, "prompt", True)
        for _ in range(300)
    ]
    share = np.mean([d.p_value <= 0.05 for d in compare_samples(samples, ComparisonSettings())])
    assert stats.binomtest(round(share * 300), 300, 0.8).pvalue > 0.001


def test_pilot_gives_the_spread_between_pairs_and_within_systems(tmp_path):
    a, b = RNG.normal(0, 1, 20), RNG.normal(0, 1, 20)
    run = make_run(tmp_path / "run", {"warmth": {"ash": a.tolist(), "birch": b.tolist()}})
    (pilot,), family = measure_pilot([run], Selection())
    assert pilot.pairs == pytest.approx(np.std(a - b, ddof=1))
    assert pilot.within == pytest.approx(np.sqrt((np.var(a, ddof=1) + np.var(b, ddof=1)) / 2))
    assert (pilot.n, family) == (20, 1)
    paired, unpaired = plan_comparisons([pilot], Design(family=family), detect={"warmth": 0.5}.get)
    assert paired.needed == units_needed(pilot.pairs, 0.5, design=Design())
    assert unpaired.needed == units_needed(pilot.within, 0.5, design=Design(False))
    assert paired.shows[20] == detectable_difference(pilot.pairs, 20, design=Design())


def test_a_pilot_of_one_system_plans_without_pairs(tmp_path):
    run = make_run(tmp_path / "run", {"warmth": {"ash": [0.1, 0.2, 0.4]}})
    (pilot,), _ = measure_pilot([run], Selection())
    assert pilot.pairs is None
    assert pilot.within == pytest.approx(np.std([0.1, 0.2, 0.4], ddof=1))


@pytest.mark.parametrize("columns", [[], [np.array([])], [np.array([1.0])], [np.ones(5)]])
def test_no_spread_is_null(columns):
    assert sd_within_columns(columns) is None
