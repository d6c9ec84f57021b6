"""Langfuse: exported scores; `exports` says what made the files."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from tests.readers.judgement_formats.exports import FILES, LABELS, read_export, write_lines

FOLDER = FILES / "langfuse_scores"
MODEL = "1 rating is by models or programs, and kept apart: warmth (model)"


def test_a_folder_of_windows() -> None:
    """s4 is in both windows, s5 is a category without a config (stored as 0), s7 of a whole run."""
    rows, notes = read_export(FOLDER)
    assert rows == [
        ("d1", None, "warmth", "ann", "outsider", 4.0),
        ("d1", None, "warmth", "ben", "outsider", 2.0),
        ("d1", None, "warmth (model)", None, "model", 0.5),
        ("d1", 1, "helpful", "ann", "outsider", 1.0),
        ("d1", 1, "polite", "ann", "outsider", 2.0),
    ]
    assert notes == [
        "read as Langfuse export: dialog from 'dialog' or 'session_id', turn from 'turn'",
        "left out: 1 duplicate score and 1 dataset-run score",
        LABELS.format("tone"),
        MODEL,
    ]


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_one_window(tmp_path: Path, suffix: str) -> None:
    first, path = sorted(FOLDER.iterdir())[0], tmp_path / f"scores.{suffix}"
    frame = pl.read_ndjson(first)
    match suffix:
        case "jsonl":
            path.write_bytes(first.read_bytes())
        case "csv":  # as the export has it: objects are JSON
            frame.with_columns(pl.col("metadata").struct.json_encode()).write_csv(path)
        case "parquet":
            frame.write_parquet(path)
    rows, notes = read_export(path)
    assert rows == read_export(FOLDER)[0][:4]
    assert notes[1:] == [MODEL]


def test_scores_as_the_api_gives_them() -> None:
    rows, notes = read_export(FILES / "langfuse_api.json")
    assert rows == [
        ("d1", None, "warmth", "ann", "outsider", 4.0),
        ("d1", None, "warmth (model)", None, "model", 0.5),
        ("d1", 1, "helpful", "ann", "outsider", 1.0),
    ]
    assert notes[1:] == ["left out: 1 dataset-run score", LABELS.format("tone"), MODEL]


def test_scores_through_the_api_may_be_of_anybody(tmp_path: Path) -> None:
    score = {"id": "s", "name": "thumb", "value": 1, "data_type": "BOOLEAN", "trace_id": "t"}
    rows, notes = read_export(write_lines(tmp_path / "s.jsonl", {**score, "source": "API"}))
    assert rows == [("t", None, "thumb", None, None, 1.0)]
    assert notes == [
        "read as Langfuse export: dialog from the id of the rated item (or --columns dialog=FIELD)",
        "1 rating sent through the API: what kind of judge gave it is not known (judge_kind is "
        "empty)",
    ]
