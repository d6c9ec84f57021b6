"""Exports of annotation tools that the tests read, and what comes back from them.

The files in `files` were made by the tools' own packages, with invented content: argilla 2.8.0
(`rg.Record` and its exporters), label-studio 1.23.2 (a server with three annotators; the CSV by the
converter of label-studio-sdk 2.1.2), potato-annotation 2.12.1 (user states, tabular
and session exports), langfuse 5.0.4 (score models, with the columns that the documentation of its
blob storage export lists), arize-phoenix-client 3.5.0 (`get_span_annotations_dataframe` and
`get_span_annotations`) and langsmith 0.14.17 (`Feedback`).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from simpatico.errors import DataError
from simpatico.readers.judgement_files import read_judgements

FILES = Path(__file__).parent / "files"

Row = tuple[str, int | None, str, str | None, str | None, float | None]
LABELS = (
    "not read as ratings, since the answers are neither numbers nor yes and no: {!r}; name the "
    "choices by numbers to use them"
)
"""The note about a question whose answers are words."""


def read_export(path: Path, **options: Any) -> tuple[list[Row], list[str]]:
    """Dialog, turn, quality, judge, kind of judge and value of each rating, and the notes."""
    ratings = read_judgements(path, **options)
    columns = ("dialog", "turn", "quality", "judge", "judge_kind", "value")
    return ratings.frame.select(columns).rows(), list(ratings.notes)


def refusal(path: Path, **options: Any) -> str:
    """Why a file is refused, without its name."""
    with pytest.raises(DataError) as error:
        read_judgements(path, **options)
    return str(error.value).removeprefix(f"{path}:")


def as_export(tool: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of a long table, of an item each, as this tool exports them."""
    records = []
    for number, row in enumerate(rows):
        item, q, judge = f"i{number}", row["quality"], row["judge"]
        unit = {name: row[name] for name in ("dialog", "turn", "speaker")}
        match tool:
            case "label-studio":
                result = {"from_name": q, "type": "number", "value": {"number": row["value"]}}
                annotation = {"completed_by": judge, "result": [result]}
                records.append({"id": item, "data": unit, "annotations": [annotation]})
            case "argilla":
                lists = {"": row["value"], ".users": judge, ".status": "submitted"}
                own = {f"{q}.responses{end}": [value] for end, value in lists.items()}
                records.append({"id": item, **unit, **own})
            case "potato":
                own = {"labels": {q: {"slider": row["value"]}}}
                records.append({"instance_id": item, "user_id": judge, **unit, **own})
            case "langfuse":
                own = {"name": q, "value": row["value"], "data_type": "NUMERIC", "trace_id": item}
                by = {"source": "ANNOTATION", "author_user_id": judge, "metadata": unit}
                records.append({"id": f"s{number}", **own, **by})
            case "phoenix":
                own = {"name": q, "result": {"score": row["value"]}, "span_id": item}
                by = {"annotator_kind": "HUMAN", "source": "APP", "identifier": judge}
                records.append({**own, **by, "metadata": unit})
            case "langsmith":
                by = {"feedback_source": {"type": "app", "user_id": judge}, "extra": unit}
                records.append({"run_id": item, "key": q, "score": row["value"], **by})
    return records


def write_lines(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path
