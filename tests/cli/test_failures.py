"""What no command foresees ends in one line and its own exit code: bugs, streams, memory, workers."""

import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

from simpatico.cli import cli
from tests.command_line import simpatico
from tests.conftest import ROOT

SAMPLES = ROOT / "simpatico" / "data" / "samples" / "conversations.jsonl"
CANARY = "my PIN is 4711"


def shell(line, **environment):
    """A command line of its own process; `simpatico` in it is the one of this tree."""
    line = line.replace("simpatico ", f"exec {sys.executable} -m simpatico ", 1)
    return subprocess.run(
        ["bash", "-c", line], env={**os.environ, **environment}, capture_output=True, text=True
    )


@pytest.fixture
def broken(monkeypatch):
    """`simpatico list` with an error inside that nobody foresees."""

    def breaks(error):
        def invoke(context):
            raise error

        monkeypatch.setattr(cli, "invoke", invoke)
        return simpatico("list")

    return breaks


def test_a_bug_is_one_line_and_exit_70_and_quotes_nobody(broken, monkeypatch):
    done = broken(KeyError(CANARY))
    assert done.returncode == 70
    start, end = done.stderr.split(", line ")
    assert start == "simpatico: internal error: KeyError in cli/__init__.py"
    assert end.partition("; ")[2] == (
        "this is a bug, please report this line to the maintainers (SIMPATICO_TRACEBACK=1 shows "
        "more)\n"
    )
    monkeypatch.setenv("SIMPATICO_TRACEBACK", "1")
    done = broken(KeyError(CANARY))
    assert done.returncode == 70
    assert done.stderr.startswith("Traceback (most recent call last):\n")


def test_a_panic_of_a_library_is_a_bug_too(broken):
    from polars.exceptions import PanicException

    done = broken(PanicException(CANARY))
    assert (done.returncode, CANARY in done.stderr) == (70, False)
    assert "internal error: PanicException in cli/" in done.stderr


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("std::bad_alloc: out of memory")])
def test_too_little_memory_is_exit_3(broken, error):
    done = broken(error)
    assert (done.returncode, done.stderr) == (
        3,
        "simpatico: not enough memory; close other programs, or use fewer --jobs, and run the same "
        "command again\n",
    )


def test_no_error_of_ours_has_the_exit_code_of_a_gate(broken):
    for error in (
        ValueError(),
        RecursionError(),
        AttributeError(),
        UnicodeEncodeError("a", "", 0, 0, ""),
    ):
        assert broken(error).returncode == 70


def test_the_help_names_every_exit_code():
    text = " ".join(simpatico("--help").stdout.split())
    assert (
        "Exit codes: 0 done; 1 a rule of `gate` failed; 2 wrong input or usage; 3 interrupted, no "
        "access or too little memory, run the same command again; 70 a bug in simpatico."
    ) in text


@pytest.mark.parametrize("gigabytes", [0.4, 0.7, 1.0, 1.5])
def test_an_address_space_in_which_libraries_abort_is_refused(gigabytes, tmp_path):
    kilobytes = int(gigabytes * 2**20)
    done = shell(f"ulimit -v {kilobytes}; simpatico score {SAMPLES} --out {tmp_path / 'run'}")
    assert (done.returncode, done.stderr) == (
        3,
        f"simpatico: the address space is limited to {gigabytes:.1f} GB (ulimit -v) and must be at "
        "least 2 GB; raise the limit and run the same command again\n",
    )


def test_closed_standard_input_is_one_line(tmp_path):
    done = shell(f"simpatico score - --out {tmp_path / 'run'} <&-")
    assert (done.returncode, done.stderr) == (
        2,
        "simpatico: <stdin>: standard input is closed; name a file\n",
    )


def test_closed_or_full_streams_do_not_keep_a_run_from_being_written(tmp_path):
    simpatico("score", SAMPLES, "--metrics", "length", "--out", tmp_path / "open")
    for number, streams in enumerate(("2>/dev/full", "<&- >&- 2>&-")):
        out = tmp_path / f"run{number}"
        done = shell(f"simpatico score {SAMPLES} --metrics length --out {out} {streams}")
        assert (done.returncode, done.stderr) == (0, ""), streams
        files = {p.name: p.read_bytes() for p in out.iterdir()}
        assert files == {p.name: p.read_bytes() for p in (tmp_path / "open").iterdir()}
    done = shell(f"simpatico show {tmp_path / 'open'} >&-")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_locale_that_knows_ascii_only_still_shows_everything(tmp_path):
    simpatico("score", SAMPLES, "--metrics", "length", "--out", tmp_path / "run")
    done = shell(
        f"simpatico compare {tmp_path / 'run'}",
        LC_ALL="C",
        PYTHONUTF8="0",
        PYTHONCOERCECLOCALE="0",
    )
    expected = simpatico("compare", tmp_path / "run").stdout
    assert (done.returncode, done.stdout) == (0, expected), done.stderr
    assert not expected.isascii()


def test_names_that_are_not_utf_8_are_refused_before_anything_is_scored(tmp_path):
    strange = os.fsencode(tmp_path) + b"/caf\xe9.jsonl"
    shutil.copy(SAMPLES, strange)
    command = [sys.executable, "-m", "simpatico", "score"]
    done = subprocess.run([*command, strange, "--out", tmp_path / "run"], capture_output=True)
    assert done.returncode == 2
    assert done.stderr.decode() == (
        f"simpatico: {os.fsdecode(strange)!r}: the name of this file is not UTF-8; rename it, or "
        "set PYTHONUTF8=1 if only the locale is not\n"
    )
    out = os.fsencode(tmp_path) + b"/r\xe9"
    done = subprocess.run([*command, SAMPLES, "--out", out], capture_output=True)
    assert done.returncode == 2
    assert done.stderr.decode() == (
        f"simpatico: Invalid value for '--out': {os.fsdecode(out)!r} is not UTF-8; choose another "
        "name.\n"
    )
    assert os.listdir(tmp_path) == [os.fsdecode(b"caf\xe9.jsonl")]


SEEDED = ["compare run", "validate run", "perturb chats.jsonl", "train trait", "train rating", "reproduce"]  # fmt: skip


@pytest.mark.parametrize("command", SEEDED)
def test_a_seed_below_0_is_refused(command):
    done = simpatico(*command.split(), "--seed", "-1")
    assert (done.returncode, done.stderr) == (
        2,
        "simpatico: Invalid value for '--seed': -1 is not in the range 0<=x<=4294967295.\n",
    )


def test_a_killed_worker_is_one_line_and_the_run_goes_on(tmp_path):
    """With one of two workers killed at once, while it loads: no part is done by then."""
    path = tmp_path / "chats.jsonl"
    path.write_bytes(SAMPLES.read_bytes())
    line = [sys.executable, "-m", "simpatico", "score", path, "--metrics", "length", "--jobs", "2"]
    line += ["--out", tmp_path / "run"]
    process = subprocess.Popen(line, stderr=subprocess.PIPE, text=True)
    deadline, workers = time.monotonic() + 60, []
    while not workers and time.monotonic() < deadline:
        found = subprocess.run(
            ["pgrep", "-P", str(process.pid), "-f", "spawn_main"], capture_output=True
        )
        workers = [int(line) for line in found.stdout.split()]
    os.kill(workers[0], signal.SIGKILL)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (
        3,
        "simpatico: one of 2 worker processes was ended from outside, often for lack of memory; run "
        "the same command again to resume, with fewer --jobs if it happens again\n",
    )
    assert subprocess.run(line, stderr=subprocess.DEVNULL).returncode == 0
