"""A run that dies at any of its fault points resumes to the same bytes; files are on disk in order.

Checks 1 to 5 of a run's reliability: kills, every commit point, durability, full disks, signals.
"""

import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import time

import pytest

from tests.conftest import ROOT
from tests.run.test_run import corpus, ends_well, prints, scored, start

NAMES = {
    *("write", "written", "synced", "renamed", "folder-synced"),
    *("locked", "begun", "announced", "part-scored", "columns-added", "joined", "done"),
    "parts-gone",
}


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """Two parts of 20 turns, with a column of their own."""
    path = tmp_path_factory.mktemp("log") / "log.jsonl"
    rows = [json.loads(line) for line in corpus(path, 4).read_text().splitlines()]
    path.write_text("".join(json.dumps({**row, "mood": "calm"}) + "\n" for row in rows))
    return path


def crash_everywhere(log, place, extent):
    command = [sys.executable, "-m", "tests.run.faults", str(log), str(place), extent]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["problems"] == []
    assert facts["parts"] == 2
    assert {*facts["passed"]} == {*NAMES, "any"}
    return facts


def test_killed_at_every_named_point_a_run_resumes_to_the_same_bytes(log, tmp_path):
    """The first, third (within a part) and last time: nothing that was scored is scored again."""
    facts = crash_everywhere(log, tmp_path, "quick")
    assert facts["crashes"] == sum(
        len({1, min(3, facts["passed"][n]), facts["passed"][n]}) for n in NAMES
    )


@pytest.mark.slow
def test_at_every_point_and_its_resumed_run_five_times_in_a_row(log, tmp_path):
    """Each point of the whole run, left at once and killed; of every fourth the resumes, too."""
    facts = crash_everywhere(log, tmp_path, "full")
    assert facts["crashes"] > 2 * 1.5 * facts["passed"]["any"]


CALL = re.compile(r"^\d+ +(\w+)\((.*)\) += (-?\d+)")


def whole_lines(trace):
    """The calls in the order in which they ended; strace cuts those that others come between."""
    begun = {}
    for line in trace.read_text().splitlines():
        process, _, call = line.partition(" ")
        if call.endswith("<unfinished ...>"):
            begun[process] = line.removesuffix(" <unfinished ...>")
        elif match := re.match(r" *<\.\.\. \w+ resumed>", call):
            yield begun.pop(process) + call[match.end() :]
        else:
            yield line


def published(trace, root):
    """Each file that got its name by a rename, and what was missing before or after it."""
    handles, written, synced, waiting, problems, names = {}, set(), set(), {}, [], []
    for line in whole_lines(trace):
        if not (match := CALL.match(line)) or int(match[3]) < 0:
            continue
        name, inside, value = match[1], match[2], int(match[3])
        texts = re.findall(r'"([^"]*)"', inside)
        if name == "openat":
            handles[value] = os.path.normpath(os.path.join(root, texts[0]))
        elif name in ("write", "pwrite64"):
            written.add(path := handles.get(int(inside.split(",")[0])))
            synced.discard(path)
        elif name in ("fsync", "fdatasync"):
            path = handles.get(int(inside))
            synced.add(path)
            for target in [t for t in waiting if os.path.dirname(t) == path]:
                del waiting[target]
        elif name == "mkdir":
            waiting[os.path.normpath(os.path.join(root, texts[0]))] = line
        elif name.startswith("rename"):
            old, new = (os.path.normpath(os.path.join(root, text)) for text in texts)
            if old not in synced or old not in written:
                problems.append(f"renamed before it was on disk: {line}")
            waiting[new] = line
            names.append(os.path.basename(new))
    problems += [f"its folder was not flushed: {line}" for line in waiting.values()]
    return names, problems


@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")
def test_every_file_is_written_flushed_renamed_and_its_folder_flushed(log, tmp_path):
    trace = tmp_path / "trace"
    out = tmp_path / "new" / "run"  # both folders are made
    calls = "openat,write,pwrite64,fsync,fdatasync,rename,renameat,renameat2,mkdir"
    command = [sys.executable, "-m", "simpatico", "score", str(log), "--out", str(out)]
    command += ["--metrics", "length,distinct_n"]
    done = subprocess.run(
        ["strace", "-f", "-qq", "-e", f"trace={calls}", "-o", trace, *command],
        cwd=tmp_path,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    names, problems = published(trace, tmp_path)
    assert {"turn.parquet", "dialog.parquet", "system.parquet", "text.parquet"} < {*names}
    assert names.count("run.json") == 2, "running, then done"
    assert names[-1] == "run.json"
    assert problems == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small disk")
def test_a_full_disk_is_told_in_bytes_and_the_run_goes_on_once_there_is_room(tmp_path):
    path = corpus(tmp_path / "talk.jsonl", 2_000)
    disk, whole = tmp_path / "disk", tmp_path / "whole"
    disk.mkdir()
    scored(path, whole)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", disk])
    if mounted.returncode:
        pytest.skip("no small disk can be mounted here")
    try:
        process = start(path, disk / "run")
        _, errors = process.communicate(timeout=100)
        (line,) = errors.splitlines()
        match = re.fullmatch(
            r"simpatico: (.*) could not be written: No space left on device after ([0-9,]+)"
            r"( of [0-9,]+)? bytes \(([0-9,]+) are free\); make room and run the same command again",
            line,
        )
        assert match, line
        assert match[1].startswith(str(disk / "run"))
        assert process.returncode == 3
        assert not [p.name for p in disk.rglob("*.tmp")]
        subprocess.run(["mount", "-o", "remount,size=50m", disk], check=True)
        ends_well(start(path, disk / "run"))
        assert prints(disk / "run") == prints(whole)
    finally:
        subprocess.run(["umount", disk], check=True)


def test_all_of_a_run_is_for_its_owner_alone(log, tmp_path):
    """Under the most open umask, before its parts are gone and after."""
    out = tmp_path / "new" / "run"
    line = [sys.executable, "-m", "simpatico", "score", log, "--metrics", "length", "--out", out]
    for plan, code in (("done:1", 70), ("never:1", 0)):
        environment = os.environ | {"SIMPATICO_FAULT": plan}
        done = subprocess.run(line, umask=0, env=environment, capture_output=True, cwd=ROOT)
        assert done.returncode == code, done.stderr
        paths = [out.parent, *out.parent.rglob("*")]
        assert (out / "parts").is_dir() == (code == 70)
        modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in paths if p.name != ".holder.tmp"}
        assert modes == {p.name: 0o700 if p.is_dir() else 0o600 for p in paths if p.name in modes}


def interrupt(process, out, number):
    """Send the signal once parts are being written."""
    deadline = time.monotonic() + 60
    while not any(out.glob("parts/*.json")) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(number)


CASES = [
    ("SIGTERM", "2"),
    ("SIGINT SIGINT", "1"),
    *(
        pytest.param(*case, marks=pytest.mark.slow)
        for case in [("SIGINT", "1"), ("SIGINT", "2"), ("SIGTERM", "1"), ("SIGINT SIGINT", "2")]
    ),
]


@pytest.mark.parametrize(("signals", "jobs"), CASES)
def test_a_signal_stops_the_run_which_resumes_to_the_same_bytes(signals, jobs, tmp_path):
    """A second Ctrl-C while the first is dealt with changes nothing."""
    path, out = corpus(tmp_path / "talk.jsonl", 6_000), tmp_path / "run"
    process = start(path, out, "--jobs", jobs)
    for name in signals.split():
        interrupt(process, out, getattr(signal, name))
    _, errors = process.communicate(timeout=20)
    sentence = "simpatico: Interrupted. Run the same command again to resume.\n"
    assert (process.returncode, errors.lstrip()) == (3, sentence)
    assert any(out.glob("parts/*.json"))
    ends_well(start(path, out))
    scored(path, tmp_path / "whole")
    assert prints(out) == prints(tmp_path / "whole")
