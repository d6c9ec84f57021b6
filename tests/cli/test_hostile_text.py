"""Hostile text through every command: nothing acts in a terminal or a spreadsheet, JSON is true."""

import csv
import io
import json
from contextlib import redirect_stdout

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simpatico.cli.output import CONTROL, FORMULA_STARTS, show_csv
from tests.command_line import simpatico as call
from tests.reporting.payloads import FORMULAS, PAYLOADS, TERMINAL, UNICODE

ACTING = {chr(c) for c in [*range(10), *range(11, 32), *range(0x7F, 0xA0)]} | set(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)
"""C0 but for the newline, C1, and what turns the direction of writing."""

NAMES = [p[:300] for p in PAYLOADS.values() if p.strip()]
EVIL = "".join([*TERMINAL.values(), *UNICODE.values()]) + "end"
METRICS = "length,emotional_entropy"


def utterances():
    """Every payload as dialog, speaker and text, half of them by either of two hostile systems."""
    systems = (f"={EVIL}", f"+{EVIL}")
    for place, name in enumerate(NAMES):
        who = systems[place % 2]
        yield {"dialog": name, "speaker": f"p{name}", "system": "human", "text": name}
        yield {"dialog": name, "speaker": name, "system": who, "text": f"I love {name}, so it is"}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A log, a run of it, and judgements of its dialogs."""
    folder = tmp_path_factory.mktemp("hostile")
    log, ratings = folder / "\x1b[31m\u202e=evil.jsonl", folder / "\x1b]0;x\x07.jsonl"
    log.write_text("".join(json.dumps(row) + "\n" for row in utterances()))
    rows = [
        {
            "dialog": name,
            "speaker": name,
            "quality": f"={EVIL}",
            "judge": f"{EVIL} {judge}",
            "judge_kind": "outsider",
            "value": 1 + (place * (judge + 2)) % 5,
        }
        for place, name in enumerate(NAMES)
        for judge in range(2)
    ]
    ratings.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = folder / "\x1b2Jrun\x9b\u202e"
    return log, run, ratings, call("score", log, "--metrics", METRICS, "--out", run)


def harmless(done, code=0):
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert not set(done.stdout + done.stderr) & ACTING
    return done


def test_scoring_prints_nothing_that_acts(hostile):
    log, run, _, done = hostile
    harmless(done)
    assert "·2Jrun··" in done.stdout
    harmless(call("score", log, "--metrics", METRICS, "--plan"))
    assert (run / "run.json").is_file()


@pytest.mark.parametrize("name", ["run[1]", "a[b", "*?{x}"])
def test_a_run_folder_may_be_called_like_a_pattern(hostile, name, tmp_path):
    run = tmp_path / name
    harmless(call("score", hostile[0], "--metrics", "length", "--out", run))
    harmless(call("show", run))
    harmless(call("report", run, "--out", tmp_path / f"{name}.html"))


@pytest.mark.parametrize("level", ["system", "dialog", "turn"])
@pytest.mark.parametrize("shape", ["table", "csv", "json"])
def test_show_prints_nothing_that_acts(hostile, level, shape):
    harmless(call("show", hostile[1], "--level", level, "--format", shape, "--rows", 0))


@pytest.mark.parametrize("more", [[], ["--json"], ["--with-human"], ["--plan", "--detect", "0.1"]])
def test_compare_prints_nothing_that_acts(hostile, more):
    harmless(call("compare", hostile[1], *more))


def test_validate_and_report_print_nothing_that_acts(hostile, tmp_path):
    _, run, ratings, _ = hostile
    harmless(call("validate", run, "--judgements", ratings))
    out = tmp_path / "\x1b[1m.html"
    harmless(
        call(
            "report", run, "--judgements", ratings, "--out", out, "--title", EVIL.replace("\0", "")
        )
    )
    assert out.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_complaints_print_nothing_that_acts(hostile, tmp_path):
    evil = EVIL.replace("\0", "")
    for arguments in (
        ["list", evil],
        ["show", tmp_path / evil[:60]],
        ["score", tmp_path / evil[:60], "--plan"],
        ["show", hostile[1], "--scores", evil],
        ["validate", hostile[1], "--judgements", tmp_path / evil[:60]],
        ["report", hostile[1], "--pair", evil, "x", "--out", tmp_path / "r.html"],
    ):
        harmless(call(*arguments), 2)


def test_json_is_faithful(hostile):
    _, run, ratings, _ = hostile
    turns = json.loads(call("show", run, "--level", "turn", "--format", "json").stdout)
    assert {row["dialog"] for row in turns} == set(NAMES)
    assert {row["system"] for row in turns} == {f"={EVIL}", f"+{EVIL}", "human"}
    rows = json.loads(call("compare", run, "--json").stdout)
    assert {rows[0]["a"], rows[0]["b"]} == {f"={EVIL}", f"+{EVIL}"}
    facts = json.loads(harmless(call("report", run, "--judgements", ratings, "--json")).stdout)
    assert {row["quality"] for row in facts["evidence"]["correlations"]} == {f"={EVIL}"}


def test_parquet_is_faithful(hostile):
    texts = pl.read_parquet(hostile[1] / "text.parquet", glob=False)
    assert texts.filter(pl.col("turn") == 0)["text"].to_list() == NAMES


def test_csv_cells_are_no_formulas_and_numbers_stay_numbers(hostile):
    done = call("show", hostile[1], "--level", "dialog", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    for row in rows:
        assert not row["dialog"].startswith(FORMULA_STARTS)
        assert not row["system"].startswith(FORMULA_STARTS)
        assert row["length"] == "" or float(row["length"]) >= 0
    dialogs = {row["dialog"] for row in rows}
    for payload in FORMULAS.values():
        plain = CONTROL.sub("·", payload)
        assert (f"'{plain}" if plain.startswith(FORMULA_STARTS) else plain) in dialogs


@given(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.sampled_from([*FORMULA_STARTS, ""]),
    st.floats(allow_nan=False, allow_infinity=False),
)
def test_any_cell_of_text_is_harmless_and_any_number_is_itself(text, start, number):
    frame = pl.DataFrame({"text": [start + text], "number": [number]})
    out = io.StringIO()
    with redirect_stdout(out):
        show_csv(frame)
    _, (cell, figure) = csv.reader(io.StringIO(out.getvalue()))
    assert not cell.startswith(FORMULA_STARTS)
    assert not set(cell) & ACTING
    assert float(figure) == number
