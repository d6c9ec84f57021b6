"""Do scores notice wrong answers: figures by hand, and the command."""

import json
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import simpatico
from simpatico import Conversations, Run, load, score_run
from simpatico.errors import DataError, UnknownName
from simpatico.validation.controls import ControlSettings, run_controls
from simpatico.validation.controls.rows import ControlRow
from simpatico.validation.controls.saved import control_sentences, save_controls

SAMPLES = Path(simpatico.__file__).parent / "data" / "samples" / "conversations.jsonl"

PROMPTS = [
    "tell me",
    "what now",
    "go on please",
    "why",
    "and then",
    "who is it",
    "when",
    "where to",
]
ANSWERS = [
    "the harbour froze over in january",
    "seven ships came from the north",
    "an old sailor kept every letter",
    "because nobody else could read maps",
    "they sold fish on wooden stairs",
    "my aunt painted lighthouses in summer",
    "around noon the fog lifted again",
    "behind a mill with broken wings",
]
"""Six words each, so that in BLEU nothing but the words themselves can differ."""


def logs(folder, *, references=None):
    """One exchange a dialog; the references of an answer are itself unless others are given."""
    rows = []
    for number, (prompt, answer) in enumerate(zip(PROMPTS, ANSWERS, strict=True)):
        rows.append({"dialog": f"d{number}", "speaker": "u", "text": prompt, "system": None})
        rows.append({"dialog": f"d{number}", "speaker": "b", "text": answer, "system": "bot"})
        rows[-1]["references"] = [references[number] if references else answer]
    path = folder / "logs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def scored(folder, metrics, *, keep_text=True, **options) -> tuple[Run, Path]:
    path = logs(folder, **options)
    metric_list = [load(name) for name in metrics]
    return score_run(Conversations((path,)), metric_list, folder / "run", keep_text=keep_text), path


def test_a_change_is_the_mean_of_after_less_before(tmp_path):
    """Copied answers have 2, 2, 3, 1, 2, 3, 1, 2 words where there were 6: on average 4 less.

    All 8 differences are below 0, so that of 2^8 flips of signs 2 are as far out: p = 2/256. The
    deviations from -4 are 0 0 1 -1 0 1 -1 0, so that s = sqrt(4/7) and t(.975; 7) = 2.364624.
    """
    run, _ = scored(tmp_path, ["length"])
    (row,) = run_controls(run, ControlSettings(("copied",))).rows
    assert (row.before, row.after, row.change) == (6.0, 2.0, -4.0)
    reach = 2.364624 * np.sqrt(4 / 7 / 8)
    assert (row.low, row.high) == pytest.approx((-4 - reach, -4 + reach), abs=1e-6)
    assert (row.p_value, row.p_adjusted, row.family) == (2 / 256, 2 / 256, 1)
    assert (row.n, row.dialogs, row.drops, row.same, row.lost) == (8, 8, 1.0, 0.0, 0)
    assert row.verdict == "goes down"  # of no direction, so nothing is noticed
    assert row.method == "paired t interval; p by all sign flips"


def test_a_score_notices_answers_of_other_dialogs(tmp_path):
    """Against itself each answer has a BLEU of 100; another shares no four words with it."""
    run, path = scored(tmp_path, ["bleu"])
    done = list[int]()
    report = run_controls(
        run, ControlSettings(("shuffled", "copied"), logs=(path,)), tick=done.append
    )
    assert done == [control.changed for control in report.made]
    assert [row.verdict for row in report.rows] == ["notices", "notices"]
    assert [row.before for row in report.rows] == pytest.approx([100.0, 100.0])
    assert all(row.drops == 1 and row.p_adjusted == 4 / 256 for row in report.rows)


def test_a_score_that_prefers_wrong_answers_is_said_to_rise(tmp_path):
    run, path = scored(tmp_path, ["chrf"], references=PROMPTS)
    (row,) = run_controls(run, ControlSettings(("copied",), logs=(path,))).rows
    assert (row.verdict, row.after, row.drops) == ("rises", pytest.approx(100.0), 0.0)


def test_answers_of_one_dialog_are_one_vote(tmp_path):
    """Two dialogs of many answers: there are many pairs, but two units are too few for a test."""
    rows = [
        {"dialog": d, "speaker": s, "text": t, "system": None if s == "u" else "bot"}
        for d in "ab"
        for n in range(30)
        for s, t in (("u", "hm"), ("b", f"word {n} of dialog"))
    ]
    path = tmp_path / "two.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    run = score_run(Conversations((path,)), [load("length")], tmp_path / "run")
    (row,) = run_controls(run, ControlSettings(("copied",))).rows
    assert (row.n, row.dialogs, row.verdict, row.p_value) == (60, 2, "too few", None)


def test_only_changed_answers_are_pairs_and_the_rest_is_counted(tmp_path):
    run = score_run(Conversations((SAMPLES,)), [load("length")], tmp_path / "run")
    report = run_controls(run, ControlSettings(("flipped",)))
    (control,), (row,) = report.made, report.rows
    assert control.answers == 351
    assert control.changed + control.left["no_feeling"] == 351
    assert row.n == control.changed


def test_what_cannot_be_scored_again_is_told(tmp_path):
    names = ["distinct_n", "bleu", "length"]
    run = score_run(Conversations((logs(tmp_path),)), list(map(load, names)), tmp_path / "run")
    report = run_controls(run, ControlSettings(("shuffled",)))
    assert report.notes == [
        "distinct_n: left out, since it describes a system as a whole",
        "bleu: no answer has a score both before and after; if it needs references, give the logs "
        "with --logs",
    ]
    verdicts = {row.score: (row.n, row.lost, row.verdict) for row in report.rows}
    assert verdicts == {"bleu": (0, 8, "no score"), "length": (8, 0, "stays")}


def test_a_run_of_whole_metrics_only_is_refused(tmp_path):
    run, _ = scored(tmp_path, ["distinct_n"])
    with pytest.raises(DataError) as error:
        run_controls(run)
    assert str(error.value) == (
        f"no metric of {run.folder} can be computed on changed replies: distinct_n: left out, since "
        "it describes a system as a whole"
    )


def test_a_run_without_text_asks_for_its_logs_and_takes_no_others(tmp_path):
    run, path = scored(tmp_path, ["length"], keep_text=False)
    with pytest.raises(DataError) as error:
        run_controls(run)
    assert str(error.value) == (
        f"{run.folder} stores no text, so its replies cannot be perturbed; give the files it was "
        "scored from (logs.jsonl) with --logs"
    )
    with_logs = run_controls(run, ControlSettings(("copied",), logs=(path,)))
    assert with_logs.rows[0].change == -4.0
    with pytest.raises(DataError) as error:
        run_controls(run, ControlSettings(logs=(SAMPLES,)))
    assert str(error.value) == (
        f"--logs {SAMPLES}: not the files that {run.folder} was scored from; give logs.jsonl, "
        "unchanged and in the same order"
    )


def test_more_dialogs_than_asked_for_are_drawn(tmp_path):
    run, _ = scored(tmp_path, ["length"])
    report = run_controls(run, ControlSettings(("copied",), most=6))
    assert (report.rows[0].n, report.made[0].answers) == (6, 6)
    assert report.notes == ["6 of 8 dialogs were sampled (--max-dialogs)"]
    assert report == run_controls(run, ControlSettings(("copied",), most=6))


def test_the_logs_give_the_figures_that_the_runs_own_text_gives(tmp_path):
    run = score_run(Conversations((SAMPLES,)), [load("style_matching")], tmp_path / "run")
    kinds = ("shuffled", "off-topic")
    assert run_controls(run, ControlSettings(kinds, logs=(SAMPLES,))) == run_controls(
        run, ControlSettings(kinds)
    )


def test_an_unknown_score_is_named(tmp_path):
    run, _ = scored(tmp_path, ["length"])
    with pytest.raises(UnknownName) as error:
        run_controls(run, ControlSettings(scores=("lenght",)))
    assert str(error.value) == "no score 'lenght'; did you mean 'length'?"


def test_the_command_prints_a_table_and_who_does_not_notice(call, tmp_path):
    run, path = scored(tmp_path, ["bleu", "length"], references=PROMPTS)
    code, out, err = call("validate", run.folder, "--controls", "copied", "--logs", path)
    assert code == 0
    assert "Scores of copied replies" in out
    assert out.splitlines()[-1] == "Not detected: bleu (copied)"
    assert err.splitlines() == [
        f"Kept in {run.folder / 'controls.json'}, for simpatico compare and report.",
        "copied: 8 of 8 replies changed",
        "p: after Holm correction for 2 rows; lower: share of replies with a lower score; SDs: change "
        "in SDs between dialogs; n: replies, or speakers in dialogs for scores of dialogs.",
    ]
    code, out, _ = call("validate", run.folder, "--controls", "--json")
    data = json.loads(out)
    assert {row["kind"] for row in data["controls"]} == {m["kind"] for m in data["made"]}
    assert len(data["made"]) == 5
    assert set(data) == {"controls", "made", "notes"}


def test_what_controls_said_stands_beside_the_claims_of_a_score(call, tmp_path):
    """Repetition is lower is better; of two systems one says everything twice."""
    rows = []
    for d in range(12):
        system = ("ash", "birch")[d % 2]
        for t in range(4):
            words = f"we saw the {('red', 'blue', 'green', 'old')[t]} house number {d} today"
            text = " ".join([words] * (1 + 2 * (system == "ash")))
            who = ("ann", None) if t % 2 == 0 else (system, system)
            rows.append({"dialog": f"d{d}", "speaker": who[0], "system": who[1], "text": text})
    path = tmp_path / "talk.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    run = score_run(Conversations((path,)), [load("repetition")], tmp_path / "run")
    assert "Negative controls" not in call("compare", run.folder)[1]
    save_controls(run, [control("repetition", "copied", "does not", 24)])
    save_controls(
        run, [control("repetition", kind, "notices", 20) for kind in ("shuffled", "generic")]
    )
    sentence = (
        "Negative controls (n = 24): detects shuffled and generic replies; does not detect copied "
        "replies"
    )
    assert control_sentences(run) == {"repetition": sentence}
    assert f" {sentence}.\n" in call("compare", run.folder)[1]
    page = tmp_path / "x.html"
    call("report", run.folder, "--out", page)
    assert page.read_text(encoding="utf-8").count(sentence) == 2  # at the claim and on the card


def control(score, kind, verdict, n):
    values = {f.name: None for f in fields(ControlRow)}
    return ControlRow(**{**values, "score": score, "kind": kind, "verdict": verdict, "n": n})


def test_the_command_takes_judgements_and_controls_together(call, tmp_path):
    score_run(Conversations((SAMPLES,)), [load("length")], tmp_path / "run")
    ratings = SAMPLES.with_name("judgements_made_up.csv")
    code, out, _ = call(
        *("validate", tmp_path / "run", "--judgements", ratings, "--quality", "overall"),
        *("--controls", "copied,flipped", "--json"),
    )
    data = json.loads(out)
    assert code == 0
    assert data["correlations"]
    assert [m["kind"] for m in data["made"]] == ["copied", "flipped"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "Missing --judgements FILE, or --controls."),
        (["--logs", "x", "--judgements", "y"], "--logs needs --controls."),
        (["--controls", "mean"], "no perturbation 'mean'; there are flipped, shuffled, "),
    ],
)
def test_a_question_that_makes_no_sense_is_one_line(call, tmp_path, arguments, sentence):
    run, _ = scored(tmp_path, ["length"])
    code, _, err = call("validate", run.folder, *arguments)
    assert code == 2
    assert err.startswith(f"simpatico: {sentence}")
    assert err.count("\n") == 1


def test_a_kind_that_can_change_nothing_leaves_no_pair(tmp_path):
    run, _ = scored(tmp_path, ["length"])
    report = run_controls(run, ControlSettings(("flipped",)))
    assert (report.made[0].changed, report.made[0].left) == (0, {"no_feeling": 8})
    assert [(row.n, row.verdict) for row in report.rows] == [(0, "no score")]


@pytest.mark.parametrize("text", ['[{"score": 1}]', "[1]", "{}", "[" * 10_000, "\x00"])
def test_a_file_of_controls_that_is_none_says_nothing(tmp_path, text):
    (tmp_path / "controls.json").write_text(text)
    (tmp_path / "run.json").write_text('{"status": "done", "metrics": {}}')
    assert control_sentences(Run(tmp_path)) == {}
