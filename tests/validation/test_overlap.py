"""The scores of a run against each other."""

import json

import polars as pl
import pytest

from simpatico.errors import DataError
from simpatico.run import Run
from simpatico.validation.overlap import overlaps, structure_of


def written(folder, table, metrics):
    pl.DataFrame(table).write_parquet(folder / "dialog.parquet")
    (folder / "run.json").write_text(json.dumps({"status": "done", "metrics": metrics}))
    return Run(folder)


@pytest.fixture
def run(tmp_path):
    """Five dialogs of bots with a = 1..5, b = 2 1 4 3 5 (r = .8), and a person far off."""
    table = {
        "dialog": list("abcdef"),
        "speaker": ["x"] * 6,
        "system": ["one", "one", "two", "two", "two", "human"],
        "a": [1.0, 2, 3, 4, 5, 99],
        "b": [2.0, 1, 4, 3, 5, -99],
        "c": [None, None, None, 1.0, 2, 3],
        "part": [0.0, 1, 0, 1, 0, 1],
        "a_null": [None] * 6,
    }
    return written(tmp_path, table, {"b": {}, "a": {}, "c": {}, "shares": {}})


def test_only_scores_of_a_metrics_own_name_and_without_people(run):
    found = structure_of(run)
    assert found.names == ["a", "b", "c"]
    assert (found.r[0][1], found.n[0][1]) == (pytest.approx(0.8), 5)


def test_people_alone_are_compared(run, tmp_path):
    folder = tmp_path / "people"
    folder.mkdir()
    table = run.at("dialog").with_columns(system=pl.lit("human"))
    assert structure_of(written(folder, table, run.facts["metrics"])).n[0][1] == 6


def test_scores_that_are_asked_for(run):
    assert structure_of(run, ["part", "a", "absent"]).names == ["a", "part"]


def test_rows_by_hand(run):
    """r = .8 of n = 5: tanh(ln 3 ± 1.9599640 / √2) = -.2796400 and .9861962; c has two rows."""
    rows = overlaps(structure_of(run))
    assert [(r.score, r.against, r.n, r.status) for r in rows] == [
        ("a", "b", 5, "ok"), ("a", "c", 2, "too_few"), ("b", "c", 2, "too_few")
    ]  # fmt: skip
    first = rows[0].as_json()
    assert (first["low"], first["high"]) == pytest.approx((-0.2796400, 0.9861962), abs=1e-6)
    rest = {k: v for k, v in first.items() if k not in ("value", "low", "high")}
    assert rest == {
        "quality": "",
        "score": "a",
        "against": "b",
        "p_value": None,
        "p_adjusted": None,
        "n": 5,
        "status": "ok",
        "method": "Pearson r, Fisher interval",
        "level": "dialog",
    }


def test_a_score_that_never_varies_says_so(run, tmp_path):
    folder = tmp_path / "flat"
    folder.mkdir()
    flat = written(folder, run.at("dialog").with_columns(b=pl.lit(1.0)), {"a": {}, "b": {}})
    (row,) = overlaps(structure_of(flat))
    assert (row.value, row.low, row.status, row.n) == (None, None, "degenerate", 5)


def test_one_score_has_nothing_to_overlap_with(run):
    assert overlaps(structure_of(run, ["a"])) == []


def test_an_unfinished_run_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"it has no run\.json"):
        structure_of(Run(tmp_path))
