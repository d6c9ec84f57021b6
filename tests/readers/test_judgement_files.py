"""Files of judgements: the same table from every kind of file, and bad rows named by line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from simpatico.errors import DataError, UnknownName
from simpatico.judgements import Judgement, Judgements
from simpatico.readers.input.record import Ledger
from simpatico.readers.judgement_files import read_judgements

CSV = """dialog,turn,speaker,quality,judge,judge_kind,value,scale_min,scale_max,note
d1,0,bot,engaging,j1,outsider,4,1,5,"two
lines"
d1,0,bot,engaging,j2,outsider,NA,1,5,
d1,,bot,engaging,j1,expert,2.5,,,
d2,,,engaging,,,,,,
"""
LONG = [
    Judgement("d1", 0, "bot", "engaging", "j1", "outsider", 4.0, 1.0, 5.0),
    Judgement("d1", 0, "bot", "engaging", "j2", "outsider", None, 1.0, 5.0),
    Judgement("d1", None, "bot", "engaging", "j1", "expert", 2.5),
    Judgement("d2", None, None, "engaging", None, None, None),
]


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "json", "parquet"])
def test_a_long_table_reads_the_same_from_every_kind_of_file(tmp_path: Path, suffix: str) -> None:
    frame, path = Judgements.of(LONG).frame, tmp_path / f"j.{suffix}"
    match suffix:
        case "csv":
            path.write_text(CSV)
        case "tsv":
            frame.write_csv(path, separator="\t")
        case "jsonl":
            frame.write_ndjson(path)
        case "json":
            path.write_text(json.dumps(frame.to_dicts()))
        case "parquet":
            frame.write_parquet(path)
    assert read_judgements(path).frame.equals(frame)


def test_only_dialog_quality_and_value_are_needed(tmp_path: Path) -> None:
    path = tmp_path / "j.csv"
    path.write_text("value,dialog,quality\nnot rated,d1,nice\n3,d2,nice\n")
    assert read_judgements(path).frame.equals(
        Judgements.of(
            [
                Judgement("d1", None, None, "nice", None, None, None),
                Judgement("d2", None, None, "nice", None, None, 3.0),
            ]
        ).frame
    )


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("d,0,b,q,j9,outsider,6,1,5,", "the value 6 is outside its scale, 1 to 5"),
        (
            "d,0,b,q,j9,worker,4,1,5,",
            "the judge_kind must be one of interlocutor, outsider, expert, model",
        ),
        ("d,0,b,q,j9,outsider,good,1,5,", "'value' must be a number, or empty for 'not rated'"),
        (
            "d,1.5,b,q,j9,outsider,4,1,5,",
            "'turn' must be the number of a turn, counted from 0, or empty for a whole dialog",
        ),
        (",0,b,q,j9,outsider,4,1,5,", "a judgement needs a dialog and a quality"),
        ("d,0,b,q,j9,outsider,4", "the row has 7 cells but the header has 10"),
        (
            "d1,0,bot,engaging,j1,outsider,5,1,5,",
            "the unit, quality and judge are those of line 2; keep one of the two, "
            "or name every judge in the column 'judge'",
        ),
    ],
)
def test_a_bad_row_is_named_by_its_line(tmp_path: Path, row: str, reason: str) -> None:
    path = tmp_path / "j.csv"
    path.write_text(CSV + row + "\n")
    with pytest.raises(DataError) as error:
        read_judgements(path)
    assert str(error.value) == f"{path}:7: {reason}"  # the first record takes two lines
    ledger = Ledger("skip")
    assert len(read_judgements(path, ledger=ledger)) == len(LONG)
    assert [reject.place.line for reject in ledger.rejects] == [7]


def test_a_table_without_value(tmp_path: Path) -> None:
    path = tmp_path / "j.csv"
    path.write_text("dialog,quality\nd,q\n")
    with pytest.raises(DataError) as error:
        read_judgements(path)
    assert str(error.value) == (
        f"{path}:1: there is no 'value'; a judgement needs dialog, quality and value"
    )


def test_a_file_without_judgements(tmp_path: Path) -> None:
    path = tmp_path / "j.txt"
    path.write_text("hello\n")
    with pytest.raises(DataError, match="neither a table of judgements"):
        read_judgements(path)
    with pytest.raises(UnknownName) as error:
        read_judgements(path, format="cvs")
    assert str(error.value) == "no format 'cvs'; did you mean 'csv'?"
