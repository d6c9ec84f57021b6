"""Formats are found in the folder and told by their shape."""

import json
from pathlib import Path
from typing import Any

import pytest

from simpatico.errors import DataError
from simpatico.readers import Reader, Source, all_readers, pick_reader
from simpatico.readers.file_formats.parlai import ParlAI
from simpatico.readers.input.head import Head, close_json
from tests.readers.file_formats.test_chatgpt import CHAT as CHATGPT
from tests.readers.file_formats.test_convokit import utterance
from tests.readers.file_formats.test_inspect import LOG
from tests.readers.file_formats.test_openai import CHAT
from tests.readers.file_formats.test_parlai import DIALOG
from tests.readers.file_formats.test_sharegpt import CHATS
from tests.readers.file_formats.test_table import ROWS
from tests.readers.files import write_file

OURS = {
    "chatgpt": ("json", [CHATGPT]),
    "convokit": ("jsonl", [utterance("u", "ann", None)]),
    "inspect": ("json", LOG),
    "openai": ("jsonl", [CHAT]),
    "parlai": ("jsonl", [DIALOG]),
    "sharegpt": ("json", CHATS),
    "table": ("jsonl", ROWS),
}


def test_the_folder_is_the_list() -> None:
    names = [reader.name for reader in all_readers()]
    assert names == sorted(names)
    assert set(OURS) <= set(names)
    for reader in all_readers():
        assert reader.about
        assert all(s == "" or s.startswith(".") for s in reader.suffixes)


@pytest.mark.parametrize("name", OURS)
def test_exactly_one_format_knows_the_shape(tmp_path: Path, name: str) -> None:
    suffix, content = OURS[name]
    head = Source.of(write_file(tmp_path / f"a.{suffix}", content)).head
    assert [reader.name for reader in all_readers() if reader.matches(head)] == [name]


@pytest.mark.parametrize("name", OURS)
def test_the_name_of_the_file_does_not_matter(tmp_path: Path, name: str) -> None:
    suffix, content = OURS[name]
    path = write_file(tmp_path / f"a.{suffix}", content)
    assert pick_reader(Source.of(path.rename(tmp_path / "a.log"))).name == name


def test_a_record_longer_than_the_head_is_known(tmp_path: Path) -> None:
    long = {"mapping": {"n": {"message": None, "x": "y" * 100_000}}, "current_node": "n"}
    for content in (json.dumps([long]), json.dumps([long], indent=1)):
        assert pick_reader(Source.of(write_file(tmp_path / "c.json", content))).name == "chatgpt"
    path = write_file(
        tmp_path / "c.jsonl", [{"messages": [{"role": "user", "content": "x" * 10**5}]}]
    )
    assert pick_reader(Source.of(path)).name == "openai"


def test_a_shape_of_no_format_lists_all(tmp_path: Path) -> None:
    path = write_file(tmp_path / "a.json", {"a": 1})
    names = ", ".join(reader.name for reader in all_readers())
    with pytest.raises(DataError) as caught:
        pick_reader(Source.of(path))
    assert str(caught.value) == (
        f"{path}:1: unrecognised input format; choose one with --format: {names}"
    )


def test_a_shape_of_several_formats_lists_those(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def yes(self: Reader, head: Head) -> bool:
        return True

    monkeypatch.setattr(ParlAI, "matches", yes)
    path = write_file(tmp_path / "a.jsonl", ROWS)
    with pytest.raises(DataError) as caught:
        pick_reader(Source.of(path))
    assert str(caught.value) == (
        f"{path}:1: ambiguous input format; choose one with --format: parlai, table"
    )


@pytest.mark.parametrize(
    ("content", "value"),
    [
        (b'[{"a": 1}, {"b": [2, 3', [{"a": 1}, {"b": [2]}]),
        (b'{"a": "x, ]", "b": "y', {"a": "x, ]"}),
        (b'{"a": "\\", {', {}),
        (b"[[", [[]]),
    ],
)
def test_cut_off_json_ends_after_its_last_whole_value(content: bytes, value: Any) -> None:
    assert json.loads(close_json(content)) == value
