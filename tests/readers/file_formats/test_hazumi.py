"""Exchanges with a Wizard: turns, six judgements of each, and two ways to write them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from simpatico.errors import DataError
from simpatico.judgements import Judgement
from simpatico.readers.conversations import read
from simpatico.readers.detect import pick_reader
from simpatico.readers.file_formats.hazumi import Hazumi, strip_annotations
from simpatico.readers.input.record import Ledger
from simpatico.readers.input.source import Source
from simpatico.readers.judgement_files import read_judgements
from tests.readers.files import write_file

OUTSIDERS = {"UI_F1": "4", "UI_M2": "5"}
EXCHANGES: list[dict[str, Any]] = [
    {
        "dialog": "1902F2099",
        "start": 1000,
        "end": 3500,
        "sys": "こんにちは。",
        "user": "(F えー)|こんにちは",
        "self": "6",
        "outsiders": OUTSIDERS,
    },
    {
        "dialog": "1902F2099",
        "start": 3500,
        "end": 5000,
        "sys": "お元気ですか？",
        "user": "",
        "self": "E",
        "outsiders": OUTSIDERS | {"UI_F1": "6 delete"},
    },
    {
        "dialog": "1902F2099",
        "start": 5000,
        "end": 9000,
        "sys": "なるほど。",
        "user": "(? 散歩)しました",
        "self": "",
        "outsiders": OUTSIDERS,
    },
]


def elan(exchanges: list[dict[str, Any]]) -> str:
    """The same exchanges as ELAN writes them: one tier per kind, times in slots."""
    tiers = {
        "UI_F1": [e["outsiders"]["UI_F1"] for e in exchanges],
        "UI_M2": [e["outsiders"]["UI_M2"] for e in exchanges],
        "sys_utterance": [e["sys"] for e in exchanges],
        "user_utterance": [e["user"] for e in exchanges],
        "TC_F1": ["1" for _ in exchanges],
        "UI_self": [e["self"] for e in exchanges],
    }
    slots = "".join(
        f'<TIME_SLOT TIME_SLOT_ID="{side}{i}" TIME_VALUE="{e[side]}"/>'
        for i, e in enumerate(exchanges)
        for side in ("start", "end")
    )
    body = "".join(
        f'<TIER TIER_ID="{name}">'
        + "".join(
            f'<ANNOTATION><ALIGNABLE_ANNOTATION TIME_SLOT_REF1="start{i}" TIME_SLOT_REF2="end{i}">'
            f"<ANNOTATION_VALUE>{value}</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>"
            for i, value in enumerate(values)
        )
        + "</TIER>"
        for name, values in tiers.items()
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<ANNOTATION_DOCUMENT FORMAT="3.0">'
        f"<TIME_ORDER>{slots}</TIME_ORDER>{body}</ANNOTATION_DOCUMENT>"
    )


@pytest.fixture(params=["list", "file", "folder"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param == "list":
        return write_file(tmp_path / "exchanges.json", EXCHANGES)
    file = write_file(tmp_path / "1902F2099.eaf", elan(EXCHANGES))
    return tmp_path if request.param == "folder" else file


def test_every_exchange_is_two_turns(path: Path) -> None:
    assert pick_reader(Source.of(path)).name == "hazumi"
    frame = read(path).frame
    columns = ("turn", "speaker", "system", "interlocutor", "text", "extras")
    assert frame["dialog"].unique().to_list() == ["1902F2099"]
    assert frame.select(columns).rows() == [
        (0, "Wizard", "Wizard", "1902F2099", "こんにちは。", '{"start":1.0,"end":3.5}'),
        (1, "Participant", None, None, "えーこんにちは", None),
        (2, "Wizard", "Wizard", "1902F2099", "お元気ですか？", '{"start":3.5,"end":5.0}'),
        (3, "Participant", None, None, "", None),
        (4, "Wizard", "Wizard", "1902F2099", "なるほど。", '{"start":5.0,"end":9.0}'),
        (5, "Participant", None, None, "散歩しました", None),
    ]


def test_judgements_by_role_and_what_is_no_number(path: Path) -> None:
    ledger = Ledger()
    judgements = list(Hazumi().judgements(Source.of(path), ledger))
    by = [(j.turn, j.judge, j.judge_kind, j.value) for j in judgements]
    own = ("1902F2099", "interlocutor")
    assert by == [
        (0, *own, 6.0),
        (0, "1902-F1", "outsider", 4.0),
        (0, "1902-M2", "outsider", 5.0),
        (2, *own, None),
        (2, "1902-F1", "outsider", None),
        (2, "1902-M2", "outsider", 5.0),
        (4, *own, None),
        (4, "1902-F1", "outsider", 4.0),
        (4, "1902-M2", "outsider", 5.0),
    ]
    assert judgements[0] == Judgement(
        "1902F2099", 0, "Wizard", "impression", "1902F2099", "interlocutor", 6.0, 1.0, 7.0
    )
    assert ledger.skip_counts == {"score that is no number": 3}


@pytest.mark.parametrize(
    ("transcript", "text"),
    [
        ("はい|そうです", "はいそうです"),
        ("(F うん)(D す)(? たぶん)", "うんすたぶん"),
        ("(F (? まあ))いいです　", "まあいいです"),
        ("(笑)", "(笑)"),
    ],
)
def test_marks_of_the_transcript_go_and_words_stay(transcript: str, text: str) -> None:
    assert strip_annotations(transcript) == text


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (elan(EXCHANGES).replace("UI_self", "UI_own"), "there is no tier 'UI_self'"),
        (
            elan(EXCHANGES).replace(' TIME_VALUE="1000"', ""),
            "not an ELAN file, or an annotation in it has no time",
        ),
        (
            elan(EXCHANGES)[:-20],
            "not an ELAN file, or an annotation in it has no time",
        ),
        (
            elan(EXCHANGES).replace(
                "<ANNOTATION_DOCUMENT", '<!DOCTYPE a [<!ENTITY b "c">]><ANNOTATION_DOCUMENT'
            ),
            "not an ELAN file, or an annotation in it has no time",
        ),
    ],
)
def test_refuses_files(tmp_path: Path, content: str, reason: str) -> None:
    path = write_file(tmp_path / "a.eaf", content)
    with pytest.raises(DataError) as error:
        read(path)
    assert str(error.value) == f"{path}:1: {reason}"


def test_refuses_a_score_off_the_scale(tmp_path: Path) -> None:
    path = write_file(tmp_path / "a.json", [EXCHANGES[0] | {"self": "8"}])
    with pytest.raises(DataError) as error:
        read_judgements(path)
    assert str(error.value) == f"{path}:2: the value 8 is outside its scale, 1 to 7"


@pytest.mark.parametrize(
    ("corpus", "exchanges", "complete", "lengths"),
    # the paper has 2,477 and 2,824 exchanges, and 22.7, 22.2 and 20.8, 25.1 characters
    [("hazumi1902", 2_514, 2_480, (22.6, 22.6)), ("hazumi1911", 2_859, 2_828, (20.7, 25.0))],
)
def test_real_files(
    data: Path, corpus: str, exchanges: int, complete: int, lengths: tuple[float, float]
) -> None:
    """The list says what the ELAN files say; exchanges with all six scores are counted."""
    folder = data / corpus
    if not folder.is_dir():
        pytest.skip(f"no {corpus} in {data}; set SIMPATICO_DATA to the folder of public data sets")
    exchange_file, files = (
        folder / "exchanges_parsed.json",
        sorted((folder / "elan").glob("*.eaf"))[::10],
    )
    frame = read(exchange_file).frame
    assert (frame.height, frame["dialog"].n_unique()) == (2 * exchanges, 30)
    ratings = read_judgements(exchange_file).frame
    for file in files:
        own = ratings.filter(dialog=file.stem).sort(pl.all())
        assert frame.filter(dialog=file.stem).equals(read(file).frame)
        assert own.equals(read_judgements(file).frame.sort(pl.all()))
    rated = ratings.group_by("dialog", "turn").agg(n=pl.col("value").count()).filter(n=6)
    assert rated.height == complete
    for side, length in enumerate(lengths):
        units = rated.select("dialog", turn=pl.col("turn") + side)
        characters = frame.join(units, on=["dialog", "turn"])["text"].str.len_chars()
        assert characters.mean() == pytest.approx(length, abs=0.05)
