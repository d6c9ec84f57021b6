"""Our own table in its four spellings."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from simpatico.errors import DataError
from simpatico.readers import Source, read
from simpatico.readers.file_formats._table_fields import parse_references, parse_time
from simpatico.readers.file_formats.table import Table
from tests.readers.files import align_files, gzip_copy, pipe_to_stdin, write_file

ROWS: list[dict[str, Any]] = [
    {"dialog": "d1", "speaker": "ann", "system": "human", "text": "hi"},
    {"dialog": "d1", "speaker": "ann", "system": "human", "text": "anybody, there?"},
    {"dialog": "d1", "speaker": "bot", "system": "harbor", "text": 'yes, "here"\nI am'},
    {"dialog": "d2", "speaker": "bot", "system": "harbor", "text": "hello"},
    {"dialog": "d2", "speaker": "cy", "system": None, "text": "naïve 👩‍👩‍👧 café"},
    {"dialog": "d2", "speaker": "bot", "system": "harbor", "text": ""},
]
TURNS = [
    ("d1", "ann", "human", "hi\nanybody, there?", None),
    ("d1", "bot", "harbor", 'yes, "here"\nI am', 0),
    ("d2", "bot", "harbor", "hello", None),
    ("d2", "cy", None, "naïve 👩‍👩‍👧 café", 0),
    ("d2", "bot", "harbor", "", 1),
]


def write_table(folder: Path, kind: str) -> Path:
    """The rows as a file of this kind."""
    path, frame = folder / f"talk.{kind}", pl.DataFrame(ROWS)
    match kind:
        case "csv":
            frame.write_csv(path)
        case "tsv":
            frame.write_csv(path, separator="\t")
        case "parquet":
            frame.write_parquet(path)
        case "semicolon.csv":
            frame.write_csv(path, separator=";")
        case _:
            write_file(path, ROWS)
    return path


@pytest.mark.parametrize("kind", ["jsonl", "json", "csv", "tsv", "semicolon.csv", "parquet"])
def test_every_spelling_is_the_same(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_table(tmp_path, kind)
    assert align_files(path)[0] == TURNS
    if kind != "parquet":
        assert align_files(gzip_copy(path))[0] == TURNS
    pipe_to_stdin(monkeypatch, path.read_bytes())
    assert align_files("-")[0] == TURNS


def test_the_alignment_says_who_answers_whom(tmp_path: Path) -> None:
    path = write_table(tmp_path, "jsonl")
    _, alignment = align_files(path)
    assert alignment.sentences() == [
        "2 dialogs, 4 speakers, 6 utterances in 5 turns: 4 scored, 1 context only.",
        "Systems: harbor (3 turns), human (1 turn).",
        "1 harbor turn replies to context.",
        "1 harbor turn replies to the user.",
        "1 harbor turn opens the dialog.",
        "1 user turn opens the dialog.",
        f"{path.name} was read as table.",
    ]


def test_other_names_of_columns_are_accepted_and_reported(tmp_path: Path) -> None:
    rows = [
        {"conversation_id": 7, "role": "system", "content": "be kind", "timestamp": 1},
        {"conversation_id": 7, "role": "user", "content": "hi", "timestamp": 2},
        {"conversation_id": 7, "role": "assistant", "content": "yo", "timestamp": 3},
    ]
    path = write_file(tmp_path / "a.jsonl", rows)
    turns, alignment = align_files(path, system="mine")
    assert turns == [("7", "user", "human", "hi", None), ("7", "assistant", "mine", "yo", 0)]
    assert alignment.aside == {"system message": 1}
    assert alignment.formats == {
        path.name: "table (dialog = conversation_id, speaker = role, text = content, "
        "time = timestamp)"
    }


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
def test_all_fields(tmp_path: Path, kind: str) -> None:
    row = {
        "dialog": "d",
        "speaker": "bot",
        "text": "hi",
        "system": "harbor",
        "id": "u1",
        "reply_to": "u0",
        "time": "2024-05-06T07:08:09Z",
        "references": '["one", "two"]',
        "interlocutor": "p7",
        "profile": "likes cats",
        "prompt": "p",
        "mood": "calm",
    }
    path = tmp_path / f"a.{kind}"
    if kind == "jsonl":
        write_file(path, [row | {"references": ["one", "two"]}])
    else:
        frame = pl.DataFrame([row])
        frame.write_csv(path) if kind == "csv" else frame.write_parquet(path)
    turn = read(path).frame.row(0, named=True)
    assert turn["time"] == datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)
    assert turn["references"] == ["one", "two"]
    assert json.loads(turn["extras"]) == {"mood": "calm"}
    for name in ("interlocutor", "profile", "prompt", "system"):
        assert turn[name] == row[name]


def test_numbers_are_names_too(tmp_path: Path) -> None:
    rows = [{"dialog": 1, "speaker": 2, "text": "x", "id": 3, "system": 4, "prompt": 5}]
    assert align_files(write_file(tmp_path / "a.jsonl", rows))[0] == [("1", "2", "4", "x", None)]


def test_replies_by_id(tmp_path: Path) -> None:
    rows = [
        {"dialog": "d", "speaker": s, "text": s, "id": i, "reply_to": to}
        for i, s, to in [("1", "a", None), ("2", "b", "1"), ("3", "c", "1"), ("4", "a", "2")]
    ]
    turns, _ = align_files(write_file(tmp_path / "a.jsonl", rows))
    assert [t[4] for t in turns] == [None, 0, 0, 1]


def test_rows_take_the_same_value_the_short_and_the_long_way(tmp_path: Path) -> None:
    short = write_file(tmp_path / "a.jsonl", ROWS)
    long = write_file(tmp_path / "b.jsonl", [row | {"more": 1} for row in ROWS])
    dialogs = [
        [[u._replace(extras=None) for u in dialog] for dialog in read_all(path)]
        for path in (short, long)
    ]
    assert dialogs[0] == dialogs[1]


def read_all(path: Path) -> list[Any]:
    from simpatico.readers.input.record import Ledger

    return list(Table().dialogs(Source.of(path), Ledger()))


def test_a_parquet_table_of_other_types(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame(
        {
            "dialog": pl.Series([1, 1], dtype=pl.Int64),
            "speaker": pl.Series(["a", "b"], dtype=pl.Categorical),
            "text": ["x", "y"],
            "time": [datetime(2024, 1, 1, tzinfo=UTC), None],
            "references": [["r"], None],
        }
    ).write_parquet(path)
    frame = read(path).frame
    assert frame["dialog"].to_list() == ["1", "1"]
    assert frame["time"].to_list() == [datetime(2024, 1, 1, tzinfo=UTC), None]
    assert frame["references"].to_list() == [["r"], None]


@pytest.mark.parametrize(
    ("written_as", "expected"),
    [
        (None, None),
        ("", None),
        (1_700_000_000, 1.7e9),
        (1_700_000_000_000, 1.7e9),
        ("1700000000.5", 1_700_000_000.5),
        ("2023-11-14T22:13:20+00:00", 1.7e9),
        ("2023-11-14 22:13:20", 1.7e9),
        ("2023-11-14T22:13:20Z", 1.7e9),
        (-1.0, -1.0),
    ],
)
def test_times(written_as: Any, expected: float | None) -> None:
    assert parse_time(written_as) == expected


@pytest.mark.parametrize("bad", ["yesterday", "nan", "inf", 1e300, "1e999", "9" * 5000])
def test_times_that_are_none(bad: Any) -> None:
    with pytest.raises(ValueError, match="'time' must be seconds since 1970 or an ISO 8601 time"):
        parse_time(bad)


def test_references() -> None:
    assert parse_references("one") == ["one"]
    assert parse_references('["one"]') == ["one"]
    assert parse_references("[not json") == ["[not json"]
    assert parse_references("") is None
    assert parse_references(["a"]) == ["a"]


def test_a_header_without_text(tmp_path: Path) -> None:
    path = write_file(tmp_path / "a.csv", "dialog,speaker,words\nd,a,CANARY\n")
    with pytest.raises(DataError) as caught:
        read(path)
    assert str(caught.value) == (
        f"{path}:1: there is no column 'text'; it may also be called message, utterance, content, "
        "or say which it is with --columns text=NAME"
    )
