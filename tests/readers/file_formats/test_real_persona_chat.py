"""Small talk of people who rate each other: who is judged by whom, and what is known of both."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from simpatico.errors import DataError
from simpatico.judgements import Judgement
from simpatico.readers.conversations import read
from simpatico.readers.detect import pick_reader
from simpatico.readers.file_formats.real_persona_chat import RealPersonaChat
from simpatico.readers.input.record import Ledger
from simpatico.readers.input.source import Source
from simpatico.readers.judgement_files import read_judgements
from tests.readers.files import everything, gzip_copy, write_file


def utterance(number: int, person: str, text: str, at: str) -> dict[str, Any]:
    return {
        "utterance_id": number,
        "interlocutor_id": person,
        "text": text,
        "timestamp": at,
    }


TALK: dict[str, Any] = {
    "dialogue_id": 7,
    "interlocutors": ["AA", "AB"],
    "utterances": [
        utterance(0, "AA", "庭は好きですか？", "2022-08-06T14:51:18.360000"),
        utterance(1, "AB", "はい、好きです。", "NaT"),
        utterance(2, "AA", "いいですね。", "2022-08-06T14:52:00"),
    ],
    "evaluations": [
        {"interlocutor_id": "AA", "interest": 5, "satisfaction": 4},
        {"interlocutor_id": "AB", "interest": 2, "satisfaction": None},
    ],
}
PEOPLE = {
    "AA": {
        "persona": ["庭がある。", "猫と住む。"],
        "personality": {"BigFive_Openness": 5.5, "BigFive_Neuroticism": 2.0, "IOS": 4},
    },
    "AB": {"persona": [], "personality": {}},
}
WITH_SYSTEM: dict[str, Any] = {
    "dialogue_id": 1,
    "system_id": "GPT-4+persona",
    "interlocutor_id": "AA",
    "utterances": [
        {"utterance_id": 0, "interlocutor": "user", "text": "こんにちは"},
        {"utterance_id": 1, "interlocutor": "system", "text": "こんにちは。"},
    ],
    "evaluation": {"coherence": 5, "satisfaction": 2},
}


def files(folder: Path, *talks: dict[str, Any]) -> Path:
    write_file(folder / "interlocutors.json", PEOPLE)
    return write_file(folder / "dialogues.jsonl", list(talks or [TALK]))


def test_both_sides_are_people_with_profiles(tmp_path: Path) -> None:
    path = gzip_copy(files(tmp_path))
    assert pick_reader(Source.of(path)).name == "real-persona-chat"
    frame = read(path).frame
    columns = ("dialog", "turn", "speaker", "system", "interlocutor", "profile", "extras")
    five = '{"big_five":{"openness":5.5,"neuroticism":2.0}}'
    assert frame.select(columns).rows() == [
        ("7", 0, "AA", "human", "AB", None, five),
        ("7", 1, "AB", "human", "AA", "庭がある。\n猫と住む。", None),
        ("7", 2, "AA", "human", "AB", None, None),
    ]
    times = frame["time"].dt.strftime("%F %T").to_list()
    assert times == ["2022-08-06 14:51:18", None, "2022-08-06 14:52:00"]


def test_without_the_file_of_people_there_is_no_profile(tmp_path: Path) -> None:
    path = write_file(tmp_path / "dialogues.jsonl", [TALK])
    frame = read(path).frame
    assert (frame["profile"].null_count(), frame["extras"].null_count()) == (3, 3)


def test_each_is_judged_by_the_other(tmp_path: Path) -> None:
    path = files(tmp_path)
    judgements = list(RealPersonaChat().judgements(Source.of(path), Ledger()))
    assert judgements == [
        Judgement("7", None, "AB", "interest", "AA", "interlocutor", 5.0, 1.0, 5.0),
        Judgement("7", None, "AB", "satisfaction", "AA", "interlocutor", 4.0, 1.0, 5.0),
        Judgement("7", None, "AA", "interest", "AB", "interlocutor", 2.0, 1.0, 5.0),
        Judgement("7", None, "AA", "satisfaction", "AB", "interlocutor", None, 1.0, 5.0),
    ]


def test_dialogs_with_a_system_tell_whom_it_plays(tmp_path: Path) -> None:
    path = write_file(tmp_path / "GPT-4+persona.json", [WITH_SYSTEM])
    assert pick_reader(Source.of(path)).name == "real-persona-chat"
    frame = read(path).frame
    columns = ("dialog", "speaker", "system", "interlocutor", "extras")
    assert frame.select(columns).rows() == [
        ("1", "user", None, None, None),
        ("1", "system", "GPT-4+persona", None, '{"plays":"AA"}'),
    ]
    assert list(read_judgements(path).frame.select("speaker", "judge", "value").rows()) == [
        ("system", "1:user", 5.0),
        ("system", "1:user", 2.0),
    ]


def test_a_record_that_stands_there_twice_is_set_aside(tmp_path: Path) -> None:
    silent = TALK | {"dialogue_id": 8, "utterances": []}
    _, alignment, rejects = everything(files(tmp_path, TALK, TALK, silent))
    assert alignment.aside == {
        "dialog that stands in the file twice": 1,
        "dialog without utterances": 1,
        "timestamp that is no time": 1,
    }
    assert (alignment.dialogs, rejects) == (1, [])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            {"dialogue_id": 7, "utterances": []},
            "an earlier record has the same 'dialogue_id'",
        ),
        (
            {"interlocutors": ["AA", "AA"]},
            "a conversation needs two interlocutors with different ids",
        ),
        (
            {"interlocutors": ["AA", "AC"]},
            "an interlocutor_id is not one of the conversation's interlocutors",
        ),
        (
            {"evaluations": [TALK["evaluations"][0]] * 2},
            "an interlocutor_id rates twice",
        ),
        (
            WITH_SYSTEM | {"utterances": [{"interlocutor": "judge", "text": "x"}]},
            "an interlocutor must be 'user' or 'system'",
        ),
    ],
)
def test_refuses(tmp_path: Path, change: dict[str, Any], reason: str) -> None:
    path = files(tmp_path, TALK, TALK | {"dialogue_id": 8} | change)
    with pytest.raises(DataError) as error:
        read(path)
    assert str(error.value) == f"{path}:2: {reason}"


def test_real_dialogs_with_systems(data: Path) -> None:
    """Five systems, thirty dialogs of each; persona prompts hold the sentences of who is played."""
    folder = data / "real-persona-chat"
    if not folder.is_dir():
        pytest.skip(f"no {folder.name} in {data}; set SIMPATICO_DATA to the public data sets")
    people = json.loads((folder / "interlocutors.json").read_text())
    prompts = json.loads((folder / "llm" / "prompts.json").read_text())["GPT-4+persona"]
    assert all(
        sentence in prompt["prompt"]
        for prompt in prompts
        for sentence in people[prompt["interlocutor_id"]]["persona"]
    )
    for path in sorted((folder / "llm").glob("GPT*.json")):
        assert read(path).frame["dialog"].n_unique() == 30
        assert len(read_judgements(path)) == 90
