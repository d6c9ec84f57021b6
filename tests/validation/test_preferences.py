"""Preferences against a run: strengths, agreement and accuracy by hand, through API, CLI and page."""

import json
from math import log

import polars as pl
import pytest

from simpatico import (
    Conversations,
    Preferences,
    Run,
    load,
    read_preferences,
    report,
    score_run,
    validate_preferences,
)
from simpatico.errors import DataError
from simpatico.judgements import Preference
from simpatico.metric import Score
from simpatico.system_means import system_table
from simpatico.validation.choices import systems_only
from simpatico.validation.evidence import Question
from tests.command_line import simpatico
from tests.conftest import ROOT

SAMPLES = ROOT / "simpatico" / "data" / "samples"
SYSTEMS = ("ash", "birch", "cedar")
PROMPTS = [f"p{i:02}" for i in range(12)]
WARMTH = {"ash": 3.0, "birch": 2.0, "cedar": 1.0}


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Run:
    """Twelve prompts by three systems; warmth ranks ash first, rudeness last, length is equal.

    On the last two prompts warmth is the same for all, and on the first ash has none.
    """
    folder = tmp_path_factory.mktemp("preferences")
    keys = [(p, s) for p in PROMPTS for s in SYSTEMS]
    warmth = [
        None if (p, s) == ("p00", "ash") else 0.0 if p in PROMPTS[-2:] else WARMTH[s]
        for p, s in keys
    ]
    dialogs = pl.DataFrame(
        {
            "dialog": [f"{p}/{s}" for p, s in keys],
            "speaker": [s for _, s in keys],
            "system": [s for _, s in keys],
            "prompt": [p for p, _ in keys],
            "warmth": warmth,
            "rudeness": [-WARMTH[s] for _, s in keys],
            "length": [5.0] * len(keys),
        }
    )
    dialogs.write_parquet(folder / "dialog.parquet")
    turns = dialogs.drop("prompt").with_columns(turn=pl.lit(1, pl.Int32))
    turns.write_parquet(folder / "turn.parquet")
    better = {"warmth": "higher", "rudeness": "lower", "length": None}
    scores = [Score(name, pl.col(name), (-9, 9), "made up") for name in better]
    system_table(lambda: [dialogs], scores).write_parquet(folder / "system.parquet")
    metrics = {
        name: {"level": "turn", "kind": "other", "scores": [{"name": name, "better": b}]}
        for name, b in better.items()
    }
    (folder / "run.json").write_text(json.dumps({"status": "done", "metrics": metrics}))
    return Run(folder)


def chosen(prompt: str, a: str, b: str, preferred: str | None, judge: str = "j1") -> Preference:
    return Preference("better", judge, "outsider", preferred, prompt, system_a=a, system_b=b)


def ladder() -> list[Preference]:
    """Per prompt: ash beats birch 2 to 1, birch beats cedar 2 to 1, ash beats cedar 4 to 1.

    Odds of 4 to 2 to 1 predict just that, so that strengths are log 2, 0 and −log 2.
    """
    outcomes = {("ash", "birch"): "aab", ("cedar", "birch"): "bba", ("ash", "cedar"): "aaaab"}
    return [
        chosen(p, *pair, choice, f"j{i}")
        for p in PROMPTS
        for pair, choices in outcomes.items()
        for i, choice in enumerate(choices)
    ]


def test_strengths_are_those_of_the_odds_that_predict_the_wins(run):
    rows = validate_preferences(run, Preferences.of(ladder())).strengths
    assert [(r.system, r.group, r.n) for r in rows] == [
        ("ash", 0, 96), ("birch", 0, 72), ("cedar", 0, 96)
    ]  # fmt: skip
    assert [r.value for r in rows] == pytest.approx([log(2), 0, -log(2)], abs=1e-6)
    assert [r.win_rate.value for r in rows] == pytest.approx([6 / 8, 3 / 6, 2 / 8])
    assert rows[0].method == "bootstrap of 12 clusters"


def test_accuracy_by_hand(run):
    """132 choices, of which 96 are for the warmer system by rank (2 + 2 + 4 of 11 per prompt).

    Rudeness is lower for the warmer one: 96/132. Warmth lacks ash on p00 (8 of its 11 choices) and
    is equal on two prompts (22 choices, half each): of the other 102, 72 and the 2 of p00.
    Length is always equal: .5.
    """
    rows = {r.score: r for r in validate_preferences(run, Preferences.of(ladder())).accuracy}
    assert list(rows) == ["warmth", "rudeness", "length"]
    warmth, rudeness, length = rows.values()
    assert (rudeness.value, rudeness.n, rudeness.better) == (
        pytest.approx(96 / 132, abs=1e-6), 132, "lower"
    )  # fmt: skip
    assert (warmth.n, warmth.nulls, warmth.equal, warmth.ties) == (124, 8, 22, 0)
    assert warmth.value == pytest.approx((9 * 8 + 2 + 11) / 124, abs=1e-6)
    assert (length.value, length.low, length.p_value, length.over_length) == (0.5, None, 1.0, None)
    assert warmth.over_length.value == pytest.approx(warmth.value - 0.5, abs=1e-6)
    # the same 2.5 more than half in each of 12 prompts: only 2 of 2^12 flips are as extreme
    assert rudeness.p_value == pytest.approx(2 / 2**12)
    assert rudeness.low is None  # the same in every prompt: nothing varies
    assert warmth.low < warmth.value < warmth.high
    assert (rudeness.p_adjusted, rudeness.family) == (pytest.approx(6 / 2**12), 3)


def test_ties_are_half_a_win_and_no_choice_to_predict(run):
    """One win and one tie on each prompt: 1.5 of 2, odds of 3 to 1."""
    rows = [chosen(p, "ash", "birch", c, c) for p in PROMPTS for c in ("a", "tie")]
    evidence = validate_preferences(run, Preferences.of(rows))
    assert evidence.strengths[0].value == pytest.approx(log(3) / 2, abs=1e-6)
    (rudeness,) = [r for r in evidence.accuracy if r.score == "rudeness"]
    assert (rudeness.value, rudeness.n, rudeness.ties) == (1.0, 12, 12)
    ties = [chosen(p, "ash", "birch", "tie") for p in PROMPTS]
    evidence = validate_preferences(run, Preferences.of(ties))
    assert (evidence.accuracy, evidence.notes) == (
        [], ["better: every choice is a tie, which no score predicts"]
    )  # fmt: skip


def test_agreement_does_not_depend_on_which_side_is_called_a(run):
    """Two judges on each of 12 pairs, alike on 9, once in the other order.

    Pairs in both orders: n = 48 ratings, 24 of each kind, 6 of 24 units with a disagreement, which
    coincidences count twice: alpha = 1 − (n − 1) · 12 / (48² − 24² − 24²) = 1 − 47 · 12 / 1152.
    """
    rows = []
    for i, p in enumerate(PROMPTS):
        rows.append(chosen(p, "ash", "birch", "a", "j1"))
        rows.append(chosen(p, "birch", "ash", "a" if i < 3 else "b", "j2"))
    alpha, share = validate_preferences(run, Preferences.of(rows)).agreement
    assert (share.value, share.n) == (9 / 12, 12)
    assert (alpha.value, alpha.n) == (pytest.approx(1 - 47 * 12 / (2 * 24 * 24)), 12)
    swapped = [
        chosen(r.prompt, r.system_b, r.system_a, "ab"[r.preferred == "a"], r.judge) for r in rows
    ]
    again = validate_preferences(run, Preferences.of(swapped))
    assert [r.value for r in again.agreement] == [alpha.value, share.value]
    assert again.strengths == validate_preferences(run, Preferences.of(rows)).strengths


def test_a_system_that_never_loses_is_named_and_has_no_strength(run):
    rows = [chosen(p, "ash", other, "a") for p in PROMPTS for other in ("birch", "cedar")]
    rows += [chosen(p, "birch", "cedar", "ab"[i % 2]) for i, p in enumerate(PROMPTS)]
    evidence = validate_preferences(run, Preferences.of(rows))
    first, *others = evidence.strengths
    assert (first.system, first.value, first.reason) == ("ash", None, "never lost")
    assert first.win_rate.value == 1.0
    assert [r.value for r in others] == [0.0, 0.0]
    assert evidence.notes == ["better: ash never lost, so its strength has no finite estimate"]


def test_groups_of_systems_that_nothing_links_are_named(run):
    """Dogwood and elm are not in the run: their strengths need no scores."""
    rows = [chosen(p, "ash", "birch", "ab"[i % 2]) for i, p in enumerate(PROMPTS)]
    rows += [chosen(p, "dogwood", "elm", "aab"[i % 3]) for i, p in enumerate(PROMPTS)]
    evidence = validate_preferences(run, Preferences.of(rows))
    assert {r.system: r.group for r in evidence.strengths} == {
        "ash": 0, "birch": 0, "dogwood": 1, "elm": 1
    }  # fmt: skip
    assert evidence.notes == [
        "12 of 24 preferences name dialogs or systems that have no score",
        "better: no comparison links (ash, birch) and (dogwood, elm), so strengths compare within "
        "these groups only",
    ]


def test_units_give_the_same_as_the_systems_that_said_them(run):
    """Dialogs without prompts in the file: the run says systems and prompts."""
    by_system = ladder()
    by_dialog, by_turn = (
        [
            Preference(
                p.quality, p.judge, p.judge_kind, p.preferred,
                dialog_a=f"{p.prompt}/{p.system_a}", turn_a=turn,
                dialog_b=f"{p.prompt}/{p.system_b}", turn_b=turn,
            )
            for p in by_system
        ]
        for turn in (None, 1)
    )  # fmt: skip
    expected = validate_preferences(run, Preferences.of(by_system))
    dialogs = validate_preferences(run, Preferences.of(by_dialog))
    assert dialogs == expected
    turns = validate_preferences(run, Preferences.of(by_turn))
    assert [r.value for r in turns.accuracy] == [r.value for r in expected.accuracy]
    assert {r.level for r in turns.accuracy} == {"turn"}
    assert (turns.turn_numbers.rated, turns.turn_numbers.matched) == (36, 36)


def test_a_side_without_a_speaker_is_the_system_or_the_only_one_there():
    """In d1 a person talks with a bot, whom the dialog stands for; in d2 there are only people."""
    units = pl.DataFrame(
        {"dialog": ["d1", "d1", "d2"], "speaker": ["ann", "bot", "bob"], "system": ["human", "ash", "human"]}
    )  # fmt: skip
    assert systems_only(units)["speaker"].to_list() == ["bot", "bob"]


def test_the_same_choices_in_another_order_give_the_same(run):
    rows = ladder()
    assert validate_preferences(run, Preferences.of(rows)) == validate_preferences(
        run, Preferences.of(reversed(rows))
    )


def test_turns_counted_from_1_are_named(run):
    rows = [
        Preference("better", "j", None, "a", None, f"{p}/ash", 2, None, None, f"{p}/birch", 2)
        for p in PROMPTS
    ]
    with pytest.raises(DataError) as error:
        validate_preferences(run, Preferences.of(rows))
    assert str(error.value) == (
        "the ratings seem to count turns from 1, not from 0 (0 of 24 rated turns match a scored "
        "turn as numbered, 24 with numbers one lower); if so, add --turns-from 1"
    )


def test_preferences_of_other_dialogs_are_refused(run):
    with pytest.raises(DataError) as error:
        validate_preferences(run, Preferences.of([chosen("p99", "ash", "birch", "a")]))
    assert str(error.value) == (
        f"none of the 1 preferences is between two units that have a score in {run.folder}; "
        "systems and prompts must be the same (systems: ash, birch, cedar), and preferences must name the speaker where several speak for a system"
    )


@pytest.fixture(scope="module")
def sample(tmp_path_factory) -> tuple[Run, str]:
    """The demo's conversations, in which harbor is preferred to brisk on most prompts."""
    folder = tmp_path_factory.mktemp("sample")
    metrics = [load("style_matching"), load("empathy")]
    run = score_run(Conversations((SAMPLES / "conversations.jsonl",)), metrics, folder / "run")
    prompts = run.at("dialog")["prompt"].unique().sort()
    rows = ["system_a,system_b,prompt,judge,preferred"]
    rows += [
        f"harbor,brisk,{p},j{j},{'aab'[(i + j) % 3]}" for i, p in enumerate(prompts) for j in (1, 2)
    ]
    path = folder / "prefs.csv"
    path.write_text("\n".join(rows) + "\n")
    return run, str(path)


def test_the_command_line_gives_the_same_and_fits_80_columns(sample):
    run, path = sample
    expected = validate_preferences(run, read_preferences(path)).as_json()
    done = simpatico("validate", run.folder, "--judgements", path, "--json")
    assert json.loads(done.stdout) == json.loads(json.dumps(expected))
    assert list(expected) == [
        "agreement", "strengths", "accuracy", "left_out", "turn_numbers", "notes"
    ]  # fmt: skip
    shown = simpatico("validate", run.folder, "--judgements", path)
    assert max(map(len, shown.stdout.splitlines())) <= 80
    for text in ("Bradley-Terry strengths", "harbor", "Accuracy of predicting", "style_matching"):
        assert text in shown.stdout
    refused = simpatico("validate", run.folder, "--judgements", path, "--gold", "mean")
    assert refused.stderr == "simpatico: --gold needs ratings; prefs.csv has preferences.\n"


def test_the_page_shows_strengths_and_accuracy(sample, tmp_path):
    run, path = sample
    evidence = validate_preferences(run, read_preferences(path))
    page = report(run, read_preferences(path), judged="prefs.csv")
    assert "is preferred most often: in 66% of its comparisons" in page
    assert "Accuracy of predicting the preferred one" in page
    (length,) = [r for r in evidence.accuracy if r.score == "length"]
    assert f"{length.value:.2f}".removeprefix("0") in page
    assert "simpatico validate run --judgements prefs.csv" in page
    done = simpatico("report", run.folder, "--judgements", path, "--json")
    assert json.loads(done.stdout)["preferences"] == json.loads(json.dumps(evidence.as_json()))
    figure = simpatico("figure", "forest", "--run", run.folder, "--judgements", path, "--out", tmp_path / "x.svg")  # fmt: skip
    assert figure.stderr == (
        "simpatico: preferences were given, but no human ratings; add --judgements FILE\n"
    )


def test_only_the_scores_and_qualities_asked_for(run):
    rows = [*ladder(), chosen("p01", "ash", "birch", "a")._replace(quality="kinder")]
    question = Question(("kinder",), scores=("warmth",))
    evidence = validate_preferences(run, Preferences.of(rows), question)
    assert {r.quality for r in evidence.accuracy} == {"kinder"}
    assert [r.score for r in evidence.accuracy] == ["warmth", "length"]
    assert evidence.accuracy[0].low is None
