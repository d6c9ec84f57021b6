"""`simpatico compare` and `simpatico gate` as they are called."""

import json
from xml.etree import ElementTree

import numpy as np
import pytest

from simpatico import load, score_run
from simpatico.readers import Conversations
from tests.command_line import simpatico
from tests.comparison.runs import make_run

RNG = np.random.default_rng(3)
PROMISED = "metric score level a b difference low high p_value p_adjusted n_a n_b status verdict"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Two systems on 20 prompts: birch is warmer, wit is the same."""
    first, noise = RNG.normal(0.4, 0.1, 20), RNG.normal(0, 0.05, (3, 20))
    values = {
        "warmth": {"ash": first.tolist(), "birch": (first + 0.2 + noise[0]).tolist()},
        "wit": {"ash": (0.5 + noise[1]).tolist(), "birch": (0.5 + noise[2]).tolist()},
    }
    return make_run(tmp_path_factory.mktemp("runs") / "run", values).folder


def test_json_is_complete(run):
    done = simpatico("compare", run, "--json")
    rows = json.loads(done.stdout)
    assert done.returncode == 0
    assert done.stderr == ""
    assert [(r["a"], r["b"], r["score"]) for r in rows] == [
        ("ash", "birch", "warmth"),
        ("ash", "birch", "wit"),
    ]
    assert all(list(r)[:14] == PROMISED.split() for r in rows)
    assert rows[0]["finding"] == "lower"
    assert {"times_in_100", "method", "paired", "detectable", "wide_low"} <= set(rows[0])
    assert simpatico("compare", run, "--json").stdout == done.stdout


def test_words_for_people(run):
    done = simpatico("compare", run)
    lines = done.stdout.splitlines()
    assert done.returncode == 0
    assert (
        lines[0]
        == "Descriptive: birch has a higher warmth than ash. No significant difference on wit."
    )
    assert lines[1].startswith("Based on 20 prompts that both replied to. Largest effect (large, ")
    assert lines[1].endswith(
        " SD between prompts): birch is higher in warmth in 100% of prompts (ties count half)."
    )
    assert "birch vs. ash, 20 prompts that both replied to" in lines[3]
    after = [
        line
        for line in lines
        if line.startswith(("Descriptive: higher", "  birch", "No sig", "  Wit"))
    ]
    assert after[0] == "Descriptive: higher for birch"
    assert after[1].startswith("  birch has a higher warmth than ash: +0.")
    assert after[2] == "No significant difference"
    assert " Smallest detectable difference (80% power): " in after[3]
    assert "\x1b" not in done.stdout
    assert "Significant: p ≤ .05 after Holm correction for 2 comparisons." in done.stderr


def test_many_pairs_show_only_what_was_found(tmp_path):
    values = RNG.normal(0.5, 0.05, (5, 20))
    values[0] += 0.4
    scores = {"warmth": {s: v.tolist() for s, v in zip("abcde", values, strict=True)}}
    done = simpatico("compare", make_run(tmp_path / "run", scores).folder)
    assert done.stdout.count(" vs. ") == 10
    assert done.stdout.count("Descriptive: higher for a\n") == 4
    assert "\nNo significant difference" not in done.stdout
    assert done.stdout.splitlines()[-1] == "6 other comparisons: no significant difference in 6."


def test_better_is_said_where_a_score_has_a_direction(tmp_path):
    values = {"warmth": {"ash": [0.1 + 0.01 * k for k in range(9)], "birch": [0.9] * 9}}
    done = simpatico("compare", make_run(tmp_path / "run", values, better="lower").folder)
    assert "  birch has a higher warmth than ash: +" in done.stdout
    assert "]. Lower is better, exploratory.\n" in done.stdout


def test_uneven_scores_show_their_own_n_and_hints_their_own_p(tmp_path):
    """Of 256 sign flips of -1 -2 3 4 5 6 7 8 ten have a sum as far out: p = 10/256, Holm 20/256."""
    values = {
        "warmth": {"ash": [-1, -2, 3, 4, 5, 6, 7, 8], "birch": [0] * 8},
        "wit": {"ash": [1, -1, 2, -2, 3, -3, 4, -4, 5], "birch": [0] * 9},
    }
    done = simpatico("compare", make_run(tmp_path / "run", values).folder)
    assert "ash vs. birch, up to 9 prompts that both replied to" in done.stdout
    rows = [line for line in done.stdout.splitlines() if line.startswith(("warmth", "wit"))]
    assert "p = .039 before correction, .078 after." in done.stdout
    assert [row.split()[-1] for row in rows] == ["8", "9"]


def test_options_reach_the_numbers(run):
    def rows(*options):
        return json.loads(simpatico("compare", run, "--json", *options).stdout)

    plain = rows()
    assert [r["score"] for r in rows("--scores", "wit")] == ["wit"]
    assert {r["correction"] for r in rows("--correction", "bh")} == {"bh"}
    assert {r["level"] for r in rows("--level", "turn")} == {"turn"}
    assert rows("--confidence", "0.9")[0]["low"] > plain[0]["low"]
    assert rows("--seed", "1")[1]["p_value"] != plain[1]["p_value"]


def test_plan(run):
    done = simpatico("compare", "--plan", run, "--detect", "0.05", "--detect", "wit=0.01", "--json")
    rows = json.loads(done.stdout)
    assert [(r["score"], r["paired"], r["detect"]) for r in rows] == [
        ("warmth", True, 0.05),
        ("warmth", False, 0.05),
        ("wit", True, 0.01),
        ("wit", False, 0.01),
    ]
    assert all(r["needed"] > 2 and r["family"] == 2 for r in rows)
    table = simpatico("compare", "--plan", run).stdout
    assert "Smallest detectable difference by number of shared prompts (paired)" in table
    plans = json.loads(
        simpatico("compare", "--plan", "--sd", "1", "--detect", "0.5", "--json").stdout
    )
    assert [r["needed"] for r in plans] == [34, 64]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["compare"], "Missing RUN, a folder such as `simpatico demo` makes."),
        (["compare", "RUN", "RUN"], "the same run is given twice; a comparison needs different ones"),
        (["compare", "RUN", "--scores", "wti"], "no score 'wti'; did you mean 'wit'?"),
        (["compare", "--plan"], "--plan needs a pilot RUN or --sd NUMBER, and not both."),
        (["gate", "RUN"], "Missing --rule 'SCORE >= NUMBER', or --baseline RUN with --margin NUMBER."),
        (["gate", "RUN", "--rule", "wit"], "the rule 'wit' is not of the form 'SCORE >= NUMBER'; the signs are >= <= > <"),
        (["gate", "RUN", "--rule", "cold > 1"], "the rule 'cold > 1' is about 'cold', which the run does not have; there are warmth, wit"),
        (["gate", "RUN", "--baseline", "RUN"], "--baseline RUN and --margin NUMBER must be given together."),
        (["gate", "RUN", "--rule", "wit > 0", "--system", "fir"], "RUN has no system 'fir'; there are ash, birch"),
    ],
)  # fmt: skip
def test_what_must_change_is_one_line_and_exit_2(run, arguments, words):
    done = simpatico(*[run if a == "RUN" else a for a in arguments])
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"simpatico: {words.replace('RUN has', f'{run} has')}\n"


def test_no_run_folder(tmp_path):
    done = simpatico("compare", tmp_path)
    assert done.returncode == 2
    assert (
        done.stderr
        == f"simpatico: {tmp_path} is not a run folder: it has no run.json; `simpatico score FILE --out RUN` makes one\n"
    )


def test_gate_exit_codes_and_junit(run, tmp_path):
    out = tmp_path / "gate.xml"
    done = simpatico("gate", run, "--rule", "warmth >= 0.3", "--junit", out)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "Passed: 2 of 2 checks passed.")
    assert ElementTree.parse(out).getroot().get("failures") == "0"
    done = simpatico("gate", run, "--rule", "warmth >= 0.5", "--rule", "wit < 0.9", "--junit", out)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (
        1,
        "Not passed: 3 of 4 checks passed.",
    )
    suites = ElementTree.parse(out).getroot()
    assert [(s.get("name"), s.get("failures")) for s in suites] == [("ash", "1"), ("birch", "0")]
    done = simpatico("gate", run, "--rule", "warmth >= 0.5", "--system", "birch", "--json")
    assert done.returncode == 0
    assert [c["passed"] for c in json.loads(done.stdout)] == [True]


def test_gate_says_when_a_rule_cannot_be_broken(run):
    done = simpatico("gate", run, "--rule", "wit >= 0")
    assert "Note: wit ranges from 0 to 1, so the rule 'wit >= 0' always passes." in done.stderr


def test_gate_against_a_baseline(run, tmp_path):
    low = {"warmth": {s: [0.1 + 0.01 * (k % 3) for k in range(20)] for s in ("ash", "birch")}}
    low["wit"] = low["warmth"]
    worse = make_run(tmp_path / "worse", low).folder
    options = ["--margin", "0.05", "--rule", "warmth > 0"]
    assert simpatico("gate", run, "--baseline", worse, *options).returncode == 0
    done = simpatico("gate", worse, "--baseline", run, *options, "--json")
    assert done.returncode == 1
    broken = [c["rule"] for c in json.loads(done.stdout) if not c["passed"]]
    assert broken == ["warmth not lower than the baseline by more than 0.05"] * 2


def test_a_scored_run_is_compared(tmp_path):
    """From conversations to a verdict, on the demo's own kind of input."""
    replies = {"ash": "I am sad with you, it is a hard loss.", "birch": "Buy a new one."}
    lines = []
    for k in range(7):
        for system, reply in replies.items():
            says = {"dialog": f"{k}/{system}", "prompt": f"p{k}"}
            lines.append(
                {**says, "speaker": "user", "text": f"My cat died {k} days ago, I am sad."}
            )
            lines.append({**says, "speaker": system, "system": system, "text": reply})
    path = tmp_path / "talk.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    run = score_run(Conversations((str(path),)), [load("style_matching")], tmp_path / "run")
    done = simpatico("compare", run.folder, "--json")
    rows = json.loads(done.stdout)
    assert [(r["a"], r["b"], r["n_a"], r["paired"]) for r in rows] == [("ash", "birch", 7, True)]
    assert rows[0]["difference"] > 0
