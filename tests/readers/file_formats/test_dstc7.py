"""DSTC7: a folder of tables; counts and published means over the real one where it is."""

from pathlib import Path

import polars as pl
import pytest

from simpatico.errors import DataError
from simpatico.readers import Source, pick_reader, read
from simpatico.readers.file_formats.dstc7 import CONTEXTS, DSTC7, RATINGS, REFERENCES, RESPONSES
from simpatico.readers.input.record import Ledger
from simpatico.readers.judgement_files import read_judgements

TABLES = {
    CONTEXTS: 'InstanceID\tDepth\tContext\ni1\t2\the said "no\ni2\t3\tthe sun\n',
    RESPONSES: (
        "SystemID\tInstanceID\tResponse\n"
        'Human\ti1\t"why\nTeamCE\ti1\tok.\nHuman\ti2\tit shines.\nTeamCE\ti2\t\n'
    ),
    REFERENCES: "InstanceID\tReference1\t...\ni1\tone\ttwo\t\ni2\tthree\n",
    RATINGS: (
        "\ufeffJudgeID\tInstanceID\tSystemID\tRelevance\tInformativeness\n"
        "a\ti1\tHuman\t5\t4\nb\ti1\tHuman\t\t3\n"
        "a\ti1\tTeamCE\t1\t2\nb\ti1\tTeamEC\t3\t3\na\ti1\tTeamEC\t5\t5\n"
    ),
}


def folder(place: Path, **changes: str) -> Path:
    """The tables of a small DSTC7; `changes` by the name of the constant."""
    names = {"contexts": CONTEXTS, "responses": RESPONSES, "ratings": RATINGS}
    for name, text in (TABLES | {names[n]: t for n, t in changes.items()}).items():
        (place / name).write_text(text)
    return place


def test_each_response_is_a_dialog(tmp_path: Path) -> None:
    path = folder(tmp_path)
    assert pick_reader(Source.of(path)).name == "dstc7"
    frame = read(path).frame
    assert frame["dialog"].unique(maintain_order=True).to_list() == [
        "i1:Human", "i1:TeamCE", "i2:Human", "i2:TeamCE",
    ]  # fmt: skip
    assert frame["text"].to_list()[:2] == ['he said "no', '"why']
    assert frame["system"].to_list()[:4] == [None, "human", None, "TeamCE"]
    assert frame["references"].to_list()[1] == ["one", "two"]
    assert frame["prompt"].n_unique() == 2


def test_every_judge_and_quality(tmp_path: Path) -> None:
    ledger = Ledger()
    frame = read_judgements(folder(tmp_path), ledger=ledger).frame
    values = frame.select("dialog", "judge", "quality", "value").rows()
    assert values == [
        ("i1:Human", "a", "relevance", 5),
        ("i1:Human", "a", "informativeness", 4),
        ("i1:Human", "b", "relevance", None),
        ("i1:Human", "b", "informativeness", 3),
        ("i1:TeamCE", "a", "relevance", 1),
        ("i1:TeamCE", "a", "informativeness", 2),
        ("i1:TeamCE", "b", "relevance", 3),
        ("i1:TeamCE", "b", "informativeness", 3),
    ]
    assert frame["speaker"].to_list()[::4] == ["human", "TeamCE"]
    assert set(frame["turn"]) == {1}
    assert ledger.skip_counts == {"second rating of a response by one judge": 1}


HEAD = "SystemID\tInstanceID\tResponse\n"
JUDGED = "JudgeID\tInstanceID\tSystemID\tRelevance\tInformativeness\n"


@pytest.mark.parametrize(
    ("changes", "code", "place"),
    [
        ({"responses": HEAD + "Human\tSECRET\tx\n"}, "unknown", f"{RESPONSES}:2"),
        ({"responses": HEAD + "Human\ti1\tx\nHuman\ti1\ty\n"}, "duplicate_id", f"{RESPONSES}:3"),
        ({"responses": HEAD + "SECRET\n"}, "cells", f"{RESPONSES}:2"),
        ({"responses": "SystemID\tSECRET\n"}, "header", f"{RESPONSES}:1"),
        ({"contexts": ""}, "header", f"{CONTEXTS}:1"),
        ({"ratings": JUDGED + "a\tSECRET\tHuman\t1\t1\n"}, "unknown", f"{RATINGS}:2"),
        ({"ratings": JUDGED + "a\ti1\tHuman\tSECRET\t1\n"}, "rating", f"{RATINGS}:2"),
        ({"ratings": JUDGED + "a\ti1\tHuman\t1\t6\n"}, "rating", f"{RATINGS}:2"),
    ],
)
def test_bad_rows_are_refused_without_their_text(
    tmp_path: Path, changes: dict[str, str], code: str, place: str
) -> None:
    path, ledger = folder(tmp_path, **changes), Ledger("skip")
    list(DSTC7().judgements(Source.of(path), ledger))
    assert ledger.rejects[0].code == code
    assert str(ledger.rejects[0].place).endswith(place)
    with pytest.raises(DataError) as error:
        list(DSTC7().judgements(Source.of(path), Ledger()))
    assert "SECRET" not in str(error.value)


def test_text_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    path, ledger = folder(tmp_path), Ledger("skip")
    (path / RESPONSES).write_bytes(HEAD.encode() + b"Human\ti1\t\xff\nTeamCE\ti1\tok\n")
    assert len(list(DSTC7().dialogs(Source.of(path), ledger))) == 1
    assert [reject.code for reject in ledger.rejects] == ["utf8"]


def test_without_references_and_ratings_there_are_dialogs(tmp_path: Path) -> None:
    path = folder(tmp_path)
    (path / REFERENCES).unlink()
    (path / RATINGS).unlink()
    assert read(path).frame["references"].null_count() == 8
    with pytest.raises(DataError, match=r"human-eval-per-judge\.tsv"):
        read_judgements(path)


@pytest.fixture(scope="module")
def real(data: Path) -> Path:
    if not (data / "dstc7").is_dir():
        pytest.skip(f"no dstc7 in {data}")
    return data / "dstc7"


def test_the_real_folder(real: Path) -> None:
    turns = read(real)
    assert len(turns.units("dialog")) == 10_000
    assert len(turns.units("system")) == 10
    assert turns.frame["prompt"].n_unique() == 488


def test_the_published_means_come_out(real: Path) -> None:
    """Per context and system, the mean of relevance and informativeness over all judges.

    Two decimals are published; a judge's second rating of a response, which we leave out, is in
    them: at most 164 of the 10,000 means may differ.
    """
    ledger = Ledger()
    ours = (
        read_judgements(real, ledger=ledger)
        .frame.group_by("dialog")
        .agg(pl.col("value").mean(), rows=pl.len())
    )
    second = ledger.skip_counts["second rating of a response by one judge"]
    assert (second, int(ours["rows"].sum())) == (164, 2 * (33_000 - 164))
    reference = (
        pl.read_csv(real / "dstc7-task2-human_evaluation.tsv", separator="\t")
        .filter(pl.col("InstanceID") != "Average")
        .unpivot(index="InstanceID")
        .select(dialog=pl.col("InstanceID") + ":" + pl.col("variable"), theirs="value")
    )
    both = reference.join(ours, on="dialog", validate="1:1")
    assert both.height == 10_000
    assert both.filter((pl.col("value") - pl.col("theirs")).abs() > 0.0051).height <= 164
