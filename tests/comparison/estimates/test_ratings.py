"""Mean ratings of systems from a few ratings and a proxy: tables, refusals and sentences."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from simpatico.comparison.estimates.dialogs import BLEND, find_proxy, stack_systems
from simpatico.comparison.estimates.ratings import EstimateSettings, estimate_ratings
from simpatico.comparison.samples import PEOPLE, PERCENT, ComparedSystem, ScoreInfo
from simpatico.errors import DataError, UnknownName
from simpatico.stats.prediction_powered import RatedUnits, prediction_powered
from simpatico.stats.rogan_gladen import JudgeCounts, rogan_gladen

OVERALL = f"{PEOPLE}: overall"


def info(name, unit=""):
    is_rating = name.startswith(PEOPLE)
    return ScoreInfo(
        name, name, None, (0.0, 1.0), name, name.removeprefix(f"{PEOPLE}: "), unit=unit,
        kind=PEOPLE if is_rating else "",
    )  # fmt: skip


def make_systems(columns, *, unit="", prompts=None):
    """`columns`: system -> column -> values; a column of people's ratings has gaps."""
    systems = []
    for name, own in columns.items():
        n = len(next(iter(own.values())))
        keys = {"dialog": [f"{name}{i}" for i in range(n)], "prompt": prompts or [None] * n}
        frame = pl.DataFrame({**keys, **own}).with_columns(pl.col("prompt").cast(pl.String))
        frame = frame.with_columns(pl.col(list(own)).cast(pl.Float64).fill_nan(None))
        measures = {c: info(c, unit if c.startswith(PEOPLE) else "") for c in own}
        systems.append(ComparedSystem(name, name, Path("run"), measures, frame))
    return systems


def two_systems(rng, n=200, rated=60, gap=0.5):
    made = {}
    for name, shift in (("ash", 0.0), ("birch", gap)):
        latent = rng.normal(3 + shift, 1, n)
        ratings = np.where(np.arange(n) < rated, latent, np.nan)
        made[name] = {
            OVERALL: ratings,
            "warmth": latent + rng.normal(0, 0.5, n),
            "wit": rng.random(n),
        }
    return made


def test_rows_are_those_of_the_statistic():
    made = two_systems(np.random.default_rng(1))
    (own,) = estimate_ratings(make_systems(made), EstimateSettings(proxy="warmth"))
    ratings, proxy = (np.concatenate([s[c] for s in made.values()]) for c in (OVERALL, "warmth"))
    units = RatedUnits(np.repeat([0, 1], 200), ratings, proxy, np.arange(400))
    powered, alone = prediction_powered(units), prediction_powered(units, slope=0.0)
    assert (own.quality, own.proxy, own.rated) == ("overall", "warmth", 120)
    assert [(r.a, r.b, r.rated, r.unrated) for r in (*own.means, *own.differences)] == [
        ("ash", None, 60, 140), ("birch", None, 60, 140), ("ash", "birch", 120, 280)
    ]  # fmt: skip
    difference = own.differences[0]
    expected = powered.difference(0, 1)
    assert (difference.value, difference.low, difference.high) == pytest.approx(
        expected.value_and_interval, abs=1e-12
    )
    assert difference.p_adjusted == pytest.approx(expected.p_value)
    assert own.means[1].people_value == alone.mean(1).value
    assert own.means[0].high - own.means[0].low < own.means[0].people_high - own.means[0].people_low
    assert own.worth.numbers == pytest.approx(powered.worth.numbers)
    value, low, high = (f"{x:.0f}" for x in own.worth.numbers)
    assert (
        own.verdict
        == f"overall: with warmth your 120 rated dialogs are worth {value} [{low}, {high}]."
    )


def test_the_blend_is_of_all_scores_and_no_rating():
    made = two_systems(np.random.default_rng(2))
    for own in made.values():
        own[f"{PEOPLE}: warm"] = own[OVERALL] * 2
    estimates = estimate_ratings(make_systems(made), EstimateSettings())
    assert [e.proxy for e in estimates] == ["the blend of 2 scores"] * 2
    assert estimates[0].worth.value > 1.5 * estimates[0].rated


def test_one_cluster_per_prompt_where_all_have_prompts():
    made = two_systems(np.random.default_rng(3))
    prompts = [f"p{i}" for i in range(200)]
    table = stack_systems(make_systems(made, prompts=prompts))
    assert (table.cluster[:200] == table.cluster[200:]).all()
    assert len(set(stack_systems(make_systems(made)).cluster)) == 400


def test_a_missing_score_is_its_systems_mean():
    made = two_systems(np.random.default_rng(4))
    warmth = made["ash"]["warmth"]
    warmth[5] = np.nan
    proxy = find_proxy(stack_systems(make_systems(made)), "warmth", OVERALL)
    assert proxy.values[5] == pytest.approx(np.nanmean(warmth))
    assert proxy.notes == ("1 dialog without warmth got the system's mean.",)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (np.full(200, np.nan), "200 of 400 dialogs have it"),
        (np.where(np.arange(200) < 90, 1.0, np.nan), "180 of 400 dialogs have it"),
        (np.ones(200), "400 of 400 dialogs have it"),
    ],
)
def test_what_cannot_stand_in_for_ratings(change, sentence):
    made = two_systems(np.random.default_rng(4))
    made["ash"]["wit"] = change
    if sentence != "200 of 400 dialogs have it":
        made["birch"]["wit"] = change
    with pytest.raises(DataError) as error:
        estimate_ratings(make_systems(made), EstimateSettings(proxy="wit"))
    assert str(error.value) == (
        f"wit cannot stand in for ratings: {sentence}, or it is the same in all; choose another "
        "one, or --proxy blend"
    )


def test_refusals():
    systems = make_systems(two_systems(np.random.default_rng(5)))
    with pytest.raises(UnknownName, match=r"^no score or judge 'warmt'; did you mean 'warmth'\?$"):
        estimate_ratings(systems, EstimateSettings(proxy="warmt"))
    unrated = [
        replace(s, units=s.units.with_columns(pl.lit(None, pl.Float64).alias(OVERALL)))
        for s in systems
    ]
    with pytest.raises(DataError) as error:
        estimate_ratings(unrated, EstimateSettings())
    assert str(error.value) == (
        "people rated no dialog of these systems, so there is nothing to estimate from; give "
        "ratings of dialogs of this run (--judgements)"
    )
    with pytest.raises(
        DataError, match="the run has no system; score conversations with a named system"
    ):
        estimate_ratings([], EstimateSettings())


def test_beyond_the_rated_range_there_is_no_estimate():
    """The 60 dialogs of least warmth are rated: all 140 others lie beyond."""
    made = two_systems(np.random.default_rng(6))
    order = np.argsort(made["ash"]["warmth"])
    ash = {name: values[order] for name, values in made["ash"].items()}
    ash[OVERALL] = np.where(np.arange(200) < 60, ash["warmth"], np.nan)
    (own,) = estimate_ratings(make_systems({**made, "ash": ash}), EstimateSettings(proxy="warmth"))
    low, high = ash["warmth"][0], ash["warmth"][59]
    assert own.notes == [
        f"ash: 100% of the unrated dialogs are beyond the range of warmth that was rated, {low:.3f} "
        f"to {high:.3f}; of a random sample it would be about 3.3%. The rated dialogs do not "
        "represent the others, so there is no estimate; have dialogs rated that `simpatico sample` "
        "draws."
    ]
    assert (own.means[0].value, own.means[0].status) == (None, "degenerate")
    assert own.means[0].people_value is not None
    assert own.means[1].value is not None
    assert own.differences[0].value is None
    assert own.verdict == "overall: 120 rated dialogs."


def test_too_few_rated_dialogs_are_named():
    made = two_systems(np.random.default_rng(7))
    made["ash"][OVERALL][4:] = np.nan
    (own,) = estimate_ratings(make_systems(made), EstimateSettings(proxy="warmth"))
    assert own.notes == ["Fewer than 5 rated dialogs: ash; no estimate."]
    assert [r.status for r in own.means] == ["too_few", "ok"]


def test_nothing_to_do_and_nothing_gained():
    rng = np.random.default_rng(8)
    made = two_systems(rng)
    whole = {s: {**c, OVERALL: rng.random(200)} for s, c in made.items()}
    (own,) = estimate_ratings(make_systems(whole), EstimateSettings(proxy="wit"))
    assert own.verdict == (
        "overall: 400 rated dialogs, which is all there are; there is nothing to estimate."
    )
    flat = {s: {**c, "wit": np.r_[np.zeros(60), rng.random(140)]} for s, c in made.items()}
    (own,) = estimate_ratings(make_systems(flat), EstimateSettings(proxy="wit"))
    assert own.verdict == (
        "overall: wit does not help to predict these ratings, so that your 120 rated dialogs are "
        "worth no more than they are."
    )


def yes_no_systems(**more):
    """ash: people yes 50, no 50, 45 and 40 right, 120 yes of 200; birch: the judge is a coin."""
    people = np.r_[np.full(50, 100.0), np.zeros(50), np.full(200, np.nan)]
    judge = np.r_[np.ones(45), np.zeros(5), np.ones(10), np.zeros(40), np.ones(120), np.zeros(80)]
    coin = np.r_[np.tile([1.0, 0.0], 50), np.ones(120), np.zeros(80)]
    made = {"ash": {OVERALL: people, "judge": judge}, "birch": {OVERALL: people, "judge": coin}}
    return make_systems({s: {**c, **more} for s, c in made.items()}, unit=PERCENT)


def test_shares_of_a_judge_are_corrected():
    settings = EstimateSettings("rogan-gladen", proxy="judge")
    (own,) = estimate_ratings(yes_no_systems(), settings)
    share = rogan_gladen(JudgeCounts(200, 120, 50, 45, 50, 40))
    ash, birch = own.means
    assert (ash.value, ash.low, ash.high) == pytest.approx(
        tuple(100 * x for x in share.value_and_interval)
    )
    assert (ash.people_value, own.unit, own.worth) == (50, PERCENT, None)
    assert birch.value is own.differences[0].value is None
    assert own.notes == [
        "birch: judge says yes to 50% of what people say yes to and no to 50% of what they say no "
        "to; these add up to 100%, and a coin's to 100%, so there is no estimate."
    ]


def test_dialogs_without_an_answer_or_a_majority_are_left_out():
    systems = yes_no_systems()
    rating = pl.when(pl.col("dialog") == "ash0").then(50.0).otherwise(OVERALL).alias(OVERALL)
    silent = pl.when(pl.col("dialog") == "ash299").then(None).otherwise("judge").alias("judge")
    systems[0] = replace(systems[0], units=systems[0].units.with_columns(rating, silent))
    (own,) = estimate_ratings(systems, EstimateSettings("rogan-gladen", proxy="judge"))
    assert own.notes[0] == "1 dialog left out: as many said yes as no."
    share = rogan_gladen(JudgeCounts(199, 120, 49, 44, 50, 40))
    assert own.means[0].value == pytest.approx(100 * share.value)


@pytest.mark.parametrize(
    ("proxy", "unit", "sentence"),
    [
        (BLEND, PERCENT, "--correct rogan-gladen corrects one judge's yes and no: name it with --proxy"),
        (
            "warmth",
            PERCENT,
            "--correct rogan-gladen needs answers of yes or no (1 or 0); warmth gave others, so use "
            "--correct ppi",
        ),
        (
            "warmth",
            "",
            "--correct rogan-gladen needs answers of yes or no (1 or 0); people on 'overall' gave "
            "others, so use --correct ppi",
        ),
    ],
)  # fmt: skip
def test_rogan_gladen_is_refused(proxy, unit, sentence):
    systems = make_systems(two_systems(np.random.default_rng(9)), unit=unit)
    with pytest.raises(DataError) as error:
        estimate_ratings(systems, EstimateSettings("rogan-gladen", proxy=proxy))
    assert str(error.value) == sentence


def test_answers_of_one_kind_are_too_few_for_rogan_gladen():
    systems = yes_no_systems()
    yes = pl.when(pl.col(OVERALL).is_not_null()).then(100.0).alias(OVERALL)
    systems = [replace(s, units=s.units.with_columns(yes)) for s in systems]
    (own,) = estimate_ratings(systems, EstimateSettings("rogan-gladen", proxy="judge"))
    assert own.notes[0] == (
        "ash: 100 rated dialogs with yes, 0 with no and 200 unrated ones; rogan-gladen needs some "
        "of each."
    )


def test_only_dialogs_of_the_sample_count_with_their_weights():
    made = two_systems(np.random.default_rng(10))
    systems = make_systems(made)
    dialogs = [f"{s}{i}" for s in ("ash", "birch") for i in (*range(50), 199)]
    sample = pl.DataFrame(
        {
            "dialog": dialogs,
            "system": ["ash"] * 51 + ["birch"] * 51,
            "stratum": (["1"] * 10 + ["2"] * 41) * 2,
            "weight": ([2.0] * 10 + [4.0] * 41) * 2,
        }
    )
    (own,) = estimate_ratings(systems, EstimateSettings(proxy="warmth"), sample)
    assert own.notes == [
        "20 rated dialogs outside the sample: taken as unrated.",
        "2 dialogs of the sample without a rating so far.",
    ]
    assert own.rated == 100
    ratings = made["ash"][OVERALL][:50]
    # the 41st of the second stratum has no rating: the 40 others stand for its 164 dialogs
    weights = np.r_[np.full(10, 2.0), np.full(40, 4.1)]
    assert own.means[0].people_value == pytest.approx(np.average(ratings, weights=weights))
    other = pl.when(pl.col("dialog").str.ends_with("199")).then(pl.lit("3")).otherwise("stratum")
    (own,) = estimate_ratings(
        systems, EstimateSettings(proxy="warmth"), sample.with_columns(other.alias("stratum"))
    )
    assert own.notes[2] == (
        "No rated dialog in 2 of 6 strata of the sample: the estimate is of the others."
    )
    weights = np.r_[np.full(10, 2.0), np.full(40, 4.0)]
    assert own.means[0].people_value == pytest.approx(np.average(ratings, weights=weights))
    with pytest.raises(DataError, match="no dialog of the sample"):
        estimate_ratings(systems, EstimateSettings(), sample.with_columns(dialog=pl.lit("x")))
    with pytest.raises(DataError, match="takes no weights"):
        estimate_ratings(systems, EstimateSettings("rogan-gladen"), sample)
