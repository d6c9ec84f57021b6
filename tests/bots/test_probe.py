"""Prompts through a bot: nothing lost, order kept, resumable after a kill, one line for each failure."""

import os
import signal
import subprocess
import sys
import time

import pytest

import simpatico
from simpatico.bots import Settings, load_bot
from simpatico.bots.bot import RenamedBot
from simpatico.bots.probe import probe
from simpatico.bots.prompts import read_prompts
from simpatico.bots.runner import AskOptions
from simpatico.errors import BadValue, RunError
from tests.bots.counting_bot import CountingBot, everything, prompts, rows

pytestmark = pytest.mark.usefixtures("quick")
KEY = "sk-canary-9876543210"
ILL = (
    "drop once: a", "busy once: b", "ill once: c", "half once: d", "malformed: e", "empty: f",
    "big: g", "bad: h", "key: i", "wrong: j",
)  # fmt: skip
TEXTS = [t for n, ill in enumerate(ILL) for t in (f"Hello {n}", ill)]


def test_order_is_kept_whatever_comes_first(tmp_path):
    texts = [str(n) for n in range(40)]
    bot = CountingBot(delay=lambda text: 0.02 * (int(text) % 4 == 0))
    done = probe(bot, prompts(texts), tmp_path / "a.jsonl", how=AskOptions(jobs=8))
    assert done.n_answered == 40
    turns = rows(tmp_path / "a.jsonl")
    assert [row["text"] for row in turns] == [t for n in texts for t in (n, f"re {n}")]
    probe(CountingBot(), prompts(texts), tmp_path / "b.jsonl", how=AskOptions(jobs=1))
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


def test_ill_servers_lose_nothing_and_leave_no_key(server, tmp_path):
    """Of 20 prompts 10 are plain; four more go well at the second try, and the key's echo does."""
    out = tmp_path / "a.jsonl"
    bot = load_bot(f"{server.url}?model=m", Settings(timeout=5, retries=2))
    done = probe(bot, prompts(TEXTS), out, how=AskOptions(jobs=4))
    assert (done.n_answered, done.failures) == (
        15,
        {"not a completion": 1, "empty": 1, "too large": 1, "status 400": 2},
    )
    assert (done.tokens_in, done.tokens_out, done.n_counted) == (15 * 7, 15 * 5, 15)
    turns = rows(out)
    assert [r["text"] for r in turns if r["speaker"] == "user"] == TEXTS
    assert {r["dialog"] for r in turns} == {f"p{n}" for n in range(20)}
    errors = [r["error"] for r in turns if "error" in r]
    assert len(errors) == 5
    assert not any("\n" in e for e in errors)
    assert not (tmp_path / "a.jsonl.partial").exists()
    assert KEY.encode() not in everything(tmp_path)
    assert server.most_at_once <= 4


def test_a_row_says_by_what_it_was_got(server, tmp_path):
    bot = load_bot(f"{server.url}?model=m", Settings(temperature=0.0, instruction="Be kind."))
    probe(bot, prompts(["Hi", "empty: x"]), tmp_path / "a.jsonl")
    facts = {
        "kind": "http",
        "address": server.url,
        "model": "m",
        "temperature": 0.0,
        "max_tokens": 256,
        "seed": None,
        "instruction": "Be kind.",
    }
    first, answer, failed = rows(tmp_path / "a.jsonl")
    assert first == {
        "dialog": "p0", "speaker": "user", "text": "Hi", "system": None, "prompt": "p0",
    }  # fmt: skip
    assert answer == {
        "dialog": "p0",
        "speaker": "assistant",
        "text": "You said Hi.",
        "system": "m",
        "prompt": "p0",
        "bot": facts,
        "model": "test-model",
        "ended": "stop",
        "tokens_in": 7,
        "tokens_out": 5,
    }
    assert failed == {
        "dialog": "p1",
        "speaker": "user",
        "text": "empty: x",
        "system": None,
        "prompt": "p1",
        "error": f"{server.url} sent an empty answer",
        "why": "empty",
        "bot": facts,
    }


def test_the_file_is_read_as_conversations_of_one_system(tmp_path):
    out = tmp_path / "a.jsonl"
    probe(RenamedBot(CountingBot(fails={"b"}), "mine"), prompts(["a", "b"]), out)
    turns = simpatico.read(out)
    assert [(t.dialog, t.speaker, t.system, t.text) for t in turns] == [
        ("p0", "user", None, "a"),
        ("p0", "assistant", "mine", "re a"),
        ("p1", "user", None, "b"),
    ]
    assert turns.frame["prompt"].to_list() == ["p0", "p0", "p1"]
    table = simpatico.score(turns, [simpatico.load("length")])
    assert table.at("turn")["length"].to_list() == [2.0]


def test_only_its_owner_can_read_the_answers(tmp_path):
    out = tmp_path / "a.jsonl"
    probe(CountingBot(), prompts(["a"]), out)
    assert out.stat().st_mode & 0o777 == 0o600


def test_what_is_done_is_not_asked_again(tmp_path):
    out = tmp_path / "a.jsonl"
    probe(CountingBot(), prompts("abc"), out, how=AskOptions(limit=2))
    again = CountingBot()
    done = probe(again, prompts("abc"), out)
    assert (again.asked, done.n_before, done.n_answered) == (["c"], 2, 1)
    before = out.read_bytes()
    done = probe(again, prompts("abc"), out, how=AskOptions(limit=1))
    assert (again.asked, done.n_before, done.n_answered) == (["c"], 3, 0)
    assert out.read_bytes() == before
    assert os.listdir(tmp_path) == ["a.jsonl"]


def test_failures_are_asked_again_only_if_told(tmp_path):
    out = tmp_path / "a.jsonl"
    probe(CountingBot(fails={"b", "d"}), prompts("abcd"), out)
    quiet = CountingBot()
    probe(quiet, prompts("abcd"), out)
    assert quiet.asked == []
    done = probe(quiet, prompts("abcd"), out, how=AskOptions(retry_errors=True, limit=2))
    assert (quiet.asked, done.n_answered, done.n_before) == (["b"], 1, 3)
    assert [r["text"] for r in rows(out)] == ["a", "re a", "b", "re b", "c", "re c", "d"]
    probe(quiet, prompts("abcd"), out, how=AskOptions(retry_errors=True))
    assert [r["text"] for r in rows(out)][-2:] == ["d", "re d"]


def test_a_bot_that_is_away_stops_the_run_and_what_came_is_kept(tmp_path):
    out = tmp_path / "a.jsonl"
    bot = CountingBot(stops={"c"}, delay=lambda text: 0.1 * (text == "a"))
    with pytest.raises(RunError, match="the bot is away"):
        probe(bot, prompts("abcdef"), out, how=AskOptions(jobs=3))
    assert not out.exists()
    later = CountingBot()
    done = probe(later, prompts("abcdef"), out)
    assert done.n_before + done.n_answered == 6
    assert not {"a", "b"} & set(later.asked)
    assert [r["text"] for r in rows(out)][::2] == list("abcdef")


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"jobs": 0}, "jobs is 0; at least one prompt must be asked at a time"),
        ({"limit": 0}, "limit is 0; ask at least one prompt"),
    ],
)
def test_how_must_make_sense(how, sentence):
    with pytest.raises(BadValue) as error:
        AskOptions(**how)
    assert str(error.value) == sentence


def test_killed_in_the_middle_it_goes_on_and_gives_the_same_file(server, tmp_path):
    """Two kills, each at another moment; nothing that had arrived is asked for again."""
    source, out = tmp_path / "p.txt", tmp_path / "killed.jsonl"
    texts = [f"kill {n}" for n in range(60)]
    source.write_text("".join(f"{text}\n" for text in texts))
    line = [sys.executable, "-m", "simpatico", "probe", "--bot", f"{server.url}?model=m",
            "--prompts", str(source), "--out", str(out), "--jobs", "3"]  # fmt: skip
    environment = {**os.environ, "OPENAI_API_KEY": KEY}
    server.delay = 0.02
    for kills in (1, 2):
        process = subprocess.Popen(line, env=environment, stdout=-3, stderr=-3)
        while sum(server.asked[text] for text in texts) < 20 * kills:
            assert process.poll() is None
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert not out.exists()
    done = subprocess.run(line, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    server.delay = 0.0
    again = sum(server.asked[text] for text in texts) - len(texts)
    assert again <= 2 * 3
    complete = tmp_path / "whole.jsonl"
    probe(load_bot(f"{server.url}?model=m"), read_prompts(source), complete)
    assert out.read_bytes() == complete.read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["killed.jsonl", "p.txt", "whole.jsonl"]
    assert KEY not in done.stdout + done.stderr + everything(tmp_path).decode()


def test_terminated_it_stops_at_once_with_code_3(server, tmp_path):
    source = tmp_path / "p.txt"
    source.write_text("slow: a\nslow: b\n")
    line = [sys.executable, "-m", "simpatico", "probe", "--bot", f"{server.url}?model=m",
            "--prompts", str(source), "--out", str(tmp_path / "a.jsonl")]  # fmt: skip
    process = subprocess.Popen(line, stdout=-1, stderr=-1, text=True)
    while not server.asked["slow: b"]:
        time.sleep(0.01)
    process.terminate()
    out, err = process.communicate(timeout=5)
    assert (process.returncode, out) == (3, "")
    assert err.endswith("simpatico: Interrupted. Run the same command again to resume.\n")
