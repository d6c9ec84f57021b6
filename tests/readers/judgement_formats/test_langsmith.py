"""LangSmith: feedback; `exports` says what made the files."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from tests.readers.judgement_formats.exports import FILES, LABELS, read_export, refusal

FEEDBACK = FILES / "langsmith.jsonl"


def test_feedback() -> None:
    """`session_id` is the project, and no dialog; ann gave run 11 first 1 and then 5."""
    rows, notes = read_export(FEEDBACK)
    assert rows == [
        ("d1", 1, "warmth", "ann", "outsider", 4.0),
        ("d1", 1, "warmth", "ben", "outsider", 2.0),
        ("d1", 1, "warmth (model)", None, "model", 0.5),
        ("d1", 1, "thumb", None, None, 1.0),
        ("d1", 3, "warmth", "ann", "outsider", 5.0),
    ]
    assert notes == [
        "read as LangSmith export: dialog from 'thread_id', turn from 'turn'",
        "left out: 1 pairwise choice",
        "1 answer was given again by the same judge: the last one counts",
        LABELS.format("note"),
        "1 rating is by models or programs, and kept apart: warmth (model)",
        "1 rating sent through the API: what kind of judge gave it is not known (judge_kind is "
        "empty)",
    ]


def test_a_flat_table_and_one_that_lost_the_source(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_text(
        "run_id,key,score,value,feedback_source.type,feedback_source.user_id,thread_id,turn\n"
        "r1,warmth,4,,app,ann,d1,1\n"
    )
    assert read_export(path)[0] == [("d1", 1, "warmth", "ann", "outsider", 4.0)]
    source = "{'type': 'app', 'user_id': UUID('0')}"
    pl.DataFrame([{"run_id": "r", "key": "q", "score": 1, "feedback_source": source}]).write_csv(
        path
    )
    assert refusal(path) == (
        "2: 'feedback_source' must be a JSON object; write the feedback as JSON lines"
    )
