"""ShareGPT records."""

from pathlib import Path

from tests.readers.files import align_files, write_file

CHATS = [
    {
        "id": "one",
        "system": "be kind",
        "conversations": [
            {"from": "human", "value": "hi"},
            {"from": "gpt", "value": "hello"},
            {"from": "function_call", "value": "{}"},
            {"from": "observation", "value": "{}"},
            {"from": "chatgpt", "value": "done"},
        ],
    },
    {"conversations": [{"from": "user", "value": "a"}, {"from": "bing", "value": "b"}]},
]


def test_synonyms_and_what_is_set_aside(tmp_path: Path) -> None:
    turns, alignment = align_files(write_file(tmp_path / "s.json", CHATS), system="vicuna")
    assert turns == [
        ("one", "user", "human", "hi", None),
        ("one", "assistant", "vicuna", "hello\ndone", 0),
        ("s:28", "user", "human", "a", None),
        ("s:28", "assistant", "vicuna", "b", 0),
    ]
    assert alignment.aside == {
        "system message": 1,
        "function_call message": 1,
        "observation message": 1,
    }
    assert set(alignment.formats.values()) == {"sharegpt"}


def test_lines_are_the_same(tmp_path: Path) -> None:
    turns, _ = align_files(write_file(tmp_path / "s.jsonl", CHATS))
    assert [t[0] for t in turns] == ["one", "one", "s:2", "s:2"]
    assert turns[1][2] == "assistant"
