"""The sentences, word for word."""

from dataclasses import replace

import pytest

from simpatico.comparison.difference import Difference
from simpatico.comparison.verdict import (
    amount_text,
    claim_text,
    detectable_text,
    difference_as_json,
    direction_text,
    verdict_sentence,
)

TOLD = Difference(
    metric="style_matching",
    score="style_matching",
    level="dialog",
    a="harbor",
    b="brisk",
    difference=0.0961,
    low=0.041,
    high=0.151,
    p_value=0.0002,
    p_adjusted=0.003,
    n_a=22,
    n_b=22,
    status="ok",
    method="paired t interval; p by 9,999 sign flips",
    unit="prompt",
    paired=True,
    better=None,
    mean_a=0.74,
    mean_b=0.64,
    correction="holm",
    confidence=0.95,
    family=15,
    title="Language style matching",
    more="matches the user's function words more closely than",
    less="matches the user's function words less closely than",
    sd=0.12,
    times_in_100=72.4,
    times_low=50.0,
    times_high=88.0,
    detectable=0.1181,
)
TINY = replace(TOLD, status="too_few", difference=None, p_value=None, p_adjusted=None)
SAME = replace(TINY, status="degenerate", mean_a=0.5, mean_b=0.5)
UNCLEAR = replace(TOLD, difference=0.02, low=-0.05, high=0.09, p_value=0.5, p_adjusted=1.0)
LOOSE = {"paired": False, "unit": "dialog"}


@pytest.mark.parametrize(
    ("difference", "words"),
    [
        (
            TOLD,
            "harbor matches the user's function words more closely than brisk: +0.096 [0.041, 0.151].",
        ),
        (
            replace(TOLD, difference=-0.0961, low=-0.151, high=-0.041),
            "harbor matches the user's function words less closely than brisk: −0.096 [−0.151, −0.041].",
        ),
        (
            replace(TOLD, score_unit="bits"),
            "harbor matches the user's function words more closely than brisk: +0.096 bits [0.041, 0.151].",
        ),
        (
            replace(TOLD, p_adjusted=0.21, p_value=0.014),
            "Possibly: harbor matches the user's function words more closely than brisk: +0.096 [0.041, 0.151]. "
            "Suggestive, not significant after correction.",
        ),
        (
            replace(TOLD, p_adjusted=0.21, difference=-0.0961, low=-0.151, high=-0.041),
            "Possibly: harbor matches the user's function words less closely than brisk: −0.096 "
            "[−0.151, −0.041]. Suggestive, not significant after correction.",
        ),
        (
            UNCLEAR,
            "Language style matching: +0.020 [−0.050, 0.090]. Smallest detectable difference (80% power): "
            "0.12.",
        ),
        (
            replace(UNCLEAR, score_unit="bits"),
            "Language style matching: +0.020 bits [−0.050, 0.090]. Smallest detectable difference (80% "
            "power): 0.12 bits.",
        ),
        (
            replace(UNCLEAR, detectable=None, n_a=6, n_b=6),
            "Language style matching: +0.020 [−0.050, 0.090]. With 6 prompts no difference is "
            "detectable, however large.",
        ),
        (
            replace(UNCLEAR, detectable=None, n_a=7, n_b=9, **LOOSE),
            "Language style matching: +0.020 [−0.050, 0.090]. With 7 and 9 dialogs no difference is "
            "detectable, however large.",
        ),
        (
            replace(UNCLEAR, detectable=None, n_a=7, n_b=7, **LOOSE),
            "Language style matching: +0.020 [−0.050, 0.090]. With 7 dialogs each no difference is "
            "detectable, however large.",
        ),
        (
            replace(TOLD, better="lower", low=None, high=None),
            "harbor matches the user's function words more closely than brisk: +0.096 (no CI: the "
            "differences do not vary).",
        ),
        (
            replace(TINY, n_a=1, n_b=1),
            "Language style matching: 1 prompt that both replied to is too few to compare; at least 6 "
            "are needed.",
        ),
        (
            replace(TINY, n_a=5, n_b=5, unit="dialog"),
            "Language style matching: 5 dialogs that both took part in are too few to compare; at "
            "least 6 are needed.",
        ),
        (
            replace(TINY, n_a=3, n_b=3000, **LOOSE),
            "Language style matching: 3 and 3,000 dialogs are too few to compare; at least 4 each "
            "are needed.",
        ),
        (SAME, "Language style matching: identical in all 22 prompts."),
        (
            replace(SAME, n_a=22, n_b=25, **LOOSE),
            "Language style matching: identical in all 22 and 25 dialogs.",
        ),
        (
            replace(SAME, mean_a=None),
            "Language style matching: the values are too large to compute a difference.",
        ),
    ],
)  # fmt: skip
def test_sentences(difference, words):
    assert verdict_sentence(difference) == words


def test_a_sentence_in_its_parts():
    difference = replace(TOLD, score_unit="bits")
    assert (
        claim_text(difference) == "harbor matches the user's function words more closely than brisk"
    )
    assert amount_text(difference) == "+0.096 bits [0.041, 0.151]"
    assert detectable_text(difference) == "Smallest detectable difference (80% power): 0.12 bits."
    assert verdict_sentence(difference) == f"{claim_text(difference)}: {amount_text(difference)}."


def test_which_way_a_score_points():
    assert [direction_text(replace(TOLD, better=way)) for way in ("higher", "lower", None)] == [
        "higher is better",
        "lower is better",
        "descriptive (no better direction)",
    ]


def test_a_bound_that_would_round_to_zero_gets_more_digits():
    assert amount_text(replace(TOLD, low=0.0004, high=0.19)) == "+0.0961 [0.0004, 0.1900]"


def test_an_interval_that_rounding_made_a_point():
    assert amount_text(replace(TOLD, difference=2.0, low=2.0, high=2.0)) == "+2.000 [2.000, 2.000]"


def test_json_begins_with_what_scripts_rely_on():
    columns = "metric score level a b difference low high p_value p_adjusted n_a n_b status verdict"
    assert list(difference_as_json(TOLD))[:14] == columns.split()
