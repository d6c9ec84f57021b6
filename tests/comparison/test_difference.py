"""Differences between systems: by hand, against scipy, and where there is nothing to say."""

import itertools
import json
import math
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from simpatico.comparison.difference import (
    ComparisonSettings,
    Differences,
    compare,
    compare_samples,
)
from simpatico.comparison.samples import ScoreInfo, Selection, TwoSamples
from simpatico.comparison.verdict import difference_as_json
from simpatico.errors import DataError, UnknownName
from simpatico.run import Run
from simpatico.stats.correction import correct_p_values
from tests.comparison.runs import make_run, write_run

RNG = np.random.default_rng(2)
MEASURE = ScoreInfo("warmth", "warmth", None, (0.0, 1.0), "warmth|1")


def sample(a, b, *, paired=True):
    first, second = (np.asarray(x, dtype=float) for x in (a, b))
    return TwoSamples(MEASURE, "ash", "birch", first, second, "prompt", paired)


def one(a, b, *, paired=True, **settings):
    return compare_samples([sample(a, b, paired=paired)], ComparisonSettings(**settings))[0]


def test_paired_by_hand():
    # differences 1 2 3 4 5 6: mean 3.5, sd² 3.5, error √(3.5/6); t(.975, 5) = 2.570582
    difference = one([2, 4, 6, 8, 10, 12], [1, 2, 3, 4, 5, 6])
    reach = 2.5705818366147395 * math.sqrt(3.5 / 6)
    assert difference.difference == 3.5
    assert (difference.low, difference.high) == pytest.approx((3.5 - reach, 3.5 + reach), abs=1e-8)
    assert difference.p_value == 2 / 2**6
    assert difference.times_in_100 == 100
    # Wilson at 6 of 6: n / (n + z²)
    assert difference.times_low == pytest.approx(100 * 6 / (6 + 1.959963984540054**2), abs=1e-8)
    assert (difference.n_a, difference.n_b, difference.status, difference.finding) == (
        6,
        6,
        "ok",
        "higher",
    )
    assert difference.method == "paired t interval; p by all sign flips"


@pytest.mark.parametrize("n", [6, 30, 150])
def test_paired_interval_is_scipys(n):
    a, b = RNG.normal(0.3, 1, n), RNG.normal(0, 1, n)
    scipys = stats.ttest_rel(a, b)
    difference = one(a, b)
    assert (difference.low, difference.high) == pytest.approx(
        tuple(scipys.confidence_interval()), abs=1e-8
    )
    if n > 100:
        assert difference.p_value == pytest.approx(scipys.pvalue, abs=1e-8)
        assert difference.method == "paired t interval; p by paired t"


@pytest.mark.parametrize(("n", "m"), [(4, 9), (30, 20), (90, 60)])
def test_welch_interval_is_scipys(n, m):
    a, b = RNG.normal(0.3, 1, n), RNG.normal(0, 2, m)
    scipys = stats.ttest_ind(a, b, equal_var=False)
    difference = one(a, b, paired=False)
    assert (difference.low, difference.high) == pytest.approx(
        tuple(scipys.confidence_interval()), abs=1e-8
    )
    if n + m > 100:
        assert difference.p_value == pytest.approx(scipys.pvalue, abs=1e-8)
    share = stats.mannwhitneyu(a, b).statistic / (n * m)
    assert difference.times_in_100 == pytest.approx(100 * share, abs=1e-8)


def test_correction_over_all_scores_and_pairs(tmp_path):
    values = {
        s: {x: RNG.normal(i, 1, 20).tolist() for i, x in enumerate(["ash", "birch", "cedar"])}
        for s in ("warmth", "wit")
    }
    differences = compare([make_run(tmp_path / "run", values)])
    assert [(d.a, d.b, d.score) for d in differences] == [
        (a, b, s) for a, b in itertools.combinations(["ash", "birch", "cedar"], 2) for s in values
    ]
    assert [d.p_adjusted for d in differences] == correct_p_values(
        [d.p_value for d in differences]
    )[0]
    assert {d.family for d in differences} == {6}
    assert all(d.wide_low < d.low < d.high < d.wide_high for d in differences)
    bh = compare([make_run(tmp_path / "run", values)], settings=ComparisonSettings("bh"))
    assert all(x.p_adjusted <= y.p_adjusted for x, y in zip(bh, differences, strict=True))


def degenerate_cases():
    wave, nan = [0.1, 0.5, 0.2, 0.9, 0.4, 0.7, 0.3], float("nan")
    sides = {
        "none": [],
        "one": [0.5],
        "two": [0.5, 0.6],
        "three": [0.1, 0.2, 0.4],
        "zeros": [0.0] * 7,
        "ones": [1.0] * 7,
        "wave": wave,
        "shifted": [w + 0.1 for w in wave],
        "huge": [w * 1e300 for w in wave],
        "tiny": [w * 1e-300 for w in wave],
        "large": [1e9 + w for w in wave],
        "many": wave * 20,
        "constant": [0.3] * 140,
        "unlike": [5.0] * 6 + [nan],
    }
    for (name, a), (other, b) in itertools.product(sides.items(), repeat=2):
        yield pytest.param(a, b, id=f"{name}-{other}")


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize(("a", "b"), list(degenerate_cases()))
def test_always_a_number_or_the_reason(a, b, paired):
    a, b = ([x for x in v if x == x] for v in (a, b))
    if paired:
        a, b = a[: min(len(a), len(b))], b[: min(len(a), len(b))]
    record = difference_as_json(one(a, b, paired=paired))
    json.dumps(record, allow_nan=False)
    assert record["status"] in ("ok", "degenerate", "too_few")
    assert (record["difference"] is None) == (record["status"] != "ok")
    if record["low"] is not None:
        assert record["low"] < record["difference"] < record["high"]
        assert record["times_low"] < record["times_high"]
    for p in (record["p_value"], record["p_adjusted"]):
        assert p is None or 0 < p <= 1
    assert record["verdict"].endswith(".")
    assert "nan" not in record["verdict"]
    assert "inf" not in record["verdict"]


@pytest.mark.parametrize("n", [0, 1, 2, 3, 5])
def test_too_few_pairs_are_refused(n):
    difference = one(np.arange(n), np.arange(n) + RNG.normal(size=n))
    assert (difference.status, difference.difference, difference.p_value, difference.n_a) == (
        "too_few",
        None,
        None,
        n,
    )
    assert difference.finding == "too_few"


def test_identical_systems_have_no_difference_to_test():
    difference = one([0.1, 0.2, 0.3] * 3, [0.1, 0.2, 0.3] * 3)
    assert (difference.status, difference.p_value, difference.finding, difference.family) == (
        "degenerate",
        None,
        "same",
        0,
    )


@pytest.mark.parametrize("n", [20, 300])
def test_two_different_constants_differ_without_an_interval(n):
    difference = one([1.0] * n, [0.0] * n)
    assert (difference.difference, difference.low, difference.status, difference.finding) == (
        1.0,
        None,
        "ok",
        "higher",
    )
    assert difference.p_value == 1 / 10_000


@given(
    st.lists(st.tuples(st.floats(-9, 9), st.floats(-9, 9)), min_size=6, max_size=12),
    st.floats(0.1, 10),
    st.floats(-10, 10),
)
def test_unit_and_order_of_systems_do_not_matter(pairs, factor, shift):
    a, b = np.round(np.array(pairs).T, 3)
    difference, back = one(a, b), one(b, a)
    other = one(a * factor + shift, b * factor + shift)
    if difference.status != "ok":
        return
    assert back.difference == pytest.approx(-difference.difference)
    assert back.p_value == pytest.approx(difference.p_value)
    assert back.times_in_100 == pytest.approx(100 - difference.times_in_100)
    assert other.difference == pytest.approx(difference.difference * factor, abs=1e-9)
    assert other.p_value == pytest.approx(difference.p_value, abs=1e-6)


def test_level_of_the_t_tests_beyond_permutation():
    """2,000 data sets without a difference, 60 + 60 dialogs of unlike spread."""
    rng = np.random.default_rng(9)
    samples = [
        sample(rng.normal(0, 2, 60), rng.normal(0, 1, 60), paired=False) for _ in range(2_000)
    ]
    differences = compare_samples(samples, ComparisonSettings())
    assert all(d.method.endswith("Welch t") for d in differences)
    assert 0.040 <= np.mean([d.p_value <= 0.05 for d in differences]) <= 0.060
    assert 0.940 <= np.mean([d.low <= 0 <= d.high for d in differences]) <= 0.960


def test_people_are_left_out_unless_asked_for(tmp_path):
    values = {x: RNG.normal(size=8).tolist() for x in ("ash", "birch", "human")}
    run = make_run(tmp_path / "three", {"warmth": values})
    assert [(d.a, d.b) for d in compare([run])] == [("ash", "birch")]
    assert len(compare([run], Selection(with_human=True))) == 3
    two = make_run(tmp_path / "two", {"warmth": {x: values[x] for x in ("ash", "human")}})
    assert [(d.a, d.b) for d in compare([two], Selection(with_human=True))] == [("ash", "human")]
    with pytest.raises(DataError) as refusal:
        compare([two])
    assert str(refusal.value) == (
        "a comparison needs two systems; there is 'ash'. Give a second run, or compare it with its "
        "users: --with-human"
    )
    lone = make_run(tmp_path / "one", {"warmth": {"ash": values["ash"]}})
    with pytest.raises(DataError, match="a comparison needs two systems; there is 'ash'"):
        compare([lone])


def test_parts_of_a_metric_only_when_asked_for(tmp_path):
    values = {x: RNG.normal(size=8).tolist() for x in ("ash", "birch")}
    run = make_run(
        tmp_path / "run", {"warmth": values, "warmth_part": values}, parts=("warmth_part",)
    )
    assert [d.score for d in compare([run])] == ["warmth"]
    assert [d.score for d in compare([run], Selection(every=True))] == ["warmth", "warmth_part"]
    assert [d.score for d in compare([run], Selection(scores=("warmth_part",)))] == ["warmth_part"]
    with pytest.raises(
        UnknownName, match="no score 'warmt'; did you mean 'warmth' or 'warmth_part'"
    ):
        compare([run], Selection(scores=("warmt",)))


def test_runs_of_one_system_are_told_apart_by_folder(tmp_path):
    runs = [
        make_run(tmp_path / name, {"warmth": {"ash": RNG.normal(size=9).tolist()}})
        for name in ("may", "june")
    ]
    differences = compare(runs)
    assert [(d.a, d.b, d.paired) for d in differences] == [("ash (june)", "ash (may)", True)]
    with pytest.raises(DataError, match="the same run is given twice"):
        compare([runs[0], runs[0]])


def test_numbers_computed_in_different_ways_are_not_compared(tmp_path):
    values = {"warmth": {"ash": [0.1] * 9}}
    runs = [make_run(tmp_path / v, values, version=v) for v in ("1", "2")]
    with pytest.raises(DataError, match="warmth was computed with different settings in"):
        compare(runs)


def test_without_prompts_nothing_is_paired(tmp_path):
    values = {x: RNG.normal(size=9).tolist() for x in ("ash", "birch")}
    difference = compare([make_run(tmp_path / "run", {"warmth": values}, prompts=False)])[0]
    assert (difference.paired, difference.unit, difference.n_a) == (False, "dialog", 9)


def row(dialog, system, prompt, value, speaker="s"):
    return {
        "dialog": dialog, "speaker": speaker, "system": system, "prompt": prompt, "warmth": value
    }  # fmt: skip


def test_dialogs_of_one_prompt_are_one_value(tmp_path):
    rows = [row(f"a{p}{k}", "ash", f"p{p}", p + k) for p in range(8) for k in range(3)]
    rows += [row(f"b{p}", "birch", f"p{p}", p) for p in range(8)]
    difference = compare([write_run(tmp_path / "run", rows, ["warmth"])])[0]
    assert (difference.n_a, difference.n_b, difference.difference) == (8, 8, 1.0)


def test_few_prompts_with_many_dialogs_are_counted_in_dialogs(tmp_path):
    rows = [
        row(f"{s}{k}", s, f"p{k % 2}", RNG.normal()) for s in ("ash", "birch") for k in range(20)
    ]
    difference = compare([write_run(tmp_path / "run", rows, ["warmth"])])[0]
    assert (difference.n_a, difference.unit, difference.paired, difference.status) == (
        20,
        "dialog",
        False,
        "ok",
    )


def test_a_system_and_the_people_it_talks_with_are_paired_by_dialog(tmp_path):
    rows = [row(f"d{k}", s, None, RNG.normal()) for k in range(9) for s in ("ash", "human")]
    people = Selection(with_human=True)
    difference = compare([write_run(tmp_path / "run", rows, ["warmth"])], people)[0]
    assert (difference.paired, difference.unit, difference.n_a) == (True, "dialog", 9)


def test_both_speakers_of_one_system_in_a_dialog_are_one_value(tmp_path):
    rows = [row(f"d{k}", "ash", None, float(k + s), f"s{s}") for k in range(9) for s in (0, 1)]
    rows += [row(f"e{k}", "birch", None, float(k)) for k in range(9)]
    difference = compare([write_run(tmp_path / "run", rows, ["warmth"])])[0]
    assert (difference.n_a, difference.n_b, difference.difference) == (9, 9, 0.5)


def test_turns_are_averaged_within_dialogs(tmp_path):
    values = {x: RNG.normal(size=9).tolist() for x in ("ash", "birch")}
    run = make_run(tmp_path / "run", {"warmth": values})
    dialog, turn = (asdict(compare([run], Selection(level))[0]) for level in ("dialog", "turn"))
    assert turn.pop("level") == "turn"
    assert dialog.pop("level") == "dialog"
    assert turn == dialog  # each turn of these dialogs has the score of the dialog


def test_nulls_are_left_out_and_seen_in_n(tmp_path):
    values = {"ash": [None, 0.4] + [0.1 * k for k in range(8)], "birch": [0.2, None] + [0.3] * 8}
    difference = compare([make_run(tmp_path / "run", {"warmth": values})])[0]
    assert (difference.n_a, difference.n_b, difference.status) == (8, 8, "ok")
    empty = {"ash": [None] * 9, "birch": [0.1] * 9}
    difference = compare([make_run(tmp_path / "empty", {"warmth": empty})])[0]
    assert (difference.n_a, difference.status, difference.mean_a) == (0, "too_few", None)


def test_sd_is_the_root_of_the_mean_variance():
    # variances of 1 2 3 4 and 0 0 4 8: 5/3 and 44/3; mean 49/6
    difference = one([1, 2, 3, 4], [0, 0, 4, 8], paired=False)
    assert difference.sd == pytest.approx(math.sqrt(49 / 6))
    assert one([1, 1, 1, 1], [2, 2, 2, 2], paired=False).sd is None
    assert one([1], [2], paired=False).sd is None
    assert one([1e200] * 6, [0] * 6).sd is None


def test_words_come_from_the_run_or_from_the_name(tmp_path):
    run = make_run(tmp_path / "run", {"dry_wit": {s: [0.1] * 9 for s in ("ash", "birch")}})
    difference = compare([run])[0]
    assert (difference.title, difference.more, difference.less, difference.score_unit) == (
        "Dry wit",
        "has a higher dry wit than",
        "has a lower dry wit than",
        "",
    )
    facts = json.loads((run.folder / "run.json").read_text())
    facts["metrics"]["dry_wit"]["scores"][0] |= {
        "title": "Irony",
        "more": "is more ironic than",
        "less": "is earnest",
        "unit": "jokes",
    }
    (run.folder / "run.json").write_text(json.dumps(facts))
    again = compare([Run(run.folder)])  # facts are read once per Run
    difference = again[0]
    assert isinstance(again, Differences)
    assert (difference.title, difference.more, difference.less, difference.score_unit) == (
        "Irony",
        "is more ironic than",
        "has a lower dry wit than",
        "jokes",
    )
