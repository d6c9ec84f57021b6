"""Crowd workers' dialogs with bots: who said what, who judged it, and counts over the real files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from simpatico.errors import DataError
from simpatico.judgements import Judgement
from simpatico.readers import Conversations
from simpatico.readers.conversations import read
from simpatico.readers.detect import pick_reader
from simpatico.readers.file_formats.ji2022 import Ji2022
from simpatico.readers.input.record import Ledger
from simpatico.readers.input.source import Source
from simpatico.readers.judgement_files import read_judgements

SCORES = {"robotic": 20, "interesting": 70, "repetitive": 0}
FIRST = {
    "model": "A_p",
    "dialogue": [
        {"round": 1, "user": "Do you garden?", "bot": "i grow beans ."},
        {"round": 2, "user": "Any tomatoes?", "bot": "i grow beans ."},
    ],
    "raw scores": SCORES,
    "z scores": {"robotic": -0.5, "interesting": 1.1, "repetitive": -0.9},
    "topic": [{"round": 0, "topic": "i love my garden .", "attitude": "like"}],
    "change of topic": [],
    "feedback": "fine",
}
SECOND = FIRST | {
    "model": "QualityControl",
    "dialogue": [{"round": 1, "user": "Hello", "bot": "blue seven the ."}],
    "raw scores": {"robotic": 1, "interesting": "", "repetitive": 50},
    "topic": [],
}
SITTINGS: list[dict[str, Any]] = [
    {"AssignmentId": "S1", "HITId": "H1", "WorkerId": "w1", "data": [FIRST, SECOND]}
]


def write_json_file(folder: Path, name: str, content: Any) -> Path:
    path = folder / name
    path.write_text(json.dumps(content))
    return path


def test_dialogs_are_told_by_their_shape(tmp_path: Path) -> None:
    path = write_json_file(tmp_path, "pass_garden.json", SITTINGS)
    assert pick_reader(Source.of(path)).name == "ji2022"
    frame = read(path).frame
    columns = ("dialog", "turn", "speaker", "system", "interlocutor", "text")
    assert frame.select(columns).rows() == [
        ("S1:1", 0, "user", None, None, "Do you garden?"),
        ("S1:1", 1, "bot", "A_p", "w1", "i grow beans ."),
        ("S1:1", 2, "user", None, None, "Any tomatoes?"),
        ("S1:1", 3, "bot", "A_p", "w1", "i grow beans ."),
        ("S1:2", 0, "user", None, None, "Hello"),
        ("S1:2", 1, "bot", "QualityControl", "w1", "blue seven the ."),
    ]
    assert frame["extras"].to_list() == [
        '{"quality_control":"passed",'
        '"topics":[{"round":0,"topic":"i love my garden .","attitude":"like"}]}',
        *[None] * 3,
        '{"quality_control":"passed"}',
        None,
    ]


@pytest.mark.parametrize(
    ("name", "extras"),
    [("fail_x.json", '{"quality_control":"failed"}'), ("x.json", None)],
)
def test_the_name_of_the_file_tells_who_passed(tmp_path: Path, name: str, extras: object) -> None:
    path = write_json_file(tmp_path, name, [SITTINGS[0] | {"data": [SECOND]}])
    assert read(path).frame["extras"].to_list() == [extras, None]


def test_the_bot_is_judged_by_its_worker(tmp_path: Path) -> None:
    path = write_json_file(tmp_path, "x.json", SITTINGS)
    judgements = list(Ji2022().judgements(Source.of(path), Ledger()))
    first, second = ("S1:1", None, "bot"), ("S1:2", None, "bot")
    assert judgements == [
        Judgement(*first, "robotic", "w1", "interlocutor", 20.0, 0.0, 100.0),
        Judgement(*first, "interesting", "w1", "interlocutor", 70.0, 0.0, 100.0),
        Judgement(*first, "repetitive", "w1", "interlocutor", 0.0, 0.0, 100.0),
        Judgement(*second, "robotic", "w1", "interlocutor", 1.0, 0.0, 100.0),
        Judgement(*second, "interesting", "w1", "interlocutor", None, 0.0, 100.0),
        Judgement(*second, "repetitive", "w1", "interlocutor", 50.0, 0.0, 100.0),
    ]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({}, "an earlier record has the same 'AssignmentId'"),
        (
            {"AssignmentId": "S2", "data": [FIRST | {"raw scores": {"fun": 101}}]},
            "the value 101 is outside its scale, 0 to 100",
        ),
        (
            {"AssignmentId": "S2", "data": [FIRST | {"raw scores": {"fun": "much"}}]},
            "a rating is neither a number nor 'not rated'",
        ),
    ],
)
def test_refuses(tmp_path: Path, change: dict[str, Any], reason: str) -> None:
    path = write_json_file(tmp_path, "x.json", [SITTINGS[0], SITTINGS[0] | change])
    with pytest.raises(DataError) as error:
        list(Ji2022().judgements(Source.of(path), Ledger()))
    assert str(error.value) == f"{path}:1: {reason}"


def test_a_dialog_nobody_said_anything_in_is_set_aside(tmp_path: Path) -> None:
    path = write_json_file(tmp_path, "x.json", [SITTINGS[0] | {"data": [FIRST | {"dialogue": []}]}])
    ledger = Ledger()
    assert list(Ji2022().dialogs(Source.of(path), ledger)) == []
    assert ledger.skip_counts == {"dialog without utterances": 1}


def real(data: Path, side: str) -> list[Path]:
    """The files whose workers passed the control of quality, or failed it."""
    folder = data / "ji2022"
    if not folder.is_dir():
        pytest.skip(f"no ji2022 in {data}; set SIMPATICO_DATA to the folder of public data sets")
    return sorted(folder.glob(f"{side}_*.json"))


def test_real_files(data: Path) -> None:
    """3,510 dialogs of 439 workers who passed, a sixth of them with the control."""
    paths = real(data, "pass")
    (chunk,) = Conversations(tuple(paths)).chunks(10**9)
    frame = chunk.turns.frame
    bots = frame.filter(pl.col("system").is_not_null())
    assert (frame["dialog"].n_unique(), bots["interlocutor"].n_unique()) == (3_510, 439)
    per_system = bots.group_by("system").agg(pl.col("dialog").n_unique())
    assert (per_system.height, per_system["dialog"].sum()) == (11, 3_510)
    assert per_system.filter(system="QualityControl")["dialog"].item() == 585
    judgements = pl.concat([read_judgements(path).frame for path in paths])
    assert (judgements.height, judgements["value"].null_count()) == (7 * 3_510, 0)
    assert judgements["quality"].n_unique() == 7
    assert judgements["judge"].n_unique() == 439
    wide = judgements.pivot("quality", index="dialog", values="value")
    # high is good for both, as their names do not tell
    assert wide.select(pl.corr("robotic", "interesting")).item() == pytest.approx(0.40, abs=0.005)
    assert wide.select(pl.corr("repetitive", "interesting")).item() > 0.2


def test_real_files_of_those_who_failed(data: Path) -> None:
    """534 + 768 + 504 dialogs."""
    paths = real(data, "fail")
    dialogs = [list(Ji2022().dialogs(Source.of(path), Ledger())) for path in paths]
    assert [len(group) for group in dialogs] == [534, 768, 504]
    assert {json.loads(group[0][0].extras or "")["quality_control"] for group in dialogs} == {
        "failed"
    }
