"""Sessions: where a thread is cut, and what keeps its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import simpatico
from tests.readers.files import everything, write_file

MINUTE = 60
TIMES = [0, 2, 2 + 31, 2 + 31 + 30, 200]
"""Minutes: 31 of them pass before the third message, 30 before the fourth, 137 before the last."""


def thread(**more: object) -> list[dict[str, object]]:
    """A thread with messages at these times."""
    return [
        {"dialog": "d", "speaker": "ann" if n % 2 == 0 else "bot", "text": f"t{n}", "id": f"m{n}"}
        | {"time": 1_700_000_000 + MINUTE * time, **more}
        for n, time in enumerate(TIMES)
    ]


@pytest.mark.parametrize("suffix", ["jsonl", "json"])
def test_a_thread_is_cut_where_it_was_idle_for_longer(tmp_path: Path, suffix: str) -> None:
    path = write_file(tmp_path / f"a.{suffix}", thread())
    turns, _, _ = everything(path, idle_minutes=30)
    assert [(t.dialog, t.turn, t.text) for t in turns] == [
        *[("d", 0, "t0"), ("d", 1, "t1")],
        *[("d#2", 0, "t2"), ("d#2", 1, "t3")],
        ("d#3", 0, "t4"),
    ]
    assert len({t.dialog for t in everything(path)[0]}) == 1


def test_a_resumed_thread_keeps_its_first_session(tmp_path: Path) -> None:
    before = everything(write_file(tmp_path / "a.jsonl", thread()[:2]), idle_minutes=30)[0]
    after = everything(write_file(tmp_path / "b.jsonl", thread()), idle_minutes=30)[0]
    assert [t for t in after if t.dialog == "d"] == before


def test_replies_to_another_session_and_messages_without_a_time(tmp_path: Path) -> None:
    rows = thread()
    rows[2]["reply_to"], rows[3]["time"] = "m0", None
    turns, _, _ = everything(write_file(tmp_path / "a.jsonl", rows), idle_minutes=30)
    assert [(t.dialog, t.answers) for t in turns] == [
        *[("d", None), ("d", 0)],
        *[("d#2", None), ("d#2", 0)],
        ("d#3", None),
    ]


def test_files_of_one_thread_stay_apart(tmp_path: Path) -> None:
    paths = [write_file(tmp_path / name, thread()) for name in ("a.jsonl", "b.jsonl")]
    turns, _, _ = everything(*paths, idle_minutes=30)
    assert {t.dialog for t in turns} == {f"{f}/d{n}" for f in "ab" for n in ("", "#2", "#3")}


def test_it_is_part_of_what_a_run_depends_on(tmp_path: Path) -> None:
    path, run = write_file(tmp_path / "a.jsonl", thread()), tmp_path / "run"
    score = ("score", path, "--metrics", "length", "--out", run)
    assert simpatico(*score, "--idle-minutes", "30").returncode == 0
    assert '"idle_minutes": 30.0' in (run / "run.json").read_text()
    other = simpatico(*score, "--idle-minutes", "60")
    assert other.returncode == 2
    assert "holds a run of other input, metrics, options or version" in other.stderr
