"""How far slow work is: lines with rate and time left where there is no terminal, a bar where there is."""

import io

import pytest

from simpatico.cli import progress
from simpatico.progress import Step, listen, track


@pytest.fixture
def clock(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    return now


def test_steps_reach_whoever_listens():
    steps = []
    with listen(steps.append), track("embeddings", 3) as tick:
        tick(1)
        tick(2)
    assert steps == [Step("embeddings", 1, 3), Step("embeddings", 3, 3)]
    with track("embeddings", 1) as tick:
        tick(1)
    assert len(steps) == 2


def test_a_line_has_rate_and_time_left_every_ten_seconds(clock, capsys):
    """At 20 s, 40 of 100 done since 0 s are 2 a second, so that 60 more take 30 s."""
    with progress.ProgressDisplay(), track("embeddings", 100) as tick:
        tick(1)
        clock[0] = 20.0
        tick(39)
        clock[0] = 25.0
        tick(10)
    assert capsys.readouterr().err == ("embeddings: 40 of 100, 2 a second, about 30 seconds left\n")


def test_slow_work_is_shown_in_seconds_each(clock, capsys):
    """At 40 s, 10 of 20 done are 4 seconds each, so that 10 more take 40 s."""
    with progress.ProgressDisplay(), track("follow-ups", 20) as tick:
        tick(1)
        clock[0] = 40.0
        tick(9)
    assert capsys.readouterr().err == (
        "follow-ups: 10 of 20, 4 seconds each, about 40 seconds left\n"
    )


def test_on_a_terminal_there_is_a_bar(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stderr", screen := Terminal())
    with progress.ProgressDisplay() as display:
        for _ in range(2):
            with track("embeddings", 50) as tick:
                tick(1)
                tick(49)
        display.add(7)
        display.bar.refresh()
        assert display.bar.tasks[display.tasks["embeddings"]].completed == 50
    text = screen.getvalue()
    assert "embeddings" in text
    assert "50/50" in text
    assert "turns scored" in text


def test_work_that_goes_on_is_timed_from_where_it_goes_on(clock, capsys):
    """50 of 100 were done before; 10 more in 20 s are 2 seconds each, so that 40 take 80 s.

    Nothing of it is done at 30 s, and so no rate is printed.
    """
    with progress.ProgressDisplay(), track("fine-tuning", 100) as tick:
        clock[0] = 30.0
        tick(50)
        clock[0] = 50.0
        tick(10)
    assert capsys.readouterr().err == (
        "fine-tuning: 60 of 100, 2 seconds each, about 80 seconds left\n"
    )


def test_work_that_has_yet_to_begin_is_not_timed(clock, capsys):
    with progress.ProgressDisplay(), track("fine-tuning", 100) as tick:
        clock[0] = 30.0
        tick(0)
    assert capsys.readouterr().err == ""
