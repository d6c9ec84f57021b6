"""Lists of messages: OpenAI, TRL, WildChat, LMSYS."""

from pathlib import Path

import polars as pl

from simpatico.readers import Source, pick_reader
from tests.readers.files import align_files, write_file

CHAT = {
    "id": "c1",
    "model": "gpt-x",
    "messages": [
        {"role": "system", "content": "be kind"},
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "t"}]},
        {"role": "tool", "content": "42", "tool_call_id": "t"},
        {
            "role": "assistant",
            "content": [{"type": "text", "text": "hello"}, {"type": "image_url"}],
        },
        {"role": "assistant", "content": "there"},
    ],
}
HI = ("c1", "user", "human", "hi", None)


def test_tools_and_instructions_are_set_aside_and_parts_are_read(tmp_path: Path) -> None:
    turns, alignment = align_files(write_file(tmp_path / "a.jsonl", [CHAT]))
    assert turns == [HI, ("c1", "assistant", "gpt-x", "hello\nthere", 0)]
    assert alignment.as_json() == {
        "dialogs": 1,
        "utterances": 3,
        "turns": 2,
        "merged": 1,
        "speakers": 2,
        "context": 0,
        "scored": 2,
        "systems": {"human": 1, "gpt-x": 1},
        "answers": {"human opens the dialog": 1, "gpt-x answers human": 1},
        "aside": {
            "system message": 1,
            "tool call": 1,
            "tool message": 1,
            "part that is not text": 1,
        },
        "rejected": {},
        "formats": {"a.jsonl": "openai"},
        "ignored": {},
        "columns": {},
        "redacted": {},
    }


def test_the_option_names_the_system(tmp_path: Path) -> None:
    turns, _ = align_files(write_file(tmp_path / "a.jsonl", [CHAT]), system="mine")
    assert [t[2] for t in turns] == ["human", "mine"]


def test_names_make_speakers_of_a_group(tmp_path: Path) -> None:
    messages = [
        {"role": "user", "name": "ann", "content": "1"},
        {"role": "user", "name": "bob", "content": "2"},
        {"role": "assistant", "name": "cy", "content": "3"},
        {"role": "assistant", "name": "di", "content": "4"},
    ]
    turns, alignment = align_files(write_file(tmp_path / "a.jsonl", [{"messages": messages}]))
    assert turns == [
        ("a:1", "ann", "human", "1", None),
        ("a:1", "bob", "human", "2", 0),
        ("a:1", "cy", "assistant", "3", 1),
        ("a:1", "di", "assistant", "4", 2),
    ]
    assert alignment.speakers == 4


def test_one_chat_a_list_of_chats_and_bare_messages(tmp_path: Path) -> None:
    messages = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "yo"}]
    expected = [("user", "hi"), ("assistant", "yo")]
    for name, content in {
        "one.json": {"messages": messages},
        "list.json": [{"messages": messages}],
        "bare.json": messages,
        "lists.json": [messages],
        "lines.jsonl": [messages],
        "trl.jsonl": [{"prompt": messages[:1], "completion": messages[1:]}],
        "texts.jsonl": [{"prompt": "hi", "completion": "yo"}],
        "batch.jsonl": [{"custom_id": "x", "body": {"model": "m", "messages": messages}}],
        "lmsys.jsonl": [{"conversation_id": "x", "model": "m", "conversation": messages}],
        "roles.json": [{"conversations": messages}],
    }.items():
        path = write_file(tmp_path / name, content)
        assert pick_reader(Source.of(path)).name == "openai", name
        turns, _ = align_files(path)
        assert [(t[1], t[3]) for t in turns] == expected, name


def test_wildchat_parquet_has_an_interlocutor(tmp_path: Path) -> None:
    messages = [
        {"role": "user", "content": "hi", "hashed_ip": "ab12", "timestamp": None},
        {"role": "assistant", "content": "yo", "hashed_ip": None, "timestamp": "2024-01-02"},
    ]
    path = tmp_path / "wild.parquet"
    pl.DataFrame(
        [{"conversation_hash": "h", "model": "m", "conversation": messages}]
    ).write_parquet(path)
    turns, alignment = align_files(path)
    assert turns == [("h", "user", "human", "hi", None), ("h", "assistant", "m", "yo", 0)]
    assert alignment.formats == {path.name: "openai"}


def test_a_dialog_of_instructions_only_is_set_aside(tmp_path: Path) -> None:
    path = write_file(
        tmp_path / "a.jsonl", [{"messages": [{"role": "system", "content": "x"}]}, CHAT]
    )
    turns, alignment = align_files(path)
    assert len(turns) == 2
    assert alignment.aside["dialog without text"] == 1
