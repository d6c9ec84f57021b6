"""Rules, bounds, baselines and JUnit."""

from contextlib import suppress
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simpatico.comparison.gate import Check, check_rules, needed_units, select_systems
from simpatico.comparison.gate.baseline import check_baseline
from simpatico.comparison.gate.junit import junit_xml
from simpatico.comparison.gate.markdown import markdown_verdict
from simpatico.comparison.gate.rules import Rule, read_amounts, read_rule
from simpatico.errors import DataError, UnknownName
from simpatico.stats.result import Result
from tests.comparison.runs import make_run

RNG = np.random.default_rng(6)
WAVE = (0.5 + 0.1 * np.sin(np.arange(40))).tolist()


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("warmth >= 0.4", Rule("warmth", ">=", 0.4)),
        (" warmth<=-1e-3 ", Rule("warmth", "<=", -0.001)),
        ("warmth > 1", Rule("warmth", ">", 1)),
        ("warmth<.5", Rule("warmth", "<", 0.5)),
    ],
)
def test_rules_are_read(text, rule):
    assert read_rule(text, ["warmth"]) == rule


@pytest.mark.parametrize(
    "text",
    ["", "warmth", ">= 1", "warmth >=", "warmth == 1", "warmth => 1", "warmth = 1", "warmth >= nan",
     "warmth >= inf", "warmth >= 1_0", "warmth >= 1 or 1", "warmth >= __import__('os')",
     "warmth >= warmth", "warmth >== 1", "0.4 <= warmth", "warmth >= 0.4 >= 0.2", "=warmth >= 1"],
)  # fmt: skip
def test_other_text_is_no_rule(text):
    with pytest.raises(UnknownName, match="the rule "):
        read_rule(text, ["warmth"])


def test_what_a_bad_rule_is_told():
    with pytest.raises(UnknownName) as error:
        read_rule("warmht >= 1", ["warmth"])
    assert str(error.value) == (
        "the rule 'warmht >= 1' is about 'warmht', which the run does not have; did you mean 'warmth'?"
    )
    with pytest.raises(UnknownName) as error:
        read_rule("warmth", ["warmth"])
    assert str(error.value) == (
        "the rule 'warmth' is not of the form 'SCORE >= NUMBER'; the signs are >= <= > <"
    )


@given(st.text(max_size=30))
def test_any_text_is_a_rule_or_a_sentence(text):
    with suppress(UnknownName):
        assert isinstance(read_rule(text, ["warmth"]), Rule)


def test_margins_for_all_or_one():
    assert read_amounts("--margin", ["0.02", "wit=0.1"], ["wit"]) == {"": 0.02, "wit": 0.1}
    for text in ("x", "-1", "wit=", "cold=1", "nan"):
        with pytest.raises(UnknownName, match="--margin"):
            read_amounts("--margin", [text], ["wit"])


def outcome(tmp_path, values, rule, name="run"):
    run = make_run(tmp_path / name, {"warmth": {"ash": values}})
    (check,) = check_rules(run, [read_rule(rule, ["warmth"])], select_systems(run, None))
    return check


def test_the_bound_decides_and_not_the_mean(tmp_path):
    checked_rule = outcome(tmp_path, WAVE, "warmth >= 0.45")
    assert checked_rule.outcome == "kept"
    near = outcome(tmp_path, WAVE, "warmth >= 0.49")
    assert near.value > 0.49 > near.low
    assert near.outcome == "undecided"
    assert outcome(tmp_path, WAVE, "warmth >= 0.6").outcome == "broken"
    assert outcome(tmp_path, WAVE, "warmth <= 0.6").outcome == "kept"
    assert outcome(tmp_path, WAVE, "warmth <= 0.51").outcome == "undecided"
    assert outcome(tmp_path, WAVE, "warmth <= 0.4").outcome == "broken"


def test_an_undecided_rule_says_how_many_would_be_needed(tmp_path):
    near = outcome(tmp_path, WAVE, "warmth >= 0.49")
    reach = near.value - near.low
    assert near.needed == np.ceil(40 * (reach / (near.value - 0.49)) ** 2)
    more = outcome(tmp_path, WAVE * (near.needed // 40 + 1), "warmth >= 0.49", "more")
    assert more.outcome == "kept"
    assert near.reason.endswith(f"at this mean about {near.needed:,} dialogs are needed")


@pytest.mark.parametrize(
    ("values", "result", "words"),
    [
        ([None] * 9, "error", "no dialog has a score"),
        ([0.9], "undecided", "too few dialogs: 1; at least 6 are needed"),
        ([0.9, 0.91, 0.92], "undecided", "too few dialogs: 3; at least 6 are needed"),
        ([0.9] * 9, "error", "all 9 dialogs have the same score, so there is no CI"),
    ],
)
def test_too_little_never_passes(tmp_path, values, result, words):
    checked_rule = outcome(tmp_path, values, "warmth >= 0.1")
    assert (checked_rule.outcome, checked_rule.reason) == (result, words)


def test_systems_of_a_gate(tmp_path):
    run = make_run(tmp_path / "run", {"warmth": {"ash": WAVE, "human": WAVE}})
    assert select_systems(run, None) == ["ash"]
    assert select_systems(run, "human") == ["human"]
    with pytest.raises(UnknownName, match="has no system 'asg'; did you mean 'ash'"):
        select_systems(run, "asg")


def against(tmp_path, shift, *, rules=(), better="higher", margin=0.02, noise=0.01, n=40):
    before = {"warmth": {"ash": WAVE[:n]}}
    now = {"warmth": {"ash": (np.array(WAVE[:n]) + shift + RNG.normal(0, noise, n)).tolist()}}
    runs = [make_run(tmp_path / k, v, better=better) for k, v in (("now", now), ("before", before))]
    read = [read_rule(r, ["warmth"]) for r in rules]
    (check,) = check_baseline(tuple(runs), ["ash"], read, {"": margin})
    return check


def test_no_worse_than_the_baseline(tmp_path):
    assert against(tmp_path, 0.0).outcome == "kept"
    assert against(tmp_path, 0.3).outcome == "kept"
    assert against(tmp_path, -0.3).outcome == "broken"
    wide = against(tmp_path, 0.0, noise=0.2)
    assert wide.outcome == "undecided" or wide.outcome == "broken"
    assert against(tmp_path, 0.0, n=5).outcome == "undecided"


def test_which_side_is_worse(tmp_path):
    up = against(tmp_path, 0.3, better="lower")
    assert (up.outcome, up.rule) == (
        "broken",
        "warmth not higher than the baseline by more than 0.02",
    )
    both = against(tmp_path, 0.3, better=None)
    assert (both.outcome, both.rule) == ("broken", "warmth within 0.02 of the baseline")
    gate = against(tmp_path, 0.3, better=None, rules=["warmth >= 0.1"])
    assert (gate.outcome, gate.rule) == (
        "kept",
        "warmth not lower than the baseline by more than 0.02",
    )


def test_a_run_like_its_baseline_passes(tmp_path):
    same = against(tmp_path, 0.0, noise=0.0)
    assert (same.outcome, same.reason) == ("kept", "identical in all 40 prompts")


def test_a_baseline_without_the_system(tmp_path):
    run = make_run(tmp_path / "now", {"warmth": {"ash": WAVE}})
    lone = make_run(tmp_path / "lone", {"warmth": {"old": WAVE}})
    assert check_baseline((run, lone), ["ash"], [], {"": 0.1})[0].outcome == "kept"
    two = make_run(tmp_path / "two", {"warmth": {"old": WAVE, "older": WAVE}})
    with pytest.raises(DataError, match="the baseline has no system 'ash' but 'old', 'older'"):
        check_baseline((run, two), ["ash"], [], {"": 0.1})


def test_a_score_without_a_margin_is_refused_when_rules_name_it(tmp_path):
    runs = [make_run(tmp_path / k, {"warmth": {"a": WAVE}, "wit": {"a": WAVE}}) for k in "xy"]
    assert [c.score for c in check_baseline(tuple(runs), ["a"], [], {"wit": 0.1})] == ["wit"]
    with pytest.raises(
        UnknownName, match="there is no margin for 'warmth'; give --margin warmth=NUMBER"
    ):
        check_baseline(tuple(runs), ["a"], [read_rule("warmth > 0", ["warmth"])], {"wit": 0.1})


def check(system="ash", outcome="kept", reason="fine"):
    return Check(system, "warmth >= 0.4", "warmth", outcome, 0.5, 0.4, 0.6, 9, None, reason)


def test_junit_counts_failures_and_errors_apart():
    checks = [check(outcome=o) for o in ("kept", "broken", "undecided", "error")] + [check("birch")]
    root = ElementTree.fromstring(junit_xml(checks))
    assert [s.get("name") for s in root] == ["ash", "birch"]
    assert {k: root[0].get(k) for k in ("tests", "failures", "errors")} == {
        "tests": "4", "failures": "2", "errors": "1"
    }  # fmt: skip
    assert [len(root[0].findall(f"testcase/{tag}")) for tag in ("failure", "error")] == [2, 1]
    assert root.get("tests") == "5"


HOSTILE = [
    "<b>\"&'",
    "]]>",
    "\x00\x1b[31mred\x07",
    "a\nb\tc",
    "\u202eevil",
    "\ud800",
    "\ufffe",
    "&#0;",
    "<!--",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_junit_of_hostile_names_is_whole(name):
    text = junit_xml([check(name, "broken", name)])
    text.encode("utf-8")
    suite = ElementTree.fromstring(text)[0]
    assert len(suite) == 1
    names = suite.get("name") + suite[0][0].get("message")
    assert not any(ord(c) < 32 or c in "\u202e\ufffe\x7f" for c in names)


@given(st.text(alphabet=st.characters(), max_size=40))
def test_junit_of_any_name_can_be_read(name):
    ElementTree.fromstring(junit_xml([check(name, "error", name)]))


def test_a_margin_for_a_score_the_baseline_lacks_is_refused(tmp_path):
    """Otherwise a check that was asked for would pass without being made."""
    now = make_run(tmp_path / "now", {"warmth": {"a": WAVE}, "wit": {"a": WAVE}})
    before = make_run(tmp_path / "before", {"warmth": {"a": WAVE}})
    for rules, sizes in (([], {"warmth": 9, "wit": 0.1}), ([Rule("wit", ">=", 0.0)], {"": 9})):
        with pytest.raises((DataError, UnknownName)):
            check_baseline((now, before), ["a"], rules, sizes)
    old = make_run(tmp_path / "old", {"warmth": {"a": WAVE}, "wit": {"a": WAVE}})
    both = check_baseline((now, old), ["a"], [Rule("warmth", ">=", 0.0)], {"": 9.0, "wit": 0.1})
    assert [c.rule.split()[0] for c in both] == ["warmth", "wit"]


def test_rules_both_ways_watch_both_sides(tmp_path):
    up, down = Rule("warmth", ">=", 0.1), Rule("warmth", "<=", 0.9)
    runs = tuple(make_run(tmp_path / name, {"warmth": {"a": WAVE}}) for name in ("now", "old"))
    for rules in ([up, down], [down, up]):
        (check,) = check_baseline(runs, ["a"], rules, {"": 0.02})
        assert check.rule == "warmth within 0.02 of the baseline"


def test_equal_means_have_a_p_of_one():
    """Every relabelling of two samples of mean 2.5 is at least as far apart as these are."""
    from simpatico.stats.permutation import relabel_p

    values = np.array([[3.0], [0], [4], [3], [3], [4], [3], [0]])
    assert relabel_p(values, 4) == pytest.approx([1.0])


def test_a_bound_beyond_all_reach_needs_no_number_of_dialogs():
    """Half-width 1e300 over a distance of 1e-300: 1e600 times as many dialogs; 4 are 2²."""
    assert needed_units(Result(0.0, -1e300, 1e300, n=5), 1e-300) is None
    assert needed_units(Result(0.0, -2.0, 2.0, n=1), 1.0) == 4


def test_the_markdown_verdict_has_what_failed_first_and_hostile_names_stay_text():
    kept = Check("ash", "warmth >= 0.4", "warmth", "kept", 0.5, 0.45, 0.55, 40, None, "fine")
    name = "@all`</b>|\n# x"
    few = Check(name, "wit <= 1", "wit", "undecided", 1, None, None, 3, 6, "too few dialogs")
    assert markdown_verdict([kept, few]) == (
        "<!-- simpatico gate -->\n"
        "### The gate did not pass: 1 of 2 checks passed\n"
        "\n"
        "| | system | rule | result |\n"
        "| --- | --- | --- | --- |\n"
        "| ❔ undecided | `@allʼ</b>\\|·# x` | `wit <= 1` | too few dialogs |\n"
        "| ✅ passed | `ash` | `warmth >= 0.4` | fine |\n"
        "\n"
        "Undecided counts as not passed: more dialogs decide it.\n"
    )
    assert markdown_verdict([kept]).splitlines()[1] == "### The gate passed: 1 of 1 check passed"
