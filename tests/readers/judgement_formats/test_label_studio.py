"""Label Studio: the JSON export; `exports` says what made the files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from simpatico.errors import DataError, UnknownName
from simpatico.judgements import Preference, Preferences
from simpatico.readers.judgement_files import has_preferences, read_judgements, read_preferences
from tests.readers.judgement_formats.exports import FILES, LABELS, read_export, refusal


def write_task(path: Path, *results: dict[str, Any], **data: Any) -> Path:
    """An export of one task with one annotation."""
    annotation = {"id": 7, "completed_by": {"id": 3, "email": "a@b.c"}, "result": results}
    path.write_text(json.dumps([{"id": 5, "data": data, "annotations": [annotation]}]))
    return path


def rating(name: str, stars: int, **more: Any) -> dict[str, Any]:
    return {"from_name": name, "type": "rating", "value": {"rating": stars, **more}}


def test_an_export() -> None:
    """Task 1: judge 1 gave 2 stars and later 4, judge 2 left 0 stars, judge 3 cancelled."""
    rows, notes = read_export(FILES / "label_studio.json")
    assert rows == [
        ("d1", 1, "warmth", "1", "outsider", 4.0),
        ("d1", 1, "helpful", "1", "outsider", 1.0),
        ("d1", 1, "warmth", "2", "outsider", None),
        ("d1", 1, "helpful", "2", "outsider", 0.0),
        ("d1", 3, "warmth", "2", "outsider", 5.0),
    ]
    assert notes == [
        "read as Label Studio export: dialog from 'dialog', turn from 'turn'",
        "left out: 1 cancelled annotation",
        "1 answer was given again by the same judge: the last one counts",
        LABELS.format("tone"),
    ]


@pytest.mark.parametrize("name", ["label_studio_min.json", "label_studio.csv"])
def test_a_flat_export_is_refused(name: str) -> None:
    assert refusal(FILES / name) == (
        "1: a JSON_MIN, CSV or TSV export of Label Studio mixes the answers with the fields of the "
        "task; export it as JSON"
    )


def test_the_unit_is_where_the_user_says(tmp_path: Path) -> None:
    path = write_task(tmp_path / "x.json", rating("q", 3), chat="c9", nr=4, messages=[])
    rows, notes = read_export(path)
    assert rows == [("5", None, "q", "3", "outsider", 3.0)]
    assert notes == [
        "read as Label Studio export: dialog from the id of the rated item (or --columns "
        "dialog=FIELD)"
    ]
    columns = {"dialog": "chat", "turn": "nr"}
    rows, notes = read_export(path, columns=columns, turns_from=1)
    assert rows == [("c9", 3, "q", "3", "outsider", 3.0)]
    assert notes == ["read as Label Studio export: dialog from 'chat', turn from 'nr'"]
    for wrong, sentence in {
        "dialog=messages": f"{path} has no column 'messages'; there are chat, nr",
        "quality=q": "no field 'quality' of a rated item; there are dialog, turn, speaker",
    }.items():
        with pytest.raises(UnknownName) as error:
            read_judgements(path, columns=dict([wrong.split("=")]))
        assert str(error.value) == f"--columns {wrong}: {sentence}"


def test_annotations_that_fill_the_first_bytes(tmp_path: Path) -> None:
    """An export has the data of a task after its annotations, here of 128 KiB."""
    note = {"from_name": "why", "type": "textarea", "value": {"text": ["x" * 2**17]}}
    annotation = {"completed_by": 1, "result": [rating("q", 3), note]}
    path = tmp_path / "x.json"
    path.write_text(json.dumps([{"id": 1, "annotations": [annotation], "data": {"dialog": "d"}}]))
    assert read_export(path)[0] == [("d", None, "q", "1", "outsider", 3.0)]


def test_a_text_in_the_field_dialog_is_no_id(tmp_path: Path) -> None:
    path = write_task(tmp_path / "x.json", rating("q", 3), dialog="A: hello\nB: hi")
    assert read_export(path)[0] == [("5", None, "q", "3", "outsider", 3.0)]


def test_answers_about_parts_and_relations_are_none(tmp_path: Path) -> None:
    highlight = rating("q", 2, start="0", end="0", startOffset=1, endOffset=4)
    relation = {"type": "relation", "from_id": "a", "to_id": "b", "direction": "right"}
    item = {**rating("q", 1), "item_index": 0}
    path = write_task(tmp_path / "x.json", highlight, relation, item, rating("q", 4), dialog="d")
    rows, notes = read_export(path)
    assert rows == [("d", None, "q", "3", "outsider", 4.0)]
    assert notes[1] == "left out: 2 region-level answers"


def test_an_export_without_ratings(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    cancelled = {"id": 1, "completed_by": 1, "was_cancelled": True, "result": []}
    path.write_text(json.dumps([{"id": 1, "data": {}, "annotations": [cancelled]}]))
    assert refusal(path) == (
        "1: no answers of judges in this Label Studio export (left out: 1 cancelled annotation)"
    )
    tone = {"from_name": "tone", "type": "choices", "value": {"choices": ["flat", "dry"]}}
    assert refusal(write_task(path, tone)) == (
        "1: the answers to 'tone' are neither numbers nor yes and no; name the choices by numbers, "
        "or write a table with the columns dialog, quality and value"
    )


def test_a_judge_of_several_items_of_a_dialog_needs_their_turns(tmp_path: Path) -> None:
    """The first task takes lines 2 to 21."""
    path = tmp_path / "x.json"
    tasks = [
        {
            "id": number,
            "data": {"dialog": "d"},
            "annotations": [{"completed_by": 1, "result": [rating("q", 3)]}],
        }
        for number in (1, 2)
    ]
    path.write_text(json.dumps(tasks, indent=1))
    assert refusal(path) == (
        "22: one judge answers 'q' for several items of dialog 'd', and no field says which turn "
        "each is; name the field with --columns turn=FIELD"
    )


def test_pairwise_choices_are_preferences(tmp_path: Path) -> None:
    """`PairwiseTag.label` of label-studio-sdk 2.1.2 gives this type and value."""
    choice = {"from_name": "better", "to_name": "better", "type": "pairwise"}
    chosen = {**choice, "value": {"selected": "right"}}
    path = write_task(tmp_path / "p.json", chosen, dialog_a="d1", dialog_b="d2")
    assert has_preferences(path)
    sides = {"dialog_a": "d1", "dialog_b": "d2"}
    expected = Preferences.of([Preference("better", "3", "outsider", "b", **sides)])
    assert read_preferences(path).frame.equals(expected.frame)
    with pytest.raises(DataError) as error:
        read_preferences(write_task(path, chosen, dialog_a="d1"))
    assert str(error.value) == (
        f"{path}:1: there is no 'dialog_b'; a preference needs preferred, and dialog_a and "
        "dialog_b, or system_a, system_b and prompt"
    )
