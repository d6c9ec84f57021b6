"""A program as a bot: one line in, one line out; when it dies or hangs, another one is started."""

import json
import os
import shlex
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from simpatico.bots import Message, Settings, load_bot
from simpatico.bots.command import HARMLESS
from simpatico.errors import BadValue, MissingResource, NoAnswer

PROGRAM = Path(__file__).parent / "program.py"
NAME = Path(sys.executable).name


@pytest.fixture
def program():
    words = [sys.executable, "-I", str(PROGRAM)]
    bot = load_bot(f"command:{shlex.join(words)}", Settings(timeout=20, temperature=0.5))
    yield bot
    bot.close()


def ask(bot, text):
    return bot([Message("user", text)])


def test_one_process_answers_line_after_line(program):
    first, second = ask(program, "a").text.split(), ask(program, "b\nc").text.split(" ", 2)
    assert first[0] == second[0]
    assert (first[1:], second[1:]) == (["1", "a"], ["2", "b\nc"])


def test_what_it_reads_and_what_it_may_tell(program):
    request = json.loads(ask(program, "echo").text)
    assert request == {
        "id": 1,
        "messages": [{"role": "user", "content": "echo"}],
        "temperature": 0.5,
        "max_tokens": 256,
        "seed": None,
        "instruction": "",
    }
    reply = ask(program, "count")
    assert (reply.tokens_in, reply.tokens_out, reply.model) == (3, 4, "program")


FAILURES = {
    "die": (
        "ended",
        f"{NAME} ended with code 7 without an answer; name the variables that it needs with env=",
    ),
    "error": ("its own error", f"{NAME} gave an error instead of an answer"),
    "empty": ("empty", f"{NAME} gave an empty answer"),
    "garbage": ("no JSON", f"{NAME} wrote no valid answer"),
    "big": ("too large", f"{NAME} wrote more than 1,000,000 bytes"),
    "twice": ("out of step", f"{NAME} wrote more than one line"),
    "other": ("out of step", f"{NAME} answered another request"),
}


@pytest.mark.parametrize("ill", FAILURES)
def test_a_failure_is_one_sentence_and_the_next_call_goes_well(program, ill):
    with pytest.raises(NoAnswer) as error:
        ask(program, ill)
    assert (error.value.why, str(error.value)) == FAILURES[ill]
    assert ask(program, "well").text.endswith(" well")


def test_one_that_dies_later_does_not_lack_a_variable(program):
    ask(program, "well")
    with pytest.raises(NoAnswer) as error:
        ask(program, "die")
    assert str(error.value) == f"{NAME} ended with code 7 without an answer"


def test_one_that_hangs_is_ended_and_started_anew():
    bot = load_bot(
        f"command:{shlex.join([sys.executable, '-I', str(PROGRAM)])}", Settings(timeout=20)
    )
    pid = int(ask(bot, "a").text.split()[0])
    quick = type(bot)(bot.words, Settings(timeout=0.3), idle=bot.idle)
    with pytest.raises(NoAnswer) as error:
        ask(quick, "hang")
    assert (error.value.why, str(error.value)) == ("too slow", f"{NAME} did not answer in time")
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert int(ask(bot, "b").text.split()[0]) != pid
    bot.close()


def test_calls_at_the_same_time_have_a_process_each(program):
    with ThreadPoolExecutor(3) as pool:
        texts = list(pool.map(lambda n: ask(program, str(n)).text, range(12)))
    assert [text.split()[2] for text in texts] == [str(n) for n in range(12)]
    assert len(program.idle) <= 3
    pids = {process.process.pid for process in program.idle}
    program.close()
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_program_that_is_not_there():
    with pytest.raises(MissingResource) as error:
        ask(load_bot("command:no-such-program-here -x"), "a")
    assert str(error.value) == (
        "the program 'no-such-program-here' cannot be started (No such file or directory); "
        "check its name and mode"
    )


def test_no_shell_reads_the_command(tmp_path):
    bot = load_bot(f"command:echo x; touch {tmp_path}/made")
    with pytest.raises(NoAnswer):
        ask(bot, "a")
    assert not list(tmp_path.iterdir())


def test_arguments_are_not_recorded_but_told_apart():
    one, two = load_bot("command:prog --key sk-secret-1"), load_bot("command:prog --key other")
    assert one.description["program"] == "prog"
    assert "sk-secret-1" not in str(one.description)
    assert one.description["sha256"] != two.description["sha256"]


def environment_of(bot):
    with closing(bot):
        reply = ask(bot, "environment")
    return json.loads(reply.text), reply.model


def test_a_program_gets_no_variable_that_the_spec_does_not_name(monkeypatch):
    """Keys of servers lie in the environment: `MY_KEY` is named, the others are not passed on."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-for-programs")
    monkeypatch.setenv("MY_KEY", "sk-for-this-program")
    monkeypatch.setenv("MODE", "friendly and long")
    words = shlex.join([sys.executable, "-I", str(PROGRAM)])
    variables, model = environment_of(load_bot(f"command:{words}"))
    assert {*variables} <= {*HARMLESS}
    assert (variables["PATH"], model) == (os.environ["PATH"], None)
    variables, model = environment_of(load_bot(f"command:env=MY_KEY,MODE {words}"))
    assert {*variables} <= {*HARMLESS, "MY_KEY", "MODE"}
    # what looks like a key by its name is taken out of whatever the program says
    assert (variables["MY_KEY"], model, variables["MODE"]) == (
        "[key]",
        "[key]",
        "friendly and long",
    )


def test_a_variable_that_is_named_must_be_there(monkeypatch):
    monkeypatch.delenv("MY_KEY", raising=False)
    with pytest.raises(BadValue) as error:
        ask(load_bot("command:env=MY_KEY prog"), "a")
    assert str(error.value) == (
        "the environment variable MY_KEY, which env= of the bot names, is not set; "
        "set it or leave it out"
    )


def test_the_variables_are_part_of_what_tells_commands_apart():
    specs = ("command:prog", "command:env=A prog", "command:env=B prog")
    assert len({load_bot(spec).description["sha256"] for spec in specs}) == 3
