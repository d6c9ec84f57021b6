"""`simpatico report` and `simpatico figure` as a person or a script meets them."""

import json
import os
import re
import shutil
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import pytest

from simpatico.reporting.page import render_page
from tests.reporting.cases import case, rated
from tests.reporting.pages import SAMPLES, example_page
from tests.reporting.tree import tree
from tests.run.damage import as_of_an_older_version, copy_run

JUDGED = SAMPLES / "judgements_made_up.csv"
KINDS = ("radar", "heatmap", "forest", "dots", "tpt")


@pytest.fixture(scope="module")
def run() -> Path:
    return example_page("demo").run.folder


@pytest.fixture(scope="module")
def small() -> Path:
    """A run that is quickly gathered."""
    return case("two_metrics").run.folder


@pytest.fixture(scope="module")
def rated_run(tmp_path_factory) -> tuple[Path, Path]:
    """A run that every figure can be drawn of, and its judgements."""
    example = rated(60, metrics=("emotional_entropy", "length", "question_rate"))
    path = tmp_path_factory.mktemp("judged") / "judged.jsonl"
    example.judgements.frame.drop("turn").write_ndjson(path)
    return example.run.folder, path


def refusal_line(done, code=2) -> str:
    """The one line of a refusal."""
    left, out, err = done
    assert (left, out) == (code, "")
    (line,) = err.splitlines()
    return line.removeprefix("simpatico: ")


def test_the_page_is_written_and_named(call, run, tmp_path):
    out = tmp_path / "x.html"
    code, stdout, notes = call(
        "report", run, "--judgements", JUDGED, "--out", out, "--title", "Mine"
    )
    assert (code, stdout) == (0, f"{out}\n")
    demo = example_page("demo")
    html = out.read_text(encoding="utf-8")
    assert html == render_page(demo.findings, title="Mine", judged=JUDGED.name)
    size = len(html.encode())
    assert notes == f"{size:,} bytes; quotes dialogs as logged: share with care\n"
    assert [p.name for p in tmp_path.iterdir()] == ["x.html"]


def test_json_is_that_of_compare_and_validate(call, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _, out, err = call("report", run, "--judgements", JUDGED, "--json")
    facts = json.loads(out)
    assert err == ""
    assert list(tmp_path.iterdir()) == []
    assert facts["evidence"] == json.loads(
        call("validate", run, "--judgements", JUDGED, "--json")[1]
    )
    differences = json.loads(call("compare", run, "--judgements", JUDGED, "--json")[1])
    same = {(r["a"], r["b"], r["score"]): r for r in differences}
    reversed_rows = [r for r in facts["differences"] if (r["a"], r["b"], r["score"]) not in same]
    assert len(facts["differences"]) == len(differences) == 12 + 21  # ratings, scores
    assert {(r["a"], r["b"]) for r in reversed_rows} == {("harbor", "brisk"), ("harbor", "carousel")}  # fmt: skip
    for row in reversed_rows:
        other = same[row["b"], row["a"], row["score"]]
        assert (row["difference"], row["p_value"]) == (-other["difference"], other["p_value"])
    assert facts["systems"] == json.loads(call("show", run, "--format", "json")[1])


def test_the_pair_to_lead_with(call, run, tmp_path):
    out = tmp_path / "x.html"
    assert call("report", run, "--pair", "brisk", "carousel", "--out", out)[0] == 0
    first = next(tree(out.read_text(encoding="utf-8")).one("h1").all("bdi")).text
    assert first == "carousel"
    assert refusal_line(call("report", run, "--pair", "brisk", "harbur", "--out", out)) == (
        "no system 'harbur'; did you mean 'harbor'?"
    )
    assert refusal_line(call("report", run, "--pair", "brisk", "brisk", "--out", out)) == (
        "'brisk' and 'brisk' are not two systems to compare"
    )


def test_judgements_that_join_nothing_are_reported_and_the_page_is_written(call, small, tmp_path):
    out = tmp_path / "x.html"
    code, stdout, notes = call("report", small, "--judgements", JUDGED, "--out", out)
    assert (code, stdout) == (0, f"{out}\n")
    assert notes.startswith("The human ratings were rejected. None of the ")
    assert out.is_file()


def test_the_scores_to_add_to(call, small):
    line = refusal_line(
        call("report", small, "--judgements", JUDGED, "--traditional", "lenth", "--json")
    )
    assert line == "no score 'lenth'; did you mean 'length'?"


@pytest.mark.parametrize("command", ["report", "figure"])
def test_where_a_page_or_figure_cannot_be_written(command, call, small, tmp_path):
    start = ["report", small] if command == "report" else ["figure", "dots", "--run", small]
    end = ".html" if command == "report" else ".svg"
    (tmp_path / f"folder{end}").mkdir()
    (tmp_path / "file").touch()
    for place in (
        tmp_path / "missing" / f"x{end}",
        tmp_path / f"folder{end}",
        tmp_path / "file" / f"x{end}",
    ):
        code, out, err = call(*start, "--out", place)
        assert code in (2, 3)
        assert out == ""
        (line,) = err.splitlines()
        assert str(place.parent) in line
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", f"folder{end}"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written(call, small, tmp_path):
    tmp_path.chmod(0o500)
    assert refusal_line(call("report", small, "--out", tmp_path / "x.html"), 3).endswith(
        "Permission denied"
    )


@pytest.mark.parametrize("command", [["report"], ["figure", "dots", "--out", "x.svg", "--run"]])
def test_what_is_no_run_is_refused(command, call, small, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    missing = tmp_path / "gone"
    assert (
        refusal_line(call(*command, missing))
        == f"{missing} is not a run folder: it has no run.json; `simpatico score FILE --out RUN` makes one"
    )
    half = tmp_path / "half"
    shutil.copytree(small, half)
    facts = json.loads((half / "run.json").read_text())
    (half / "run.json").write_text(json.dumps({**facts, "status": "running"}))
    assert (
        refusal_line(call(*command, half))
        == f"{half}: the run is not finished; run its command again"
    )
    (half / "run.json").write_text("{")
    assert refusal_line(call(*command, half)) == (
        f"{half / 'run.json'}: not valid JSON; score again into a new folder"
    )


@pytest.mark.parametrize("command", [["report"], ["figure", "forest", "--out", "x.svg", "--run"]])
def test_judgements_that_cannot_be_read_are_refused(command, call, small, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    missing, broken = tmp_path / "gone.csv", tmp_path / "broken.csv"
    broken.write_text("dialog,value\nd,not a number\n")
    for path in (missing, broken):
        assert str(path) in refusal_line(call(*command, small, "--judgements", path))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["broken.csv"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_figure_as_svg(kind, call, rated_run, tmp_path):
    out, (run, ratings) = tmp_path / "x.svg", rated_run
    code, stdout, err = call("figure", kind, "--run", run, "--judgements", ratings, "--out", out)
    assert (code, stdout, err) == (0, f"{out}\n", "")
    root = ElementTree.parse(out).getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert float(root.get("width")) == pytest.approx(84 / 25.4 * 96, abs=0.01)


@pytest.mark.skipif(find_spec("vl_convert") is None, reason="no vl-convert-python")
@pytest.mark.parametrize("kind", KINDS)
def test_every_figure_as_pdf_and_png(kind, run, tmp_path):
    """At 84 mm: 238 points; 992 dots at 300 per inch."""
    from simpatico.charts.export import write_figure
    from simpatico.reporting.figures import draw_figure

    svg = draw_figure(example_page("demo").findings, kind)
    for end in ("pdf", "png"):
        write_figure(svg, tmp_path / f"x.{end}")
    pdf, png = ((tmp_path / f"x.{end}").read_bytes() for end in ("pdf", "png"))
    assert pdf.startswith(b"%PDF-")
    (box,) = re.findall(rb"/MediaBox \[([^\]]*)\]", pdf)
    assert float(box.split()[2]) == pytest.approx(84 / 25.4 * 72, abs=0.01)
    assert png.startswith(b"\x89PNG")
    assert int.from_bytes(png[16:20]) == pytest.approx(84 / 25.4 * 300, abs=1)


@pytest.mark.skipif(find_spec("vl_convert") is None, reason="no vl-convert-python")
def test_a_figure_as_pdf_through_the_command(call, small, tmp_path):
    out = tmp_path / "x.PDF"
    assert call("figure", "dots", "--run", small, "--out", out) == (0, f"{out}\n", "")
    assert out.read_bytes().startswith(b"%PDF-")


def test_what_a_figure_refuses(call, small, tmp_path):
    svg = tmp_path / "x.svg"
    start = ["figure", "--run", small, "--out"]
    assert refusal_line(call(*start, tmp_path / "x.gif", "dots")) == (
        f"{tmp_path}/x.gif: a figure cannot be written as .gif; end the name in .svg, .pdf or .png"
    )
    assert refusal_line(call(*start, tmp_path / "x", "dots")) == (
        f"{tmp_path}/x: a figure cannot be written as a file without an ending; end the name in "
        ".svg, .pdf or .png"
    )
    assert (
        refusal_line(call(*start, svg, "tpt"))
        == "no human ratings were given; add --judgements FILE"
    )
    assert refusal_line(call(*start, svg, "radar")) == (
        "a radar needs 20 dialogs per system and 3 metrics that all its systems have; use figure "
        "dots instead"
    )
    wide = refusal_line(call(*start, svg, "dots", "--width", "nan"))
    assert wide == "a figure is 40 to 400 millimetres wide, not nan"
    for width in (39.9, 400.1):
        line = refusal_line(call(*start, svg, "dots", "--width", width))
        assert "'--width'" in line
    for width in (40, 400):
        assert call(*start, svg, "dots", "--width", width)[0] == 0
    assert "'pie'" in refusal_line(call(*start, svg, "pie"))


def test_a_quality_that_nobody_judged(call, rated_run, tmp_path):
    run, ratings = rated_run
    start = ["figure", "forest", "--run", run, "--judgements", ratings, "--out", tmp_path / "x.svg"]
    assert refusal_line(call(*start, "--quality", "overal")) == (
        "no ratings of quality 'overal'; did you mean 'overall'?"
    )
    assert list(tmp_path.iterdir()) == []


def test_two_systems_as_a_figure(call, run, tmp_path):
    out = tmp_path / "x.svg"
    code, *_ = call("figure", "forest", "--run", run, "--pair", "carousel", "brisk", "--out", out)
    assert code == 0
    assert "higher for carousel" in out.read_text(encoding="utf-8")


def test_a_link_is_written_through_and_nothing_but_a_file_is_replaced(call, small, tmp_path):
    real, link, pipe = tmp_path / "real.html", tmp_path / "link.html", tmp_path / "pipe"
    link.symlink_to(real)
    os.mkfifo(pipe)
    code, _, _ = call("report", small, "--out", link)
    assert code == 0
    assert link.is_symlink()
    assert real.read_text(encoding="utf-8").startswith("<!doctype html>")
    for command in (("report", small), ("figure", "dots", "--run", small)):
        line = refusal_line(call(*command, "--out", pipe))
        assert line == f"--out {pipe} is a device or pipe; name a file"
        line = refusal_line(call(*command, "--out", tmp_path))
        assert line == f"--out {tmp_path} is a folder; name a file"
        assert refusal_line(call(*command, "--out", "-")) == "--out '-' is not a file name"
    assert pipe.is_fifo()


@pytest.mark.parametrize("name", ["text.parquet", "system.parquet", "dialog.parquet"])
def test_a_damaged_table_is_one_line(call, small, tmp_path, name):
    folder = copy_run(small, tmp_path / "run")
    size = (folder / name).stat().st_size
    (folder / name).write_bytes(b"PAR1 no more")
    line = refusal_line(call("report", folder, "--out", tmp_path / "x.html"))
    assert line == (
        f"{folder / name} has 12 bytes instead of {size:,}; run the command that made this run "
        "again, which restores it"
    )
    as_of_an_older_version(folder)
    line = refusal_line(call("report", folder, "--out", tmp_path / "x.html"))
    assert line == (f"{folder / name}: the Parquet file is damaged; score again into a new folder")


def test_facts_that_are_none_are_one_line(call, small, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(small, folder)
    (folder / "run.json").write_text("[]", encoding="utf-8")
    path = folder / "run.json"
    line = refusal_line(call("report", folder, "--out", tmp_path / "x.html"))
    assert line == f"{path}: not the facts of a run; score again into a new folder"


def test_the_conversations_of_another_run_are_not_quoted(call, small, run, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(small, folder)
    as_of_an_older_version(folder)  # with hashes it would be refused
    shutil.copy(run / "text.parquet", folder / "text.parquet")
    code, _, _ = call("report", folder, "--out", tmp_path / "x.html")
    assert code == 0
    html = (tmp_path / "x.html").read_text(encoding="utf-8")
    assert "The stored dialogs do not match this run." in html
