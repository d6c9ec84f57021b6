"""Two bots talk with each other, and a person with one."""

import json

import pytest

from simpatico import read
from simpatico.bots import Message, Reply, load_bot
from simpatico.bots.bot import RenamedBot
from simpatico.bots.chat_log import ChatLog, chat_replies
from simpatico.bots.play import play
from simpatico.bots.prompts import Prompt
from simpatico.bots.runner import AskOptions
from simpatico.errors import BadValue, NoAnswer, RunError

OPENINGS = [Prompt("one", (Message("user", "Hi"),)), Prompt("two", (Message("user", "Bye"),))]


class Listing:
    """A bot that answers with what it heard."""

    max_parallel = None

    def __init__(self, name, fails_at=99):
        self.name, self.description, self.fails_at = name, {"kind": name}, fails_at

    def __call__(self, dialog):
        if len(dialog) >= self.fails_at:
            raise NoAnswer("enough of this", why="mood")
        return Reply(self.name + "".join(turn.role[0] for turn in dialog), 1, 1)

    def close(self):
        pass


def rows(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_each_hears_the_other_as_its_user(tmp_path):
    out = tmp_path / "a.jsonl"
    done = play((Listing("x"), Listing("y")), OPENINGS, out, turns=4, how=AskOptions(jobs=2))
    assert [(r["dialog"], r["speaker"], r["system"], r["text"]) for r in rows(out)[:4]] == [
        ("one", "a", None, "Hi"),
        ("one", "b", "y", "yu"),
        ("one", "a", "x", "xau"),
        ("one", "b", "y", "yuau"),
    ]
    assert (done.n_answered, done.n_replies, done.tokens_in) == (2, 6, 6)
    assert read(out).frame["system"].to_list() == [None, "y", "x", "y"] * 2


def test_a_bot_can_talk_with_itself(tmp_path):
    echo = load_bot("script:echo")
    play((echo, RenamedBot(echo, "mirror")), OPENINGS, tmp_path / "a.jsonl", turns=3)
    assert [r["system"] for r in rows(tmp_path / "a.jsonl")] == [None, "mirror", "echo"] * 2


def test_a_dialog_that_breaks_off_keeps_what_was_said(tmp_path):
    out = tmp_path / "a.jsonl"
    done = play((Listing("x", fails_at=3), Listing("y")), OPENINGS, out, turns=6)
    assert done.failures == {"mood": 2}
    done = play((Listing("x"), Listing("y", fails_at=3)), OPENINGS, out.with_name("b"), turns=6)
    last = rows(out.with_name("b"))[2]
    assert (last["text"], last["error"], last["why"]) == ("xau", "enough of this", "mood")
    assert last["bot"] == {"kind": "y"}
    play((Listing("x"), Listing("y")), OPENINGS, out, turns=6, how=AskOptions(retry_errors=True))
    assert len(rows(out)) == 12


def test_another_number_of_turns_is_another_run(tmp_path):
    out = tmp_path / "a.jsonl"
    play((Listing("x"), Listing("y")), OPENINGS, out, turns=3)
    with pytest.raises(RunError, match="holds answers of another bot, or to other settings"):
        play((Listing("x"), Listing("y")), OPENINGS, out, turns=4)


@pytest.mark.parametrize(
    ("turns", "sentence"),
    [
        (1, "turns is 1; with less than 2 no bot says anything"),
        (2, "the opening 'long' has 2 turns or more already; raise --turns"),
    ],
)
def test_there_must_be_something_to_say(tmp_path, turns, sentence):
    long = Prompt("long", tuple(Message("user", str(n)) for n in range(turns)))
    with pytest.raises(BadValue) as error:
        play((Listing("x"), Listing("y")), [long], tmp_path / "a.jsonl", turns=turns)
    assert str(error.value) == sentence


def test_a_talk_is_kept_turn_by_turn(tmp_path):
    out = tmp_path / "a.jsonl"
    talk = ChatLog(Listing("x"), out)
    replies = chat_replies(talk, ["Hi\n", "\n", " again \n", "/quit\n", "no\n"])
    assert next(replies).text == "xu"
    assert len(rows(out)) == 2
    assert [reply.text for reply in replies] == ["xuau"]
    talk.close()
    assert [(r["speaker"], r["system"], r["text"]) for r in rows(out)] == [
        ("user", "human", "Hi"),
        ("assistant", "x", "xu"),
        ("user", "human", "again"),
        ("assistant", "x", "xuau"),
    ]
    assert len(read(out)) == 4


def test_a_turn_without_an_answer_can_be_said_again(tmp_path):
    talk = ChatLog(Listing("x", fails_at=2), tmp_path / "a.jsonl")
    replies = list(chat_replies(talk, ["Hi", "more"]))
    assert [type(one) for one in replies] == [Reply, NoAnswer]
    assert len(talk.dialog) == 2
    talk.close()


def test_a_second_talk_is_added_and_a_torn_line_goes(tmp_path):
    out = tmp_path / "a.jsonl"
    for _ in range(2):
        talk = ChatLog(Listing("x"), out)
        list(chat_replies(talk, ["Hi"]))
        talk.close()
        with out.open("a") as file:
            file.write('{"dialog": "chat-9", "te')
    talk = ChatLog(Listing("x"), out)
    list(chat_replies(talk, ["Hi"]))
    talk.close()
    assert [r["dialog"] for r in rows(out)] == [f"chat-{n}" for n in (1, 1, 2, 2, 3, 3)]


def test_nothing_said_leaves_no_file(tmp_path):
    ChatLog(Listing("x"), tmp_path / "a.jsonl").close()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("text", ["my notes\n", "no line end", '{"a": 1}\n'])
def test_a_file_of_something_else_is_not_added_to(tmp_path, text):
    out = tmp_path / "a.jsonl"
    out.write_text(text)
    with pytest.raises(RunError) as error:
        ChatLog(Listing("x"), out)
    assert str(error.value) == f"{out} does not hold answers of a bot; name another file"
    assert out.read_text() == text
