"""A whole run against judgements, through the API and the command line."""

import json
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import simpatico
from simpatico import Conversations, Run, load, read_judgements, score_run, validate
from simpatico.errors import DataError, UnknownName
from simpatico.judgements import Judgement, Judgements
from simpatico.validate.correlations import How
from simpatico.validate.evidence import Question

SAMPLES = Path(simpatico.__file__).parent / "samples"


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Run:
    metrics = [load("style_matching"), load("emotional_entropy")]
    inputs = Conversations((SAMPLES / "conversations.jsonl",))
    return score_run(inputs, metrics, tmp_path_factory.mktemp("validate") / "run")


@pytest.fixture(scope="module")
def judgements() -> Judgements:
    return read_judgements(SAMPLES / "judgements_made_up.csv")


def test_a_dialog_correlation_is_that_of_the_joined_table(run, judgements):
    """Joined here by hand: median over judges per dialog and speaker, then Pearson."""
    evidence = validate(run, judgements)
    gold = (
        judgements.frame.filter(pl.col("quality") == "overall")
        .group_by("dialog", "speaker")
        .agg(pl.col("value").median())
    )
    joined = run.at("dialog").join(gold, on=["dialog", "speaker"])
    assert joined.height == 66
    (row,) = [
        r for r in evidence.correlations if (r.quality, r.score) == ("overall", "style_matching")
    ]
    expected = joined.select(pl.corr("style_matching", "value")).item()
    assert row.value == pytest.approx(expected, abs=1e-12)
    assert (row.n, row.nulls, row.unmatched) == (66, 0, 0)
    assert row.low < row.value < row.high


def test_the_order_of_judgements_changes_nothing(run, judgements):
    shuffled = Judgements(judgements.frame.sample(fraction=1, shuffle=True, seed=3))
    assert validate(run, judgements) == validate(run, shuffled)


def test_turn_judgements_meet_turn_scores(run):
    turns = run.at("turn").filter(pl.col("system") == "harbor")
    given = [
        Judgement(d, t, s, "good", "made-up", "outsider", float(i % 5))
        for i, (d, t, s) in enumerate(turns.select("dialog", "turn", "speaker").iter_rows())
    ]
    evidence = validate(run, Judgements.of(given))
    assert {row.n for row in evidence.correlations} == {
        turns["style_matching"].count(),
        turns["emotional_entropy"].count(),
    }
    assert evidence.correlations[0].method == "Pearson r, bootstrap of 22 clusters"


def test_system_level_averages_first(run, judgements):
    evidence = validate(run, judgements, Question(("overall",)), How(level="system"))
    assert {row.n for row in evidence.correlations} == {3}


def test_a_quality_nobody_judged_is_named(run, judgements):
    with pytest.raises(UnknownName) as told:
        validate(run, judgements, Question(("charm",)))
    assert str(told.value) == (
        "no quality 'charm' was judged; there are empathetic, enjoyed, interesting, overall"
    )


def test_judgements_of_other_dialogs_are_refused(run):
    other = Judgements.of([Judgement("x", None, "y", "q", "a", "outsider", 1.0)])
    with pytest.raises(DataError) as told:
        validate(run, other)
    assert str(told.value) == (
        f"none of the 1 judged units was scored in {run.folder}; "
        "dialog ids and speakers of both must be the same"
    )


def test_the_command_line_gives_the_same_figures(run, judgements):
    command = [sys.executable, "-m", "simpatico", "validate", str(run.folder)]
    command += ["--judgements", str(SAMPLES / "judgements_made_up.csv")]
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    assert told == json.loads(json.dumps(validate(run, judgements).as_json()))
    assert set(told) == {"agreement", "correlations", "dependent", "incremental"}
    wanted = {
        "quality",
        "score",
        "value",
        "low",
        "high",
        "p_value",
        "p_adjusted",
        "n",
        "status",
        "method",
    }
    for part in ("agreement", "correlations", "dependent"):
        assert told[part]
        assert all(set(row) >= wanted for row in told[part])
    people = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "Krippendorff's alpha, ordinal" in people
    assert "style_matching" in people


def test_turn_and_dialog_judgements_of_one_quality_are_told_apart(run):
    turns = run.at("turn").filter(pl.col("system") == "harbor")
    given = [
        Judgement(d, t, s, "good", judge, "outsider", float((i + shift) % 5))
        for i, (d, t, s) in enumerate(turns.select("dialog", "turn", "speaker").iter_rows())
        for shift, judge in enumerate(("a", "b"))
    ]
    given += [
        Judgement(d, None, "harbor", "good", judge, "outsider", float((i + shift) % 5))
        for i, d in enumerate(turns["dialog"].unique(maintain_order=True))
        for shift, judge in enumerate(("a", "b"))
    ]
    evidence = validate(run, Judgements.of(given))
    found = {(r.level, r.score): r.n for r in evidence.correlations}
    assert found["dialog", "style_matching"] == 22
    assert found["turn", "style_matching"] == turns["style_matching"].count()
    alpha = {r.level: r.n for r in evidence.agreement if r.score == "pairwise_pearson"}
    assert alpha == {"turn": turns.height, "dialog": 22}


@pytest.mark.parametrize("field", ["scores", "traditional"])
def test_a_score_that_does_not_exist_is_named(run, judgements, field):
    with pytest.raises(UnknownName) as told:
        validate(run, judgements, Question(**{field: ("style_match",)}))
    assert str(told.value).startswith("no score 'style_match'; did you mean 'style_matching'")
