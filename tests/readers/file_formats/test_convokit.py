"""ConvoKit corpora."""

from pathlib import Path
from typing import Any

import pytest

from simpatico.readers.file_formats.convokit import depth_first
from tests.readers.files import align_files, write_file


def utterance(name: str, speaker: str, reply_to: str | None, **more: Any) -> dict[str, Any]:
    row = {"id": name, "speaker": speaker, "conversation_id": "c1", "text": f"text {name}"}
    return row | {"reply-to": reply_to, "timestamp": None, "meta": {}, "vectors": []} | more


def corpus(folder: Path, rows: list[dict[str, Any]], **files: Any) -> Path:
    folder.mkdir(exist_ok=True)
    write_file(folder / "utterances.jsonl", rows)
    for name, content in files.items():
        write_file(folder / f"{name}.json", content)
    return folder


def test_a_reply_tree_is_read_by_time(tmp_path: Path) -> None:
    rows = [
        utterance("u1", "ann", None, timestamp=1),
        utterance("u2", "bob", "u1", timestamp=2),
        utterance("u4", "cy", "u1", timestamp=4),
        utterance("u3", "ann", "u2", timestamp=3),
    ]
    speakers = {"bob": {"meta": {"model": "bot-7"}, "vectors": []}, "ann": {"meta": {}}}
    turns, alignment = align_files(corpus(tmp_path / "corpus", rows, speakers=speakers))
    assert turns == [
        ("c1", "ann", "human", "text u1", None),
        ("c1", "bob", "bot-7", "text u2", 0),
        ("c1", "ann", "human", "text u3", 1),
        ("c1", "cy", "human", "text u4", 0),
    ]
    assert alignment.answers == {
        "human opens the dialog": 1,
        "bot-7 answers human": 1,
        "human answers bot-7": 1,
        "human answers human": 1,
    }
    assert set(alignment.formats.values()) == {"convokit"}


def test_without_times_answers_come_after_what_they_answer(tmp_path: Path) -> None:
    rows = [
        utterance("u3", "ann", "u2"),
        utterance("u2", "bob", "u1"),
        utterance("u1", "ann", None),
    ]
    turns, _ = align_files(corpus(tmp_path / "corpus", rows))
    assert [(t[3], t[4]) for t in turns] == [("text u1", None), ("text u2", 0), ("text u3", 1)]


@pytest.mark.parametrize("size", [1, 100])
def test_conversations_that_do_not_stand_together(tmp_path: Path, size: int) -> None:
    rows = [
        utterance("u1", "ann", None),
        utterance("v1", "ann", None, conversation_id="c2"),
        utterance("u2", "bob", "u1"),
        utterance("v2", "cy", "v1", conversation_id="c2"),
    ]
    turns, alignment = align_files(corpus(tmp_path / "corpus", rows), size=size)
    assert [(t[0], t[3]) for t in turns] == [
        ("c1", "text u1"),
        ("c1", "text u2"),
        ("c2", "text v1"),
        ("c2", "text v2"),
    ]
    assert alignment.rejected == {}


def test_legacy_names_and_the_file_alone(tmp_path: Path) -> None:
    rows = [
        {"id": "1", "user": "a", "root": "1", "reply_to": None, "text": "x", "meta": {}},
        {"id": "2", "user": "b", "root": "1", "reply_to": "1", "text": "y", "meta": {}},
        {"id": "3", "user": "b", "root": "1", "reply_to": "1", "text": None, "meta": {}},
    ]
    folder = corpus(tmp_path / "corpus", rows)
    expected = [("1", "a", "human", "x", None), ("1", "b", "human", "y", 0)]
    assert align_files(folder)[0] == expected
    assert align_files(folder / "utterances.jsonl")[0] == expected
    assert align_files(folder)[1].merged == 1


def test_a_circle_of_replies_does_not_hang() -> None:
    assert depth_first([-1, 2, 1, 0]) == [0, 3, 1, 2]
