"""Files of test tools and benchmarks: what was said in them, and which side was preferred.

The README of `files` says what wrote them. DUO, MT-Bench and the arena are typed after the published
files.
"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from simpatico import read
from simpatico.errors import RecordError
from simpatico.readers.judgement_files import has_preferences, read_judgements, read_preferences
from tests.readers.files import align_files, everything, write_file

FILES = Path(__file__).parent / "files"


def test_promptfoo() -> None:
    turns, alignment = align_files(FILES / "promptfoo.json")
    assert len(turns) == 26  # two of each of 14 tests, of which one has no response
    assert turns[:4] == [
        ("0:0", "user", "human", "hello, is the shop open?", None),
        ("0:0", "assistant", "acme-1", "yes", 0),
        ("0:1", "user", "human", "hello, is the shop open?", None),
        ("0:1", "assistant", "acme-2", "thank you for asking, tell me more", 0),
    ]
    assert alignment.aside == {"test without a response": 1}
    assert set(alignment.formats.values()) == {"promptfoo"}


def test_promptfoo_with_several_turns(tmp_path: Path) -> None:
    """A simulated user leaves its messages in the metadata, and the output joins the turns."""
    file = json.loads((FILES / "promptfoo.json").read_text())
    one = file["results"]["results"][0]
    said = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    one["response"] = {"output": "hi\n---\nhello", "metadata": {"messages": said * 2}}
    file["results"]["results"] = [one]
    turns, _ = align_files(write_file(tmp_path / "r.json", file))
    assert [t[3] for t in turns] == ["hi", "hello", "hi", "hello"]


def test_deepeval() -> None:
    turns, alignment = align_files(FILES / "deepeval_turns.json")
    assert [(t[0], t[3]) for t in turns] == [
        ("c1", "hello, is the shop open?"),
        ("c1", "yes, until six"),
        ("c1", "do you have green tea?"),
        ("c1", "we do, twelve boxes"),
        ("c2", "i am so tired today"),
        ("c2", "that sounds hard, what happened?"),
    ]
    single, _ = align_files(FILES / "deepeval_single.json", system="shop")
    assert single[:2] == [
        ("s1", "user", "human", "is the shop open?", None),
        ("s1", "assistant", "shop", "yes, until six", 0),
    ]
    assert set(alignment.formats.values()) == {"deepeval"}


def test_sdialog(tmp_path: Path) -> None:
    turns, _ = align_files(FILES / "sdialog.json")
    assert [t[1:4] for t in turns] == [
        ("Ann-bot", "Ann-bot", "hello"),
        ("User", "human", "hello, is the shop open?"),
        ("Ann-bot", "Ann-bot", "yes, until six"),
    ]
    record = json.loads((FILES / "sdialog.json").read_text())
    path = write_file(tmp_path / "d.jsonl", [record, record | {"id": "d2"}])
    assert len(align_files(path)[0]) == 6


def test_an_inspect_archive_is_read_as_inspect_reads_it() -> None:
    """The long text of q0 is an attachment in events, and whole in the messages."""
    turns, alignment = align_files(FILES / "inspect_acme-1.eval")
    assert [t[0] for t in turns] == [f"q{q}:{e}" for e in (1, 2) for q in (0, 1) for _ in range(4)]
    assert turns[5:7] == [
        ("q1:1", "assistant", "mockllm/acme-1", "green tea, of course", 0),
        ("q1:1", "user", "human", "do you have green tea?", 1),
    ]
    assert alignment.aside == {"system message": 4}
    scout, _ = align_files(FILES / "scout.parquet")
    assert sorted(t[1:] for t in scout) == sorted(t[1:] for t in turns)


def write_archive(path: Path, *members: tuple[str, Any]) -> Path:
    """An archive as Inspect before 0.3.206 writes it."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in members:
            archive.writestr(name, value if isinstance(value, bytes) else json.dumps(value))
    return path


HEADER = ("header.json", {"version": 2, "eval": {"model": "m", "task": "t"}})
SAMPLE = {"id": 1, "messages": [{"role": "user", "content": "hi"}], "epoch": 1}


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_duplicate_members_and_attachments(tmp_path: Path) -> None:
    long = {"role": "assistant", "content": "see attachment://0a1b"}
    later = {**SAMPLE, "messages": [*SAMPLE["messages"], long], "attachments": {"0a1b": "tea"}}
    member = "samples/1_epoch_1.json"
    path = write_archive(tmp_path / "a.eval", HEADER, (member, SAMPLE), (member, later))
    turns, _ = align_files(path)
    assert [(t[2], t[3]) for t in turns] == [("human", "hi"), ("m", "see tea")]


def test_a_bad_member_costs_no_other(tmp_path: Path) -> None:
    bad, good = ("samples/0_epoch_1.json", b"{"), ("samples/1_epoch_1.json", SAMPLE)
    path = write_archive(tmp_path / "a.eval", HEADER, bad, good)
    turns, _, rejects = everything(path, on_error="skip")
    assert [t.text for t in turns] == ["hi"]
    assert [(r.place.line, r.reason) for r in rejects] == [(2, "the JSON is truncated")]


@pytest.mark.parametrize("cut", [200, 400, 3000, 7000, 14000])
def test_a_damaged_archive(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "a.eval"
    path.write_bytes((FILES / "inspect_acme-1.eval").read_bytes()[:cut])
    with pytest.raises(RecordError) as error:
        everything(path)
    assert str(error.value) == f"{path}:1: the archive is damaged; get the file again"


@pytest.mark.parametrize("at", [3000, 3500, 5000, 6500, 8000])
def test_a_damaged_member_costs_no_other(tmp_path: Path, at: int) -> None:
    data = bytearray((FILES / "inspect_acme-1.eval").read_bytes())
    data[at] ^= 0xFF
    path = write_file(tmp_path / "a.eval", bytes(data))
    turns, _, rejects = everything(path, on_error="skip")
    assert len(turns) == 12
    assert [r.reason for r in rejects] == ["the archive is damaged; get the file again"]


def test_a_zip_bomb_is_refused(tmp_path: Path) -> None:
    bomb = ("samples/1_epoch_1.json", b"[" + b" " * 20_000_000 + b"]")
    path = write_archive(tmp_path / "a.eval", HEADER, bomb)
    _, _, rejects = everything(path, on_error="skip")
    assert [r.code for r in rejects] == ["zip_bomb"]


def test_another_zip_is_still_refused(tmp_path: Path) -> None:
    path = write_archive(tmp_path / "a.zip", ("conversations.json", []))
    with pytest.raises(RecordError) as error:
        everything(path)
    assert str(error.value).endswith("this is a zip archive; unpack it and give the file inside")


DUO = {
    "dialogue_id": "7",
    "setting": "wow",
    "model": "gpt",
    "prompt": "neutral",
    "topic": "tea",
    "subjective_evaluation": {"preference": 4.0},
    "objective_evaluation": {"preference": 2.67, "preference_scores": [2.0, 3.0, 3.0]},
    "dialogue": [
        {"message_id": 0, "system_id": "6", "speaker": "Bot", "message": "tea is old"},
        {"message_id": 1, "user_id": "21", "speaker": "Human", "message": "how old?"},
    ],
}


def test_duo(tmp_path: Path) -> None:
    write_file(tmp_path / "7.json", DUO)
    write_file(tmp_path / "8.json", {**DUO, "dialogue_id": 8, "objective_evaluation": {}})
    turns, _ = align_files(tmp_path)
    assert turns[:2] == [
        ("7", "Bot", "gpt", "tea is old", None),
        ("7", "Human", "human", "how old?", 0),
    ]
    ratings = read_judgements(tmp_path).frame
    assert ratings.select("dialog", "speaker", "judge", "judge_kind", "value").rows() == [
        ("7", "Bot", "21", "interlocutor", 4.0),
        ("7", "Bot", "judge-1", "outsider", 2.0),
        ("7", "Bot", "judge-2", "outsider", 3.0),
        ("7", "Bot", "judge-3", "outsider", 3.0),
        ("8", "Bot", "21", "interlocutor", 4.0),
    ]


def talk(*texts: str) -> list[dict[str, str]]:
    """A conversation of a user and an assistant."""
    return [
        {"role": r, "content": t} for r, t in zip(("user", "assistant") * 2, texts, strict=False)
    ]


BATTLE = {
    "question_id": 81,
    "model_a": "m",
    "model_b": "n",
    "winner": "model_a",
    "judge": "author_1",
    "conversation_a": talk("hi", "hello", "tea?", "yes"),
    "conversation_b": talk("hi", "ho", "tea?", "no"),
    "turn": 1,
}


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_mt_bench(tmp_path: Path, suffix: str) -> None:
    """The same answers are judged by several: each is one dialog. Turn 2 is the second answer."""
    second = {**BATTLE, "judge": "expert_3", "winner": "tie", "turn": 2}
    swapped = {"model_a": "n", "model_b": "m", "conversation_a": BATTLE["conversation_b"]}
    third = {**BATTLE, **swapped, "conversation_b": BATTLE["conversation_a"], "judge": "gpt4_pair"}
    path = tmp_path / f"human.{suffix}"
    if suffix == "parquet":
        pl.DataFrame([BATTLE, second, third]).write_parquet(path)
    else:
        write_file(path, [BATTLE, second, third])
    turns, alignment = align_files(path)
    assert [t[0] for t in turns] == ["81:m"] * 4 + ["81:n"] * 4
    assert alignment.aside == {"repeated conversation": 4}
    assert has_preferences(path)
    columns = ("dialog_a", "turn_a", "speaker_a", "dialog_b", "preferred", "judge", "judge_kind")
    assert read_preferences(path).frame.select(columns).rows() == [
        ("81:m", 1, "assistant", "81:n", "a", "author_1", "outsider"),
        ("81:m", 3, "assistant", "81:n", "tie", "expert_3", "expert"),
        ("81:n", 1, "assistant", "81:m", "a", "gpt4_pair", "model"),
    ]


def test_the_arena(tmp_path: Path) -> None:
    """The judge is who talked; both may be one model, and conversations may be JSON."""
    row = {**BATTLE, "question_id": "x", "tstamp": 1682351591.1, "judge": "arena_user_9"}
    same = {**row, "question_id": "y", "model_b": "m", "winner": "tie (bothbad)"}
    same |= {f"conversation_{s}": json.dumps(BATTLE[f"conversation_{s}"]) for s in "ab"}
    path = write_file(tmp_path / "arena.jsonl", [row, same])
    turns, _, _ = everything(path)
    assert {t.dialog for t in turns} == {"x:m", "x:n", "y:a", "y:b"}
    choices = read_preferences(path).frame.select("dialog_a", "turn_a", "preferred", "judge_kind")
    assert choices.rows() == [
        ("x:m", None, "a", "interlocutor"),
        ("y:a", None, "tie", "interlocutor"),
    ]


def test_a_set_whose_judges_are_hashes(tmp_path: Path) -> None:
    """Conversations are JSON, and the judge is who talked; turn counts those of the talk."""
    row = {k: v for k, v in BATTLE.items() if k != "judge"} | {"judge_hash": "ab12", "turn": 2}
    row |= {f"conversation_{s}": json.dumps(BATTLE[f"conversation_{s}"]) for s in "ab"}
    path = tmp_path / "arena.parquet"
    pl.DataFrame([row]).write_parquet(path)
    frame = read(path).frame
    assert frame["dialog"].to_list() == ["81:m"] * 4 + ["81:n"] * 4
    assert frame["interlocutor"].to_list() == [None, "ab12"] * 4
    columns = ("judge", "judge_kind", "preferred", "turn_a")
    assert read_preferences(path).frame.select(columns).rows() == [
        ("ab12", "interlocutor", "a", None)
    ]


def test_another_answer_under_the_same_name(tmp_path: Path) -> None:
    other = {**BATTLE, "conversation_a": talk("hi", "another answer")}
    path = write_file(tmp_path / "b.jsonl", [BATTLE, other])
    with pytest.raises(RecordError) as error:
        everything(path)
    reason = "an earlier record has another answer of this model to the question"
    assert str(error.value) == f"{path}:2: {reason}"


def test_wildchat_and_lmsys(tmp_path: Path) -> None:
    """Parquet with the columns of the data sets; of WildChat, a hashed address is the person."""
    said = {"content": "hi", "role": "user", "hashed_ip": "ab", "country": "x", "timestamp": None}
    answer = {"content": "hello", "role": "assistant", "hashed_ip": None, "timestamp": 1681000000}
    row = {"conversation_hash": "h", "model": "gpt", "conversation": [said, answer], "turn": 1}
    path = tmp_path / "wildchat.parquet"
    pl.DataFrame([row | {"language": "English"}]).write_parquet(path)
    turns, alignment = align_files(path)
    assert turns == [("h", "user", "human", "hi", None), ("h", "assistant", "gpt", "hello", 0)]
    assert alignment.columns["language"] == 2
    lmsys = {"conversation_id": "c", "model": "m", "conversation": talk("hi", "ho"), "turn": 1}
    pl.DataFrame([lmsys | {"redacted": False}]).write_parquet(tmp_path / "lmsys.parquet")
    assert [t[2] for t in align_files(tmp_path / "lmsys.parquet")[0]] == ["human", "m"]


def test_prism(tmp_path: Path) -> None:
    """Two replies to the opening, of which the second was chosen and the talk went on with it."""
    replies = [
        {"role": "model", "content": text, "model_name": name, "score": score, "if_chosen": chosen}
        for text, name, score, chosen in (("no", "m", 5, False), ("yes", "n", 90, True))
    ]
    said = [{"role": "user", "content": text, "score": None} for text in ("open?", "until when?")]
    last = replies[1] | {"content": "six", "score": None}
    history = [said[0], *replies, said[1], last]
    row = {"conversation_id": "c1", "user_id": "u1", "conversation_history": history}
    path = write_file(tmp_path / "conversations.jsonl", [row])
    turns, alignment = align_files(path)
    assert [(t[2], t[3]) for t in turns] == [
        ("human", "open?"),
        ("n", "yes"),
        ("human", "until when?"),
        ("n", "six"),
    ]
    assert alignment.aside == {"reply that was not chosen": 1}
    columns = ("dialog", "turn", "speaker", "judge", "judge_kind", "value", "scale_max")
    assert read_judgements(path).frame.select(columns).rows() == [
        ("c1", 1, "assistant", "u1", "interlocutor", 90.0, 100.0)
    ]


def test_equal_conversations_of_wildchat_are_several(tmp_path: Path) -> None:
    """Its hash is of the texts, which two people may have exchanged; turns have numbers."""
    rows = [
        {
            "conversation_hash": "h",
            "model": "gpt",
            "conversation": [m | {"turn_identifier": n} for m in talk("hi", "hello")],
        }
        for n in (7, 9)
    ]
    turns, _ = align_files(write_file(tmp_path / "w.jsonl", rows))
    assert [t[0] for t in turns] == ["h:7"] * 2 + ["h:9"] * 2
