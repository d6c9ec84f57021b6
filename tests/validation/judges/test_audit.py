"""The audit: scikit-learn's kappa, made-up judges whose faults are known, three sentences."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from simpatico.errors import SimpaticoError
from simpatico.judgements import Judgements
from simpatico.validation.judges.audit import AuditSettings, audit_judges
from simpatico.validation.judges.bias import bias_rows, family_of
from simpatico.validation.judges.units import judged_units
from simpatico.validation.judges.verdict import answer_sentences
from tests.validation.judges.cases import (
    answers_of,
    judges_of,
    people_of,
    ratings,
    rounded,
)


def statistic(audit, judge, score):
    return next(r for r in audit.judges if (r.judge, r.score) == (judge, score))


def verdict(audit, judge):
    return next(v for v in audit.verdicts if v.judge == judge)


@pytest.fixture(scope="module")
def audit():
    """A good judge, one that is two points too strict, one that is always in the middle."""
    truth, people = ratings()
    rng = np.random.default_rng(9)
    good = rounded(truth + rng.normal(0, 0.4, 60))
    return audit_judges(
        people_of(people),
        judges_of(
            answers_of(good, "good"),
            answers_of(np.clip(good - 2, 1, 5), "strict"),
            answers_of(rng.permutation(np.repeat([3.0, 3.0, 3.0, 2.0], 15)), "middle"),
            answers_of(np.where(np.arange(60) % 4, good, np.nan), "silent"),
        ),
    )


@hypothesis_settings(max_examples=10)
@given(st.integers(0, 1_000))
def test_weighted_kappa_is_that_of_scikit_learn(seed):
    """The mean over people of `cohen_kappa_score(judge, person, weights="quadratic")`."""
    from sklearn.metrics import cohen_kappa_score

    truth, people = ratings(units=30, seed=seed)
    judge = rounded(truth + np.random.default_rng(seed + 1).normal(0, 1, 30))
    found = audit_judges(people_of(people), judges_of(answers_of(judge, "m")))
    expected = [cohen_kappa_score(judge, person, weights="quadratic") for person in people.T]
    row = statistic(found, "m", "cohen_kappa_quadratic")
    assert row.value == pytest.approx(np.mean(expected), abs=1e-8)
    assert row.low < row.value < row.high
    pairwise = next(r for r in found.people if r.score == "cohen_kappa_quadratic")
    between = [
        cohen_kappa_score(people[:, i], people[:, j], weights="quadratic")
        for i, j in ((0, 1), (0, 2), (1, 2))
    ]
    assert pairwise.value == pytest.approx(np.mean(between), abs=1e-8)


def test_alpha_severity_and_spread_by_hand():
    """Judge 1 2 3 and one person 2 3 5: −4/3; SD √(2/3) / √(14/9) = √(3/7).

    Interval alpha: squared differences 1 1 4, doubled 12; of six ratings all pairs are
    2 (6 Σx² − (Σx)²) = 2 (6 x 52 − 16²) = 112: 1 − 5 x 12 / 112.
    """
    people = people_of(np.array([[2.0], [3.0], [5.0]]))
    found = audit_judges(people, judges_of(answers_of([1.0, 2.0, 3.0], "m")))
    assert statistic(found, "m", "severity").value == pytest.approx(-4 / 3)
    assert statistic(found, "m", "spread").value == pytest.approx((3 / 7) ** 0.5)
    alpha = statistic(found, "m", "krippendorff_alpha_interval")
    assert alpha.value == pytest.approx(1 - 60 / 112)


def test_what_each_judge_may_be_used_for(audit):
    assert {v.judge: v.use for v in audit.verdicts} == {
        "good": "stand-in",
        "strict": "proxy",
        "middle": "none",
        "silent": "proxy",
    }
    assert verdict(audit, "good").reason == "wins against 3 of 3 raters"
    assert verdict(audit, "silent").reason == "wins against 3 of 3 raters, but no answer for 25%"
    assert verdict(audit, "middle").reason.startswith("is not shown to follow people (r = ")
    assert verdict(audit, "strict").reason.startswith("wins against 0 of 3 raters")
    assert statistic(audit, "strict", "severity").high < -1
    assert statistic(audit, "middle", "spread").high < 0.7


def test_a_judge_in_the_middle_of_the_scale_is_refused_although_it_passes():
    """Noisy people are farther from each other than a constant is: closeness alone proves nothing."""
    _, people = ratings(noise=1.3, units=200)
    middle = np.where(np.arange(200) % 20, 3.0, 2.0)
    found = verdict(audit_judges(people_of(people), judges_of(answers_of(middle, "m"))), "m")
    assert found.winning_rate == 1.0
    assert (found.use, found.follows) == ("none", False)


def test_people_who_do_not_agree_prove_nothing():
    rng = np.random.default_rng(0)
    people = rng.integers(1, 6, (60, 3)).astype(float)
    found = audit_judges(people_of(people), judges_of(answers_of(people.mean(axis=1), "m")))
    assert found.verdicts[0].use == "undecided"
    assert found.verdicts[0].reason.startswith("people do not agree beyond chance (α = ")


def test_the_three_sentences(audit):
    first, second, third = audit.answer
    assert first == (
        "good may stand in for one rater of “warm” (alternative annotator test, ε = .10)."
    )
    assert second == (
        "Elsewhere use the answers beside ratings, which correct them (compare --correct ppi), "
        "never alone: they follow people’s in 2 of 3 cases, but not as closely as a rater does."
    )
    assert third.startswith("To decide 1 of the 3 others with 80% power, have each person rate ")


def test_more_ratings_than_anybody_collects_are_no_advice(audit):
    strict = replace(verdict(audit, "strict"), units_needed=600)
    assert answer_sentences([strict])[2] == (
        "To decide it with 80% power, have each person rate about 600 units (now 60)."
    )
    assert answer_sentences([replace(strict, units_needed=601)])[2] == (
        "More ratings alone would hardly change that: change the rubric, or calibrate the answers "
        "to people’s (train interlocutor --judges), and audit again on other dialogs."
    )


def test_p_of_the_best_judge_counts_every_pair():
    """Three judges have three pairs: the smallest p, of the best and another, is tripled."""
    truth, people = ratings()
    good = rounded(truth + np.random.default_rng(9).normal(0, 0.4, 60))
    strict = np.clip(good - 2, 1, 5)
    other = np.where(np.arange(60) < 3, 5.0, strict)
    parts = [answers_of(x, n) for x, n in ((good, "good"), (strict, "strict"), (other, "other"))]
    found = audit_judges(people_of(people), judges_of(*parts))
    rows = [r for r in found.judges if r.score == "advantage_difference"]
    assert {r.judge for r in rows} == {"good"}
    least = min(rows, key=lambda r: r.p_value)
    assert least.p_adjusted == pytest.approx(3 * least.p_value, abs=0, rel=1e-9)


def test_a_judge_that_always_answers_may_still_fail_one_day(audit):
    silent = statistic(audit, "good", "no_answer")
    assert (silent.value, silent.low, silent.n) == (0.0, 0.0, 60)
    assert silent.high == pytest.approx(0.0602, abs=1e-4)  # Wilson: z² / (60 + z²)


def test_with_23_units_nothing_is_decided():
    truth, people = ratings(units=23)
    found = audit_judges(people_of(people), judges_of(answers_of(rounded(truth), "m")))
    assert found.verdicts[0].reason == "this cannot be decided with n = 23"
    assert found.answer[0] == (
        "Whether a judge may stand in for a rater stays open: this cannot be decided with n = 23 "
        "(alternative annotator test, ε = .10)."
    )
    assert found.answer[2] == (
        "To decide it, have the same 3 people or more rate about 66 judged units each (now 23)."
    )


def test_epsilon_is_two_tenths_for_experts():
    truth, people = ratings()
    judge = judges_of(answers_of(rounded(truth), "m"))
    assert audit_judges(people_of(people, kind="expert"), judge).verdicts[0].epsilon == 0.2
    named = audit_judges(people_of(people), judge, AuditSettings(epsilon=0.05))
    assert named.verdicts[0].epsilon == 0.05


def test_the_best_judge_is_compared_with_each_other_one(audit):
    rows = {r.against: r for r in audit.judges if r.score == "advantage_difference"}
    # the silent one does best where it answers, and there it says what the good one says
    assert {r.judge for r in rows.values()} == {"silent"}
    assert set(rows) == {"strict", "middle", "good"}
    assert (rows["good"].value, rows["good"].n) == (0.0, 135)
    assert rows["strict"].p_adjusted < 0.001


def test_consistency_by_hand():
    """3 units: repeats 4 4, 4 2, and one failure beside a 5: agree 1, 0; no answer 1 of 6."""
    first, second = [4.0, 4.0, 5.0], [4.0, 2.0, np.nan]
    parts = [answers_of(first, "m"), answers_of(second, "m", repeat=2)]
    people = people_of(np.array([[4.0], [3.0], [5.0]]))
    found = audit_judges(people, judges_of(*parts))
    agreement = statistic(found, "m", "repeat_agreement")
    assert (agreement.value, agreement.n) == (0.5, 2)
    silent = statistic(found, "m", "no_answer")
    assert (silent.value, silent.n) == (pytest.approx(1 / 6), 6)
    assert not [r for r in found.judges if r.score == "order_flips"]


def test_repeats_without_noise_are_perfectly_reliable():
    truth, people = ratings()
    judge = rounded(truth)
    parts = [answers_of(judge, "m", repeat=repeat) for repeat in (1, 2)]
    found = audit_judges(people_of(people), judges_of(*parts))
    assert statistic(found, "m", "repeat_reliability").value == pytest.approx(1)
    assert statistic(found, "m", "repeat_agreement").value == 1


def test_order_flips_are_counted_of_pairs_judged_both_ways():
    from simpatico.judge_answers import JudgeAnswers

    order = pl.Series(["ab", "ba"] * 2)
    frame = pl.concat([answers_of([1.0, 1.0], "m"), answers_of([1.0, -1.0], "m")]).with_columns(
        order=order, dialog=pl.Series(["a ~ b", "a ~ b", "a ~ c", "a ~ c"])
    )
    people = people_of(np.array([[1.0], [1.0]])).frame.with_columns(
        dialog=pl.Series(["a ~ b", "a ~ c"])
    )
    found = audit_judges(Judgements(people), JudgeAnswers.of(frame, of_pairs=True))
    flips = statistic(found, "m", "order_flips")
    assert (flips.value, flips.n, flips.level) == (0.5, 2, "pair")


def test_judges_who_share_their_errors_are_few():
    """Copies of one judge are one; three judges with errors of their own are about three."""
    rng = np.random.default_rng(3)
    truth, noise = rng.normal(3, 1, 400), rng.normal(0, 0.8, (400, 3))
    people = truth[:, None] + rng.normal(0, 0.5, (400, 3))

    def number(errors):
        parts = [answers_of(truth + e, f"m{i}") for i, e in enumerate(errors.T)]
        return statistic(
            audit_judges(people_of(people), judges_of(*parts)), None, "effective_judges"
        )

    copies = number(np.repeat(noise[:, :1], 3, axis=1))
    assert copies.value == pytest.approx(1, abs=1e-8)
    own = number(noise)
    assert own.low < 3
    assert own.value == pytest.approx(2.9, abs=0.3)


def test_a_judge_that_reads_the_interlocutors_mind_resembles_them():
    rng = np.random.default_rng(5)
    felt, seen = rng.normal(3, 1, 120), rng.normal(3, 1, 120)
    outside = seen[:, None] + rng.normal(0, 0.3, (120, 2))
    people = pl.concat(
        [
            people_of(felt[:, None], kind="interlocutor").frame.with_columns(judge=pl.lit("u")),
            people_of(outside).frame,
        ]
    )
    judge = judges_of(answers_of(felt + rng.normal(0, 0.5, 120), "m"))
    found = audit_judges(Judgements(people), judge)
    assert statistic(found, "m", "interlocutor").value > 0.8
    assert abs(statistic(found, "m", "outsider").value) < 0.3
    difference = statistic(found, "m", "resemblance")
    assert difference.low > 0.4
    assert difference.value == pytest.approx(
        statistic(found, "m", "interlocutor").value - statistic(found, "m", "outsider").value
    )


def test_errors_follow_length_and_the_judges_own_family():
    """A judge that adds .5 a SD of log length, and 1 to systems of its own family."""
    rng = np.random.default_rng(1)
    truth, people = ratings(units=300, noise=0.3)
    words = np.exp(rng.normal(3, 1, 300)) - 1
    system = np.array(["gpt-4o", "claude-3", "human"])[np.arange(300) % 3]
    length = np.log1p(words)
    bias = 0.5 * (length - length.mean()) / length.std() + (system == "gpt-4o")
    judge = judges_of(answers_of(truth + bias, "openai/gpt-4.1@1f2e3d4c"))
    (units,), _ = judged_units(people_of(people), judge)
    covariates = pl.DataFrame(
        {
            "dialog": [f"d{i}" for i in range(300)],
            "speaker": ["bot"] * 300,
            "system": system,
            "words": words,
        }
    )
    rows = {r.score: r for r in bias_rows(units, covariates)}
    assert rows["error_by_length"].value == pytest.approx(0.5, abs=0.1)
    assert rows["error_by_same_family"].value == pytest.approx(1, abs=0.1)
    assert rows["error_by_system gpt-4o"].value == pytest.approx(1, abs=0.1)
    assert rows["error_by_system claude-3"].value == pytest.approx(-0.5, abs=0.15)
    assert rows["error_by_length"].p_adjusted < 0.001


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("openai/gpt-4o@1f2e3d4c", "gpt"),
        ("ChatGPT", "gpt"),
        ("meta-llama/Llama-3.1-8B", "llama"),
        ("mixtral-8x7b", "mistral"),
        ("o1", None),
    ],
)
def test_families_of_models(model, family):
    assert family_of(model) == family


def test_speakers_that_only_one_side_names_do_not_part_the_units():
    truth, people = ratings(units=40)
    rated = people_of(people).frame.with_columns(speaker=pl.lit("bot"))
    found = audit_judges(Judgements(rated), judges_of(answers_of(rounded(truth), "m")))
    assert found.verdicts[0].n == 40


def test_ratings_by_models_are_not_peoples():
    truth, people = ratings()
    mixed = pl.concat(
        [people_of(people).frame, people_of(people[:, :1], kind="model").frame], how="vertical"
    )
    found = audit_judges(Judgements(mixed), judges_of(answers_of(rounded(truth), "m")))
    assert found.notes == ["60 ratings by models are not counted as people's"]
    assert found.verdicts[0].people == 3


@pytest.mark.parametrize(
    ("change", "settings", "sentence"),
    [
        (
            {"quality": "kind"},
            {},
            "people rated warm and the judges kind; give qualities the same names in both files",
        ),
        (
            {"dialog": [f"x{i}" for i in range(60)]},
            {},
            "people and judges have no unit in common; dialog ids and turn numbers must be the "
            "same ('d0' was rated, 'x0' was judged)",
        ),
        (
            {"scale_min": 0.0, "scale_max": 100.0},
            {},
            "quality 'warm' was rated on 1 to 5 and judged on 0 to 100, and left out; rescale the "
            "answers to the ratings' scale",
        ),
        (
            {"kind": "expert"},
            {},
            "the file of judges has no answer of a model: its judge_kind must be 'model' or empty, "
            "and some values must not be null",
        ),
        (
            {},
            {"qualities": ("warmth",)},
            "no quality 'warmth' that people rated and judges answered; did you mean 'warm'?",
        ),
        (
            {},
            {"judge_kind": "expert"},
            "there are no ratings of people by judges of kind 'expert' to compare judges with; name a "
            "file that has some",
        ),
        ({}, {"epsilon": 1.5}, "epsilon 1.5 must be from 0 up to, not including, 1"),
    ],
)
def test_what_cannot_be_audited_is_said_in_a_sentence(change, settings, sentence):
    truth, people = ratings()
    answers = judges_of(answers_of(rounded(truth), "m", **change))
    with pytest.raises(SimpaticoError) as error:
        audit_judges(
            people_of(people, scale_min=1.0, scale_max=5.0), answers, AuditSettings(**settings)
        )
    assert str(error.value) == sentence


def test_kumar_21_of_63_cells_pass(data):
    """3 models x 21 dimensions x 3 experts at ε = .2; 50 conversations each."""
    from benchmarks.judges import kumar

    first, *_ = kumar(data)
    assert first == "21 of 63 cells pass at ε 0.2"
