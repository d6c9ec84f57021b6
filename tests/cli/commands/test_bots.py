"""`simpatico probe`, `chat` and `play` as a person or a script meets them."""

import io
import json
import socket
import ssl
import subprocess
import sys
from shutil import which

import pytest

from tests.bots.server import Handler, serving

pytestmark = pytest.mark.usefixtures("quick")
KEY = "sk-canary-command-line"


@pytest.fixture
def prompts(tmp_path):
    path = tmp_path / "p.txt"
    path.write_text("Hello\nmalformed: x\nempty: y\nI lost my job\n")
    return path


def test_a_summary_with_tokens_and_cost_before_and_after(call, server, prompts, tmp_path):
    """Characters 5 + 12 + 8 + 13 are 2 + 3 + 2 + 4 tokens and 4 around each: 27 to read, at most
    4 x 10 to write: 27 x 2 + 40 x 3 = 174 millionths. As counted, 14 x 2 + 10 x 3 = 58 of them."""
    bot = f"{server.url}?model=m"
    line = ["probe", "--bot", bot, "--prompts", prompts, "--out", tmp_path / "a.jsonl"]
    line += ["--max-tokens", 10, "--price-in", 2, "--price-out", 3]
    code, out, err = call(*line)
    assert (code, out) == (0, f"{tmp_path / 'a.jsonl'}\n")
    first, second, *rest = err.splitlines()
    assert first == (
        "4 prompts for m: about 27 input tokens, at most 40 output tokens; cost at most about 0.0002"
    )
    assert second.startswith("2 prompts answered, 2 failed: 1 empty, 1 not a completion; ")
    assert rest == [
        "14 input tokens, 10 output tokens; cost 0.0001",
        "Run the same command with --retry-errors to repeat what failed.",
        f"next: simpatico score {tmp_path / 'a.jsonl'} --out RUN",
    ]
    code, out, err = call(*line, "--json")
    facts = json.loads(out)
    assert {**facts, "seconds": 0} == {
        "out": str(tmp_path / "a.jsonl"),
        "before": 4,
        "answered": 0,
        "failed": 0,
        "why": {},
        "tokens_in": None,
        "tokens_out": None,
        "tokens_counted_for": 0,
        "replies": 0,
        "cost": None,
        "seconds": 0,
    }
    code, out, err = call(*line, "--json", "--retry-errors")
    facts = json.loads(out)
    assert (code, facts["failed"], facts["before"]) == (0, 2, 2)
    assert KEY not in err + out


def test_the_cost_as_counted(call, server, prompts, tmp_path):
    line = ["probe", "--bot", f"{server.url}?model=m", "--prompts", prompts]
    line += ["--out", tmp_path / "a.jsonl", "--json", "--price-in", 2, "--price-out", 3]
    code, out, _ = call(*line)
    assert (code, json.loads(out)["cost"]) == (0, pytest.approx(58e-6))


def test_the_answers_can_be_scored(call, server, prompts, tmp_path):
    out = tmp_path / "a.jsonl"
    line = ["probe", "--bot", f"{server.url}?model=m", "--system", "mine", "--prompts", prompts]
    assert call(*line, "--out", out)[0] == 0
    code, _, err = call("score", out, "--out", tmp_path / "run", "--metrics", "length")
    assert code == 0, err
    code, table, _ = call("show", tmp_path / "run", "--format", "json")
    (row,) = json.loads(table)
    assert (row["system"], row["length_n"]) == ("mine", 2)


def test_nothing_answered_is_code_2(call, tmp_path):
    prompts = tmp_path / "p.txt"
    prompts.write_text("a\nb\n")
    answers = tmp_path / "answers.jsonl"
    answers.write_text('{"prompt": "c", "answer": "d"}\n')
    out = tmp_path / "a.jsonl"
    code, _, err = call("probe", "--bot", f"script:{answers}", "--prompts", prompts, "--out", out)
    assert code == 2
    assert err.splitlines()[-1] == (
        f"simpatico: no prompt was answered (not in the script); {out} has the reason for each"
    )


def test_a_server_that_is_away_is_code_3_and_leaves_nothing(call, prompts, tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    line = ["probe", "--bot", f"http://127.0.0.1:{port}/v1?model=m", "--prompts", prompts]
    code, out, err = call(*line, "--out", tmp_path / "a.jsonl", "--retries", 1)
    assert (code, out) == (3, "")
    assert err.splitlines()[-1] == (
        f"simpatico: http://127.0.0.1:{port}/v1/chat/completions cannot be reached "
        "(Connection refused); start the server or check the address"
    )
    assert [p.name for p in tmp_path.iterdir()] == ["p.txt"]


@pytest.mark.skipif(not which("openssl"), reason="needs openssl to make a certificate")
def test_a_certificate_that_nobody_vouches_for_is_refused(call, prompts, tmp_path, monkeypatch):
    private_key = tmp_path / "made.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-keyout", private_key, "-out", tmp_path / "c.pem", "-days", "1", "-subj", "/CN=x"],
        check=True, capture_output=True,
    )  # fmt: skip
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "c.pem", private_key)
    with serving() as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        bot = f"https://127.0.0.1:{server.server_port}/v1?model=m"
        line = ["probe", "--bot", bot, "--prompts", prompts, "--out", tmp_path / "a.jsonl"]
        code, _, err = call(*line, "--timeout", 3)
        assert not server.seen
    assert code == 2
    assert "cannot be reached" in err.splitlines()[-1]
    assert KEY not in err


WRONG = {
    "turns": (["--max-tokens", "0"], "max_tokens is 0; it must be from 1 to 1,000,000"),
    "price": (
        ["--price-in", "-1"],
        "--price-in is -1.0; a price per million tokens is zero or more",
    ),
    "jobs": (["--jobs", "0"], "jobs is 0; at least one prompt must be asked at a time"),
    "limit": (["--limit", "-1"], "limit is -1; ask at least one prompt"),
}


@pytest.mark.parametrize("case", WRONG)
def test_options_must_make_sense(call, prompts, tmp_path, case):
    options, sentence = WRONG[case]
    line = ["probe", "--bot", "script:echo", "--prompts", prompts, "--out", tmp_path / "a.jsonl"]
    assert call(*line, *options) == (2, "", f"simpatico: {sentence}\n")


def test_what_is_read_is_not_written(call, prompts):
    line = ["probe", "--bot", "script:echo", "--prompts", prompts, "--out", prompts]
    code, _, err = call(*line)
    assert (code, err) == (
        2,
        f"simpatico: --out {prompts} is the input file; name another file\n",
    )


def test_a_secret_in_the_spec_is_not_repeated(call, prompts, tmp_path):
    line = ["probe", "--prompts", prompts, "--out", tmp_path / "a.jsonl", "--bot"]
    for spec in (f"http://u:{KEY}@h/v1?model=m", f"http://h/v1?model=m&key={KEY}", KEY):
        code, out, err = call(*line, spec)
        assert code == 2
        assert len(err.splitlines()) == 1
        assert KEY not in out + err


def test_a_hostile_bot_does_nothing_to_the_terminal(call, tmp_path, monkeypatch):
    answers = tmp_path / "answers.jsonl"
    evil = "\x1b]52;c;ZXZpbA==\x07\x1b[2J\u202eevil\rline"
    answers.write_text(json.dumps({"prompt": "Hi", "answer": evil}) + "\n")
    monkeypatch.setattr(sys, "stdin", io.StringIO("Hi\n"))
    out = tmp_path / "a.jsonl"
    code, replies, _ = call("chat", "--bot", f"script:{answers}", "--out", out)
    assert code == 0
    assert not set(replies) & set("\x1b\x07\u202e\r")
    assert json.loads(out.read_text().splitlines()[1])["text"] == evil


def test_a_chat_down_a_pipe(call, tmp_path, monkeypatch):
    out = tmp_path / "a.jsonl"
    monkeypatch.setattr(sys, "stdin", io.StringIO("Hi\nthere\n/quit\nno\n"))
    code, replies, err = call("chat", "--bot", "script:echo", "--out", out)
    assert (code, replies) == (0, "Hi\nthere\n")
    assert err == f"You are talking with echo; /quit ends the dialog.\n4 turns saved in {out}\n"
    assert len(out.read_text().splitlines()) == 4


def test_a_chat_in_which_nothing_is_answered_is_code_2(call, tmp_path, monkeypatch):
    answers = tmp_path / "answers.jsonl"
    answers.write_text('{"prompt": "c", "answer": "d"}\n')
    monkeypatch.setattr(sys, "stdin", io.StringIO("Hi\n"))
    code, _, err = call("chat", "--bot", f"script:{answers}", "--out", tmp_path / "a.jsonl")
    assert code == 2
    assert err.splitlines()[-1] == f"simpatico: {answers} has no answer to this prompt"
    assert not (tmp_path / "a.jsonl").exists()


def test_two_bots_play(call, tmp_path):
    openings, out = tmp_path / "o.txt", tmp_path / "a.jsonl"
    openings.write_text("Hi\nHello\n")
    line = ["play", "--bot", "script:echo", "--bot", "script:generic", "--openings", openings]
    code, replies, err = call(*line, "--turns", 4, "--out", out)
    assert (code, replies) == (0, f"{out}\n")
    assert err.splitlines()[1].startswith("2 dialogs played, 0 failed; ")
    assert len(out.read_text().splitlines()) == 8
    code, _, err = call(*line[:-4], "--openings", openings, "--out", out)
    assert (code, err) == (
        2,
        "simpatico: give --bot twice, and --system twice or not at all\n",
    )


def test_the_server_of_these_tests_says_nothing(capsys):
    Handler.log_message(None, "x")
    assert capsys.readouterr().err == ""
