"""ParlAI conversations."""

from pathlib import Path

from tests.readers.files import align_files, write_file

DIALOG = {
    "dialog": [
        [{"id": "Human 1", "text": "hi"}, {"id": "blender", "text": "hello"}],
        [{"id": "Human 1", "text": "__SILENCE__"}, {"id": "blender", "text": "still here"}],
        [{"id": "Human 1", "text": "yes"}, {"id": "blender"}],
    ],
    "context": [{"id": "context", "text": "your persona: i ski"}],
    "metadata_path": "x.metadata",
}


def test_acts_become_turns_and_context_is_set_aside(tmp_path: Path) -> None:
    turns, alignment = align_files(write_file(tmp_path / "p.jsonl", [DIALOG]))
    assert turns == [
        ("p:1", "Human 1", "human", "hi", None),
        ("p:1", "blender", "blender", "hello\nstill here", 0),
        ("p:1", "Human 1", "human", "yes", 1),
    ]
    assert alignment.aside == {
        "context act": 1,
        "silent act": 1,
        "act without text at the end": 1,
    }
    assert set(alignment.formats.values()) == {"parlai"}


def test_self_chat_has_two_systems(tmp_path: Path) -> None:
    acts = [[{"id": "a", "text": "1"}, {"id": "b", "text": "2"}]]
    _, alignment = align_files(write_file(tmp_path / "p.jsonl", [{"dialog": acts}]))
    assert alignment.systems == {"a": 1, "b": 1}
    assert alignment.answers == {"a opens the dialog": 1, "b answers a": 1}
