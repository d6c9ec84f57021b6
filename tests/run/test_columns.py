"""Columns of the input in the run, and means of slices of its dialogs."""

import json

import polars as pl
import pytest

from simpatico import Run
from simpatico.errors import BadValue, UnknownName
from simpatico.readers import Conversations
from simpatico.registry import load
from simpatico.run.columns import slice_dialogs, slice_table
from simpatico.run.writer import score_run


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """12 dialogs on days of two months; replies of 2 words in the segment new, of 4 in old."""
    folder = tmp_path_factory.mktemp("columns")
    rows = []
    for i in range(12):
        segment = "new" if i % 2 else "old"
        reply = "yes indeed" if segment == "new" else "yes that is so"
        day = f"2024-0{1 + i // 6}-1{i % 6}"
        for speaker, text in (("user", "hi there"), ("bot", reply)):
            more = {"segment": segment, "length": "long", "time": day, "n": i, "x": speaker}
            rows.append({"dialog": f"d{i}", "speaker": speaker, "text": text, **more})
    path = folder / "a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return score_run(Conversations((path,)), [load("length")], folder / "run", chunk=8)


def test_columns_are_in_every_table_under_a_free_name(run):
    assert run.facts["columns"] == ["length (input)", "n", "segment", "x", "time"]
    for level in ("turn", "dialog"):
        frame = run.at(level, ["dialog", "segment", "length (input)", "n", "time"])
        assert frame["segment"].unique().sort().to_list() == ["new", "old"]
        assert frame["length (input)"].unique().to_list() == ["long"]
        assert frame.filter(pl.col("dialog") == "d3")["n"].unique().to_list() == ["3"]
    # a dialog has no value where its turns differ
    assert run.at("dialog", ["x"])["x"].null_count() == 24
    assert run.at("turn", ["x"])["x"].unique().sort().to_list() == ["bot", "user"]


def test_means_of_slices(run):
    """new: six replies of 2 words, old: six of 4; by month three of each, so a mean of 3."""
    frame = slice_table(run, "segment", ["length"]).filter(system="bot")
    assert frame["segment"].to_list() == ["new", "old"]
    assert frame["length"].to_list() == [2.0, 4.0]
    assert frame["length_n"].to_list() == [6, 6]
    months = slice_table(run, "month", ["length"]).filter(system="bot")
    assert months["month"].to_list() == ["2024-01", "2024-02"]
    assert months["length"].to_list() == [3.0, 3.0]
    # below five dialogs there is no mean: the second ISO week of 2024 has 10 to 14 January
    weeks = slice_table(run, "week", ["length"]).filter(system="bot")
    assert weeks.filter(week="2024-W02")["length"].to_list() == [pytest.approx(16 / 5)]
    assert weeks.filter(week="2024-W03")["length"].to_list() == [None]
    assert weeks["length_n"].to_list() == [5, 1, 2, 4]


def test_slices_that_cannot_be_had(run, tmp_path):
    with pytest.raises(UnknownName) as error:
        slice_dialogs(run, "segmnt")
    assert str(error.value) == (
        f"--by segmnt: no such column in {run.folder}; did you mean 'segment'?"
    )
    with pytest.raises(BadValue, match=r"^--by x: no dialog has one value of it$"):
        slice_table(run, "x", ["length"])
    path = tmp_path / "a.csv"
    path.write_text(
        "dialog,speaker,text,user\n" + "".join(f"d{i},bot,hi,u{i}\n" for i in range(61))
    )
    many = score_run(Conversations((path,)), [load("length")], tmp_path / "run")
    with pytest.raises(BadValue) as error:
        slice_dialogs(many, "user")
    assert str(error.value) == (
        "--by user: 61 different values, too many to compare; choose a column with at most 60"
    )
    with pytest.raises(
        UnknownName, match=r"^--by week: no such column in .*; the input has no times$"
    ):
        slice_dialogs(many, "week")


def test_show_by(run, call):
    code, out, err = call("show", run.folder, "--by", "segment")
    assert code == 0, err
    assert "length  old      bot     4.000" in out
    assert "No mean below 5 dialogs" in err
    code, out, _ = call("show", run.folder, "--by", "segment", "--format", "csv")
    assert out.splitlines()[0] == "segment,system,dialogs,length,length_n,length_low,length_high"
    assert Run(run.folder).facts["status"] == "done"


def test_times_alone_are_kept(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("dialog,speaker,text,time\nd,bot,hi,2024-03-01\ne,bot,so,\n")
    timed = score_run(Conversations((path,)), [load("length")], tmp_path / "run")
    assert timed.facts["columns"] == ["time"]
    assert slice_dialogs(timed, "month")["slice"].to_list() == ["2024-03", None]
