"""`simpatico validate --judges`: from files alone, three sentences first, whole error sentences."""

import csv
import io
import json

import numpy as np
import pytest

from tests.command_line import simpatico as call
from tests.validation.judges.cases import answers_of, judges_of, people_of, ratings, rounded

HEADS = ["May a judge stand in for one rater?", "Agreement with people"]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """60 dialogs, 3 people, a good judge that says everything twice and one that guesses."""
    folder = tmp_path_factory.mktemp("judges")
    truth, people = ratings()
    rng = np.random.default_rng(2)
    good = [rounded(truth + rng.normal(0, 0.4, 60)) for _ in range(2)]
    guess = rng.integers(1, 6, 60).astype(float)
    people_of(people).frame.write_csv(folder / "people.csv")
    parts = [answers_of(v, "good", repeat=n) for n, v in enumerate(good, 1)]
    judges_of(*parts).frame.write_ndjson(folder / "good.jsonl")
    judges_of(answers_of(guess, "guess")).frame.write_csv(folder / "guess.csv")
    return folder


def validate(files, *options):
    judges = [x for name in ("good.jsonl", "guess.csv") for x in ("--judges", files / name)]
    return call("validate", "--judgements", files / "people.csv", *judges, *options)


def test_the_answer_comes_first_then_the_tables(files):
    done = validate(files)
    assert done.returncode == 0, done.stderr
    first, second, third, blank, *rest = done.stdout.splitlines()
    assert first == (
        "good may stand in for one rater of “warm” (alternative annotator test, ε = .10)."
    )
    assert second == (
        "Elsewhere use the answers for nothing: these data do not show that they follow people’s."
    )
    assert third.endswith(".")
    assert blank == ""
    assert [head for head in HEADS if any(line.startswith(head) for line in rest)] == HEADS
    assert max(map(len, rest)) <= 80
    assert "warm, guess: is not shown to follow people (r = " in done.stderr


def test_json_has_every_row(files):
    facts = json.loads(validate(files, "--json").stdout)
    assert len(facts["answer"]) == 3
    assert {v["judge"]: v["use"] for v in facts["verdicts"]} == {
        "good": "stand-in",
        "guess": "none",
    }
    assert set(facts["verdicts"][0]["curve"]) == {"0", "0.05", "0.1", "0.15", "0.2", "0.25", "0.3"}
    scores = {row["score"] for row in facts["judges"] if row["judge"] == "good"}
    assert {"cohen_kappa_quadratic", "pearson", "repeat_reliability", "no_answer"} <= scores


def test_formats_for_papers_and_scripts(files):
    rows = list(csv.DictReader(io.StringIO(validate(files, "--format", "csv").stdout)))
    assert {row["judge"] for row in rows} == {"good", "guess", ""}
    assert validate(files, "--format", "latex").stdout.startswith(r"\begin{table}")
    assert "May a judge" in validate(files, "--format", "markdown").stdout


def test_epsilon_and_quality_are_options(files):
    done = validate(files, "--epsilon", "0.3", "--quality", "warm")
    assert "ε = .30)." in done.stdout.splitlines()[0]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["--judges", "{good}"],
            "--judges needs --judgements FILE, the ratings of people.",
        ),
        (
            ["--judgements", "{people}"],
            "Missing argument 'RUN'; only --judges works without one.",
        ),
        (
            ["--judgements", "{people}", "--judges", "{good}", "--against", "length"],
            "--against does not apply with --judges.",
        ),
        (
            ["--judgements", "{people}", "--judges", "{good}", "--standardise"],
            "--standardise does not apply with --judges.",
        ),
        (
            ["--judgements", "{people}", "--judges", "{good}", "--epsilon", "2"],
            "epsilon 2 must be from 0 up to, not including, 1",
        ),
        (
            ["--judgements", "{people}", "--judges", "{good}", "--judges", "{good}"],
            "240 of 240 answers repeat the unit, quality, judge, repeat and order of another one; "
            "number the repeats of a judge in the field 'repeat'",
        ),
        (
            ["--judgements", "{people}", "--judges", "{good}", "--quality", "cold"],
            "no quality 'cold' that people rated and judges answered; there are warm",
        ),
        (
            ["--judgements", "{people}", "--judges", "{nothing}"],
            "{nothing}: no such file; check the path",
        ),
    ],
)
def test_what_cannot_be_audited_is_said(files, arguments, sentence):
    paths = {"good": files / "good.jsonl", "people": files / "people.csv", "nothing": files / "no"}
    done = call("validate", *(text.format(**paths) for text in arguments))
    assert done.returncode == 2
    assert sentence.format(**paths) in done.stderr
    assert "Traceback" not in done.stderr
