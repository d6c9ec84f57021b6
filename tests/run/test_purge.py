"""Purging: a run without some dialogs is the run that was scored without them."""

import json
import os
import shutil
import subprocess
import sys

import polars as pl
import pytest

from simpatico import Conversations, Run, load, score_run
from simpatico.errors import BadValue, DataError, RunError, UnknownName
from simpatico.files import lock_folder
from simpatico.privacy.pseudonyms import Pseudonyms
from simpatico.run.purge import WORK, Purge, purge_run
from tests.command_line import simpatico

METRICS = ("length", "style_matching", "empathy", "distinct_n")
SECRETS = ("marmalade", "quixotic")


def rows():
    """Six dialogs with people, a second system, context, times, and columns that few have."""
    for d in range(6):
        words = SECRETS[d % 2] if d in (2, 3) else "honest"
        for t in range(6):
            who = ("ann", "bob", "cyd")[d % 3] if t % 2 == 0 else "bot"
            row = {"dialog": f"d{d}", "speaker": who, "text": f"I say {words} {t} {d} to you"}
            row["system"] = "human" if t % 2 == 0 else f"bot-{d % 2}"
            if t == 0 and d == 1:
                row["system"] = None
            if d == 2:
                row |= {"only_here": f"{words} x", "length": "clash"}
            if d != 4:
                row["segment"] = "new" if d % 2 else "old"
            if t == 5 and d == 5:
                row["time"] = 1_700_000_000
            yield row


def write(path, without=()):
    own = [row for row in rows() if row["dialog"] not in without]
    path.write_text("".join(json.dumps(row) + "\n" for row in own), encoding="utf-8")
    return path


def scored(tmp_path, name, without=(), **options):
    (tmp_path / name).mkdir()
    path = write(tmp_path / name / "c.jsonl", without)
    metrics = [load("distinct_n", size=20) if m == "distinct_n" else load(m) for m in METRICS]
    return score_run(Conversations((path,)), metrics, tmp_path / name / "run", **options)


def files(folder):
    """The bytes of all files; of `run.json` what does not tell which file was read."""
    found = {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    facts = json.loads(found.pop("run.json"))
    return found, {k: v for k, v in facts.items() if k not in ("inputs", "key", "purged", "sha256")}


@pytest.mark.parametrize("gone", [("d2",), ("d2", "d3"), ("d5",), ("d0", "d1", "d2", "d3", "d4")])
def test_a_purged_run_is_byte_for_byte_the_run_without_the_dialogs(tmp_path, gone):
    run, other = scored(tmp_path, "all"), scored(tmp_path, "rest", gone)
    assert purge_run(run.folder, gone) == Purge(len(gone))
    assert files(run.folder) == files(other.folder)
    assert Run(run.folder).facts["purged"] == len(gone)


def test_without_text_tables_are_the_same_and_what_cannot_be_computed_is_null(tmp_path):
    run = scored(tmp_path, "all", keep_text=False)
    other = scored(tmp_path, "rest", ["d2"], keep_text=False)
    done = purge_run(run.folder, ["d2"])
    assert done == Purge(1, without_score=("distinct_n",))
    for table in ("turn", "dialog"):
        name = f"{table}.parquet"
        assert (run.folder / name).read_bytes() == (other.folder / name).read_bytes()
    systems, expected = Run(run.folder).at("system"), other.at("system")
    assert systems["distinct_n_null"].to_list() == ["purged"] * 3
    own = [c for c in systems.columns if not c.startswith("distinct")]
    assert systems.select(own).equals(expected.select(own))
    counts, expected = (r.facts["alignment"] for r in (Run(run.folder), other))
    # which turns reply to which, and columns of turns that are context, stand in the text alone
    assert {k for k in counts if counts[k] != expected[k]} <= {"answers", "columns"}


def test_a_speaker_is_removed_with_every_dialog_in_which_they_take_part(tmp_path):
    run, other = scored(tmp_path, "all"), scored(tmp_path, "rest", ["d2", "d5"])
    assert purge_run(run.folder, ["cyd"]).dialogs == 2
    assert files(run.folder) == files(other.folder)


def test_a_speaker_of_context_alone_is_found_in_the_text(tmp_path):
    path = tmp_path / "c.jsonl"
    turns = [{"dialog": d, "speaker": w, "system": s, "text": "hi"} for d in "ab" for w, s in
             ((f"user-{d}", None), ("bot", "bot"))]  # fmt: skip
    path.write_text("".join(json.dumps(turn) + "\n" for turn in turns))
    score_run(Conversations((path,)), [load("length")], tmp_path / "run")
    assert purge_run(tmp_path / "run", ["user-a"]).dialogs == 1
    assert Run(tmp_path / "run").at("dialog")["dialog"].to_list() == ["b"]


def test_original_ids_are_found_in_a_run_of_pseudonyms(tmp_path, monkeypatch):
    key = tmp_path / "key"
    key.write_text("ab" * 32)
    key.chmod(0o600)
    monkeypatch.setenv("SIMPATICO_KEY", str(key))
    pseudonyms = Pseudonyms(bytes.fromhex("ab" * 32))
    run = scored(tmp_path, "all", pseudonyms=pseudonyms)
    other = scored(tmp_path, "rest", ["d1", "d2", "d5"], pseudonyms=pseudonyms)
    names = ["cyd", pseudonyms.of("d1")]
    assert purge_run(run.folder, names).dialogs == 3
    assert files(run.folder) == files(other.folder)


def test_nothing_is_removed_by_a_wrong_name_all_names_or_in_no_run(tmp_path):
    run = scored(tmp_path, "all")
    before = files(run.folder)
    with pytest.raises(UnknownName) as error:
        purge_run(run.folder, ["d1", "d99"])
    assert str(error.value) == f"no dialog and no speaker 'd99' in {run.folder}; nothing removed"
    with pytest.raises(BadValue) as error:
        purge_run(run.folder, ["bot"])
    assert str(error.value) == (
        f"these are all dialogs of {run.folder}; nothing removed: delete the folder instead"
    )
    with pytest.raises(DataError, match="is not a run folder"):
        purge_run(tmp_path / "none", ["d1"])
    assert not (tmp_path / "none").exists()
    with lock_folder(run.folder), pytest.raises(RunError, match="is being written by"):
        purge_run(run.folder, ["d1"])
    assert files(run.folder) == before


def test_pages_are_named_and_removed_by_force_and_controls_always(tmp_path):
    run = scored(tmp_path, "all")
    for name in ("report.html", "notes.txt", "controls.json", ".turn.parquet.1.tmp"):
        (run.folder / name).write_text("d1 d2")
    done = simpatico("purge", run.folder, "d1")
    assert done.stdout == f"Removed 1 dialog from {run.folder}.\n"
    assert done.stderr == (
        "Deleted, as computed with them: controls.json.\n"
        f"Other files in {run.folder} may still hold them: notes.txt, report.html; check and "
        "delete these.\n"
    )
    done = simpatico("purge", run.folder, "d2", "--force")
    assert done.stderr == (
        "Deleted, as computed with them: report.html.\n"
        f"Other files in {run.folder} may still hold them: notes.txt; check and delete these.\n"
    )
    names = {
        "run.json",
        "notes.txt",
        *(f"{t}.parquet" for t in ("turn", "dialog", "system", "text")),
    }
    assert {path.name for path in run.folder.iterdir()} == names
    assert Run(run.folder).facts["purged"] == 2


def test_scoring_again_does_not_bring_the_dialogs_back(tmp_path):
    call = ["score", write(tmp_path / "c.jsonl"), "--metrics", "length", "--out", tmp_path / "r"]
    assert simpatico(*call).returncode == 0
    simpatico("purge", tmp_path / "r", "d2")
    again = simpatico(*call)
    assert (again.returncode, again.stderr) == (
        2,
        f"simpatico: {tmp_path / 'r'} holds a run of other input, metrics, options or version; "
        "choose another folder or delete this one\n",
    )
    assert "d2" not in Run(tmp_path / "r").at("dialog")["dialog"]
    page = tmp_path / "page.html"
    assert simpatico("report", tmp_path / "r", "--out", page).returncode == 0
    assert "1 dialog since; messages are counted as read" in page.read_text(encoding="utf-8")


def test_the_removed_words_are_in_no_file(tmp_path):
    run = scored(tmp_path, "all")
    purge_run(run.folder, ["d2", "d3"])
    raw = b"".join(path.read_bytes() for path in run.folder.rglob("*") if path.is_file())
    tables = [pl.read_parquet(path) for path in run.folder.glob("*.parquet")]
    cells = " ".join(str(cell) for table in tables for row in table.iter_rows() for cell in row)
    for word in (*SECRETS, "d2", "d3", "only_here"):
        assert word not in cells.split()
        assert len(word) < 3 or word.encode() not in raw


@pytest.mark.parametrize("moved", [0, 1, 3, 5])
def test_a_purge_that_was_interrupted_is_completed_by_the_same_call(tmp_path, moved):
    """Either nothing has been moved and the copy is not whole, or the rest is still to be moved."""
    run, other = scored(tmp_path, "all"), scored(tmp_path, "rest", ["d2"])
    twin = tmp_path / "twin"
    shutil.copytree(run.folder, twin)
    purge_run(twin, ["d2"])
    (run.folder / WORK).mkdir()
    names = ["turn.parquet", "dialog.parquet", "system.parquet", "text.parquet", "run.json"]
    for name in names[: -1 if not moved else None]:
        shutil.copy(twin / name, run.folder / WORK)
    if moved > 1:
        (run.folder / "run.json").write_text('{"status": "purging", "key": ""}')
        for name in names[: moved - 1]:
            (run.folder / WORK / name).replace(run.folder / name)
        if moved < 6:
            refused = simpatico("show", run.folder)
            assert refused.stderr == (
                f"simpatico: {run.folder}: the run is not finished; run its command again\n"
            )
    done = simpatico("purge", run.folder, "d2")
    assert done.returncode == 0
    if moved:
        assert done.stdout == f"Completed the purge of {run.folder} that was interrupted.\n"
    assert files(run.folder) == files(other.folder)


def test_a_run_in_the_middle_of_a_move_is_refused_and_completed_once_it_can_be(tmp_path):
    run, other = scored(tmp_path, "all"), scored(tmp_path, "rest", ["d2"])
    twin = tmp_path / "twin"
    shutil.copytree(run.folder, twin)
    purge_run(twin, ["d2"])
    shutil.copytree(twin, run.folder / WORK)
    (run.folder / WORK / "z.parquet").touch()
    (run.folder / "z.parquet").mkdir()  # no file can be moved there
    assert simpatico("purge", run.folder, "d2").returncode == 3
    assert simpatico("show", run.folder).returncode == 2
    call = ["score", tmp_path / "all" / "c.jsonl", "--metrics", "length", "--out", run.folder]
    assert "holds a run of other input" in simpatico(*call).stderr
    (run.folder / "z.parquet").rmdir()
    (run.folder / WORK / "z.parquet").unlink()
    assert simpatico("purge", run.folder, "d2").returncode == 0
    assert files(run.folder) == files(other.folder)


def test_a_score_of_systems_that_the_text_does_not_give_again_is_null(tmp_path):
    """With `most`, dialogs are drawn by the hash of their ids, which the run does not hold."""
    metric = load("distinct_n", size=10, most=1)
    path, pseudonyms = write(tmp_path / "c.jsonl"), Pseudonyms(b"k" * 32)
    score_run(Conversations((path,)), [metric], tmp_path / "run", pseudonyms=pseudonyms)
    assert purge_run(tmp_path / "run", [pseudonyms.of("d2")]).without_score == ("distinct_n",)
    assert Run(tmp_path / "run").at("system")["distinct_n_null"].to_list() == ["purged"] * 3


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("strace"), reason="strace ends the process at a system call")
def test_killed_at_any_rename_it_can_be_repeated(tmp_path):
    run, other = scored(tmp_path, "all"), scored(tmp_path, "rest", ["d2", "d3"])
    start = run.folder.with_name("start")
    run.folder.rename(start)
    expected, kills = files(other.folder), 0
    call = [sys.executable, "-m", "simpatico", "purge", str(run.folder), "d2", "d3"]
    for when in range(1, 100):
        shutil.rmtree(run.folder, ignore_errors=True)
        shutil.copytree(start, run.folder)
        inject = f"inject=/^rename:signal=SIGKILL:when={when}"
        trace = ["strace", "-f", "-qq", "-o", os.devnull, "-e", "trace=/^rename", "-e", inject]
        done = subprocess.run([*trace, *call], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            break
        kills += 1
        again = subprocess.run(call, capture_output=True, text=True, check=False)
        if again.returncode:  # it had come to its end, but for its last word
            assert "no dialog and no speaker 'd2'" in again.stderr
        assert files(run.folder) == expected
    assert kills > 12


def test_the_cache_is_cleared_where_the_run_used_a_model(tmp_path, monkeypatch):
    from simpatico.metric import missing_resource
    from simpatico.models.cache import cache_files

    if problem := missing_resource(load("coherence")):
        pytest.skip(problem)
    monkeypatch.setenv("SIMPATICO_CACHE", str(tmp_path / "cache"))
    path = write(tmp_path / "c.jsonl")
    for name in ("with", "without"):
        metrics = [load("length"), *([load("coherence")] if name == "with" else [])]
        score_run(Conversations((path,)), metrics, tmp_path / name)
    assert cache_files()
    assert purge_run(tmp_path / "without", ["d1"]).cache_bytes == 0
    assert purge_run(tmp_path / "with", ["d1"], keep_cache=True).cache_bytes == 0
    assert cache_files()
    done = simpatico("purge", tmp_path / "with", "d2")
    assert "Cleared the cache of model outputs (" in done.stderr
    assert not cache_files()
    assert not list((tmp_path / "cache").glob("*.sqlite*"))
