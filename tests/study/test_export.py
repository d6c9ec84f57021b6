"""The files of an export: read by `read`, `read_judgements` and `validate` as they are."""

import csv
import io
import os
import stat
import zipfile

import pytest

import simpatico
from simpatico.readers.judgement_files import read_judgements, read_preferences
from simpatico.study.export import export_archive, export_files, export_folder
from simpatico.study.results import collect
from simpatico.study.store import Store
from tests.study.conftest import OVERALL, PREFERRED, WARMTH, Study, design_of, dialog_of

SIDES = [dialog_of(f"{s}{n}", s, replies=2, prompt=f"p{n}") for n in range(4) for s in "ab"]


def fill(store: Store, raters: int = 2, questions=(WARMTH, OVERALL, PREFERRED)) -> Study:
    """A study in which everybody rated everything: a value by dialog, rater and turn."""
    study = Study(store, design_of(*questions), SIDES, raters)

    def answers(lease, n):
        if lease.kind == "pair":
            return [("preferred", -1, n % 3)]
        x = sum(lease.unit.encode()) + n
        return [("warmth", 1, 1 + x % 5), ("warmth", 3, 1 + x % 3), ("overall", -1, x % 101)]

    for n, name in enumerate(study.tokens):
        study.rate(name, lambda lease, n=n: answers(lease, n))
    return study


@pytest.fixture
def folder(sqlite, tmp_path):
    fill(sqlite)
    place = tmp_path / "out"
    names = export_folder(collect(sqlite, "s"), place)
    assert names == [
        "dialogs.jsonl", "judgements.csv", "preferences.csv", "answers.csv", "study.json",
    ]  # fmt: skip
    return place


def test_dialogs_come_back_as_they_were(folder):
    turns = simpatico.read(folder / "dialogs.jsonl")
    lines = [(side.dialog, *line_) for side in SIDES for line_ in map(fields, side.lines)]
    columns = ["dialog", "turn", "speaker", "system", "text"]
    assert turns.frame.select(columns).rows() == lines


def fields(line):
    return line.turn, line.speaker, line.system, line.text


def test_judgements_and_preferences_come_back_as_they_were(folder, sqlite):
    results = collect(sqlite, "s")
    assert read_judgements(folder / "judgements.csv").frame.equals(results.judgements.frame)
    # 2 raters x 8 dialogs x (2 replies + 1), and 2 raters x 4 prompts
    assert len(results.judgements) == 2 * 8 * 3
    back = read_preferences(folder / "preferences.csv").frame.rows()
    assert back == [tuple(p) for p in results.preferences()]
    assert len(back) == 8


def test_validate_takes_the_export_as_it_is(folder, call, tmp_path):
    run = tmp_path / "run"
    code, _, err = call("score", folder / "dialogs.jsonl", "--metrics", "length", "--out", run)
    assert code == 0, err
    for name in ("judgements.csv", "preferences.csv"):
        code, out, err = call("validate", run, "--judgements", folder / name)
        assert code == 0, err
        assert "unmatched" not in out + err


STUDY = 'name = "s"\ntitle = "S"\nquestion_sets = ["preference"]\n[rate]\nsource = "chats.jsonl"\n'


@pytest.mark.parametrize(
    ("questions", "pages"),
    [
        ((PREFERRED,), {"report.html": "preferences.csv"}),
        (
            (WARMTH, OVERALL, PREFERRED),
            {"report.html": "judgements.csv", "report-preferences.html": "preferences.csv"},
        ),
    ],
)
def test_a_report_has_a_page_of_the_ratings_and_of_the_choices(
    sqlite, tmp_path, call, questions, pages
):
    fill(sqlite, questions=questions)
    (tmp_path / "s.toml").write_text(STUDY)
    store, out = sqlite.engine.url.database, tmp_path / "out"
    line = ["report", tmp_path / "s.toml", "--store", store, "--out", out, "--metrics", "length"]
    code, text, err = call("study", *line)
    assert code == 0, err
    shown = [line for line in text.splitlines() if line.startswith("report to open")]
    assert shown == [f"report to open in a browser: {out / name}" for name in pages]
    for name, source in pages.items():
        assert source in (out / name).read_text(encoding="utf-8")


def test_files_are_private(sqlite, tmp_path):
    fill(sqlite)
    before = os.umask(0)
    try:
        export_folder(collect(sqlite, "s"), tmp_path / "out")
    finally:
        os.umask(before)
    modes = {stat.S_IMODE(p.stat().st_mode) for p in (tmp_path / "out").iterdir()}
    assert modes == {0o600}
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o700


def test_equal_results_give_equal_bytes(sqlite, tmp_path, clock):
    fill(sqlite)
    first = export_archive(collect(sqlite, "s"))
    clock.now += 1e6
    assert export_archive(collect(sqlite, "s")) == first
    with zipfile.ZipFile(io.BytesIO(first)) as archive:
        assert archive.testzip() is None
        files = {name: archive.read(name) for name in archive.namelist()}
    assert files == export_files(collect(sqlite, "s"))


def test_a_study_without_answers_exports_its_dialogs_and_design(sqlite):
    Study(sqlite, design_of(WARMTH), SIDES, 1)
    assert list(export_files(collect(sqlite, "s"))) == ["dialogs.jsonl", "study.json"]


def test_every_revision_is_among_the_answers(sqlite):
    study = Study(sqlite, design_of(OVERALL), SIDES[:1], 1)
    unit = study.take("r001").unit
    study.answer("r001", unit, "overall", 10)
    study.answer("r001", unit, "overall", None, revision=1, state="cannot_tell")
    study.finish("r001", unit)
    files = export_files(collect(sqlite, "s"))
    rows = list(csv.DictReader(io.StringIO(files["answers.csv"].decode())))
    names = ("dialog", "turn", "value", "state", "revision", "counts", "why_not")
    assert [[row[name] for name in names] for row in rows] == [
        ["a0", "", "10.0", "given", "1", "false", "changed later"],
        ["a0", "", "", "cannot_tell", "2", "true", ""],
    ]
    assert files["judgements.csv"].decode().splitlines()[1] == (
        "a0,,a,overall,r001,outsider,,0.0,100.0"
    )
