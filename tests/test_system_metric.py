"""Metrics of level "system": no value for a turn or dialog, and nothing downstream minds."""

import json
import os
import signal
import stat
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from simpatico import Conversations, load, read, score, score_run
from simpatico.comparison.difference import compare
from simpatico.comparison.gate import check_rules
from simpatico.comparison.gate.rules import Rule
from simpatico.comparison.samples import Selection
from simpatico.errors import BadValue, ContractError, DataError
from simpatico.metric import Card, Score
from simpatico.reporting.page import report
from simpatico.validation.evidence import Question, validate
from tests.reporting.pages import ratings, talks
from tests.run.test_run import prints

MIXED = ["distinct_n", "emotional_entropy", "length"]


def corpus(path: Path, dialogs: int = 60) -> Path:
    """Few distinct texts, so that encoding them is quick."""
    with path.open("w") as file:
        for d in range(dialogs):
            for t in range(6):
                who = ("human", f"bot-{'ab'[d % 2]}")[t % 2]
                feels = ("love", "tea", "fear")[(d + t) % 3]
                text = f"I {feels} number {(d * 7 + t) % 40}{' indeed' * (d % 3 == 0 and t < 4)}"
                row = {"dialog": f"d{d:03d}", "speaker": who, "system": who, "text": text}
                file.write(json.dumps(row) + "\n")
    return path


@pytest.fixture(scope="module")
def talk(tmp_path_factory):
    return corpus(tmp_path_factory.mktemp("whole") / "talk.jsonl")


def load_metrics(names):
    return [load(n, size=50) if n == "distinct_n" else load(n) for n in names]


def scored(path, out, names=MIXED, **options):
    return score_run(Conversations((path,)), load_metrics(names), out, **options)


@pytest.fixture(scope="module")
def mixed_run(talk, tmp_path_factory):
    return scored(talk, tmp_path_factory.mktemp("whole") / "mixed", chunk=100)


@pytest.fixture(scope="module")
def only(talk, tmp_path_factory):
    return scored(talk, tmp_path_factory.mktemp("whole") / "only", ["distinct_n"])


def refusal(run, score="distinct_n"):
    return (
        f"{score!r} is computed per system and has no value for a turn or dialog; "
        f"simpatico show {run.folder} prints it"
    )


@pytest.mark.parametrize("names", [MIXED, ["distinct_n"]])
def test_a_run_holds_what_the_api_gives_and_no_material(talk, tmp_path, names):
    run, table = (
        scored(talk, tmp_path / "run", names, chunk=50),
        score(read(talk), load_metrics(names)),
    )
    for level in ("turn", "dialog", "system"):
        assert_frame_equal(run.at(level), table.at(level), check_exact=True)
    assert sorted(prints(run.folder)) == [
        "dialog.parquet",
        "run.json",
        "system.parquet",
        "text.parquet",
        "turn.parquet",
    ]


def test_only_the_table_of_systems_has_its_columns(mixed_run):
    assert [c for c in mixed_run.at("turn").columns if "distinct" in c] == []
    assert [c for c in mixed_run.at("dialog").columns if "distinct" in c] == []
    row = mixed_run.at("system").row(0, named=True)
    assert row["distinct_n_low"] < row["distinct_n"] < row["distinct_n_high"]
    assert (row["distinct_n_n"], row["distinct_n_null"]) == (30, None)
    assert mixed_run.facts["units"]["system"] == {"distinct_n.scored": 3}
    assert mixed_run.facts["metrics"]["distinct_n"]["level"] == "system"


def test_why_a_system_has_none_is_told_and_counted(talk, tmp_path):
    run = score_run(Conversations((talk,)), [load("distinct_n")], tmp_path / "run")
    reasons = run.at("system")["distinct_n_null"].to_list()
    assert reasons == [f"too_few_ngrams ({n} of 1000)" for n in (290, 290, 580)]
    assert run.facts["units"]["system"] == {"distinct_n.too_few_ngrams": 3}


def test_asking_for_it_at_another_level_is_refused(mixed_run):
    for level in ("turn", "dialog"):
        with pytest.raises(BadValue) as error:
            mixed_run.at(level, ["dialog", "distinct_n"])
        assert str(error.value) == refusal(mixed_run)
    assert mixed_run.at("system", ["distinct_n"]).height == 3


def test_show_prints_it_for_systems_only(mixed_run, call):
    code, out, err = call("show", mixed_run.folder)
    assert (code, "distinct_n" in out) == (0, True)
    assert err == "distinct_n is computed per system, not as a mean over dialogs\n"
    code, out, _ = call("show", mixed_run.folder, "--level", "turn")
    assert (code, "distinct" in out) == (0, False)
    code, _, err = call("show", mixed_run.folder, "--level", "dialog", "--scores", "distinct_n")
    assert (code, err) == (2, f"simpatico: {refusal(mixed_run)}\n")


def test_show_says_why_there_is_none(talk, tmp_path, call):
    run = score_run(Conversations((talk,)), [load("distinct_n")], tmp_path / "run")
    _, out, _ = call("show", run.folder)
    assert "–  too few ngrams (290 of 1000)" in out


def test_compare_takes_the_others_and_refuses_it_by_name(mixed_run, call):
    assert {d.score for d in compare([mixed_run])} == {"emotional_entropy", "length"}
    with pytest.raises(BadValue) as error:
        compare([mixed_run], Selection(scores=("distinct_n",)))
    assert str(error.value) == refusal(mixed_run)
    assert call("compare", mixed_run.folder)[0] == 0


def test_a_run_of_nothing_else_cannot_be_compared_and_says_why(only, call):
    with pytest.raises(DataError) as error:
        compare([only])
    assert str(error.value) == (
        "distinct_n describes a system as a whole, so that there are no values of dialogs to "
        f"compare; simpatico show {only.folder} prints what there is"
    )
    assert call("compare", only.folder)[0] == 2
    assert call("show", only.folder)[0] == 0


def test_a_gate_refuses_it(mixed_run, call):
    with pytest.raises(BadValue) as error:
        check_rules(mixed_run, [Rule("distinct_n", ">=", 0.1)], ["bot-a"])
    assert str(error.value) == refusal(mixed_run)
    code, _, err = call("gate", mixed_run.folder, "--rule", "distinct_n >= 0.1")
    assert (code, err) == (2, f"simpatico: {refusal(mixed_run)}\n")
    assert call("gate", mixed_run.folder, "--rule", "length >= 0.1")[0] == 0


@pytest.fixture(scope="module")
def judged_runs(tmp_path_factory):
    """Two systems with judgements, scored with both kinds of metrics and with one."""
    rows, folder = talks(("heron", "juniper"), 24), tmp_path_factory.mktemp("judged")
    path = folder / "talk.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    runs = [scored(path, folder / "mixed"), scored(path, folder / "only", ["distinct_n"])]
    return (*runs, ratings(rows, "overall"))


def test_validate_takes_the_others_and_refuses_it_by_name(judged_runs):
    run, _, judgements = judged_runs
    evidence = validate(run, judgements)
    assert {r.score for r in evidence.correlations} == {"emotional_entropy", "length"}
    for question in (Question(scores=("distinct_n",)), Question(against="distinct_n")):
        with pytest.raises(BadValue) as error:
            validate(run, judgements, question)
        assert str(error.value) == refusal(run)


def test_reports_are_written_with_and_without_judgements(judged_runs):
    mixed_run, only, judgements = judged_runs
    for run in (mixed_run, only):
        for judgements_or_none in (None, judgements):
            page = report(run, judgements_or_none)
            assert "Distinct n-grams" in page
            assert "systems scored. Not scored: none." in page


@dataclass(frozen=True)
class Odd:
    """A metric of level "system" that may break a rule."""

    height: int = 1
    seed: int = 0

    name: ClassVar[str] = "odd"
    level: ClassVar[str] = "system"
    card: ClassVar[Card] = Card("Odd.", "Never.", "nobody", kind="other")
    needs: ClassVar[tuple] = ()
    scores: ClassVar[tuple] = (Score("odd", pl.col("odd"), (0.0, 1.0), "odd"),)

    def __call__(self, turns, features):
        return pl.DataFrame({"letters": turns.frame["text"].str.len_chars()})

    def summary(self, material, *, seed):
        rows = material.group_by("system", maintain_order=True).agg(odd=pl.lit(0.5))
        return pl.concat([rows] * self.height).with_columns(odd_n=1, odd_low=0.1, odd_high=0.9)


def test_a_metric_that_breaks_the_rules_is_named(talk):
    turns = read(talk)
    assert score(turns, [Odd()]).at("system")["odd"].to_list() == [0.5] * 3
    with pytest.raises(ContractError) as error:
        score(turns, [Odd(height=2)]).at("system")
    assert str(error.value) == "odd gave more than one row for a system"

    class Short(Odd):
        def summary(self, material, *, seed):
            return super().summary(material, seed=seed).drop("odd_low")

    with pytest.raises(ContractError) as error:
        score(turns, [Short()]).at("system")
    assert str(error.value) == "odd gave a summary without a column 'odd_low'"

    class Bare(Odd):
        summary = property()

    with pytest.raises(ContractError) as error:
        score(turns, [Bare()])
    assert str(error.value) == (
        "odd is of level 'system'; it needs a method summary and a field seed"
    )


def test_a_system_that_a_summary_leaves_out_has_null_and_a_reason(talk):
    class Partial(Odd):
        def summary(self, material, *, seed):
            rows = super().summary(material, seed=seed)
            return rows.filter(pl.col("system") != "human")

    row = score(read(talk), [Partial()]).at("system").row(2, named=True)
    assert (row["system"], row["odd"], row["odd_n"], row["odd_null"]) == (
        "human",
        None,
        0,
        "undefined",
    )


RUN = """
import sys
from simpatico import Conversations, load, score_run
made = [load("mauve", minimum=80), load("distinct_n", size=50), load("length")]
score_run(Conversations((sys.argv[1],)), made, sys.argv[2], chunk=60)
"""


@pytest.mark.slow
def test_a_run_with_mauve_that_is_killed_goes_on_and_gives_the_same_bytes(talk, tmp_path):
    if lack := load("mauve").missing:
        pytest.skip(lack)
    command = [sys.executable, "-c", RUN, str(talk)]
    subprocess.run([*command, str(tmp_path / "whole")], check=True, timeout=300)
    process = subprocess.Popen([*command, str(tmp_path / "killed")])
    parts, start = tmp_path / "killed" / "parts", time.monotonic()
    while len(list(parts.glob("*.json"))) < 2 and process.poll() is None:
        assert time.monotonic() - start < 200
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()
    files = list(parts.glob("*.material.parquet"))
    assert files
    assert {stat.S_IMODE(os.stat(file).st_mode) for file in files} == {0o600}
    subprocess.run([*command, str(tmp_path / "killed")], check=True, timeout=300)
    assert prints(tmp_path / "killed") == prints(tmp_path / "whole")
    row = pl.read_parquet(tmp_path / "whole" / "system.parquet").row(0, named=True)
    assert 0 < row["mauve[minilm]"] <= 1
    assert row["mauve[minilm]_n"] == 30
