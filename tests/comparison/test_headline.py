"""Headlines word for word, and what holds for any comparison."""

from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simpatico.comparison.difference import Difference
from simpatico.comparison.headline import (
    SystemName,
    family_note,
    headline,
    lede,
    main_pair,
    orient_pair,
    plain_text,
    single_system_headline,
    swap_systems,
)
from simpatico.comparison.ranking import group_by_finding, group_by_pair
from simpatico.comparison.verdict import verdict_sentence
from tests.comparison.test_verdict import TINY, TOLD, UNCLEAR

STYLE = replace(
    TOLD, more="matches function words more than", less="matches function words less than"
)
WARM = replace(
    TOLD,
    metric="agreeableness",
    title="Agreeableness",
    more="sounds more agreeable than",
    less="sounds less agreeable than",
    sd=0.1,
)
MIXED = replace(
    TOLD,
    metric="entropy",
    title="Entropy",
    more="uses more emotion words than",
    less="uses fewer emotion words than",
    sd=0.11,
)
VAGUE = replace(UNCLEAR, metric="empathy", title="Empathy")
HINT = replace(STYLE, p_adjusted=0.21)
FOLLOWED = replace(STYLE, better="higher", evidence="follows people")
STARS = replace(
    TOLD,
    metric="people",
    score="people: overall",
    title="overall",
    more="is rated higher on “overall” than",
    less="is rated lower on “overall” than",
    evidence="people",
    kind="people",
    difference=0.7,
    low=0.32,
    high=1.08,
    mean_a=3.92,
    mean_b=3.22,
    sd=1.4,
)
THUMBS = replace(
    STARS,
    score="people: thumb",
    title="thumb",
    difference=16.0,
    low=2.0,
    high=30.0,
    mean_a=50.0,
    mean_b=34.0,
    score_unit="percentage points",
)


def lower(difference):
    return replace(
        difference,
        difference=-difference.difference,
        low=-difference.high,
        high=-difference.low,
        times_in_100=100 - difference.times_in_100,
    )


@pytest.mark.parametrize(
    ("pair", "words"),
    [
        ([WARM], "Descriptive: harbor sounds more agreeable than brisk."),
        (
            [MIXED, WARM, lower(STYLE), VAGUE],
            "Descriptive: harbor sounds more agreeable than brisk and uses more emotion words. It matches "
            "function words less. No significant difference on empathy.",
        ),
        (
            [STYLE, MIXED, WARM],
            "Descriptive: harbor sounds more agreeable than brisk, uses more emotion words and matches "
            "function words more.",
        ),
        (
            [replace(STYLE, better="higher"), MIXED, WARM, lower(VAGUE)],
            "Descriptive: harbor matches function words more than brisk, sounds more agreeable and uses more "
            "emotion words. No significant difference on empathy.",
        ),
        (
            [WARM, WARM, WARM, lower(STYLE), lower(STYLE)],
            "Descriptive: harbor sounds more agreeable than brisk and sounds more agreeable. It matches function "
            "words less. There are 2 more differences.",
        ),
        (
            [WARM, MIXED, STYLE, STYLE, VAGUE, UNCLEAR],
            "Descriptive: harbor sounds more agreeable than brisk, uses more emotion words and matches "
            "function words more. There is 1 more difference. No significant difference on empathy "
            "and 1 other score.",
        ),
        (
            [lower(WARM), lower(MIXED)],
            "Descriptive: harbor sounds less agreeable than brisk and uses fewer emotion words.",
        ),
        (
            [replace(WARM, a="human"), replace(lower(STYLE), a="human")],
            "Descriptive: human sounds more agreeable than brisk. human matches function words less.",
        ),
        # people lead, and one score that follows people is named besides
        (
            [THUMBS, WARM, FOLLOWED, replace(MIXED, evidence="weak"), VAGUE],
            "People rate harbor higher than brisk on “thumb” (50% vs. 34% positive). harbor matches "
            "function words more than brisk.",
        ),
        # without ratings descriptions come next, and exploratory differences are counted
        (
            [WARM, FOLLOWED, replace(MIXED, evidence="weak"), VAGUE],
            "harbor matches function words more than brisk. Descriptive: harbor sounds more agreeable "
            "than brisk. Exploratory: 1 difference on a score not shown to follow people. No "
            "significant difference on empathy.",
        ),
        (
            [replace(THUMBS, p_value=0.09, p_adjusted=0.09, low=-2.5), replace(STYLE, evidence="unproven")],
            "People’s ratings of “thumb” do not differ significantly between harbor and brisk (50% vs. "
            "34% positive). Exploratory, on a score not shown to follow people: harbor matches "
            "function words more than brisk.",
        ),
        (
            [replace(STARS, p_adjusted=0.07), VAGUE],
            "People may rate harbor higher than brisk on “overall” (3.92 vs. 3.22), but not "
            "significantly after correction. No significant difference between harbor and brisk on "
            "empathy.",
        ),
        (
            [STARS, replace(STARS, title="fun"), lower(replace(STARS, title="topic"))],
            "People rate harbor higher than brisk on “overall” (3.92 vs. 3.22). harbor is also rated "
            "higher on “fun” and lower on “topic”.",
        ),
        (
            [replace(THUMBS, status="too_few"), FOLLOWED],
            "Too few ratings of “thumb” to compare harbor with brisk. harbor matches function words "
            "more than brisk.",
        ),
        ([VAGUE, UNCLEAR], "No significant difference between harbor and brisk on any of 2 metrics."),
        (
            [VAGUE, VAGUE, HINT],
            "No significant difference between harbor and brisk on any of 3 scores. 1 difference is "
            "suggestive.",
        ),
        (
            [HINT, replace(HINT, metric="wit")],
            "No significant difference between harbor and brisk on any of 2 metrics. 2 differences "
            "are suggestive.",
        ),
        ([VAGUE, TINY], "No significant difference between harbor and brisk on empathy."),
        (
            [replace(VAGUE, title="BERTScore")],
            "No significant difference between harbor and brisk on BERTScore.",
        ),
        (
            [replace(TINY, n_a=1, n_b=1, paired=False, unit="dialog")],
            "Two dialogs are too few to compare anything.",
        ),
        (
            [replace(TINY, n_a=3, n_b=30, paired=False, unit="dialog")],
            "Three dialogs of harbor are too few to compare anything.",
        ),
        (
            [replace(TINY, n_a=0, n_b=0), replace(TINY, n_a=1, n_b=1)],
            "One prompt that both replied to is too few to compare anything.",
        ),
        ([], "There is nothing to compare."),
    ],
)  # fmt: skip
def test_headlines(pair, words):
    assert plain_text(headline(pair)) == words


def test_names_stand_apart():
    assert headline([WARM]) == [
        "Descriptive: ",
        SystemName("harbor"),
        " sounds more agreeable than ",
        SystemName("brisk"),
        ".",
    ]
    assert (
        plain_text(single_system_headline("harbor"))
        == "harbor is the only system; there is nothing to compare it with."
    )


LOOSE = {"paired": False, "unit": "dialog", "n_a": 602, "n_b": 602}


@pytest.mark.parametrize(
    ("pair", "words"),
    [
        # 0.0961 / 0.12 = 0.80
        (
            [TOLD],
            "Based on 22 prompts that both replied to. Largest effect (large, 0.8 SD between prompts): harbor is higher in language style matching in 72% of prompts "
            "(ties count half).",
        ),
        (
            [replace(VAGUE, n_a=20, n_b=20), replace(lower(TOLD), sd=0.3, **LOOSE)],
            "Based on up to 1,204 dialogs, 602 and 602. Largest effect (small, 0.3 SD between dialogs): harbor is lower in language style matching in 72% of random pairs "
            "of dialogs (ties count half).",
        ),
        (
            [replace(HINT, sd=0.2, unit="dialog", n_a=1, n_b=1)],
            "Based on 1 dialog that both took part in. Largest effect (moderate, 0.5 SD between dialogs): harbor is higher in language style matching in 72% of dialogs "
            "(ties count half).",
        ),
        (
            [replace(TOLD, sd=None, times_in_100=None)],
            "Based on 22 prompts that both replied to. Largest effect (no SD: prompts "
            "do not vary within a system).",
        ),
        # of ratings, not of the score with the largest effect: 0.7 / 1.4
        (
            [STARS, TOLD],
            "Based on 22 prompts that both replied to. Effect on ratings (moderate, 0.5 SD between prompts): harbor is rated higher on “overall” in 72% of prompts "
            "(ties count half).",
        ),
        ([VAGUE], "Based on 22 prompts that both replied to."),
        ([], ""),
    ],
)  # fmt: skip
def test_ledes(pair, words):
    assert plain_text(lede(pair)) == words


def test_notes():
    assert family_note([TOLD]) == (
        "Brackets: 95% CI. Significant: p ≤ .05 after Holm correction for 15 comparisons. "
        "Suggestive: only the uncorrected p or the CI indicates a difference."
    )
    both = family_note([replace(STARS, family=1), TOLD])
    assert "after Holm correction for 15 comparisons, people's ratings apart (1). Sugg" in both
    single = replace(TOLD, family=1, confidence=0.99)
    assert "Significant: p ≤ .01. Suggestive:" in family_note([single])
    assert family_note([]) == ""


def test_the_main_pair_has_most_findings_then_hints_then_size():
    def at(pair, template, **values):
        return replace(template, a=pair[0], b=pair[1], **values)

    ab, cd, ef = ("a", "b"), ("c", "d"), ("e", "f")
    assert main_pair([]) is None
    assert main_pair([at(ab, HINT), at(ab, HINT), at(cd, WARM)]) == cd
    assert main_pair([at(ab, WARM), at(cd, WARM), at(cd, HINT)]) == cd
    assert main_pair([at(ab, VAGUE), at(cd, VAGUE, difference=-0.03)]) == cd
    assert main_pair([at(ef, VAGUE), at(cd, VAGUE)]) == cd  # by name, not by order
    assert group_by_pair([at(ab, WARM), at(cd, WARM), at(ab, HINT)]).keys() == {ab, cd}


def test_groups():
    rated = replace(STYLE, better="higher", sd=10.0)
    guess = replace(lower(HINT), evidence="unproven")
    pair = [VAGUE, lower(MIXED), MIXED, TINY, WARM, HINT, guess, rated, FOLLOWED, STARS]
    assert group_by_finding(pair) == [
        ("People's ratings", [STARS]),
        ("Higher for harbor", [FOLLOWED]),
        ("Descriptive: higher for harbor", [rated, WARM, MIXED]),
        ("Descriptive: lower for harbor", [lower(MIXED)]),
        ("Suggestive, not significant after correction", [HINT]),
        ("Exploratory: scores not shown to follow people", [guess]),
        ("No significant difference", [VAGUE]),
        ("Not compared", [TINY]),
    ]
    assert group_by_finding([]) == []


def test_a_pair_is_told_from_the_side_that_is_higher_more_often():
    assert [d.a for d in orient_pair([lower(WARM), lower(MIXED), STYLE])] == ["brisk"] * 3
    assert [d.a for d in orient_pair([WARM, lower(MIXED), lower(HINT)])] == ["brisk"] * 3
    assert [d.a for d in orient_pair([WARM, lower(MIXED), VAGUE])] == ["harbor"] * 3
    assert [d.finding for d in orient_pair([lower(WARM)])] == ["higher"]
    # people's ratings come before whatever scores say, also where they are not significant
    rated = replace(lower(STARS), p_adjusted=0.4, p_value=0.4, low=-2.0, high=0.6)
    assert [d.a for d in orient_pair([rated, WARM, MIXED, STYLE])] == ["brisk"] * 4


unit_interval = st.floats(0, 1)
bound = st.one_of(st.none(), st.floats(-1e6, 1e6))
share = st.one_of(st.none(), st.floats(0, 100))


@st.composite
def differences(draw):
    low, high = sorted(draw(st.tuples(*[st.floats(-1e3, 1e3)] * 2)))
    p = draw(st.one_of(st.none(), unit_interval))
    return replace(
        draw(st.sampled_from([STYLE, WARM, MIXED, VAGUE])),
        difference=draw(st.one_of(st.none(), st.floats(low, high) if low < high else st.just(low))),
        low=low,
        high=high,
        p_value=p,
        p_adjusted=None if p is None else max(p, draw(unit_interval)),
        status=draw(st.sampled_from(["ok", "ok", "too_few"])),
        sd=draw(st.one_of(st.none(), st.floats(1e-3, 1e3))),
        n_a=draw(st.integers(0, 99)),
        n_b=draw(st.integers(0, 99)),
        mean_a=draw(bound),
        mean_b=draw(bound),
        times_in_100=draw(share),
        times_low=draw(share),
        times_high=draw(share),
        wide_low=draw(bound),
        wide_high=draw(bound),
        paired=draw(st.booleans()),
    )


@given(differences())
def test_seen_from_the_other_side_twice_is_the_same(difference):
    back = swap_systems(swap_systems(difference))
    for field in fields(Difference):
        value, again = getattr(difference, field.name), getattr(back, field.name)
        if field.name.startswith("times"):
            assert again == pytest.approx(value, abs=1e-9)
        else:
            assert again == value


@given(st.lists(differences(), max_size=6))
def test_facing_again_changes_nothing(pair):
    assert orient_pair(orient_pair(pair)) == orient_pair(pair)
    assert [d.score for d in orient_pair(pair)] == [d.score for d in pair]


@given(st.lists(differences(), max_size=6))
def test_what_has_no_direction_is_never_called_better(pair):
    words = f"{plain_text(headline(pair))} {plain_text(lede(pair))}"
    assert "better" not in words
    assert "worse" not in words
    assert sum(len(own) for _, own in group_by_finding(pair)) == len(pair)


@given(differences())
def test_a_claim_names_both(difference):
    words = verdict_sentence(difference)
    if difference.finding in ("higher", "lower", "hint"):
        assert words.startswith(("harbor ", "Possibly: harbor "))
        assert " than brisk: " in words
    assert words.endswith(".")
