"""People who were judged beside systems are left out, and a judgement may do without a speaker."""

import polars as pl
import pytest

from simpatico import Conversations, Judgements, load, score_run
from simpatico.judgements import Judgement
from simpatico.validation.evidence import Question, validate

SAID = "that is a kind and very happy thing to say to me today my friend"


@pytest.fixture
def run(tmp_path):
    """Eight dialogs of a bot whose replies have 1 to 8 words, with a person who has 13."""
    rows = [
        {"dialog": f"d{i}", "speaker": who, "system": system, "text": text}
        for i in range(8)
        for who, system, text in (
            ("ann", "human", SAID),
            ("bot", "heron", " ".join(["well"] * (i + 1))),
        )
    ]
    pl.DataFrame(rows).write_ndjson(tmp_path / "talk.jsonl")
    return score_run(
        Conversations((str(tmp_path / "talk.jsonl"),)), [load("length")], tmp_path / "run"
    )


def rated(*units):
    return Judgements.of(
        [Judgement(d, None, who, "fun", "j", "outsider", value) for d, who, value in units]
    )


def test_people_are_left_out_and_counted(run):
    """The bot's length is 1 to 8 and its rating too: r = 1, whatever is said of the person."""
    bots = [(f"d{i}", "bot", float(i + 1)) for i in range(8)]
    people = [(f"d{i}", "ann", float(8 - i)) for i in range(8)]
    told = validate(run, rated(*bots, *people))
    assert [(r.n, round(r.value, 9), r.unmatched) for r in told.correlations] == [(8, 1.0, 0)]
    assert told.notes == [
        "8 judgements of people are left out, since they are no system under test"
    ]
    both = validate(run, rated(*bots, *people), Question(with_human=True))
    assert [r.n for r in both.correlations] == [16]
    assert both.notes == []


def test_where_only_people_were_judged_they_stay(run):
    told = validate(run, rated(*[(f"d{i}", "ann", float(i)) for i in range(8)]))
    assert [(r.n, r.status) for r in told.correlations] == [(8, "degenerate")]


def test_a_judgement_without_a_speaker_is_of_the_one_system(run):
    told = validate(run, rated(*[(f"d{i}", None, float(i + 1)) for i in range(8)]))
    assert [(r.n, round(r.value, 9)) for r in told.correlations] == [(8, 1.0)]
    assert told.notes == []
