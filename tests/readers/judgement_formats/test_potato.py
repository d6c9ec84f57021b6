"""Potato: its folder, tables and sessions; `exports` says what made the files."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from tests.readers.judgement_formats.exports import FILES, LABELS, read_export, write_lines

BY_ITEM = "read as Potato export: dialog from the id of the rated item (or --columns dialog=FIELD)"
RATINGS = {
    ("d1", None, "warmth", "ann", "outsider", 4.0),
    ("d1", None, "helpful", "ann", "outsider", 1.0),
    ("d1", None, "ease", "ann", "outsider", 70.0),
    ("d1", None, "grid.clear", "ann", "outsider", 3.0),
    ("d1", None, "grid.kind", "ann", "outsider", 5.0),
    ("d2", None, "warmth", "ann", "outsider", 2.0),
    ("d2", None, "grid.kind", "ann", "outsider", 1.0),
    ("d1", None, "warmth", "ben", "outsider", 5.0),
    ("d1", None, "helpful", "ben", "outsider", 0.0),
}
"""A scale, a yes or no, a slider and a grid of ratings; that of `tone` are words."""


@pytest.mark.parametrize("name", ["potato_output", "potato.jsonl"])
def test_the_folder_and_its_json_lines(name: str) -> None:
    """ben has two points of `warmth` stored for d2, as old versions kept every click."""
    rows, notes = read_export(FILES / name)
    assert sorted(rows) == sorted(RATINGS)
    assert notes == [BY_ITEM, "left out: 1 ambiguous answer", LABELS.format("tone")]


def test_the_state_of_one_person() -> None:
    rows, _ = read_export(FILES / "potato_output" / "ann" / "user_state.json")
    assert set(rows) == {row for row in RATINGS if row[3] == "ann"}


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet"])
def test_a_table_has_what_potato_decided(tmp_path: Path, suffix: str) -> None:
    """Its column `warmth` says that the second of ben's two points, 3, is the answer."""
    frame, path = pl.read_csv(FILES / "potato.csv", infer_schema=False), tmp_path / f"a.{suffix}"
    match suffix:
        case "parquet":
            frame.write_parquet(path)
        case "csv":
            frame.write_csv(path)
        case "tsv":
            frame.write_csv(path, separator="\t")
    rows, notes = read_export(path)
    assert set(rows) == {*RATINGS, ("d2", None, "warmth", "ben", "outsider", 3.0)}
    assert notes == [BY_ITEM, LABELS.format("tone")]


def test_joined_columns_say_the_unit(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("instance_id,user_id,q.slider,turn,chat\ni1,ann,0,1,d1\ni2,ann,5,3,d1\n")
    rows, notes = read_export(path, columns={"dialog": "chat"})
    assert rows == [
        ("d1", 1, "q", "ann", "outsider", 0.0),
        ("d1", 3, "q", "ann", "outsider", 5.0),
    ]
    assert notes == ["read as Potato export: dialog from 'chat', turn from 'turn'"]


def test_a_slider_at_zero_and_a_rater_that_is_a_program(tmp_path: Path) -> None:
    row = {"instance_id": "d1", "user_id": "ann", "labels": {"q": {"slider": 0}}}
    machine = {"user_id": "gpt", "annotator_origin": {"kind": "llm"}}
    rows, notes = read_export(write_lines(tmp_path / "a.jsonl", row, {**row, **machine}))
    assert rows == [
        ("d1", None, "q", "ann", "outsider", 0.0),
        ("d1", None, "q (model)", "gpt", "model", 0.0),
    ]
    assert notes == [BY_ITEM, "1 rating is by models or programs, and kept apart: q (model)"]


def test_annotations_of_sessions() -> None:
    rows, notes = read_export(FILES / "session_annotations.jsonl")
    assert rows == [
        ("d1", None, "trust", "ann", "outsider", 4.0),
        ("d1", None, "trust", "ben", "outsider", 2.0),
        ("d2", None, "trust", "ann", "outsider", 5.0),
    ]
    assert notes == [BY_ITEM, LABELS.format("topics")]
