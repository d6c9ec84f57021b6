"""A bot's SPEC: what each form makes, and whole sentences for what makes no bot."""

import pytest

from simpatico.bots import Message, Settings, load_bot
from simpatico.bots.script import GENERIC
from simpatico.errors import (
    BadValue,
    DataError,
    MissingResource,
    NoAnswer,
    SimpaticoError,
    UnknownName,
)

FORMS = (
    "a bot is http://HOST:PORT/v1?model=NAME, https://…, local:MODEL, command:PROGRAM ARGS "
    "or script:NAME"
)
SECRET = "sk-secret-abcdef123456"

WRONG = {
    "": f"the bot has no kind before a colon; {FORMS}",
    SECRET: f"the bot has no kind before a colon; {FORMS}",
    "ftp://host/x": f"no bot of the kind 'ftp'; {FORMS}",
    "http://127.0.0.1:80/v1": (
        "the bot's address names no model; write http://127.0.0.1:80/v1?model=NAME"
    ),
    f"http://me:{SECRET}@host/v1?model=m": (
        "the bot's address has a user name or password in it; leave it out and put the key into "
        "the environment variable OPENAI_API_KEY"
    ),
    f"https://{SECRET}@host/v1?model=m": (
        "the bot's address has a user name or password in it; leave it out and put the key into "
        "the environment variable OPENAI_API_KEY"
    ),
    "http:///v1?model=m": (
        "the bot's address has no host, or a # in it; write http://HOST:PORT/v1"
    ),
    f"http://h/v1?model=m#{SECRET}": (
        "the bot's address has no host, or a # in it; write http://HOST:PORT/v1"
    ),
    "http://h:port/v1?model=m": "the bot's address is not valid; write http://HOST:PORT/v1",
    "http://h/v 1?model=m": "the bot's address is not valid; write http://HOST:PORT/v1",
    "http://h/v1?model=m\r\nX: y": "the bot's address is not valid; write http://HOST:PORT/v1",
    f"http://h/v1?model=m&api_key={SECRET}": (
        "a bot takes model, key_env, limit_as after the ?, not 'api_key'; "
        "put a key into an environment variable"
    ),
    f"http://h/v1?model=m&{SECRET}": (
        "a bot takes model, key_env, limit_as after the ?, not another name"
    ),
    "http://h/v1?model=m&model=n": "'model' is twice after the ? of a bot; give it once",
    f"http://h/v1?model=m&key_env={SECRET}": (
        "key_env is not the name of an environment variable, such as MY_KEY"
    ),
    "http://h/v1?model=m&limit_as=x": "limit_as is neither max_tokens nor max_completion_tokens",
    "local:": "local: names no model; write local:package:smollm2 or local:path:DIR",
    "local:package:x?frame=y": "no frame 'y'; a local bot has the frame chat, lines or end",
    "command:": "command: names no program; write command:PROGRAM ARGS",
    "command:env=MY_KEY": "command: names no program; write command:PROGRAM ARGS",
    f"command:env={SECRET} prog": (
        "env= of command: takes names of environment variables, such as env=LANG_MODEL,MY_KEY"
    ),
    "command:env= prog": (
        "env= of command: takes names of environment variables, such as env=LANG_MODEL,MY_KEY"
    ),
    "command:a 'b": "command: has a quote that is not closed; close it",
    "script:eco": (
        "no script 'eco'; write 'script:echo' or 'script:generic', or a file script:ANSWERS.jsonl"
    ),
}  # fmt: skip


@pytest.mark.parametrize("spec", WRONG)
def test_what_makes_no_bot_is_told_in_a_sentence_without_secrets(spec):
    with pytest.raises((BadValue, UnknownName)) as error:
        load_bot(spec)
    assert str(error.value) == WRONG[spec]
    assert SECRET not in repr(error.value)
    assert error.value.__cause__ is None


def test_a_model_that_is_not_here_is_told_as_metrics_tell_it():
    with pytest.raises(MissingResource) as error:
        load_bot("local:path:/no/such/folder")
    assert str(error.value) == (
        "model 'path:/no/such/folder': there is no such folder; give the folder with config.json"
    )


def test_an_address_is_taken_apart():
    bot = load_bot("HTTPS://Example.com:8443/api/v1/?model=org%2Fm%201", Settings(seed=1))
    assert (bot.name, str(bot.address)) == ("org/m 1", "https://example.com:8443/api/v1")


def test_echo_and_generic():
    echo, generic = load_bot("script:echo"), load_bot("script:generic")
    assert echo([Message("user", "Hi")]).text == "Hi"
    assert generic([Message("user", "Hi")]).text in GENERIC
    assert generic([Message("user", "Hi")]) == generic(
        [Message("assistant", "x"), Message("user", "Hi")]
    )
    assert len({generic([Message("user", str(n))]).text for n in range(50)}) == len(GENERIC)
    assert dict(echo.description) == {"kind": "script", "script": "echo"}


def test_answers_from_a_file(tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_text('{"prompt": "Hi", "answer": "Hello"}\n{"prompt": "Hi", "answer": "no"}\n')
    bot = load_bot(f"script:{path}")
    assert (bot.name, bot([Message("user", "Hi")]).text) == ("answers", "Hello")
    with pytest.raises(NoAnswer) as error:
        bot([Message("user", "Bye")])
    assert str(error.value) == f"{path} has no answer to this prompt"
    first = bot.description["sha256"]
    path.write_text('{"prompt": "Hi", "answer": "Hello!"}\n')
    assert load_bot(f"script:{path}").description["sha256"] != first


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"prompt": "Hi"}\n', "there is no 'answer'"),
        ('{"prompt": "Hi", "answer": 3}\n', "'answer' must be text, not a whole number"),
        ("{", "the JSON is truncated"),
    ],
)
def test_a_bad_file_of_answers(tmp_path, text, reason):
    path = tmp_path / "answers.jsonl"
    path.write_text(text)
    with pytest.raises(DataError) as error:
        load_bot(f"script:{path}")
    assert str(error.value) == f"{path}:1: {reason}"


def test_a_dialog_without_turns_has_no_answer():
    with pytest.raises(SimpaticoError) as error:
        load_bot("script:echo")([])
    assert str(error.value) == "the dialog is empty; a bot needs at least one turn to answer"


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"temperature": -1.0}, "temperature is -1.0; it must be from 0 to 10"),
        ({"temperature": float("nan")}, "temperature is nan; it must be from 0 to 10"),
        ({"max_tokens": 0}, "max_tokens is 0; it must be from 1 to 1,000,000"),
        ({"timeout": 0.0}, "timeout is 0.0; it must be from 0.01 to 3,600"),
        ({"retries": 99}, "retries is 99; it must be from 0 to 20"),
        (
            {"instruction": "\udce4"},
            "the instruction is not valid UTF-8; write it in UTF-8",
        ),
    ],
)
def test_settings_must_make_sense(settings, sentence):
    with pytest.raises(BadValue) as error:
        Settings(**settings)
    assert str(error.value) == sentence
