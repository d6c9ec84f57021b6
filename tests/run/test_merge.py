"""Several runs as one: names, ids, means and refusals."""

import json

import numpy as np
import polars as pl
import pytest

from simpatico.comparison.difference import compare
from simpatico.errors import DataError
from simpatico.run import Run
from simpatico.run.merge import merge_runs, open_runs
from tests.comparison.runs import make_run

RNG = np.random.default_rng(5)
FACTS = {
    "key": "k",
    "version": "1",
    "inputs": [{"name": "x", "sha256": "0"}],
    "options": {"merge": True},
    "text": False,
    "units": {"turn": {"warmth.scored": 9}},
    "alignment": {
        **dict.fromkeys(("dialogs", "turns", "scored"), 9),
        "systems": {"ash": 9},
        "answers": {"ash answers human": 5, "human answers ash": 4, "human opens the dialog": 9},
    },
}


def make(folder, systems=("ash",), **options):
    """A finished run with everything that `run.json` says."""
    values = {"warmth": {s: RNG.normal(size=9).tolist() for s in systems}}
    make_run(folder, values, **options)
    path = folder / "run.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **FACTS}))
    return Run(folder)


def test_systems_of_one_name_are_told_apart_and_people_are_one(tmp_path):
    runs = [make(tmp_path / name, ("ash", "human")) for name in ("may", "june")]
    merged = merge_runs(runs, tmp_path)
    table = merged.at("system")
    assert table["system"].to_list() == ["ash (june)", "ash (may)", "human"]
    assert table["dialogs"].to_list() == [9, 9, 18]
    people = pl.concat([run.at("dialog") for run in runs]).filter(system="human")["warmth"]
    assert table["warmth"][2] == pytest.approx(people.mean(), abs=1e-12)
    facts = merged.facts
    assert facts["alignment"]["systems"] == {"ash (june)": 9, "ash (may)": 9}
    assert facts["alignment"]["answers"]["human answers ash (may)"] == 4
    assert facts["alignment"]["answers"]["human opens the dialog"] == 18
    assert facts["units"] == {"turn": {"warmth.scored": 18}}
    assert merged.sources == [str(run.folder) for run in reversed(runs)]


def test_a_comparison_of_the_merged_run_is_that_of_the_runs(tmp_path):
    runs = [make(tmp_path / name) for name in ("may", "june")]
    assert compare([merge_runs(runs, tmp_path)]) == compare(runs)
    assert compare([merge_runs(runs[::-1], tmp_path)]) == compare(runs[::-1]) == compare(runs)


def test_ids_of_two_runs_get_the_name_of_the_run_only_where_they_clash(tmp_path):
    first = make(tmp_path / "may", ("ash", "birch"))
    second = make(tmp_path / "june", ("ash", "fir"))
    ids = merge_runs([first, second], tmp_path).at("dialog")["dialog"].to_list()
    assert len(set(ids)) == 36
    assert {"may/ash/0000", "june/ash/0000", "birch/0000", "fir/0000"} <= set(ids)


def test_metrics_that_not_every_run_has_are_left_out(tmp_path):
    first = make(tmp_path / "may")
    second = make_run(tmp_path / "june", {"wit": {"ash": [0.1] * 9}, "warmth": {"ash": [0.2] * 9}})
    facts = json.loads((second.folder / "run.json").read_text())
    (second.folder / "run.json").write_text(json.dumps({**facts, **FACTS}))
    with open_runs([first.folder, second.folder]) as merged:
        assert list(merged.facts["metrics"]) == ["warmth"]
        assert merged.facts["left_out"] == ["wit"]
        assert merged.folder.is_dir()
    assert not merged.folder.exists()


def test_what_cannot_be_merged(tmp_path):
    first, other = make(tmp_path / "may"), make(tmp_path / "june", version="2")
    with pytest.raises(DataError) as refusal:
        merge_runs([first, other], tmp_path)
    assert str(refusal.value) == (
        f"warmth was computed with different settings in {other.folder} and {first.folder} (see "
        "run.json); score both runs the same way, or choose other scores with --scores"
    )
    with pytest.raises(DataError, match="the same run is given twice"):
        merge_runs([first, Run(first.folder)], tmp_path)
