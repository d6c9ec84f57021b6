"""Prompts from lines, tables and conversations."""

import json

import pytest

from simpatico.bots import Message
from simpatico.bots.prompts import read_prompts
from simpatico.errors import DataError


def write_text_file(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def plain(prompts):
    return [(p.id, [(s.role, s.text) for s in p.dialog]) for p in prompts]


TABLES = {
    "p.txt": "Hello\n\n  I am sad \n",
    "p.jsonl": '{"prompt": "Hello"}\n\n{"prompt": "I am sad", "emotion": "x"}\n',
    "p.ndjson": '{"text": "Hello"}\n\n{"text": "I am sad"}\n',
    "p.csv": "prompt,emotion\nHello,x\n I am sad,y\n",
    "p.tsv": "text\tn\nHello\t1\nI am sad\t2\n",
}


@pytest.mark.parametrize("name", TABLES)
def test_a_prompt_a_line_named_by_it(tmp_path, name):
    prompts = read_prompts(write_text_file(tmp_path, name, TABLES[name]))
    second = 2 + (name not in ("p.csv", "p.tsv"))
    first = 1 + (name in ("p.csv", "p.tsv"))
    assert [p.id for p in prompts] == [f"p:{first}", f"p:{second + (first - 1)}"]
    assert [p.dialog[-1].text.strip() for p in prompts] == ["Hello", "I am sad"]


def test_ids_are_taken_over(tmp_path):
    path = write_text_file(
        tmp_path, "p.jsonl", '{"prompt": "a", "id": 7}\n{"prompt": "b", "id": "x"}\n'
    )
    assert plain(read_prompts(path)) == [("7", [("user", "a")]), ("x", [("user", "b")])]


BAD = {
    "empty.jsonl": ('{"prompt": " "}\n', "1: the prompt is empty; remove it"),
    "twice.csv": ("prompt,id\na,1\nb,1\n", "3: an earlier prompt has the same 'id'"),
    "type.jsonl": (
        '{"prompt": "a"}\n{"prompt": 3}\n',
        "2: there is no text as 'prompt' or 'text'",
    ),
    "id.jsonl": ('{"prompt": "a", "id": [1]}\n', "1: 'id' must be text or a whole number"),
    "none.csv": ("prompt\n", "0: there is no prompt in the file; give at least one"),
    "cells.csv": ("prompt,id\na\n", "2: the row has 1 cells but the header has 2"),
    "blank.txt": ("\n\n", "1: the file is empty"),
    "cut.jsonl": ('{"prompt": "a"}\n{"pro', "2: the JSON is truncated"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_prompt_is_told_by_its_place(tmp_path, name):
    text, reason = BAD[name]
    path = write_text_file(tmp_path, name, text)
    with pytest.raises(DataError) as error:
        read_prompts(path)
    assert str(error.value).startswith(f"{path}:{reason}")


CHAT = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": "Hello"},
    {"role": "user", "content": "I am sad"},
    {"role": "assistant", "content": "Why?"},
]


def test_conversations_are_cut_after_a_turn_of_the_user(tmp_path):
    path = write_text_file(tmp_path, "c.jsonl", json.dumps({"id": "d", "messages": CHAT}) + "\n")
    messages = [("user", "Hi"), ("assistant", "Hello"), ("user", "I am sad")]
    assert plain(read_prompts(path)) == [("d", messages)]
    assert plain(read_prompts(path, upto="first")) == [("d", messages[:1])]
    assert plain(read_prompts(path, upto="every")) == [("d:0", messages[:1]), ("d:2", messages)]


def test_who_opens_the_dialog_is_the_user_where_nothing_else_tells(tmp_path):
    rows = [("d", "ann", "a"), ("d", "bob", "b"), ("d", "ann", "c"), ("d", "bob", "e")]
    text = "dialog,speaker,text\n" + "".join(",".join(row) + "\n" for row in rows)
    (prompt,) = read_prompts(write_text_file(tmp_path, "c.csv", text))
    assert prompt.dialog == (Message("user", "a"), Message("assistant", "b"), Message("user", "c"))


def test_a_dialog_in_which_no_user_speaks_gives_nothing(tmp_path):
    rows = (
        '{"messages": [{"role": "assistant", "content": "Hi"}, {"role": "user", "content": " "}]}\n'
    )
    with pytest.raises(DataError, match="there is no prompt in the file"):
        read_prompts(write_text_file(tmp_path, "c.jsonl", rows))


def test_a_format_can_be_said(tmp_path):
    path = write_text_file(tmp_path, "c.txt", "dialog,speaker,text\nd,user,Hi\n")
    assert len(read_prompts(path)) == 2
    assert plain(read_prompts(path, format="table")) == [("d", [("user", "Hi")])]
