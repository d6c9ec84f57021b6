"""An OpenAI-compatible endpoint over a real connection: good answers, bad ones, and no key anywhere."""

import socket
from base64 import b64encode, urlsafe_b64encode
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from random import Random
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simpatico.addresses import is_loopback
from simpatico.bots import Message, Reply, Settings, http, load_bot
from simpatico.bots.http import Address, Backoff, ServerResponse, parse_retry_after
from simpatico.bots.redaction import redact
from simpatico.errors import BadValue, NoAnswer, RunError

pytestmark = pytest.mark.usefixtures("quick")
KEY = "sk-very-secret-0123456789"


def bot(server, query="?model=m", **settings):
    return load_bot(server.url + query, Settings(**{"timeout": 0.5, "retries": 2, **settings}))


def ask(server, text, **settings):
    return bot(server, **settings)([Message("user", text)])


def test_a_good_answer_with_what_it_cost(server):
    assert ask(server, "Hi") == Reply("You said Hi.", 7, 5, "test-model", "stop")


def test_what_is_sent(server):
    settings = {"temperature": 0.5, "seed": 3, "instruction": "Be kind.", "max_tokens": 9}
    bot(server, **settings)([Message("user", "a"), Message("assistant", "b"), Message("user", "c")])
    path, headers, body = server.seen[-1]
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert body == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "a"},
            {"role": "assistant", "content": "b"},
            {"role": "user", "content": "c"},
        ],
        "max_tokens": 9,
        "stream": False,
        "temperature": 0.5,
        "seed": 3,
    }


def test_what_nobody_chose_is_left_to_the_server(server):
    bot(server, "?model=m&limit_as=max_completion_tokens")([Message("user", "plain")])
    body = server.seen[-1][2]
    assert {*body} == {"model", "messages", "max_completion_tokens", "stream"}


@pytest.mark.parametrize("ill", ["drop", "half", "busy", "ill", "drip"])
def test_what_goes_wrong_once_goes_well_the_second_time(server, ill):
    text = f"{ill} once: {ill}"
    assert ask(server, text, timeout=0.3).text == f"You said {text}."
    assert server.asked[text] == 2


FAILURES = {
    "slow": ("too slow", "took longer than 0.3 seconds (asked 2 times)"),
    "drip": ("too slow", "took longer than 0.3 seconds (asked 2 times)"),
    "drop": ("broken off", "broke off the connection (asked 2 times)"),
    "half": ("broken off", "broke off the connection (asked 2 times)"),
    "busy": ("status 429", "answered with status 429 (asked 2 times)"),
    "ill": ("status 500", "answered with status 500 (asked 2 times)"),
    "bad": ("status 400", "answered with status 400 (context_length_exceeded)"),
    "malformed": ("not a completion", "sent no valid chat completion"),
    "other": ("not a completion", "sent no valid chat completion"),
    "bytes": ("not a completion", "sent no valid chat completion"),
    "deep": ("not a completion", "sent no valid chat completion"),
    "surrogate": ("not a completion", "sent no valid chat completion"),
    "nothing": ("empty", "sent an empty answer"),
    "null": ("empty", "sent an empty answer"),
    "empty": ("empty", "sent an empty answer"),
    "big": ("too large", "sent more than 1,000,000 bytes; lower --max-tokens"),
    "wrong": ("status 400", "answered with status 400"),
}


@pytest.mark.parametrize("ill", FAILURES)
def test_a_failure_is_one_sentence_for_one_prompt(server, ill):
    with pytest.raises(NoAnswer) as error:
        ask(server, f"{ill}: x", timeout=0.3 if ill in ("slow", "drip") else 3, retries=1)
    why, sentence = FAILURES[ill]
    address = (
        f"{server.url}/chat/completions"
        if why in ("too slow", "broken off", "too large")
        else server.url
    )
    assert (error.value.why, str(error.value)) == (why, f"{address} {sentence}")


def test_bad_answers_are_not_asked_for_again(server):
    for ill in ("malformed", "empty", "bad", "big"):
        text = f"{ill}: once only"
        with pytest.raises(NoAnswer):
            ask(server, text, timeout=3)
        assert server.asked[text] == 1


def test_a_server_is_left_alone_as_long_as_it_asks(server, monkeypatch):
    """It asks for a second; on a clock that only waiting moves, that is what is waited."""
    waits = []
    monkeypatch.setattr(http, "monotonic", lambda: sum(waits))
    monkeypatch.setattr(Backoff, "sleep", lambda self, seconds: waits.append(seconds))
    assert ask(server, "later once: x").text
    assert waits == [1.0]


def test_a_server_that_wants_hours_stops_the_run(server):
    with pytest.raises(RunError) as error:
        ask(server, "tomorrow: x")
    assert error.value.resumable
    assert str(error.value) == (
        f"{server.url} answered with status 429, and asks to wait 86,400 seconds; "
        "run the same command again then to resume"
    )


STOPS = {
    "moved": "redirects (status 302), which is not followed; give the target address",
    "refused": "refused the key in OPENAI_API_KEY (status 401)",
    "gone": "has no chat/completions or no model 'm' (status 404); check the address and the name",
}


@pytest.mark.parametrize("ill", STOPS)
def test_what_no_prompt_will_survive_stops_the_run(server, ill):
    with pytest.raises(BadValue) as error:
        ask(server, f"{ill}: x")
    assert str(error.value) == f"{server.url} {STOPS[ill]}"
    assert server.asked[f"{ill}: x"] == 1


def test_a_server_that_is_away_can_be_asked_later():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    away = load_bot(f"http://127.0.0.1:{port}/v1?model=m", Settings(retries=1))
    with pytest.raises(RunError) as error:
        away([Message("user", "Hi")])
    assert error.value.resumable
    assert str(error.value) == (
        f"http://127.0.0.1:{port}/v1/chat/completions cannot be reached (Connection refused); "
        "start the server or check the address"
    )


def test_parts_and_uncounted_answers(server):
    assert ask(server, "parts: x").text == "one\ntwo"
    assert ask(server, "uncounted: x") == Reply("no usage", None, None, "test-model", "stop")


def test_a_key_that_comes_back_is_taken_out(server):
    reply = ask(server, "key: x")
    assert reply == Reply("your key is [key]!", 7, 5, "m-[key]", None)


@pytest.mark.parametrize("key", ["smalllettersonly", "Mixed-KEY/with+signs="])
def test_a_key_that_looks_like_a_word_is_taken_out_of_every_field(server, monkeypatch, key):
    """`finish_reason` and the kind of an error are kept where they are one plain word."""
    monkeypatch.setenv("OPENAI_API_KEY", key)
    assert ask(server, "key: x") == Reply("your key is [key]!", 7, 5, "m-[key]", None)
    with pytest.raises(NoAnswer) as error:
        ask(server, "wrong: x")
    assert str(error.value) == f"{server.url} answered with status 400"


SPELLINGS = {
    "as it is": lambda key: key,
    "small": str.lower,
    "large": str.upper,
    "for a URL": lambda key: quote(key, safe=""),
    "all of it for a URL": lambda key: "".join(f"%{ord(char):02X}" for char in key),
    "hex": lambda key: key.encode().hex(),
    "base64": lambda key: b64encode(key.encode()).decode(),
    "base64 in a URL": lambda key: urlsafe_b64encode(key.encode()).decode().rstrip("="),
    "header": lambda key: b64encode(f"Bearer {key} ".encode()).decode(),
    "password": lambda key: b64encode(f"me:{key}".encode()).decode(),
    "password of another": lambda key: b64encode(f"you:{key}!".encode()).decode(),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
@given(key=st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=8, max_size=60))
def test_a_key_is_taken_out_in_every_common_spelling(spelling, key):
    text = SPELLINGS[spelling](key)
    value = redact({"a": [f"before {text} after", 3, None]}, ["short", key])
    (cleaned, *rest) = value["a"]
    assert rest == [3, None]
    assert "[key]" in cleaned
    # what is encoded together with the key, such as "Bearer ", may stay
    assert len(cleaned) <= len("before [key] after") + 12


def test_a_value_that_is_nested_too_deeply_is_none():
    value = []
    for _ in range(5000):
        value = [value]
    assert redact(value, [KEY]) is None


def test_the_key_is_in_no_field_and_no_sentence(server):
    one = bot(server)
    assert KEY not in repr(one) + str(one.description) + repr(vars(one))
    for text in ("wrong: x", "refused: x", "moved: x", "ill: x"):
        with pytest.raises((NoAnswer, BadValue)) as error:
            one([Message("user", text)])
        chain = [error.value, error.value.__cause__]
        assert KEY not in repr(chain) + str(error.value)
        assert error.value.__cause__ is None


def test_a_short_key_is_no_secret_and_harms_no_answer(server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "You")
    assert ask(server, "Hi").text == "You said Hi."


def test_another_variable_can_be_named_and_must_then_hold_a_key(server, monkeypatch):
    monkeypatch.setenv("MY_KEY", "another-secret-key")
    bot(server, "?model=m&key_env=MY_KEY")([Message("user", "named")])
    assert server.seen[-1][1]["Authorization"] == "Bearer another-secret-key"
    monkeypatch.delenv("MY_KEY")
    with pytest.raises(BadValue) as error:
        bot(server, "?model=m&key_env=MY_KEY")([Message("user", "named")])
    assert str(error.value) == "the environment variable MY_KEY is empty; put the key into it"


def test_no_key_no_header(server, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    ask(server, "keyless")
    assert "Authorization" not in server.seen[-1][1]
    with pytest.raises(BadValue) as error:
        ask(server, "refused: keyless", retries=0)
    assert str(error.value) == f"{server.url} wants a key; put it into OPENAI_API_KEY (status 401)"


def test_a_stranger_that_wants_the_key_in_the_open_is_told_of_the_way_out():
    bot = load_bot("http://127.evil.example/v1?model=m")
    with pytest.raises(BadValue) as error:
        bot.reply(ServerResponse(401, b"", None), bot.key())
    assert str(error.value) == (
        "http://127.evil.example/v1 wants a key, never sent in the open; "
        "use https or add &key_env=OPENAI_API_KEY (status 401)"
    )


def test_the_usual_key_is_not_sent_in_the_open(monkeypatch):
    assert load_bot("https://example.com/v1?model=m").key() == KEY
    monkeypatch.setenv("MINE", "x" * 10)
    assert load_bot("http://example.com/v1?model=m&key_env=MINE").key() == "x" * 10


@pytest.mark.parametrize(
    "host",
    ["localhost", "LocalHost", "127.0.0.1", "127.255.255.254", "[::1]", "[::ffff:127.0.0.1]"],
)
def test_this_machine_gets_the_usual_key(host):
    assert load_bot(f"http://{host}:8000/v1?model=m").key() == KEY


@pytest.mark.parametrize(
    "host",
    [
        *("example.com", "127.evil.example", "127.0.0.1.evil.example", "localhost.evil.example"),
        # what a resolver would have to make an address of: it may ask a stranger
        *("127.1", "0x7f.1", "0177.0.0.1", "127.0.0.01", "2130706433", "127.0.0.1.", "localhost."),
        *(
            "%31%32%37.0.0.1",
            "127.0.0.1\\.evil.example",
            "xn--localhost-",
            "localhost%2eevil.example",
        ),
        *("0.0.0.0", "[::]", "[::2]", "[::ffff:8.8.8.8]", "[::127.0.0.1]", "10.0.0.1", "128.0.0.1"),
    ],
)
def test_no_stranger_gets_the_usual_key_in_the_open(host):
    assert load_bot(f"http://{host}/v1?model=m").key() == ""


@given(
    st.text("0127.:[]abcfx%localhost", max_size=20), st.sampled_from(["", "127.", "::ffff:127."])
)
def test_only_addresses_that_need_no_lookup_are_this_machine(rest, start):
    host = start + rest
    if is_loopback(host) and host != "localhost":
        # inet_pton takes nothing but whole addresses; getaddrinfo would look names up
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        data = socket.inet_pton(family, host.partition("%")[0])
        assert data[-4] == 127 or data == bytes(15) + b"\1"


@pytest.mark.parametrize("value", ["two\nlines-of-a-key", "sk-ümlaut-key"])
def test_what_cannot_be_a_key_is_refused_without_being_shown(server, monkeypatch, value):
    monkeypatch.setenv("OPENAI_API_KEY", value)
    with pytest.raises(BadValue) as error:
        ask(server, "Hi")
    assert str(error.value) == (
        "the value of OPENAI_API_KEY is not a valid key; it must be printable ASCII"
    )


def test_half_a_surrogate_pair_is_sent_as_a_question_mark(server):
    assert ask(server, "a\ud800b").text == "You said a?b."


def test_waits_double_with_chance_in_them(monkeypatch):
    """1, 2, 4, 8 … up to 30 seconds, and of each between half and all."""
    monkeypatch.setattr(http, "FIRST_DELAY", 1.0)
    waits = [Backoff(Random(1)).delay(failures) for failures in range(8)]
    for wait, most in zip(waits, (1, 2, 4, 8, 16, 30, 30, 30), strict=True):
        assert most / 2 <= wait <= most


@pytest.mark.parametrize(
    ("header", "seconds"),
    [(None, None), ("0", 0), (" 12 ", 12), ("soon", None), ("-3", None), ("1" * 4000, 111_111_111)],
)
def test_retry_after_in_seconds(header, seconds):
    assert parse_retry_after(header) == seconds


def test_retry_after_as_a_time():
    moment = datetime.now(UTC) + timedelta(seconds=100)
    assert 98 <= parse_retry_after(format_datetime(moment, usegmt=True)) <= 100
    assert parse_retry_after(format_datetime(moment - timedelta(days=1), usegmt=True)) == 0


def test_addresses_are_written_as_they_were_given():
    assert str(Address("http", "::1", 8000, "/v1")) == "http://[::1]:8000/v1"
    assert str(Address("https", "example.com", None, "")) == "https://example.com"


def pieces(server, text, **settings):
    return list(bot(server, **settings).stream([Message("user", text)]))


def test_a_streamed_reply_comes_in_pieces(server, monkeypatch):
    """Without a key each piece is shown at once: eight characters are three pieces of three."""
    monkeypatch.delenv("OPENAI_API_KEY")
    assert pieces(server, "events: Hello ño") == ["Hel", "lo ", "ño"]
    assert server.seen[-1][2]["stream"] is True


def test_a_server_that_does_not_stream_gives_its_reply_whole(server):
    assert pieces(server, "Hi") == ["You said Hi."]


def test_no_piece_of_the_key_is_streamed(server):
    """The key comes three characters at a time; what might begin it is held back."""
    text = f"a{'b' * 150} KEY c"
    reply = pieces(server, f"events: {text}")
    assert len(reply) > 1
    assert "".join(reply) == text.replace("KEY", "Bearer [key]")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("events: ", "empty"),
        ("drop: x", "broken off"),
        ("slow: x", "too slow"),
        ("busy: x", "status 429"),
    ],
)
def test_a_stream_that_fails_says_why(server, text, why):
    with pytest.raises(NoAnswer) as error:
        pieces(server, text, timeout=0.3)
    assert error.value.why == why
