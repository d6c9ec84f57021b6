"""Argilla: flattened records; `exports` says what made the files."""

from __future__ import annotations

from pathlib import Path

from tests.readers.judgement_formats.exports import (
    FILES,
    LABELS,
    read_export,
    refusal,
    write_lines,
)

U1, U3 = "00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000003"


def test_flattened_records() -> None:
    """User 2 only saved a draft of r1, and user 3 discarded r2."""
    rows, notes = read_export(FILES / "argilla.json")
    assert rows == [
        ("d1", 1, "warmth", U1, "outsider", 4.0),
        ("d1", 1, "warmth", U3, "outsider", 5.0),
        ("d1", 1, "helpful", U1, "outsider", 1.0),
        ("d1", 3, "warmth", U1, "outsider", 1.0),
        ("d1", 3, "helpful", U3, "outsider", 0.0),
    ]
    assert notes == [
        "read as Argilla export: dialog from 'dialog', turn from 'turn'",
        "left out: 1 draft response and 1 discarded response",
        LABELS.format("tone"),
    ]


def test_nested_records_are_refused() -> None:
    assert refusal(FILES / "argilla_nested.json") == (
        "1: this Argilla export does not say which responses are drafts or discarded; save "
        "dataset.records.to_list(flatten=True) as JSON"
    )


def test_only_submitted_responses_count(tmp_path: Path) -> None:
    record = {"id": "r", "q.responses": [1, 2], "q.responses.users": ["u", "v"]}
    path = write_lines(tmp_path / "r.jsonl", {**record, "q.responses.status": [None, "submitted"]})
    rows, notes = read_export(path)
    assert rows == [("r", None, "q", "v", "outsider", 2.0)]
    assert notes[1] == "left out: 1 unsubmitted response"
    write_lines(path, {**record, "q.responses.status": ["submitted"]})
    assert refusal(path) == "1: 'q.responses', its users and its status must be lists of one length"
