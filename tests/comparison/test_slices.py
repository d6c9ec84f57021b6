"""Differences within weeks, months and values of a column: floors on n, one correction over all."""

import json

import numpy as np
import polars as pl
import pytest

from simpatico.comparison.difference import compare
from simpatico.comparison.slices import MIN_SLICE, Slices
from simpatico.errors import DataError
from simpatico.run import Run
from simpatico.stats.correction import correct_p_values
from simpatico.validation.people import compare_by
from tests.command_line import simpatico
from tests.comparison.runs import write_run

RNG = np.random.default_rng(8)
SIZES = {"2026-01": 12, "2026-02": 15, "2026-03": 4}


def sliced_run(folder, systems=("ash", "birch"), sizes=SIZES) -> Run:
    """In January ash is warmer by 1, in February not; March has four dialogs of each system."""
    rows, k = [], 0
    for month, size in sizes.items():
        for system in systems:
            for value in RNG.normal(system == "ash" and month == "2026-01", 0.2, size):
                row = {"dialog": f"d{k}", "speaker": system, "system": system, "prompt": None}
                rows.append({**row, "warmth": value, "wit": RNG.normal()})
                k += 1
    run = write_run(folder, rows, ["warmth", "wit"])
    months = [m for m, size in sizes.items() for _ in range(size * len(systems))]
    table = run.at("dialog").with_columns(season=pl.Series(months))
    table.write_parquet(folder / "dialog.parquet")
    facts = {**run.facts, "columns": ["season"]}
    (folder / "run.json").write_text(json.dumps(facts))
    return Run(folder)


def test_each_slice_is_compared_and_all_are_one_family(tmp_path):
    """Two slices of two scores are four comparisons; each is that of its dialogs alone."""
    run = sliced_run(tmp_path / "run")
    slices = compare_by("season", run, None)
    assert isinstance(slices, Slices)
    keys = [(r.slice, r.difference.score, r.difference.n_a) for r in slices.rows]
    assert keys == [
        ("2026-01", "warmth", 12), ("2026-01", "wit", 12),
        ("2026-02", "warmth", 15), ("2026-02", "wit", 15),
    ]  # fmt: skip
    assert slices.too_small == ["2026-03"]
    assert {r.difference.family for r in slices.rows} == {4}
    p_values = [r.difference.p_value for r in slices.rows]
    assert [r.difference.p_adjusted for r in slices.rows] == correct_p_values(p_values)[0]
    assert slices.rows[0].difference.finding == "higher"
    january = run.at("dialog").filter(system="ash", season="2026-01")
    assert slices.rows[0].difference.mean_a == pytest.approx(january["warmth"].mean(), abs=1e-12)
    assert slices.notes() == [
        f"Left out, fewer than {MIN_SLICE} dialogs of a system: 2026-03.",
        "p: corrected for 4 comparisons over all slices, scores and pairs.",
    ]


def test_of_one_system_the_slices_are_compared_with_each_other(tmp_path):
    rows = compare_by("season", sliced_run(tmp_path / "run", ("ash",)), None)
    first = next(d for d in rows if d.score == "warmth")
    assert (first.a, first.b, first.n_a, first.n_b) == ("2026-01", "2026-02", 12, 15)
    assert first.finding == "higher"


def test_the_command_shows_slices_below_the_verdict_and_json_has_all(tmp_path):
    run = sliced_run(tmp_path / "run")
    done = simpatico("compare", run.folder, "--by", "season")
    assert "ash vs. birch by season" in done.stdout
    assert "p: corrected for 4 comparisons over all slices" in done.stderr
    rows = json.loads(simpatico("compare", run.folder, "--by", "season", "--json").stdout)
    assert len(rows) == len(compare([run])) + 4
    assert [r["slice"] for r in rows[2:]] == ["2026-01", "2026-01", "2026-02", "2026-02"]


def test_what_cannot_be_sliced(tmp_path):
    run = sliced_run(tmp_path / "run")
    done = simpatico("compare", run.folder, "--by", "seson")
    assert done.returncode == 2
    assert "did you mean 'season'?" in done.stderr
    few = Run(run.folder).at("dialog").filter(pl.col("season") == "2026-03")
    few.write_parquet(run.folder / "dialog.parquet")
    with pytest.raises(DataError) as refusal:
        compare_by("season", Run(run.folder), None)
    assert str(refusal.value) == (
        "--by season: no slice has 10 dialogs of two systems; choose a longer period or a column "
        "with fewer values"
    )
    with pytest.raises(DataError) as refusal:
        compare_by("season", sliced_run(tmp_path / "one", ("ash",), {"2026-01": 12}), None)
    assert str(refusal.value) == (
        "--by season: ash has 1 slice of 10 dialogs or more; a comparison needs two"
    )
