"""The export of ChatGPT."""

from pathlib import Path
from typing import Any

import pytest

from simpatico.errors import DataError
from tests.readers.files import align_files, write_file


def node(parent: str | None, role: str, *parts: Any, **more: Any) -> dict[str, Any]:
    content = {"content_type": more.pop("type", "text"), "parts": list(parts)}
    message = {"author": {"role": role}, "content": content, "weight": 1.0, **more}
    return {"message": message, "parent": parent, "children": []}


CHAT = {
    "title": "t",
    "create_time": 1.7e9,
    "id": "chat",
    "default_model_slug": "gpt-4",
    "current_node": "f",
    "mapping": {
        "root": {"message": None, "parent": None, "children": ["a"]},
        "a": node("root", "system", "", weight=0),
        "b": node("a", "user", "hi", create_time=1.7e9),
        "left": node("b", "assistant", "a branch that was left"),
        "c": node("b", "assistant", "search()", recipient="browser"),
        "d": node("c", "tool", "found"),
        "e": node("d", "assistant", "hello", metadata={"model_slug": "gpt-5"}),
        "f": node("e", "user", {"asset_pointer": "x"}, "look", type="multimodal_text"),
    },
}


def test_only_the_last_branch_is_read(tmp_path: Path) -> None:
    turns, alignment = align_files(write_file(tmp_path / "conversations.json", [CHAT]))
    assert turns == [
        ("chat", "user", "human", "hi", None),
        ("chat", "assistant", "gpt-5", "hello", 0),
        ("chat", "user", "human", "look", 1),
    ]
    assert alignment.aside == {
        "message of weight 0": 1,
        "tool call": 1,
        "tool message": 1,
        "part that is not text": 1,
    }
    assert set(alignment.formats.values()) == {"chatgpt"}


@pytest.mark.parametrize("current", ["nowhere", "x"])
def test_a_broken_tree_is_rejected(tmp_path: Path, current: str) -> None:
    loop = {"x": node("y", "user", "CANARY"), "y": node("x", "user", "CANARY")}
    broken = CHAT | {"current_node": current, "mapping": loop}
    path = write_file(tmp_path / "conversations.json", [CHAT | {"id": "good"}, broken])
    reason = "the chain of 'parent' from 'current_node' is broken"
    with pytest.raises(DataError, match=reason):
        align_files(path)
    turns, alignment = align_files(path, on_error="skip")
    assert {t[0] for t in turns} == {"good"}
    assert alignment.rejected == {"tree": 1}
