"""A reproduction says first how long it takes, and language models only run if asked for."""

import pytest

from simpatico.registry import load
from simpatico.reproduction.plan import format_duration, make_plan
from simpatico.reproduction.psychological_metrics import traditional
from simpatico.reproduction.request import Request, Sample
from simpatico.reproduction.runnable import RunnableMetric
from tests.command_line import simpatico

FAST = RunnableMetric(load("length"), "length", published_weights=True)
SLOW = RunnableMetric(load("bart_score", model="package:smollm2"), "bart_score[smollm2]", False)


def test_seconds_by_hand():
    """Two sets: 1.5 s each, 6 s more for the fast metric, 100 replies of 1 s for the slow one."""
    assert make_plan(["A", "B"], [], Sample()).seconds == 3
    assert make_plan(["A", "B"], [FAST, SLOW], Sample()).seconds == 2 * (1.5 + 6 + 100)
    assert make_plan(["A"], [SLOW], Sample(0)).seconds == 1.5 + 1000


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(2, "about 10 seconds"), (84, "about 80 seconds"), (100, "about 2 minutes"), (9000, "about 2 hours")],
)  # fmt: skip
def test_durations_in_words(seconds, words):
    assert format_duration(seconds) == words


def test_language_models_run_only_if_asked_for(monkeypatch):
    monkeypatch.setattr(traditional, "runnable_metric", lambda name, **_: SLOW)
    default = traditional.TraditionalMetrics(Request(), lambda _: None)
    assert default.runnable == {}
    assert (
        "BARTScore: it runs a language model, about a second per reply; add --metrics bart_score"
        in default.omissions
    )
    chosen = traditional.TraditionalMetrics(Request(metrics=["bart_score"]), lambda _: None)
    assert list(chosen.runnable) == ["BARTScore"]


def test_the_plan_computes_nothing_and_the_command_begins_with_it(small):
    line = ["reproduce", "psychological-metrics", "--data", small, "--metrics", "none"]
    plan = simpatico(*line, "--plan")
    assert plan.stdout == "2 data sets: TP, ZD\nTakes about 10 seconds on two cores.\n"
    done = simpatico(*line)
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith(plan.stdout)


def test_only_what_has_a_plan_is_planned(small):
    done = simpatico("reproduce", "metrics-and-people", "--data", small, "--plan")
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        done.stderr == "simpatico: --plan: metrics-and-people has none; psychological-metrics has\n"
    )
