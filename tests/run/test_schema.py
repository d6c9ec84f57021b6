"""Opening a run: what is missing, changed, of another type or of a newer version is one sentence."""

import random

import numpy as np
import polars as pl
import pytest

from simpatico import Run
from simpatico.errors import DataError
from simpatico.run import schema
from tests.command_line import simpatico
from tests.run.conftest import score_made
from tests.run.damage import as_of_an_older_version, rewrite, store, stored

AGAIN = "score again into a new folder"
RESTORE = "run the command that made this run again, which restores it"


def refusal(folder, table="dialog"):
    with pytest.raises(DataError) as error:
        Run(folder).scan(table)
    return str(error.value)


def test_run_json_has_hashes_versions_and_a_format(made):
    facts = Run(made[0]).facts
    assert facts["format"] == schema.FORMAT == 1
    assert sorted(facts["files"]) == [f"{t}.parquet" for t in ("dialog", "system", "text", "turn")]
    assert facts["files"]["turn.parquet"]["rows"] == 48
    assert facts["files"]["dialog.parquet"] == schema.describe_file(made[0] / "dialog.parquet")
    assert {"python", "polars", "numpy", "scipy"} <= set(facts["libraries"])
    assert "torch" not in facts["libraries"]  # no metric of this run needs it


def test_every_flipped_bit_is_noticed(run):
    """Of 600 flips in the tables, 220 once gave other numbers without a word."""
    rng = random.Random(7)
    for table in ("system", "dialog", "turn"):
        path = run / f"{table}.parquet"
        content = path.read_bytes()
        for _ in range(20):
            place = rng.randrange(8 * len(content))
            flipped = bytearray(content)
            flipped[place // 8] ^= 1 << place % 8
            path.write_bytes(flipped)
            assert refusal(run, table) == f"{path} has changed since it was written; {RESTORE}"
        path.write_bytes(content)
        assert Run(run).at(table).height


def test_a_table_edited_by_hand_is_refused_by_every_command(run, tmp_path):
    path = rewrite(run, "system", lambda t: t.with_columns(length=pl.lit(99.0)), fitting=False)
    for command in (["show", run], ["report", run, "--out", tmp_path / "x.html"], ["cite", run]):
        done = simpatico(*command)
        assert done.returncode == 2
        assert done.stderr.startswith(f"simpatico: {path} has ")
        assert done.stderr.endswith(f"; {RESTORE}\n")


def test_large_tables_are_checked_by_size_and_rows(run, monkeypatch):
    monkeypatch.setattr(schema, "HASHED_BYTES", 10)
    path = run / "dialog.parquet"
    content = bytearray(path.read_bytes())
    content[200] ^= 1
    path.write_bytes(content)
    assert Run(run).at("system").height == 3  # another table, and this one is not hashed
    path.write_bytes(content[:-1])
    assert refusal(run) == (
        f"{path} has {len(content) - 1:,} bytes instead of {len(content):,}; {RESTORE}"
    )


def test_another_number_of_rows_is_noticed_without_a_hash(run):
    path = rewrite(run, "dialog", lambda t: t.head(5))
    facts = stored(run)
    facts["files"]["dialog.parquet"]["rows"] = 24
    store(run, facts)
    assert refusal(run) == f"{path}: has 5 rows instead of 24; {AGAIN}"


@pytest.mark.parametrize("lost", ["turn", "dialog", "system", "text"])
def test_the_same_command_restores_what_was_lost_or_damaged(made, run, lost):
    content = {p.name: p.read_bytes() for p in run.iterdir()}
    path = run / f"{lost}.parquet"
    path.unlink()
    if lost != "text":  # the conversations may be deleted before a run is passed on
        assert refusal(run, lost) == f"{path} is missing; {RESTORE}"
    score_made(made[1], run)
    assert {p.name: p.read_bytes() for p in run.iterdir()} == content
    path.write_bytes(b"PAR1 no more")
    score_made(made[1], run)
    assert {p.name: p.read_bytes() for p in run.iterdir()} == content


def test_a_run_that_cannot_be_restored_stays_as_it_was(made, run, monkeypatch):
    (run / "turn.parquet").unlink()
    before = {p.name: p.read_bytes() for p in run.iterdir()}

    def fails(*arguments):
        raise DataError("no")

    monkeypatch.setattr("simpatico.run.parts.score_chunk", fails)
    with pytest.raises(DataError, match=r"^no$"):
        score_made(made[1], run)
    assert {p.name: p.read_bytes() for p in run.iterdir()} == before


def test_a_run_of_a_newer_format_is_refused(run):
    store(run, {**stored(run), "format": 2})
    assert refusal(run) == (
        f"{run} was written by a newer version of simpatico (format 2, and this one reads up to "
        "1); update simpatico to read it"
    )


def test_a_run_without_hashes_still_opens(run):
    as_of_an_older_version(run)
    assert Run(run).at("dialog").height == 24
    (run / "dialog.parquet").unlink()
    assert refusal(run) == f"{run / 'dialog.parquet'} is missing; {AGAIN}"


def test_run_json_edited_by_hand_is_refused(run):
    facts = stored(run)
    facts["alignment"]["dialogs"] = 13
    store(run, {**facts, "sha256": "0" * 64}, sealed=False)
    assert refusal(run) == f"{run / 'run.json'} has changed since it was written; {AGAIN}"


def set_in(facts, place, value):
    *above, last = place
    for key in above:
        facts = facts[key]
    facts[last] = value


FIELDS = [
    (("metrics", "length", "scores", 0, "name"), 5, "expected `str`, got `int` - at `$.metrics[...].scores[0].name`"),
    (("metrics", "length", "scores"), {}, "expected `array`, got `object` - at `$.metrics[...].scores`"),
    (("metrics", "length", "level"), "book", "invalid enum value 'book' - at `$.metrics[...].level`"),
    (("metrics", "length"), None, "expected `object`, got `null` - at `$.metrics[...]`"),
    (("alignment", "turns"), "many", "expected `int`, got `str` - at `$.alignment.turns`"),
    (("files",), [], "expected `object`, got `array` - at `$.files`"),
    (("text",), 3, "expected `bool`, got `int` - at `$.text`"),
]  # fmt: skip


@pytest.mark.parametrize(("place", "value", "why"), FIELDS)
def test_a_field_of_another_type_is_named(run, place, value, why):
    facts = stored(run)
    set_in(facts, place, value)
    store(run, facts)
    assert refusal(run) == f"{run / 'run.json'}: {why}; {AGAIN}"


@pytest.mark.parametrize("text", ["[" * 100_000, "{", '{"status": NaN}', "\x00"])
def test_what_is_no_json_is_one_sentence(run, text):
    (run / "run.json").write_text(text)
    assert refusal(run) == f"{run / 'run.json'}: not valid JSON; {AGAIN}"


COLUMNS = [
    ("dialog", lambda t: t.drop("length"), "has no column 'length'"),
    ("turn", lambda t: t.drop("turn"), "has no column 'turn'"),
    ("system", lambda t: t.drop("length_low"), "has no column 'length_low'"),
    ("dialog", lambda t: t.with_columns(length=pl.lit("x")), "column 'length' holds String instead of numbers"),
    ("turn", lambda t: t.with_columns(turn=pl.lit(0.5)), "column 'turn' holds Float64 instead of integers"),
    ("dialog", lambda t: t.with_columns(dialog=pl.int_range(pl.len())), "column 'dialog' holds Int64 instead of texts"),
    ("dialog", lambda t: t.with_columns(length=pl.lit(np.nan)), "column 'length' has a value that is infinite or no number"),
    ("system", lambda t: t.with_columns(length_low=pl.lit(-np.inf)), "column 'length_low' has a value that is infinite or no number"),
    ("turn", lambda t: t.with_columns(speaker=pl.lit(None, pl.String)), "column 'speaker' has an empty cell"),
    ("system", lambda t: t.head(1), "the systems are not those of dialog.parquet"),
    ("text", lambda t: t.reverse(), "the turns are not in order"),
    ("text", lambda t: pl.concat([t, t]), "the turns are not in order"),
    ("text", lambda t: t.with_columns(answers=pl.col("turn") + 1), "the turns are not in order"),
    ("text", lambda t: t.with_columns(text=pl.lit(None, pl.String)), "column 'text' has an empty cell"),
]  # fmt: skip


@pytest.mark.parametrize(("table", "change", "why"), COLUMNS)
def test_a_table_that_is_none_of_scores_is_named(run, table, change, why):
    path = rewrite(run, table, change)
    assert refusal(run, table) == f"{path}: {why}; {AGAIN}"
    as_of_an_older_version(run)
    assert refusal(run, table) == f"{path}: {why}; {AGAIN}"


def test_a_text_of_other_dialogs_is_one_line(run):
    rewrite(run, "text", lambda t: t.filter(pl.col("dialog") != "d1"))
    done = simpatico("explain", run, "d1")
    assert (done.returncode, done.stderr) == (
        2,
        f"simpatico: {run} has a text of other dialogs; {AGAIN}\n",
    )


def test_a_run_without_metrics_has_nothing_to_cite(run):
    store(run, {**stored(run), "metrics": {}})
    done = simpatico("cite", run)
    assert (done.returncode, done.stderr) == (
        2,
        f"simpatico: {run} has no metric to cite; {AGAIN}\n",
    )


def test_a_run_without_dialogs_has_nothing_to_validate(run, tmp_path):
    """As of an input in which every turn is context."""
    for table in ("dialog", "system"):
        rewrite(run, table, lambda t: t.clear())
    (tmp_path / "ratings.csv").write_text("dialog,quality,value\nd0,kind,1\nd1,kind,2\n")
    done = simpatico("validate", run, "--judgements", tmp_path / "ratings.csv")
    assert (done.returncode, done.stderr) == (
        2,
        f"simpatico: none of the 2 rated units has a score in {run}; no dialog of the run was "
        "scored, and ratings must name the speaker where several speak for a system\n",
    )


def test_a_table_that_changes_while_a_run_is_open_is_checked_again(run):
    opened = Run(run)
    assert opened.at("dialog").height == 24
    path = run / "dialog.parquet"
    path.write_bytes(path.read_bytes()[:-1] + b"X")
    with pytest.raises(DataError) as error:
        opened.at("dialog")
    assert str(error.value) == f"{path} has changed since it was written; {RESTORE}"
