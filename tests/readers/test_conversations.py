"""Chunks of whole dialogs, over one input or several."""

import gzip
import io
import json
import tempfile
from pathlib import Path
from typing import Any
from unittest.mock import patch

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simpatico.errors import DataError, UnknownName
from simpatico.readers import Conversations, Source, read
from simpatico.readers.input.record import Ledger
from tests.readers.files import (
    align_files,
    everything,
    gzip_copy,
    json_lines,
    pipe_to_stdin,
    write_file,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
NAME = st.sampled_from(["a", "b", "user", "assistant"])
SYSTEM = st.sampled_from([None, "human", "bot"])
UTTERANCE = st.fixed_dictionaries(
    {"speaker": NAME, "text": TEXT}, optional={"system": SYSTEM, "time": st.integers(0, 10**9)}
)
DIALOGS = st.lists(st.lists(UTTERANCE, min_size=1, max_size=6), min_size=1, max_size=8)


def rows_of(dialogs: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    return [{"dialog": f"d{i}", **row} for i, dialog in enumerate(dialogs) for row in dialog]


@given(DIALOGS, st.integers(1, 12), st.booleans())
def test_small_chunks_are_the_whole_in_parts(
    dialogs: list[list[dict[str, Any]]], size: int, merge: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = write_file(Path(folder) / "a.jsonl", rows_of(dialogs))
        single = next(Conversations((path,), merge=merge).chunks())
        parts = list(Conversations((path,), merge=merge).chunks(size))
    frames = [part.turns.frame for part in parts]
    assert pl.concat(frames).equals(single.turns.frame)
    total = parts[0].alignment
    for part in parts[1:]:
        total += part.alignment
    assert total == single.alignment
    assert all(part.alignment.utterances >= size for part in parts[:-1])


@given(DIALOGS)
def test_packed_and_piped_are_the_same(dialogs: list[list[dict[str, Any]]]) -> None:
    content = json_lines(rows_of(dialogs))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.jsonl"
        path.write_bytes(content)
        plain, from_gzip = read(path).frame, read(gzip_copy(path)).frame
    for data in (content, gzip.compress(content)):
        with patch("sys.stdin", io.TextIOWrapper(io.BytesIO(data))):
            assert read("-").frame.equals(plain)
    assert from_gzip.equals(plain)


def talk(dialog: str, *texts: str) -> list[dict[str, str]]:
    return [{"dialog": dialog, "speaker": "ab"[i % 2], "text": t} for i, t in enumerate(texts)]


@pytest.mark.parametrize("size", [1, 2, 100])
def test_a_dialog_that_comes_back_is_rejected_row_by_row(tmp_path: Path, size: int) -> None:
    rows = [*talk("x", "1", "2"), *talk("y", "3"), *talk("x", "4", "5"), *talk("z", "6")]
    path = write_file(tmp_path / "a.jsonl", rows)
    with pytest.raises(DataError) as caught:
        align_files(path, size=size)
    assert str(caught.value) == (
        f"{path}:4: a dialog that ended earlier in the file goes on here; "
        "sort the file by dialog, or pass --gather to collect it first"
    )
    turns, alignment, rejects = everything(path, size=size, on_error="skip")
    assert [t.text for t in turns] == ["1", "2", "3", "6"]
    assert [r.place.line for r in rejects] == [4, 5]
    assert alignment.rejected == {"dialog_comes_back": 2}
    all_turns, _ = align_files(path, size=size, gather=True)
    assert [(t[0], t[3]) for t in all_turns] == [
        *[("x", t) for t in ("1", "2", "4", "5")],
        ("y", "3"),
        ("z", "6"),
    ]


@pytest.mark.parametrize("size", [1, 100])
def test_ids_of_several_files_never_clash(tmp_path: Path, size: int) -> None:
    (tmp_path / "sub").mkdir()
    paths = [
        write_file(tmp_path / "a.jsonl", talk("x", "1", "2")),
        write_file(tmp_path / "b.jsonl", talk("x", "3")),
        write_file(tmp_path / "sub" / "a.jsonl", talk("x", "4")),
    ]
    turns, alignment = align_files(*paths, size=size)
    assert [(t[0], t[3]) for t in turns] == [
        ("a/x", "1"),
        ("a/x", "2"),
        ("b/x", "3"),
        ("a-2/x", "4"),
    ]
    assert alignment.formats == {"a": "table", "b.jsonl": "table", "a-2": "table"}


def test_formats_may_differ_but_not_within_a_chunk(tmp_path: Path) -> None:
    chat = {"messages": [{"role": "user", "content": "hi"}]}
    paths = (
        write_file(tmp_path / "a.jsonl", talk("x", "1")),
        write_file(tmp_path / "b.jsonl", [chat]),
        write_file(tmp_path / "c.jsonl", [chat]),
    )
    chunks = list(Conversations(paths).chunks())
    assert [(chunk.format, len(chunk.turns)) for chunk in chunks] == [("table", 1), ("openai", 2)]


def test_an_input_is_given_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_file(tmp_path / "a.jsonl", talk("x", "1"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match=r"^a\.jsonl: the same input is given twice; give it once$"):
        list(Conversations((path, "a.jsonl")).chunks())
    with pytest.raises(DataError, match=r"^no input; give one or more files, or - for standard"):
        list(Conversations(()).chunks())


def test_one_bad_file_of_several(tmp_path: Path) -> None:
    paths = (
        write_file(tmp_path / "a.jsonl", b""),
        write_file(tmp_path / "b.jsonl", talk("x", "1")),
        write_file(tmp_path / "c.jsonl", b"\n"),
    )
    turns, alignment, _ = everything(*paths, on_error="skip")
    assert [t.dialog for t in turns] == ["x"]
    assert alignment.rejected == {"empty": 2}


def test_merge_can_be_left_out(tmp_path: Path) -> None:
    rows = [{"dialog": "d", "speaker": "a", "text": t} for t in "xy"]
    path = write_file(tmp_path / "a.jsonl", rows)
    assert len(read(path)) == 1
    assert [t.text for t in read(path, merge=False)] == ["x", "y"]
    assert align_files(path, merge=False)[1].merged == 0


def test_standard_input_is_read_once_and_hashed(monkeypatch: pytest.MonkeyPatch) -> None:
    content = json_lines(talk("x", "1"))
    pipe_to_stdin(monkeypatch, content)
    conversations = Conversations(("-",))
    assert len(list(conversations.chunks())) == len(list(conversations.chunks())) == 1
    assert len(conversations.sources[0].sha256()) == 64


def test_a_named_pipe_is_read(tmp_path: Path) -> None:
    import os
    import threading

    path = tmp_path / "pipe.jsonl"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=[json_lines(talk("x", "1"))])
    writer.start()
    assert [t.text for t in read(path)] == ["1"]
    writer.join()


def test_an_unknown_format_is_named(tmp_path: Path) -> None:
    path = write_file(tmp_path / "a.jsonl", talk("x", "1"))
    with pytest.raises(UnknownName, match=r"^no format 'tabel'; did you mean 'table'\?$"):
        read(path, format="tabel")


def test_places_point_at_the_records_of_a_list(tmp_path: Path) -> None:
    path = write_file(tmp_path / "a.json", talk("x", "1", "2", "1"))
    for place, item in Source.of(path).records(Ledger()):
        data = path.read_bytes()
        assert data[place.byte :].startswith(item)
        assert place.line == data[: place.byte].count(b"\n") + 1
        assert isinstance(json.loads(item), dict)


def test_numbers_of_equal_stems_never_meet_a_stem_of_that_name(tmp_path: Path) -> None:
    for folder in ("d1", "d2", "d3"):
        (tmp_path / folder).mkdir()
    paths = [
        write_file(tmp_path / "d1" / "a.jsonl", talk("x", "1")),
        write_file(tmp_path / "d2" / "a.jsonl", talk("x", "2")),
        write_file(tmp_path / "d3" / "a-2.jsonl", talk("x", "3")),
    ]
    turns, _ = align_files(*paths)
    assert [t[0] for t in turns] == ["a/x", "a-2/x", "a-2-2/x"]


def test_a_chat_id_used_twice_is_told_and_never_joined(tmp_path: Path) -> None:
    chat = {"id": "c", "messages": [{"role": "user", "content": "hi"}]}
    path = write_file(tmp_path / "a.jsonl", [chat, chat])
    for gather in (False, True):
        with pytest.raises(DataError) as error:
            list(Conversations((path,), gather=gather).chunks())
        assert str(error.value) == (
            f"{path}:2: an earlier dialog of this file has the same id; "
            "give every dialog an id of its own"
        )
