"""Evidence that scores follow people: means, grades and sentences, and the shipped file."""

from dataclasses import replace

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simpatico.comparison.difference import compare
from simpatico.comparison.headline import headline, main_pair, orient_pair, plain_text, swap_systems
from simpatico.errors import DataError
from simpatico.evidence import (
    EvidenceRow,
    ScoreEvidence,
    evidence_of,
    grade_of,
    read_evidence,
    update_evidence,
)
from simpatico.registry import available
from simpatico.reproduction.metrics_and_people.evidence import TRAINED_ON, summary_rows
from tests.comparison.runs import make_run
from tests.comparison.test_headline import STYLE, WARM, differences


def row(rho, data="A", half=0.05, **values):
    facts = {
        "score": "wit",
        "data": data,
        "quality": "overall",
        "level": "turn",
        "rho": rho,
        "low": rho - half,
        "high": rho + half,
        "without_length": rho / 2,
        "n": 100,
        "scored": 1.0,
        "date": "2026-11-18",
    }
    return EvidenceRow(**(facts | values))


def evidence(*rhos, **values):
    return ScoreEvidence("wit", tuple(row(rho, f"set {i}", **values) for i, rho in enumerate(rhos)))


def test_mean_and_interval_by_hand():
    """.1, .2 and .3: mean .2, SD .1, t(2) = 4.303: .2 ± 4.303 x .1 / sqrt(3) = .2 ± .248."""
    own = evidence(0.1, 0.2, 0.3)
    assert own.mean == pytest.approx(0.2)
    assert own.interval == (pytest.approx(-0.048, abs=5e-4), pytest.approx(0.448, abs=5e-4))
    assert own.without_length == pytest.approx(0.1)
    assert (own.above, own.below) == (3, 0)


def test_sets_of_the_training_and_whole_dialogs_are_no_part_of_the_mean():
    rows = (row(0.2), row(0.9, "B", trained_on=True), row(-0.9, "C", level="dialog"))
    own = ScoreEvidence("wit", rows)
    assert (own.mean, len(own.unseen), own.below) == (0.2, 1, 0)


@pytest.mark.parametrize(
    ("rhos", "better", "grade"),
    [
        ((0.1, 0.2, 0.3), "higher", "follows people"),
        ((0.1, 0.1, 0.1), "higher", "follows people"),
        ((0.09, 0.1, 0.1), "higher", "weak"),
        ((0.5, 0.5, -0.1), "higher", "weak"),  # one CI, [-.15, -.05], is below 0
        ((0.5, 0.5, -0.04), "higher", "follows people"),
        ((-0.2, -0.2, -0.2), "higher", "weak"),
        ((-0.2, -0.2, -0.2), "lower", "follows people"),
        ((0.2, 0.2, 0.2), "lower", "weak"),
        ((0.5, 0.5), "higher", "unproven"),
        ((), "higher", "unproven"),
        ((0.5, 0.5, 0.5), None, "descriptive"),
    ],
)
def test_grades(rhos, better, grade):
    assert evidence(*rhos).grade(better) == grade


@pytest.mark.parametrize(
    ("own", "better", "words"),
    [
        (
            evidence(0.3, 0.4, 0.5),
            "higher",
            "Follows people: mean ρ .40 (95% CI [.15, .65]) over 3 data sets of rated replies (3 above 0, 0 "
            "below; .20 with length held constant).",
        ),
        (
            ScoreEvidence("wit", (*evidence(0.1, 0.2, 0.3).rows, row(0.9, "D", trained_on=True))),
            "higher",
            "Follows people, with a small correlation: mean ρ .20 (95% CI [−.05, .45]) over 3 "
            "data sets of rated replies it was not trained on (3 above 0, 0 below; .10 with length held constant).",
        ),
        (
            evidence(-0.1, 0.0, 0.1, without_length=None),
            "lower",
            "Does not follow people reliably: mean ρ .00 (95% CI [−.25, .25]) over 3 data "
            "sets of rated replies (1 above 0, 1 below); lower is better.",
        ),
        (
            evidence(0.4),
            "higher",
            "Unproven, with fewer than 3 data sets: mean ρ .40 over 1 data set of rated replies (1 above 0, 0 "
            "below; .20 with length held constant).",
        ),
        (evidence(), "higher", "Unproven: not compared with human ratings of public data sets."),
        (
            evidence(0.1, 0.2, 0.3),
            None,
            "Descriptive, no better direction: mean ρ .20 (95% CI [−.05, .45]) over 3 data "
            "sets of rated replies (3 above 0, 0 below; .10 with length held constant).",
        ),
    ],
)
def test_sentences(own, better, words):
    assert own.sentence(better) == words


def test_new_rows_replace_those_of_the_same_score_and_set(tmp_path):
    path = tmp_path / "evidence.json"
    update_evidence(path, [row(0.1, "B"), row(0.2, "A"), row(0.3, "A", score="length")])
    update_evidence(path, [row(0.5, "B")])
    assert [(r.score, r.data, r.rho) for r in read_evidence(path)] == [
        ("length", "A", 0.3),
        ("wit", "A", 0.2),
        ("wit", "B", 0.5),
    ]
    assert msgspec.json.decode(path.read_bytes())[0]["trained_on"] is False


def test_a_damaged_file_is_an_error_that_names_it(tmp_path):
    path = tmp_path / "evidence.json"
    path.write_text("[{]", encoding="utf-8")
    with pytest.raises(DataError, match=r"evidence.json: no evidence can be read \(.*; install"):
        read_evidence(path)


def test_the_shipped_rows_are_of_metrics_that_exist_and_say_what_was_trained_on():
    rows = read_evidence()
    known = tuple(name + end for name in available() for end in ("", "_"))
    names = {r.score.partition("[")[0] for r in rows}
    assert not [n for n in names if not n.startswith(known) and not n.endswith("_share")]
    assert len({(r.score, r.data) for r in rows}) == len(rows)
    for r in rows:
        assert -1 <= r.rho <= 1
        assert r.low is None or r.low <= r.rho <= r.high
        assert 0 < r.scored <= 1
        assert r.trained_on == (r.data in TRAINED_ON.get(r.score, ()))
    for name, sets in TRAINED_ON.items():
        assert len(evidence_of(name).unseen) == 13 - len(sets)


def test_shipped_grades():
    assert grade_of("predicted_rating", "higher") == "follows people"
    assert grade_of("predicted_rating[core]", "higher") == "follows people"
    assert grade_of("coherence", "higher") == "follows people"
    assert grade_of("repetition", "lower") == "weak"
    assert grade_of("length", None) == "descriptive"
    assert grade_of("predicted_rating[mine]", "higher") == "unproven"


def test_the_summary_has_the_largest_mean_first():
    rows = [row(0.1, score="a"), row(0.3, score="b"), row(0.2, score="c", trained_on=True)]
    assert [one.score for one in summary_rows(rows)] == ["b", "a", "c"]


RATED = replace(
    STYLE,
    metric="predicted_rating",
    score="predicted_rating",
    title="Predicted rating",
    more="is predicted to be rated higher than",
    less="is predicted to be rated lower than",
    better="higher",
    sd=1.0,
    evidence="follows people",
)
LOOPS = replace(
    RATED,
    metric="repetition",
    score="repetition",
    title="Repetition",
    more="repeats itself more than",
    less="repeats itself less than",
    better="lower",
    sd=0.01,
    evidence="weak",
)
RATERS = replace(WARM, evidence="follows these raters")


@pytest.mark.parametrize(
    ("pair", "words"),
    [
        (
            [LOOPS, WARM, RATED],
            "harbor is predicted to be rated higher than brisk. Descriptive: harbor sounds more "
            "agreeable than brisk. Exploratory: 1 difference on a score not shown to follow people.",
        ),
        (
            [RATED, RATERS],
            "harbor sounds more agreeable than brisk and is predicted to be rated higher.",
        ),
        (
            [LOOPS],
            "Exploratory, on a score not shown to follow people: harbor repeats itself more than "
            "brisk.",
        ),
        (
            [LOOPS, replace(RATED, p_value=0.5, p_adjusted=1.0, low=-1.0)],
            "No significant difference between harbor and brisk on predicted rating. Exploratory, "
            "on a score not shown to follow people: harbor repeats itself more than brisk.",
        ),
    ],
)
def test_scores_that_follow_people_lead_and_exploratory_ones_never_do(pair, words):
    assert plain_text(headline(orient_pair(pair))) == words


def test_the_system_that_is_rated_higher_comes_first():
    lower = replace(RATED, difference=-0.1, low=-0.15, high=-0.05)
    assert [d.a for d in orient_pair([WARM, STYLE, lower])] == ["brisk"] * 3


@given(st.lists(differences(), min_size=1, max_size=5, unique_by=lambda d: d.difference))
def test_a_headline_does_not_depend_on_which_system_is_given_first(pair):
    own = [replace(d, score=f"score_{i}", title=f"Score {i}") for i, d in enumerate(pair)]
    other = [swap_systems(d) for d in reversed(own)]
    assert set(main_pair(own)) == set(main_pair(other))
    mine, theirs = (plain_text(headline(orient_pair(rows))) for rows in (own, other))
    assert mine == theirs


def test_the_order_of_runs_changes_no_headline(tmp_path):
    """Unpaired, as runs without prompts: the p of random labels must not depend on the order."""
    values = {"ash": [0.1 * k for k in range(9)], "birch": [0.3 + 0.09 * k for k in range(8)]}
    runs = [
        make_run(tmp_path / system, {"wit": {system: own}, "charm": {system: own}}, prompts=False)
        for system, own in values.items()
    ]
    (ab, ba) = (compare(order) for order in (runs, runs[::-1]))
    assert {d.score: d.p_value for d in ab} == {d.score: d.p_value for d in ba}
    mine, theirs = (plain_text(headline(orient_pair(rows))) for rows in (ab, ba))
    assert mine == theirs
