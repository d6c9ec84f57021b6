"""T, P and P+T: rows lost to one sparse score are said, and learned metrics are a third group."""

import json

import numpy as np
import pytest

from simpatico.judgements import Judgement, Judgements
from simpatico.run import Run
from simpatico.validation.evidence import Question, validate
from tests.comparison.runs import make_run

RNG = np.random.default_rng(2)
KINDS = {"words": "traditional", "warmth": "psychological", "fit": "evaluator"}


@pytest.fixture(scope="module")
def rated(tmp_path_factory) -> tuple[Run, Judgements]:
    """300 dialogs; `warmth2` has a value in 135 of them."""
    n, folder = 300, tmp_path_factory.mktemp("sparse") / "run"
    values = {name: RNG.normal(size=n) for name in ("words", "warmth", "warmth2", "fit")}
    ratings = sum(values.values()) + RNG.normal(size=n)
    sparse = [v if k < 135 else None for k, v in enumerate(values["warmth2"])]
    scores = {k: {"ash": sparse if k == "warmth2" else v.tolist()} for k, v in values.items()}
    run = make_run(folder, scores)
    facts = run.facts
    for name, kind in {**KINDS, "warmth2": "psychological"}.items():
        facts["metrics"][name]["kind"] = kind
    (folder / "run.json").write_text(json.dumps(facts))
    rows = [
        Judgement(f"ash/{k:04d}", None, "ash", "overall", "j", None, float(v))
        for k, v in enumerate(ratings)
    ]
    return Run(folder), Judgements.of(rows)


def test_a_sparse_score_is_left_out_and_said_to_be(rated):
    evidence = validate(*rated)
    assert {row.n for row in evidence.incremental} == {300}
    assert "warmth2" not in {name for row in evidence.incremental for name in row.added}
    assert [s.as_json() for s in evidence.sparse] == [
        {"score": "warmth2", "level": "dialog", "n": 135, "of": 300, "left_out": True}
    ]
    assert (
        "warmth2 is left out of T, P and P+T, as only 135 of 300 rated dialogs have it; name it "
        "with --scores to fit the models to these"
    ) in evidence.notes


def test_a_sparse_score_that_is_asked_for_says_what_it_costs(rated):
    evidence = validate(*rated, Question(scores=("words", "warmth", "warmth2")))
    (joint,) = [row for row in evidence.incremental if row.added_name == "all"]
    assert (joint.n, joint.added) == (135, ("warmth", "warmth2"))
    assert (
        "T, P and P+T with warmth2 are fitted to the 135 of 300 rated dialogs that have it"
        in evidence.notes
    )


def test_learned_metrics_are_a_group_of_their_own(rated):
    rows = validate(*rated).incremental
    assert {row.group: row.added for row in rows} == {"P": ("warmth",), "L": ("fit",)}
    assert {row.family for row in rows} == {1}
