"""`simpatico show` and `simpatico explain`: the row one is after, the words behind it, tidy data."""

import json
import shutil
import subprocess
from pathlib import Path

import polars as pl
import pytest

import simpatico
from tests.command_line import simpatico as call

SAMPLES = Path(simpatico.__file__).parent / "data" / "samples" / "conversations.jsonl"
METRICS = "length,question_rate,style_matching,dyad_style_matching"
DIALOG = "dog-died/harbor"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    out = tmp_path_factory.mktemp("show") / "run"
    done = call("score", SAMPLES, "--out", out, "--metrics", METRICS)
    assert done.returncode == 0, done.stderr
    return simpatico.Run(out)


def rows_of(text):
    """The cells of a printed table's rows."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("──")) + 1
    return [line.split() for line in lines[start : lines.index("", start)]]


def test_sorted_by_a_score_of_one_system(run):
    line = ["show", run.folder, "--sort", "length", "--system", "brisk", "--rows", "3"]
    own = run.at("dialog").filter(system="brisk").sort("length")
    for options, best in (([], own.reverse()), (["--ascending"], own)):
        rows = rows_of(call(*line, *options).stdout)
        assert [row[0] for row in rows] == best["dialog"].head(3).to_list()
        assert [float(row[3]) for row in rows] == pytest.approx(best["length"].head(3), abs=5e-4)
    csv = pl.read_csv(call(*line, "--format", "csv").stdout.encode())
    assert csv["length"].to_list() == own["length"].reverse().to_list()


def test_one_dialog_is_shown_turn_by_turn(run):
    rows = json.loads(call("show", run.folder, "--dialog", DIALOG, "--format", "json").stdout)
    assert [row["turn"] for row in rows] == list(range(11))


def long_frame(run, *options):
    return pl.read_csv(call("show", run.folder, "--format", "long", *options).stdout.encode())


def test_the_long_file_has_dyad_partner_and_time_and_every_value(run):
    frame = long_frame(run, "--level", "turn")
    assert frame.columns[:7] == ["dyad", "dialog", "turn", "speaker", "system", "partner", "time"]
    assert frame.columns[-3:] == ["score", "value", "reason"]
    turns = run.at("turn")
    for score in ("length", "style_matching"):
        part = frame.filter(score=score)
        assert part["value"].to_list() == turns[score].to_list()
        assert (part["value"].is_null() == part["reason"].is_not_null()).all()
    assert (frame["dyad"] == frame["dialog"]).all()
    assert (frame["speaker"] != frame["partner"]).all()


def test_both_speakers_of_a_dyad_have_its_score_in_the_long_file(run):
    frame = long_frame(run, "--scores", "dyad_style_matching,percent_article")
    own = frame.filter(score="dyad_style_matching")
    per_dyad = own.group_by("dyad").agg(pl.len(), pl.col("value").n_unique().alias("different"))
    assert per_dyad.select("len", "different").unique().rows() == [(2, 1)]
    assert frame.filter(score="percent_article")["value"].is_between(0, 100).all()


def test_columns_of_the_input_are_conditions(tmp_path):
    """Time of a turn, of a dialog its first; any other column by its name."""
    path = tmp_path / "talk.csv"
    path.write_text(
        "dialog,speaker,text,time,condition,value\n"
        "d,ann,hi,2026-01-02T10:00:00Z,warm,3\nd,bob,hello,2026-01-02T10:00:05Z,warm,3\n"
    )
    out = tmp_path / "run"
    assert call("score", path, "--out", out, "--metrics", "length").returncode == 0
    frame = long_frame(simpatico.Run(out), "--level", "turn")
    assert frame["condition"].to_list() == ["warm", "warm"]
    assert frame["value (input)"].to_list() == [3, 3]
    assert frame["value"].to_list() == [1, 1]
    assert [str(time)[11:19] for time in frame["time"]] == ["10:00:00", "10:00:05"]
    assert long_frame(simpatico.Run(out))["condition"].to_list() == ["warm", "warm"]


DIC = """%
1 ppron
2 ipron
3 article
4 conj
5 prep
6 auxverb
7 adverb
8 negate
9 quant
%
i 1
you 1
it 2
the 3
and 4
of 5
was 6
so 7
not 8
all 9
"""


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """The psychologist's story: a CSV with conditions, an own dictionary, a long file.

    In the warm condition both say "you and I", in the cold one nothing in common.
    """
    folder = tmp_path_factory.mktemp("study")
    (folder / "own.dic").write_text(DIC)
    lines = ["dialog,speaker,text,condition"]
    for n in range(8):
        condition, answer = ("warm", "you and i") if n % 2 else ("cold", "the end of it all")
        lines += [f"d{n},ann,you and i,{condition}", f"d{n},bob,{answer},{condition}"]
    (folder / "study.csv").write_text("\n".join(lines) + "\n")
    line = ["score", "study.csv", "--out", "run", "--metrics", "dyad_style_matching"]
    line += ["--set", "dyad_style_matching.lexicon=own.dic"]
    done = call(*line, cwd=folder)
    assert done.returncode == 0, done.stderr
    text = call("show", "run", "--format", "long", cwd=folder).stdout
    (folder / "long.csv").write_text(text, encoding="utf-8")
    return folder / "long.csv"


def test_the_psychologists_story_lsm_per_dyad_by_condition(study):
    """Warm: the same words, so 1 in every category. Cold: of nine categories six are used by one
    side alone (two by ann; article, prep, ipron, quant by bob), three by neither: 3 / 9."""
    means = pl.read_csv(study).group_by("condition").agg(pl.col("value").mean(), pl.len())
    by = {row["condition"]: row for row in means.iter_rows(named=True)}
    assert by["warm"]["value"] == pytest.approx(1)
    assert by["cold"]["value"] == pytest.approx(3 / 9, abs=1e-4)
    assert by["warm"]["len"] == 8


@pytest.mark.skipif(not shutil.which("Rscript"), reason="R is not installed")
def test_r_reads_the_long_file_back(study):
    code = (
        f'd <- read.csv("{study}"); m <- aggregate(value ~ condition + dyad, d, mean); '
        "cat(nrow(m), tapply(m$value, m$condition, mean))"
    )
    done = subprocess.run(["Rscript", "-e", code], capture_output=True, text=True, check=True)
    dyads, cold, warm = map(float, done.stdout.split())
    assert (dyads, cold, warm) == (8, pytest.approx(3 / 9, abs=1e-4), pytest.approx(1))


def test_explain_prints_the_transcript_scores_words_and_reasons(run):
    done = call("explain", run.folder, DIALOG)
    text = " ".join(done.stdout.split())
    for turn in run.turns([DIALOG]):
        assert " ".join(turn.text.split()) in text
    assert "question_rate 1.000 raised by “?” (+1.00)" in text
    assert "Whole dialog" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_explain_one_turn_names_the_reason_of_a_null(run):
    text = call("explain", run.folder, DIALOG, "0").stdout
    assert next(
        line for line in text.splitlines() if line.startswith("style_matching")
    ).split() == ["style_matching", "–", "null:", "answers", "nothing"]  # fmt: skip


def test_explained_words_are_the_evidence_of_the_interface(run):
    done = json.loads(call("explain", run.folder, DIALOG, "1", "--json").stdout)
    context, turn = done["turns"]
    assert (context["turn"], context["scores"], turn["turn"]) == (0, [], 1)
    (style,) = (s for s in turn["scores"] if s["score"] == "style_matching")
    own = simpatico.explain(run, dialog=DIALOG).filter(turn=1, metric="style_matching")
    spans = {tuple(span[:2]): span[2] for span in style["evidence"]}
    assert spans == {(r["start"], r["end"]): r["weight"] for r in own.iter_rows(named=True)}


def test_without_the_text_nothing_can_be_explained(tmp_path):
    out = tmp_path / "run"
    call("score", SAMPLES, "--out", out, "--metrics", "length", "--no-text")
    done = call("explain", out, DIALOG)
    assert done.returncode == 2
    assert done.stderr == f"simpatico: {out} was scored with --no-text; score again without it\n"


def test_means_by_a_column_of_metrics_without_a_score_of_their_own_name(tmp_path):
    """`emotion_shares` has eight scores and none called so; two dialogs are warm, one is cold."""
    texts = {"d1": "glad hello", "d2": "so glad to see", "d3": "no not today"}
    rows = [
        {
            "dialog": d,
            "speaker": "bot",
            "system": "bot",
            "text": t,
            "tone": "cold" if d == "d3" else "warm",
        }
        for d, t in texts.items()
        for t in ("hm", t)
    ]
    rows = [r | ({"speaker": "ann", "system": "human"} if r["text"] == "hm" else {}) for r in rows]
    path = tmp_path / "talk.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    made = call("score", path, "--out", tmp_path / "run", "--metrics", "emotion_shares,length")
    assert made.returncode == 0, made.stderr
    done = call("show", tmp_path / "run", "--by", "tone", "--format", "json")
    assert done.returncode == 0, done.stderr
    n = {(r["tone"], r["system"]): r["length_n"] for r in json.loads(done.stdout)}
    assert n["warm", "bot"] == 2
    assert n["cold", "bot"] == 1
