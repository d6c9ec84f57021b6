"""`score --add`: a run that inputs are added to equals one run over all of them, byte for byte."""

import hashlib
import json
import random
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simpatico import Conversations, Run, load, score_run
from simpatico.errors import SimpaticoError
from simpatico.privacy.pseudonyms import Pseudonyms
from simpatico.run import row_groups
from simpatico.run.addition import add_to_run
from simpatico.run.purge import purge_run
from tests.conftest import ROOT

METRICS = [load("length"), load("distinct_n")]
CHUNK = 20
KEPT = {"added", "added.json"}
"""All that a run that was added to has more than one run over everything."""


def write_log(path, ids, turns=4, **more):
    rng = random.Random(f"{path.name} {turns}")
    words = ["I", "you", "love", "fear", "the", "dog", "not", "happy"]
    rows = [
        {"dialog": i, "speaker": s, "system": s, "text": " ".join(rng.choices(words, k=5)), **more}
        for i in ids
        for s in ("human", "ash") * (turns // 2)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def contents(folder):
    files = (p for p in folder.iterdir() if p.name not in KEPT)
    return {p.name: hashlib.md5(p.read_bytes()).hexdigest() for p in files}


def add(paths, out, metrics=METRICS, **options):
    how = {k: options.pop(k) for k in ("keep_text", "pseudonyms", "jobs") if k in options}
    conversations = Conversations(tuple(map(str, paths)), **options)
    scored = []
    add_to_run(conversations, metrics, out, chunk=CHUNK, progress=scored.append, **how)
    return sum(scored)


def assert_equal(run, paths, place, **options):
    how = {k: options.pop(k) for k in ("keep_text", "pseudonyms") if k in options}
    conversations = Conversations(tuple(map(str, paths)), **options)
    one = score_run(conversations, METRICS, place, chunk=CHUNK, **how)
    assert contents(run) == contents(one.folder)


def sentence(call, *arguments, **options):
    with pytest.raises(SimpaticoError) as error:
        call(*arguments, **options)
    return str(error.value)


def test_24_hourly_files_one_by_one_are_one_run(tmp_path):
    """Each alone; and the folder, whose earlier files are not scored again (40 turns an hour)."""
    logs = tmp_path / "logs"
    logs.mkdir()
    for hour in range(24):
        path = write_log(logs / f"{hour:02}.jsonl", [f"{hour}-{i}" for i in range(10)], mood="calm")
        assert add([path], tmp_path / "alone") == 40
        assert add([logs], tmp_path / "folder") == 40
    assert_equal(tmp_path / "alone", [logs], tmp_path / "one")
    assert_equal(tmp_path / "folder", [logs], tmp_path / "one")
    assert add([logs], tmp_path / "folder") == 0
    assert {p.name for p in (tmp_path / "folder").iterdir()} - set(
        contents(tmp_path / "one")
    ) == KEPT


def test_row_groups_that_stay_are_copied_and_the_rest_is_joined_anew(tmp_path, monkeypatch):
    """Of 16 rows: the full ones of earlier inputs, unless a column came or the table is damaged.

    An input has 36 turns and 18 rows of dialogs; a group that is new is copied by itself.
    """
    monkeypatch.setattr(row_groups, "ROWS_PER_GROUP", 16)
    copied, real = [], row_groups.TableFile.copy_groups
    monkeypatch.setattr(
        row_groups.TableFile, "copy_groups", lambda s, f, n: (copied.append(n), real(s, f, n))[1]
    )
    paths, columns = [], [{}, {}, {}, {"mood": "calm"}, {"mood": "calm"}]
    for n, more in enumerate(columns):
        ids = [f"{n}-{i}" for i in range(9)]
        paths.append(write_log(tmp_path / f"{n}.jsonl", ids, **more))
        if n == 4:
            table = tmp_path / "run" / "turn.parquet"
            table.write_bytes(table.read_bytes()[:-1] + b"?")
        copied.clear()
        add([paths[-1]], tmp_path / "run")
        assert_equal(tmp_path / "run", paths, tmp_path / f"one{n}")
        reused = {
            1: [2, 2],
            2: [4, 2, 4],
            4: [4, 9],
        }  # of 1: a group of dialogs, which counts as new
        assert sorted(c for c in copied if c > 1) == sorted(reused.get(n, []))


def test_parts_that_are_kept_are_packed_and_scored_again_once_damaged(tmp_path):
    a, b = (write_log(tmp_path / f"{n}.jsonl", [f"{n}{i}" for i in range(9)]) for n in "ab")
    add([a], tmp_path / "run")
    parts = sorted((tmp_path / "run" / "added").glob("*/parts/*.arrow"))
    assert [p.name[7:] for p in parts[:3]] == ["dialog.arrow", "text.arrow", "turn.arrow"]
    zstandard = bytes.fromhex("28b52ffd")
    assert all(zstandard in part.read_bytes() for part in parts)
    parts[0].write_bytes(parts[0].read_bytes()[:-1] + b"?")
    assert add([b], tmp_path / "run") == 72
    assert_equal(tmp_path / "run", [a, b], tmp_path / "one")
    ids = next((tmp_path / "run" / "added").glob("*.ids"))
    ids.write_bytes(ids.read_bytes()[:-1] + b"?")
    c = write_log(tmp_path / "c.jsonl", ["a0"])
    add([c], tmp_path / "run")
    assert_equal(tmp_path / "run", [a, b, c], tmp_path / "two")


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True, min_size=1), min_size=1, max_size=4)
)
def test_any_files_added_one_by_one_are_one_run(logs):
    """Ids that clash only since the last file are renamed in the earlier ones too."""
    with TemporaryDirectory() as name:
        place = Path(name)
        paths = [write_log(place / f"f{n}.jsonl", ids) for n, ids in enumerate(logs)]
        for path in paths:
            add([path], place / "run")
        assert_equal(place / "run", paths, place / "one")


def test_a_dialog_that_grew_replaces_the_old_one_and_a_new_file_may_come_first(tmp_path):
    b = write_log(tmp_path / "b.jsonl", ["x", "y"])
    c = write_log(tmp_path / "c.jsonl", ["z"])
    add([b, c], tmp_path / "run")
    write_log(b, ["x", "y", "w"], turns=6)
    assert add([b], tmp_path / "run") == 18
    assert_equal(tmp_path / "run", [b, c], tmp_path / "one")
    a = write_log(tmp_path / "a.jsonl", ["v"])
    assert add([tmp_path / "*.jsonl"], tmp_path / "run") == 4
    assert_equal(tmp_path / "run", [a, b, c], tmp_path / "two")


def test_a_file_that_moved_is_the_same_input(tmp_path):
    a = write_log(tmp_path / "a.jsonl", ["x"])
    add([a], tmp_path / "run")
    (tmp_path / "old").mkdir()
    a.rename(tmp_path / "old" / "a.jsonl")
    b = write_log(tmp_path / "b.jsonl", ["y"])
    assert add([tmp_path / "old" / "a.jsonl", b], tmp_path / "run") == 4
    assert Run(tmp_path / "run").at("dialog")["dialog"].unique().sort().to_list() == ["x", "y"]


def test_pseudonyms_redaction_rejects_and_processes(tmp_path):
    a, b = (write_log(tmp_path / f"{n}.jsonl", ["x", n]) for n in "ab")
    b.write_text(b.read_text() + "no JSON\n")
    options = {"pseudonyms": Pseudonyms(b"k" * 32), "redact": True, "on_error": "skip"}
    add([a], tmp_path / "run", **options)
    add([a, b], tmp_path / "run", **options, jobs=2)
    assert_equal(tmp_path / "run", [a, b], tmp_path / "one", **options)
    assert "rejects.jsonl" in contents(tmp_path / "run")
    assert not [
        p
        for p in (tmp_path / "run").rglob("*")
        if p.is_file() and b"human" in p.read_bytes() and b'"x"' in p.read_bytes()
    ]
    write_log(b, ["x", "b"])
    add([b], tmp_path / "run", **options)
    assert_equal(tmp_path / "run", [a, b], tmp_path / "two", **options)


def test_what_cannot_be_added_is_one_sentence(tmp_path):
    a, b = write_log(tmp_path / "a.jsonl", ["x"]), write_log(tmp_path / "b.jsonl", ["x"])
    run, plain = tmp_path / "run", tmp_path / "plain"
    add([a], run)
    assert sentence(add, [b], run, METRICS[:1]) == (
        f"{run} was scored with other metrics (distinct_n); --add needs those of the run, "
        "or another folder"
    )
    assert sentence(add, [b], run, merge=False) == (
        f"{run} was scored with other options (merge); --add needs those of the run, "
        "or another folder"
    )
    assert sentence(add, [b], run, keep_text=False) == (
        "--add with --no-text: distinct_n describes a system by what it said, which would have to "
        "be kept; leave one of the three out"
    )
    score_run(Conversations((str(a),)), METRICS, plain, chunk=CHUNK)
    assert sentence(add, [b], plain) == (
        f"{plain} was scored without --add, so that its parts were not kept; name all of its "
        "inputs with --add once, as they were (a.jsonl is not among them)"
    )
    assert add([a, b], plain) == 8
    before = contents(run)
    a.unlink()
    assert sentence(add, [b], run) == (
        f"{a}: this input of the run has to be scored again, as dialog ids clash, the order of the "
        "metrics changed or its parts are damaged, but it is gone or changed; score all inputs "
        "into a new folder"
    )
    assert contents(run) == before
    add([write_log(tmp_path / "c.jsonl", ["z"])], run)
    purge_run(run, ["z"])
    assert not any((run / name).exists() for name in KEPT)
    assert sentence(add, [b], run) == (
        f"dialogs were purged from {run}, and adding would bring them back; score into a new folder"
    )


def test_a_wrong_record_leaves_nothing_or_the_run_as_it_was(tmp_path):
    a, bad = write_log(tmp_path / "a.jsonl", ["x"]), write_log(tmp_path / "bad.jsonl", ["y"])
    bad.write_text(bad.read_text() + "no JSON\n")
    assert sentence(add, [a, bad], tmp_path / "run").startswith(f"{bad}:5: ")
    assert not (tmp_path / "run").exists()
    add([a], tmp_path / "run")
    before = contents(tmp_path / "run")
    assert sentence(add, [bad], tmp_path / "run").startswith(f"{bad}:5: ")
    assert contents(tmp_path / "run") == before


@pytest.mark.slow
def test_killed_at_any_point_the_same_command_goes_on_to_the_same_bytes(tmp_path):
    """Until its tables move the old run is readable; afterwards the command completes it."""
    command = [sys.executable, "-m", "tests.run.addition_faults", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["problems"] == []
    assert facts["points"] > 60
    assert 0 < facts["moving"] < 20
