"""Every command that may take over two seconds says so on a terminal while it works."""

import pytest

from simpatico.cli.progress import ProgressDisplay
from tests.command_line import Terminal
from tests.command_line import simpatico as call
from tests.conftest import ROOT

SAMPLES = ROOT / "simpatico" / "data" / "samples"
COMMANDS = {
    "score": (
        ["score", SAMPLES / "conversations.jsonl", "--out", "new", "--metrics", "length"],
        "turns scored",
    ),
    "compare": (["compare", "run"], "comparison"),
    "report": (["report", "run", "--out", "page.html"], "report"),
    "figure": (["figure", "dots", "--run", "run", "--out", "dots.svg"], "figure"),
    "explain": (["explain", "run", "dog-died/harbor"], "metrics explained"),
    "validate": (
        ["validate", "run", "--judgements", SAMPLES / "judgements_made_up.csv"],
        "validation",
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    base = tmp_path_factory.mktemp("progress")
    done = call(
        "score",
        SAMPLES / "conversations.jsonl",
        "--out",
        base / "run",
        "--metrics",
        "length,question_rate",
    )
    assert done.returncode == 0, done.stderr
    return base


@pytest.mark.parametrize("name", COMMANDS)
def test_a_terminal_shows_what_is_going_on(name, folder, monkeypatch):
    arguments, what = COMMANDS[name]
    shown = []
    begin = ProgressDisplay.__enter__
    monkeypatch.setattr(
        ProgressDisplay, "__enter__", lambda self: shown.append(self.what) or begin(self)
    )
    done = call(*arguments, cwd=folder, stream=Terminal)
    assert done.returncode == 0, done.stderr
    assert shown == [what]
    assert what in done.stderr
