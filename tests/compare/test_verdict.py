"""The sentences, word for word."""

from dataclasses import replace

import pytest

from simpatico.compare.difference import Difference
from simpatico.compare.verdict import as_json, chance, number, sentence, significant

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
    times_in_100=72.4,
    times_low=50.0,
    times_high=88.0,
    detectable=0.1181,
)
TINY = replace(TOLD, status="too_few", difference=None, p_value=None, p_adjusted=None)
SAME = replace(TINY, status="degenerate", mean_a=0.5, mean_b=0.5)


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (
            TOLD,
            "harbor's style matching is higher than brisk's: by 0.096 (95% 0.041 to 0.151), 72 "
            "times in 100; p = .003 after Holm over 15 comparisons, 22 prompts each.",
        ),
        (
            replace(TOLD, difference=-0.0961, low=-0.151, high=-0.041, times_in_100=27.6),
            "harbor's style matching is lower than brisk's: by 0.096 (95% 0.041 to 0.151), 72 "
            "times in 100; p = .003 after Holm over 15 comparisons, 22 prompts each.",
        ),
        (
            replace(TOLD, p_adjusted=0.21, p_value=0.014, correction="bh"),
            "a hint: harbor's style matching is perhaps higher than brisk's: by 0.096 (95% 0.041 "
            "to 0.151), 72 times in 100; p = .014 alone, .210 after Benjamini-Hochberg over 15 "
            "comparisons, 22 prompts each.",
        ),
        (
            replace(TOLD, difference=0.02, low=-0.05, high=0.09, p_value=0.5, p_adjusted=1.0),
            "can't tell: harbor's style matching minus brisk's is 0.020 (95% −0.050 to 0.090); "
            "with 22 prompts each only differences of about 0.12 or more would show.",
        ),
        (
            replace(TOLD, difference=0.02, low=-0.05, high=0.09, p_value=0.5, p_adjusted=1.0,
                    detectable=None, n_a=7, n_b=9, paired=False, unit="dialog"),
            "can't tell: harbor's style matching minus brisk's is 0.020 (95% −0.050 to 0.090); "
            "with 7 and 9 dialogs no difference, however large, would show.",
        ),
        (
            replace(TOLD, family=1, better="higher", a="atlas", p_adjusted=0.0002),
            "atlas' style matching is higher (better) than brisk's: by 0.096 (95% 0.041 to 0.151), "
            "72 times in 100; p < .001, 22 prompts each.",
        ),
        (
            replace(TOLD, family=1, better="lower", low=None, high=None),
            "harbor's style matching is higher (worse) than brisk's: by 0.096 (no interval: nothing "
            "varies), 72 times in 100; p < .001, 22 prompts each.",
        ),
        (
            replace(TINY, n_a=1, n_b=1),
            "too few: the style matching of harbor and brisk needs at least 6 to be compared; "
            "there are 1 prompt that both have.",
        ),
        (
            replace(TINY, n_a=3, n_b=30, paired=False, unit="dialog"),
            "too few: the style matching of harbor and brisk needs at least 4 each to be compared; "
            "there are 3 and 30 dialogs.",
        ),
        (SAME, "the same: the style matching of harbor and brisk is equal in all 22 prompts."),
        (
            replace(SAME, mean_a=None),
            "no difference can be computed for the style matching of harbor and brisk: the numbers "
            "are too large.",
        ),
    ],
)  # fmt: skip
def test_sentences(told, words):
    assert sentence(told) == words


def test_a_bound_that_would_round_to_zero_gets_more_digits():
    told = replace(TOLD, low=0.0004, high=0.19)
    assert "(95% 0.0004 to 0.1900)" in sentence(told)


def test_numbers():
    assert [chance(p) for p in (1e-9, 0.001, 0.05, 0.9999)] == ["< .001", "= .001", "= .050", "= 1"]
    assert [number(-0.001, 2), number(-0.5, 1)] == ["0.00", "−0.5"]
    assert [significant(v) for v in (0.1181, 1234.5, 0.0071, 0)] == ["0.12", "1234", "0.0071", "0"]


def test_json_begins_with_what_scripts_rely_on():
    promised = (
        "metric score level a b difference low high p_value p_adjusted n_a n_b status verdict"
    )
    assert list(as_json(TOLD))[:14] == promised.split()
