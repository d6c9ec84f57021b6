"""No command writes over a file that is not an earlier result of its own, unless told to."""

import os
import stat
import subprocess
import sys

import pytest

from simpatico import Conversations, load, score_run
from tests.conftest import ROOT
from tests.training.test_lexicon import CORPUS, corpus

SAMPLE = ROOT / "simpatico" / "data" / "samples" / "conversations.jsonl"
COMMANDS = {
    "report": ("report", "RUN", "--out", "FILE.html"),
    "figure": ("figure", "dots", "--run", "RUN", "--out", "FILE.svg"),
    "perturb": ("perturb", "LOG", "--kind", "generic", "--out", "FILE.jsonl"),
    "export": ("export", "RUN", "--to", "otlp", "--out", "FILE.jsonl"),
    "gate": ("gate", "RUN", "--rule", "length >= 0", "--junit", "FILE.xml"),
    "train lexicon": ("train", "lexicon", "--data", "TEXTS", "--minimum", "1", "--out", "FILE.csv"),
}
LOG = [
    '{"dialog": "a", "speaker": "user", "text": "I love tea"}',
    '{"dialog": "a", "speaker": "bot", "text": "I love it, too"}',
]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A run, a log and labelled texts, none of which may change."""
    folder = tmp_path_factory.mktemp("place")
    score_run(Conversations((str(SAMPLE),)), [load("length")], folder / "run")
    (folder / "log.jsonl").write_text("".join(f"{line}\n" for line in LOG))
    (folder / "texts").mkdir()
    corpus(folder / "texts", CORPUS)
    return folder


def arguments(command, place, file):
    names = {"RUN": place / "run", "LOG": place / "log.jsonl", "TEXTS": place / "texts"}
    file = file if file.suffix else f"{file}{os.path.splitext(COMMANDS[command][-1])[1]}"
    return [file if a.startswith("FILE") else names.get(a, a) for a in COMMANDS[command]], file


def refusal(command, file, why):
    option = "--junit" if command == "gate" else "--out"
    return f"simpatico: {option} {file} {why}\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_only_files_of_the_same_command_are_replaced(command, place, call, tmp_path):
    line, file = arguments(command, place, tmp_path / "x")
    file = tmp_path / os.path.basename(file)
    assert call(*line)[0] == 0
    first = file.read_bytes()
    (tmp_path / f".{file.name}.{dead_process()}.tmp").write_bytes(b"half")  # of a killed call
    (tmp_path / f".{file.name}.{os.getppid()}.tmp").write_bytes(b"another's")
    file.chmod(0o666)
    assert call(*line)[0] == 0
    assert file.read_bytes() == first
    public = command in ("figure", "gate", "train lexicon")
    assert stat.S_IMODE(file.stat().st_mode) == (0o644 if public else 0o600)
    for content in (
        b"my notes\n",
        b"<!doctype html><html>",
        b'{"dialog": "a"}\n',
        b"term,category\n",
    ):
        file.write_bytes(content)
        code, _, err = call(*line)
        why = f"was not written by `simpatico {command}`; name another file, or overwrite it with "
        assert (code, err) == (2, refusal(command, file, f"{why}--force"))
        assert file.read_bytes() == content
    assert call(*line, "--force")[0] == 0
    assert file.read_bytes() == first
    file.write_bytes(b"")  # as mktemp makes them
    assert call(*line)[0] == 0
    assert {p.name for p in tmp_path.iterdir()} == {file.name, f".{file.name}.{os.getppid()}.tmp"}


@pytest.mark.parametrize("command", COMMANDS)
def test_no_file_of_a_run_or_model_is_written_even_by_force(command, place, call, tmp_path):
    run, model = place / "run", tmp_path / "model"
    model.mkdir()
    (model / "manifest.json").write_text("{}")
    before = {path: path.read_bytes() for path in run.iterdir()}
    for folder, name, what in (
        *((run, name, "run") for name in ("turn.parquet", "new.parquet", "run.json")),
        (run, "rejects.jsonl", "run"),
        (model, "x.svg", "model"),
    ):
        file = folder / name
        code, _, err = call(*arguments(command, place, file)[0], "--force")
        why = f"would change the {what} in {folder}; name another file"
        assert (code, err) == (2, refusal(command, file, why))
    assert {path: path.read_bytes() for path in run.iterdir()} == before
    assert [path.name for path in model.iterdir()] == ["manifest.json"]


@pytest.mark.parametrize("command", COMMANDS)
def test_what_cannot_be_a_file_is_exit_2(command, place, call, tmp_path):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for name, why in (
        ("loop", "is a link that leads nowhere; name a file"),
        ("", "is a folder; name a file"),
        ("no/x", f": there is no folder {tmp_path / 'no'}; create it first"),
    ):
        file = tmp_path / name
        line = [
            file if str(a).startswith(str(tmp_path)) else a
            for a in arguments(command, place, file)[0]
        ]
        code, _, err = call(*line)
        assert (code, err) == (2, refusal(command, file, why).replace(" : ", ": "))


def test_the_page_of_somebody_else_in_a_demo_stays(call, tmp_path):
    out = tmp_path / "run"
    out.mkdir()
    (out / "report.html").write_text("mine")
    code, _, err = call("demo", "--out", out)
    assert (code, (out / "report.html").read_text()) == (2, "mine")
    assert err == (
        f"simpatico: --out {out}/report.html was not written by `simpatico demo`; name another "
        "file, or overwrite it with --force\n"
    )


def test_a_log_of_other_origin_gets_no_chat(call, place, tmp_path, monkeypatch):
    """Its last line has no end, which a chat would take for one that a kill cut off."""
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join(LOG))
    code, _, err = call("chat", "--bot", "script:echo", "--out", log)
    assert (code, err) == (
        2,
        f"simpatico: {log} does not hold answers of a bot; name another file\n",
    )
    assert log.read_text() == "\n".join(LOG)


def test_junit_on_a_full_disk_leaves_no_file(place, tmp_path):
    file = tmp_path / "g.xml"
    code = (
        "import resource, signal, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10)); "
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); from simpatico.cli import main; main()"
    )
    line = [sys.executable, "-c", code, *arguments("gate", place, file)[0]]
    done = subprocess.run([str(a) for a in line], capture_output=True, text=True)
    assert done.returncode == 3
    assert done.stderr.splitlines()[-1].startswith(
        f"simpatico: {file} could not be written: File too large after 10 of "
    )
    assert list(tmp_path.iterdir()) == []


def dead_process():
    done = subprocess.Popen(["true"])
    done.wait()
    return done.pid
