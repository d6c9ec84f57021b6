"""Phoenix: annotations of spans and sessions; `exports` says what made the files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.readers.judgement_formats.exports import FILES, read_export, write_lines

UNNAMED = (
    "some annotations by people have no identifier: Phoenix then keeps one per name and span, so "
    "that judges may have overwritten each other's"
)


@pytest.mark.parametrize("name", ["phoenix.csv", "phoenix_api.json"])
def test_annotations_of_spans(name: str) -> None:
    """ben has no identifier but a user id; the 5 came through the API, and the thumb is a label."""
    rows, notes = read_export(FILES / name)
    assert rows == [
        ("d1", 1, "warmth", "ann", "outsider", 4.0),
        ("d1", 1, "warmth", "ben", "outsider", 2.0),
        ("d1", 1, "warmth (model)", None, "model", 0.5),
        ("d1", 3, "warmth", None, None, 5.0),
        ("d1", 3, "helpful", "ann", "outsider", 1.0),
    ]
    assert notes == [
        "read as Phoenix export: dialog from 'dialog', turn from 'turn'",
        "1 rating is by models or programs, and kept apart: warmth (model)",
        "1 rating sent through the API: what kind of judge gave it is not known (judge_kind is "
        "empty)",
        UNNAMED,
    ]


def test_annotations_of_sessions(tmp_path: Path) -> None:
    row = {"session_id": "d1", "name": "q", "annotator_kind": "HUMAN", "source": "APP", "score": 3}
    path = write_lines(tmp_path / "a.jsonl", {**row, "identifier": "ann"})
    rows, notes = read_export(path)
    assert rows == [("d1", None, "q", "ann", "outsider", 3.0)]
    assert notes == ["read as Phoenix export: dialog from 'session_id'"]
