"""Files of judgements: the same table from every kind of file, and bad rows named by line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from simpatico.errors import DataError, UnknownName
from simpatico.judgements import Judgement, Judgements, Preference, Preferences
from simpatico.readers.input.record import Ledger
from simpatico.readers.judgement_files import has_preferences, read_judgements, read_preferences

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


PREFERENCES = """dialog_a,turn_a,dialog_b,turn_b,judge,quality,preferred,note
d1,1,d2,3,j1,better,A,x
d1,1,d2,3,j2,better,tie,
d2,3,d1,1,j3,better,,
d1,,d2,,j1,,b,
"""
CHOICES = [
    Preference("better", "j1", None, "a", None, "d1", 1, None, None, "d2", 3),
    Preference("better", "j2", None, "tie", None, "d1", 1, None, None, "d2", 3),
    Preference("better", "j3", None, None, None, "d2", 3, None, None, "d1", 1),
    Preference("preference", "j1", None, "b", None, "d1", None, None, None, "d2"),
]


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_preferences_read_the_same_from_every_kind_of_file(tmp_path: Path, suffix: str) -> None:
    frame, path = Preferences.of(CHOICES).frame, tmp_path / f"p.{suffix}"
    match suffix:
        case "csv":
            path.write_text(PREFERENCES)
        case "jsonl":
            frame.write_ndjson(path)
        case "parquet":
            frame.write_parquet(path)
    assert has_preferences(path)
    assert read_preferences(path).frame.equals(frame)
    with pytest.raises(DataError) as error:
        read_judgements(path)
    assert str(error.value) == f"{path}:1: preferences, not ratings; use read_preferences"


def test_ratings_with_a_column_called_preferred_stay_ratings(tmp_path: Path) -> None:
    path = tmp_path / "j.csv"
    path.write_text("dialog,quality,value,preferred\nd1,nice,3,a\n")
    assert not has_preferences(path)
    assert len(read_judgements(path)) == 1


NEEDS = "a preference needs preferred, and dialog_a and dialog_b, or system_a, system_b and prompt"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("dialog_a,preferred\nx,a", f"1: there is no 'dialog_b'; {NEEDS}"),
        ("system_a,system_b,preferred\nx,y,a", f"1: there is no 'prompt'; {NEEDS}"),
        ("judge,preferred\nj,a", f"1: there is no 'dialog_a'; {NEEDS}"),
        (
            "dialog_a,dialog_a,dialog_b,preferred",
            "1: the column 'dialog_a' is there twice; keep one",
        ),
        (
            "dialog_a,dialog_b,preferred\nx,y,left",
            "2: 'preferred' must be a, b or tie, or empty for 'not rated'",
        ),
        (
            "dialog_a,dialog_b,preferred\nx,x,a",
            "2: a and b are the same; a preference is between two",
        ),
        (
            "dialog_a,dialog_b,preferred\nx,,a",
            "2: a preference needs dialog_a and dialog_b, or system_a, system_b and prompt",
        ),
        (
            "dialog_a,turn_a,dialog_b,turn_b,preferred\nx,1,y,,a",
            "2: one side is a turn and the other a whole dialog; give both turns or none",
        ),
        (
            "dialog_a,turn_a,dialog_b,turn_b,preferred\nx,first,y,1,a",
            "2: 'turn_a' must be the number of a turn, counted from 0, or empty for a whole dialog",
        ),
        (
            "dialog_a,dialog_b,judge_kind,preferred\nx,y,boss,a",
            "2: the judge_kind must be one of interlocutor, outsider, expert, model",
        ),
        (
            "dialog_a,dialog_b,judge,preferred\nx,y,j,a\ny,x,j,b",
            "3: the two sides, quality and judge are those of line 2; keep one of the two, or name "
            "every judge in the column 'judge'",
        ),
        ("dialog_a,dialog_b,preferred\nx,y", "2: the row has 2 cells but the header has 3"),
    ],
)
def test_a_bad_preference_is_named_by_line(tmp_path: Path, text: str, place: str) -> None:
    path = tmp_path / "p.csv"
    path.write_text(text + "\n")
    with pytest.raises(DataError) as error:
        read_preferences(path)
    assert str(error.value) == f"{path}:{place}"


def test_numbers_of_turns_may_start_at_another_one(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text(PREFERENCES)
    assert read_preferences(path, turns_from=1).frame["turn_b"].to_list() == [2, 2, 0, None]
    assert read_preferences(path, turns_from=-1).frame["turn_a"].to_list() == [2, 2, 4, None]
    with pytest.raises(DataError) as error:
        read_preferences(path, turns_from=2)
    assert str(error.value) == (
        f"{path}:2: 'turn_a' is below 2, the first turn's number (--turns-from)"
    )


def test_a_column_a_quality_is_read_as_ratings_and_said_to_be(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("session_id,system,thumb,warmth,comment\nd1,a,up,4,nice\nd2,b,\U0001f44e,,\n")
    ratings = read_judgements(path)
    assert ratings.frame.select("dialog", "quality", "value").rows() == [
        ("d1", "thumb", 1.0),
        ("d1", "warmth", 4.0),
        ("d2", "thumb", 0.0),
        ("d2", "warmth", None),
    ]
    assert ratings.notes == (
        "read as a table with a column a quality: thumb and warmth",
        "not numbers, so not read as ratings: comment",
    )
    path.write_text("dialog,comment\nd1,nice\n")
    with pytest.raises(DataError) as error:
        read_judgements(path)
    assert str(error.value) == (
        f"{path}:1: no column of ratings; give columns dialog, quality and value, or dialog and "
        "one column of numbers for each quality"
    )


def test_columns_of_ratings_may_be_mapped(tmp_path: Path) -> None:
    path = tmp_path / "j.csv"
    path.write_text("chat,what,stars\nd1,nice,3\n")
    columns = {"dialog": "chat", "quality": "what", "value": "stars"}
    (row,) = (
        read_judgements(path, columns=columns).frame.select("dialog", "quality", "value").rows()
    )
    assert row == ("d1", "nice", 3.0)
    with pytest.raises(UnknownName) as error:
        read_judgements(path, columns={"dialog": "caht"})
    assert str(error.value) == (
        f"--columns dialog=caht: {path} has no column 'caht'; did you mean 'chat'?"
    )


def test_judges_without_names_are_numbered(tmp_path: Path) -> None:
    path = tmp_path / "j.csv"
    path.write_text("dialog,quality,value\nd1,nice,3\nd1,nice,4\nd2,nice,5\n")
    ratings = read_judgements(path)
    assert ratings.frame["judge"].to_list() == ["1", "2", None]
    assert ratings.notes == (
        "2 ratings of the same unit without a judge's name: taken as those of several judges, in "
        "the order of the file; a number is not one person throughout, so that ICC(2,1) and "
        "figures per judge mean little",
    )
