"""Folders of logs, ids of several files, columns by another name and columns that are kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from simpatico.errors import BadValue, DataError, UnknownName
from simpatico.readers import Alignment, Conversations
from simpatico.readers.extra_columns import extra_values
from tests.conftest import talk
from tests.readers.files import align_files, write_file


def chat(name: str, **more: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    return {"id": name, "model": "m", "messages": messages, **more}


def ids(*paths: Path, **options: Any) -> list[str]:
    turns, _ = align_files(*paths, **options)
    return list(dict.fromkeys(t[0] for t in turns))


def test_all_files_of_a_folder_that_hold_conversations_are_read_by_name(tmp_path: Path) -> None:
    write_file(tmp_path / "b.jsonl", [chat("2")])
    write_file(tmp_path / "a.csv", "dialog,speaker,text\n1,user,hi\n1,bot,hello\n")
    write_file(tmp_path / "ratings.csv", "dialog,thumb\n1,up\n")
    write_file(tmp_path / "notes.md", "# notes\n")
    write_file(tmp_path / "empty.jsonl", b"")
    (tmp_path / "run").mkdir()
    (tmp_path / ".hidden").write_text("x")
    turns, alignment = align_files(tmp_path)
    assert [t[0] for t in turns] == ["1", "1", "2", "2"]
    assert alignment.formats == {"a.csv": "table", "b.jsonl": "openai"}
    assert alignment.sentences()[-3:] == [
        "a.csv was read as table.",
        "b.jsonl was read as openai.",
        "Ignored: empty.jsonl (empty), notes.md (unrecognised format), ratings.csv (no column "
        "'speaker'), run/ (folder).",
    ]
    assert ids(tmp_path, format="openai") == ["2"]


def test_a_folder_without_conversations_says_why(tmp_path: Path) -> None:
    write_file(tmp_path / "notes.md", "# notes\n")
    with pytest.raises(DataError) as error:
        list(Conversations((tmp_path,)).chunks())
    assert str(error.value) == (
        f"{tmp_path}: no file in this folder holds conversations: notes.md (unrecognised format); "
        "name the files, or their format with --format"
    )


def test_ids_get_the_name_of_their_file_only_where_they_clash(tmp_path: Path) -> None:
    a = write_file(tmp_path / "a.jsonl", [chat("1"), chat("2")])
    b = write_file(tmp_path / "b.jsonl", [chat("2"), chat("3")])
    assert ids(a) == ["1", "2"]
    assert ids(a, b) == ["1", "a/2", "b/2", "3"]
    # an id that looks like one with a prefix: then every id gets one
    c = write_file(tmp_path / "c.jsonl", [chat("a/2")])
    assert ids(a, b, c) == ["a/1", "a/2", "b/2", "b/3", "c/a/2"]


def test_columns_of_any_name_are_mapped(tmp_path: Path) -> None:
    table = "session,who,body,kind\ns,Ann,hi,human\ns,Rob,hello,bot\n"
    path = write_file(tmp_path / "a.csv", table)
    columns = (("dialog", "session"), ("speaker", "who"), ("text", "body"))
    turns, alignment = align_files(path, columns=columns)
    assert turns == [("s", "Ann", "Ann", "hi", None), ("s", "Rob", "Rob", "hello", 0)]
    assert alignment.formats == {"a.csv": "table (dialog = session, speaker = who, text = body)"}
    turns, _ = align_files(path, columns=(*columns, ("role", "kind")), system="acme")
    assert [t[2] for t in turns] == ["human", "acme"]
    for wrong, reason in (
        (("dialgo", "session"), "no field 'dialgo'; did you mean 'dialog'?"),
        (("dialog", "sesion"), f"{path} has no column 'sesion'; did you mean 'session'?"),
    ):
        with pytest.raises(UnknownName) as error:
            align_files(path, columns=(wrong,))
        assert str(error.value) == f"--columns {wrong[0]}={wrong[1]}: {reason}"
    with pytest.raises(BadValue, match=r"^--columns is for tables; files of format 'openai' have"):
        align_files(path, columns=columns, format="openai")


def test_a_column_of_roles_beside_the_speakers_says_who_is_a_person(tmp_path: Path) -> None:
    table = "dialog,speaker,role,text\nd,ann,Human,hi\nd,rob,Bot,hello\nd,x,system,be nice\n"
    turns, alignment = align_files(write_file(tmp_path / "a.csv", table))
    assert [(t[1], t[2]) for t in turns] == [("ann", "human"), ("rob", "rob")]
    assert alignment.aside == {"system message": 1}
    table = "dialog,sender,text\nd,human,hi\nd,bot,hello\n"
    turns, _ = align_files(write_file(tmp_path / "b.csv", table), system="acme")
    assert [t[2] for t in turns] == ["human", "acme"]


def test_many_systems_of_one_dialog_each_are_questioned() -> None:
    def read(n: int) -> list[str]:
        parts = [
            Alignment.of(talk(f"user{i:02}: hi", "bot: hello"), utterances=2) for i in range(n)
        ]
        return sum(parts[1:], parts[0]).sentences()

    assert not any("systems have one dialog each" in line for line in read(20))
    assert read(21)[-1] == (
        "21 systems have one dialog each, such as 'user00': are these names of users? If so, say "
        "who is a person and who a bot in a column 'role' (or --columns role=NAME), or name the "
        "system in a column 'system'."
    )


def test_other_columns_and_metadata_are_kept_and_listed(tmp_path: Path) -> None:
    record = chat("1", created=1_700_000_000, user="u1", metadata={"segment": "new"}, tags=["x"])
    (chunk,) = Conversations((write_file(tmp_path / "a.jsonl", [record]),)).chunks()
    assert chunk.alignment.columns == {"created": 2, "segment": 2, "user": 2, "time": 2}
    assert "Kept for --by: created, segment, user, week, month." in chunk.alignment.sentences()
    assert str(chunk.turns.frame["time"][0]) == "2023-11-14 22:13:20+00:00"
    assert extra_values(
        '{"a": 1.5, "b": true, "c": null, "d": [1], "meta": {"e": "x", "a": 2}}'
    ) == {
        "a": "1.5",
        "b": "true",
        "e": "x",
    }
    assert extra_values('{"comment": "' + "x" * 201 + '"}') == {}


def test_a_pattern_is_what_it_matches_in_the_order_of_the_names(tmp_path):
    for name in ("b.jsonl", "a.jsonl", "c.txt"):
        (tmp_path / name).write_text('{"dialog": "x", "speaker": "s", "text": "t"}\n')
    sources = Conversations((f"{tmp_path}/*.jsonl",)).sources
    assert [source.stem for source in sources] == ["a", "b"]
    (tmp_path / "[a].jsonl").write_text('{"dialog": "x", "speaker": "s", "text": "t"}\n')
    assert [s.stem for s in Conversations((f"{tmp_path}/[a].jsonl",)).sources] == ["[a]"]


def test_a_pattern_that_matches_nothing_is_one_sentence(tmp_path):
    with pytest.raises(DataError) as error:
        _ = Conversations((f"{tmp_path}/*.csv",)).sources
    sentence = f"{tmp_path}/*.csv: no file matches this pattern; check folder and ending"
    assert str(error.value) == sentence
