"""HUMOD: replies with their mean relevance; counts over the real file where it is."""

import json
from pathlib import Path
from typing import Any

import pytest

from simpatico.errors import DataError
from simpatico.readers import Source, pick_reader, read
from simpatico.readers.file_formats.humod import HUMOD, MAX_LIST, parse_python_list
from simpatico.readers.input.record import Ledger
from simpatico.readers.judgement_files import read_judgements
from tests.readers.files import write_file

ROW: dict[str, Any] = {
    "dialogue_id": "humod_1",
    "context": "What time is it?\nEight. You got to go.\n",
    "response": "I can't.",
    "reference": "['No.', \"I won't.\"]",
    "human_mean_relevance": 4.33,
    "idk_score": 4.5,
    "am": 0.9,
    "fm": 0.8,
}


def reject_codes(path: Path) -> list[str]:
    ledger = Ledger("skip")
    list(HUMOD().judgements(Source.of(path), ledger))
    return [reject.code for reject in ledger.rejects]


def test_a_row_is_a_dialog(tmp_path: Path) -> None:
    path = write_file(tmp_path / "h.jsonl", [ROW, ROW | {"dialogue_id": "humod_2"}])
    assert pick_reader(Source.of(path)).name == "humod"
    frame = read(path).frame
    assert frame["dialog"].to_list() == ["humod_1"] * 3 + ["humod_2"] * 3
    assert frame["speaker"].to_list()[:3] == ["context-b", "context-a", "system"]
    assert frame["system"].to_list()[:3] == [None, None, "system"]
    assert frame["references"].to_list()[2] == ["No.", "I won't."]
    assert json.loads(frame["extras"][2]) == {"am": 0.9, "fm": 0.8}
    assert frame["prompt"].n_unique() == 1


def test_relevance_is_a_mean(tmp_path: Path) -> None:
    frame = read_judgements(write_file(tmp_path / "h.jsonl", [ROW])).frame
    (row,) = frame.to_dicts()
    assert (row["quality"], row["value"], row["turn"]) == ("relevance", 4.33, 2)
    assert (row["judge"], row["judge_kind"]) == (None, "outsider")
    assert (row["scale_min"], row["scale_max"]) == (1.0, 5.0)


def test_not_rated_is_null(tmp_path: Path) -> None:
    path = write_file(tmp_path / "h.jsonl", [ROW | {"human_mean_relevance": None}])
    assert read_judgements(path).frame["value"].to_list() == [None]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"human_mean_relevance": 6}, "rating"),
        ({"human_mean_relevance": "SECRET"}, "rating"),
        ({"context": 7}, "type"),
    ],
)
def test_bad_rows_are_refused_without_their_text(
    tmp_path: Path, change: dict[str, Any], code: str
) -> None:
    path = write_file(tmp_path / "h.jsonl", [ROW | {"dialogue_id": "good"}, ROW | change])
    assert reject_codes(path) == [code]
    with pytest.raises(DataError) as error:
        list(HUMOD().judgements(Source.of(path), Ledger()))
    assert "SECRET" not in str(error.value)
    assert "h.jsonl:2" in str(error.value)


def test_a_dialogue_id_comes_once(tmp_path: Path) -> None:
    assert reject_codes(write_file(tmp_path / "h.jsonl", [ROW, ROW])) == ["duplicate_id"]


@pytest.mark.parametrize(
    "text", ["['a'", "open('x')", "{'a': 1}", "[1]", "{[]: 1}", "['\\d'", "'" * MAX_LIST + "''"]
)
def test_references_that_cannot_be_read_are_counted(text: str) -> None:
    ledger = Ledger()
    assert parse_python_list(text, ledger) is None
    assert ledger.skip_counts["references that cannot be read"] == 1


def test_references_as_a_list_or_none() -> None:
    assert parse_python_list(["a"], Ledger()) == ["a"]
    assert parse_python_list(None, Ledger()) is None


def test_the_real_file(data: Path) -> None:
    path = data / "humod" / "humod_1000_joined.jsonl"
    if not path.is_file():
        pytest.skip(f"no {path}")
    turns = read(path)
    assert len(turns.units("dialog")) == 1000
    assert turns.frame["prompt"].n_unique() == 501
    assert turns.frame.filter(turns.scored)["references"].list.len().unique().to_list() == [3]
    relevance = read_judgements(path).frame["value"]
    assert (len(relevance), relevance.min(), relevance.max()) == (1000, 1.0, 5.0)
