"""`simpatico verify`: what was changed is named, and what cannot be told is said."""

import json

import polars as pl
import pytest

from simpatico.run import Run
from simpatico.run.verification import verify_run
from tests.command_line import simpatico
from tests.run.damage import as_of_an_older_version, rewrite, store, stored


def verdicts(folder):
    return {check.what: (check.verdict, check.why) for check in verify_run(Run(folder))}


def test_a_run_as_it_was_written_has_nothing_wrong(run):
    found = verdicts(run)
    assert {verdict for verdict, _ in found.values()} == {"ok"}
    assert found["scores of length"] == ("ok", "computed again on 48 turns")
    assert list(found)[:5] == [
        *(f"{table}.parquet" for table in ("dialog", "system", "text", "turn")),
        "means of systems",
    ]


@pytest.mark.parametrize(
    ("table", "what"), [("turn", "scores of length"), ("dialog", "means of systems")]
)
def test_a_score_that_its_metric_does_not_give_is_named(run, table, what):
    """Every turn has nine words, and so has every mean."""
    first = pl.int_range(pl.len()) == 0
    length = pl.when(first).then(9.5).otherwise("length")
    rewrite(run, table, lambda t: t.with_columns(length=length))
    turn = "length of dialog 'd0', turn 0, speaker 'human', system 'human' is 9.5"
    mean = f"length of system 'human' is 9.0 in the run and {9 + 0.5 / 12} computed"
    why = f"{turn} in the run and 9.0 computed" if table == "turn" else mean
    assert verdicts(run)[what] == ("wrong", why)


def test_a_mean_that_is_not_that_of_the_dialogs_is_named(run):
    rewrite(run, "system", lambda t: t.with_columns(length=pl.lit(99.0)))
    assert verdicts(run)["means of systems"] == (
        "wrong",
        "length of system 'ash' is 99.0 in the run and 9.0 computed",
    )


def test_another_text_is_named(run):
    rewrite(run, "text", lambda t: t.with_columns(text=pl.lit("happy")))
    found = verdicts(run)
    assert found["scores of length"] == (
        "wrong",
        "length of dialog 'd0', turn 0, speaker 'human', system 'human' is 9.0 in the run and 1.0 computed",
    )


def test_after_damage_nothing_is_computed_again(run):
    (run / "turn.parquet").unlink()
    done = simpatico("verify", run)
    assert done.returncode == 2
    assert f"wrong    turn.parquet: {run / 'turn.parquet'} is missing\n" in done.stdout
    assert "scores of" not in done.stdout
    assert done.stderr == (
        f"{run} is damaged; run the command that made it again, which restores it.\n"
    )


def test_what_cannot_be_told_is_not_wrong(run):
    (run / "text.parquet").unlink()
    as_of_an_older_version(run)
    done = simpatico("verify", run)
    assert done.returncode == 0
    assert done.stdout == (
        "unknown  hashes: run by an older version, not verifiable\n"
        "ok       means of systems\n"
        "unknown  scores: the run has no text to compute them from again\n"
    )


def test_a_metric_that_is_not_here_any_more_is_not_wrong(run):
    facts = stored(run)
    facts["metrics"]["length"]["signature"] += "|version:0.0.1"
    store(run, facts)
    assert verdicts(run)["scores of length"][0] == "unknown"


def test_the_verdicts_as_json(run):
    done = simpatico("verify", run, "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["ok"], told["run"]) == (0, True, str(run))
    assert {"what": "means of systems", "verdict": "ok", "why": ""} in told["checks"]
    (run / "dialog.parquet").write_bytes(b"")
    done = simpatico("verify", run, "--json")
    assert (done.returncode, json.loads(done.stdout)["ok"]) == (2, False)
