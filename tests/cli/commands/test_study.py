"""`simpatico study`: calls that cannot work are refused before anything is written or lost."""

import socket

import pytest

from simpatico.readers.detect import format_names
from simpatico.study.answers import Entry, save_answer
from simpatico.study.design import read_design
from simpatico.study.loans import finish_unit, take_unit
from simpatico.study.store import Store
from simpatico.study.units import build_units

CHATS = (
    '{"dialog": "d", "speaker": "ann", "text": "Hello", "system": "human"}\n'
    '{"dialog": "d", "speaker": "bot", "text": "Hi", "system": "bot"}\n'
)
STUDY = """name = "s"
title = "S"
[rate]
source = "chats.jsonl"
[[questions]]
name = "warmth"
unit = "turn"
text = "How warm?"
answers = ["cold", "warm"]
"""
TALK = '[talk]\nbots = [{name = "alpha", spec = "SPEC"}]\n'
TALKERS = STUDY.replace("unit =", 'roles = ["interlocutor"]\nunit =').replace(
    '[rate]\nsource = "chats.jsonl"\n', ""
)
FORMS = (
    "a bot is http://HOST:PORT/v1?model=NAME, https://…, local:MODEL, command:PROGRAM ARGS "
    "or script:NAME"
)
NO_STORE = (
    "there is no store s.sqlite; `simpatico study serve s.toml` makes it, or name another with "
    "--store"
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "chats.jsonl").write_text(CHATS)
    (tmp_path / "s.toml").write_text(STUDY)
    return tmp_path


def refusal(call, *arguments, status=2):
    """The sentence of a call that is refused, which says nothing on the standard output."""
    code, out, err = call("study", *arguments)
    assert (code, out) == (status, "")
    return err.strip().removeprefix("simpatico: ")


SERVE = {
    "--new-panel-link": "--new-panel-link: the study has no [panel]; add it, or leave this out",
    "--interlocutors=2": "--interlocutors: there are no bots to talk with; add [talk]",
    "--store=mysql://a@b/c": "no store of the kind 'mysql'; give a file or postgresql://…",
    "--store=.": ". is a folder; --store names a file or postgresql://…",
    "--host=0.0.0.0": "--host 0.0.0.0 can be reached by others, who would talk to it without encryption; "
    "put a proxy with HTTPS before it and name its address with --public https://…",
    "--public=http://a.example": "--public http://a.example would send the secrets of the links in the open; name an address that begins with https://",
    "--public=study.example": "--public study.example is not an address such as https://study.example.org",
}  # fmt: skip


@pytest.mark.parametrize("option", SERVE)
def test_serve_is_refused_before_there_is_a_store(folder, call, option):
    assert refusal(call, "serve", "s.toml", "--port=0", option) == SERVE[option]
    assert not (folder / "s.sqlite").exists()


SPECS = {
    "nothing": f"the bot has no kind before a colon; {FORMS}",
    "gpt:4": f"no bot of the kind 'gpt'; {FORMS}",
    "script:ecko": "no script 'ecko'; write 'script:echo' or 'script:generic', or a file "
    "script:ANSWERS.jsonl",
}


@pytest.mark.parametrize("spec", SPECS)
def test_a_bot_that_does_not_exist_is_named(folder, call, spec):
    (folder / "s.toml").write_text(TALKERS + TALK.replace("SPEC", spec))
    sentence = refusal(call, "serve", "s.toml", "--port=0")
    assert sentence == f"[talk]: bot 'alpha': {SPECS[spec]}"
    assert not (folder / "s.sqlite").exists()


def test_links_for_people_with_nothing_to_do(folder, call):
    (folder / "s.toml").write_text(TALKERS + TALK.replace("SPEC", "script:echo"))
    sentence = refusal(call, "serve", "s.toml", "--port=0", "--outsiders=1")
    assert sentence == (
        "--outsiders: no question is for outsiders; add roles = ['outsider'] to one"
    )


def test_a_source_that_does_not_exist(folder, call):
    (folder / "s.toml").write_text(STUDY.replace("chats.jsonl", "runs/none"))
    assert refusal(call, "serve", "s.toml", "--port=0") == (
        "[rate]: there is no source runs/none; name a run folder or a file"
    )
    (folder / "runs" / "none").mkdir(parents=True)
    (folder / "runs" / "none" / "run.json").write_text("{}")
    assert refusal(call, "serve", "s.toml", "--port=0") == (
        "[rate]: runs/none/run.json: not the facts of a run; score again into a new folder"
    )


SOURCES = {
    "human": (
        "chats.jsonl",
        "[rate]: the source chats.jsonl has nothing to rate: 'warmth' needs a turn by a system; "
        "name the system of every speaker in the column system",
    ),
    "bot": (
        "s.toml",
        "[rate]: s.toml:1: unrecognised input format; choose one with --format: "
        f"{', '.join(format_names())}; a study has no such option: score the file with it, and name "
        "the run",
    ),
}


@pytest.mark.parametrize("system", SOURCES)
def test_a_source_that_cannot_be_used_is_refused_before_there_is_a_store(folder, call, system):
    source, sentence = SOURCES[system]
    (folder / "chats.jsonl").write_text(CHATS.replace('"system": "bot"', f'"system": "{system}"'))
    (folder / "s.toml").write_text(STUDY.replace("chats.jsonl", source))
    assert refusal(call, "serve", "s.toml", "--port=0") == sentence
    assert sorted(p.name for p in folder.iterdir()) == ["chats.jsonl", "s.toml"]


def test_a_study_without_a_finished_dialog_is_not_reported(folder, call):
    design = read_design(folder / "s.toml")
    store = Store(str(folder / "s.sqlite"))
    store.add_study(design, build_units(design, folder))
    store.close()
    assert refusal(call, "report", "s.toml", "--out=x") == (
        "s.toml: no dialog is rated whole yet, so that there is nothing to report"
    )
    assert not (folder / "x").exists()


def test_a_port_that_is_taken_loses_no_link(folder, call):
    with socket.create_server(("127.0.0.1", 0)) as line:
        port = line.getsockname()[1]
        sentence = refusal(call, "serve", "s.toml", f"--port={port}", status=3)
    assert sentence == (
        f"cannot listen on 127.0.0.1:{port}: Address already in use; choose another --port"
    )
    assert not (folder / "s.sqlite").exists()
    sentence = refusal(
        call, "serve", "s.toml", "--host=::2", "--public=https://a.example", status=3
    )
    assert sentence == (
        "cannot listen on ::2:8000: Cannot assign requested address; choose another --host"
    )


@pytest.mark.parametrize(
    "arguments", [["status"], ["raters"], ["export", "--out=x"], ["report", "--out=x"]]
)
def test_of_a_study_that_was_never_open(folder, call, arguments):
    command, *options = arguments
    assert refusal(call, command, "s.toml", *options) == NO_STORE
    assert sorted(p.name for p in folder.iterdir()) == ["chats.jsonl", "s.toml"]
    (folder / "other.sqlite").touch()
    assert refusal(call, command, "s.toml", *options, "--store=other.sqlite") == (
        "the store has no study 's'; `simpatico study serve` adds it"
    )


def test_status_has_severity_with_its_interval_and_says_where_there_is_no_agreement(folder, call):
    """Two people at both ends of a scale of two points: a whole scale apart, on one dialog."""
    design, store = read_design(folder / "s.toml"), Store("s.sqlite")
    store.add_study(design, build_units(design, folder))
    people = [store.rater(token) for _, token in store.add_raters("s", "outsider", 2)]
    assert "No dialog is rated whole yet." in call("study", "status", "s.toml")[2]
    for n, rater in enumerate(people):
        unit = take_unit(store, rater, design).unit
        save_answer(store, rater, design, Entry(unit, 1, "warmth", 1 + n, "given", 0, f"{n:016}"))
        finish_unit(store, rater, design, unit)
    store.close()
    code, out, err = call("study", "status", "s.toml")
    rows = {words[0]: words[1:] for line in out.splitlines() if (words := line.split())}
    assert code == 0
    assert rows["r001"] == ["outsider", "1", "0/0", "0", "s", "−1.00", "–", "1"]
    assert rows["r002"] == ["outsider", "1", "0/0", "0", "s", "+1.00", "–", "1"]
    assert "No dialog" not in err
    assert "S: 0 of 1 units have 3 ratings; 2 of 3" in err


def test_purge_of_nobody(folder, call):
    assert refusal(call, "purge", "s.toml", "r001") == NO_STORE


def test_a_file_is_not_written_over(folder, call):
    assert refusal(call, "init", "s.toml") == "s.toml exists already; name another file"
    assert (folder / "s.toml").read_text() == STUDY
    assert refusal(call, "init", "none/s.toml") == (
        "none/s.toml cannot be written: No such file or directory; name another file"
    )
