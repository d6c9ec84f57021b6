"""Answers on their way into a file: what was cut off, what is of something else, who holds it."""

import os
import threading

import pytest

from simpatico.bots.bot import RenamedBot
from simpatico.bots.probe import probe
from simpatico.bots.runner import AskOptions
from simpatico.errors import RunError
from tests.bots.counting_bot import CountingBot, prompts, rows


def test_a_torn_last_line_is_asked_again(tmp_path):
    out, partial = tmp_path / "a.jsonl", tmp_path / "a.jsonl.partial"
    with pytest.raises(RunError):
        probe(CountingBot(stops={"c"}), prompts("abc"), out, how=AskOptions(jobs=1))
    data = partial.read_bytes()
    complete = tmp_path / "whole.jsonl"
    probe(CountingBot(), prompts("abc"), complete)
    for end in (len(data) - 1, len(data) - 30, data.index(b"\n") + 5, data.index(b"\n"), 3, 0):
        partial.write_bytes(data[:end])
        probe(CountingBot(), prompts("abc"), out)
        assert out.read_bytes() == complete.read_bytes()
        out.unlink()


def test_a_damaged_line_in_the_middle_is_not_passed_over(tmp_path):
    out, partial = tmp_path / "a.jsonl", tmp_path / "a.jsonl.partial"
    with pytest.raises(RunError):
        probe(CountingBot(stops={"c"}), prompts("abc"), out, how=AskOptions(jobs=1))
    lines = partial.read_bytes().splitlines(keepends=True)
    partial.write_bytes(b"".join([lines[0], b"{\n", *lines[2:]]))
    with pytest.raises(RunError) as error:
        probe(CountingBot(), prompts("abc"), out)
    assert str(error.value) == f"{partial}:2: the line is damaged; remove it"


def refusals():
    other = CountingBot()
    other.description = {"kind": "other"}
    return {
        "bot": (other, prompts("ab"), "holds answers of another bot, or to other settings; name another file or delete this one"),
        "name": (RenamedBot(CountingBot(), "x"), prompts("ab"), "holds answers of another bot, or to other settings; name another file or delete this one"),
        "text": (CountingBot(), prompts("ax"), "holds an answer to 'p1', which is not among the prompts or has changed; name another file or delete this one"),
        "fewer": (CountingBot(), prompts("a"), "holds an answer to 'p1', which is not among the prompts or has changed; name another file or delete this one"),
    }  # fmt: skip


@pytest.mark.parametrize("case", refusals())
def test_answers_to_something_else_are_refused_and_stay(case, tmp_path):
    out = tmp_path / "a.jsonl"
    probe(CountingBot(), prompts("ab"), out)
    before = out.read_bytes()
    bot, questions, sentence = refusals()[case]
    with pytest.raises(RunError) as error:
        probe(bot, questions, out)
    assert str(error.value) == f"{out} {sentence}"
    assert out.read_bytes() == before
    assert os.listdir(tmp_path) == ["a.jsonl"]


@pytest.mark.parametrize("text", ["hello\n", "[1]\n", '{"dialog": "a", "text": "b"}\n', "\x00"])
def test_a_file_of_something_else_is_never_overwritten(text, tmp_path):
    out = tmp_path / "a.jsonl"
    out.write_text(text)
    with pytest.raises(RunError) as error:
        probe(CountingBot(), prompts("ab"), out)
    assert str(error.value) == f"{out} does not hold answers of a bot; name another file"
    assert out.read_text() == text
    out.rename(tmp_path / "b.jsonl.partial")
    with pytest.raises(RunError, match="was begun with another bot or other settings"):
        probe(CountingBot(), prompts("ab"), tmp_path / "b.jsonl")
    assert (tmp_path / "b.jsonl.partial").read_text() == text


def test_two_processes_do_not_write_one_file(tmp_path):
    out = tmp_path / "a.jsonl"
    inside, go = threading.Event(), threading.Event()

    def wait_for_signal(text):
        inside.set()
        go.wait(5)
        return 0.0

    first = threading.Thread(
        target=probe, args=(CountingBot(delay=wait_for_signal), prompts("a"), out)
    )
    first.start()
    inside.wait(5)
    with pytest.raises(RunError) as error:
        probe(CountingBot(), prompts("a"), out)
    assert (
        str(error.value) == f"{out} is being written by another process; wait or name another file"
    )
    go.set()
    first.join()
    assert len(rows(out)) == 2


def test_a_folder_that_is_not_there(tmp_path):
    out = tmp_path / "no" / "a.jsonl"
    with pytest.raises(RunError) as error:
        probe(CountingBot(), prompts("a"), out)
    assert str(error.value) == (
        f"{out} cannot be written (No such file or directory); check its folder"
    )
