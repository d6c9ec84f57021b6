"""`simpatico judge` as a person meets it: the list, the card, the plan, and what goes wrong."""

import json

import pytest

from tests.command_line import simpatico
from tests.judging.conftest import dialogs
from tests.judging.test_judge import write


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("judge")
    write(folder / "chats.jsonl", dialogs(["Hello there", "I lost my job"]))
    write(folder / "plain.jsonl", [{"dialog": "d", "speaker": "human", "text": "Hi"}])
    (folder / "other.txt").write_text("x\n")
    (folder / "mine.toml").write_text('[[questions]]\nname = "kind"\n')
    return folder


def test_the_list_and_a_card():
    listed = simpatico("judge", "--list")
    assert listed.returncode == 0
    for name in ("coherence", "user_frustration", "boundary_kept", "interlocutor"):
        assert name in listed.stdout
    card = simpatico("judge", "--card", "user_frustration").stdout
    text = " ".join(card.split())
    assert "source: Hernandez Caralt et al. (2025)" in text
    assert "how well judges follow people: Not known" in text
    assert "2 = frustrated, unresolved" in text
    assert simpatico("judge", "--card", "overal").stderr == (
        "simpatico: there is no rubric 'overal'; did you mean 'overall'?\n"
    )


def test_the_plan_asks_nothing_and_writes_nothing(place):
    """Two rubrics with a call a dialog; nobody listens at the bot's address. A prompt is about 760
    characters, a fourth of them tokens; 40 tokens to write at 1,000 a million cost .04."""
    before = sorted(place.iterdir())
    line = ["judge", "chats.jsonl", "--rubric", "overall", "--rubric", "grammar", "--plan"]
    line += ["--bot", "http://127.0.0.1:9/v1?model=m", "--max-tokens", 10, "--price-out", 1000]
    done = simpatico(*line, cwd=place)
    first, second, third = done.stdout.splitlines()
    assert (first, second) == ("overall: 2 calls", "grammar: 2 calls")
    assert third.startswith("4 calls for m: about 7")
    assert third.endswith(" input tokens, at most 40 output tokens; cost at most about 0.0400")
    facts = json.loads(simpatico(*line, "--json", cwd=place).stdout)
    assert (facts["calls"], facts["rubrics"]) == (4, {"overall": 2, "grammar": 2})
    assert (facts["tokens_out"], facts["cost"]) == (40, 0.04)
    assert sorted(place.iterdir()) == before


USAGES = {
    "chats.jsonl --rubric overall": "Missing --out (or --plan for a dry run).",
    "chats.jsonl --rubric coherance --out a.jsonl": (
        "there is no rubric 'coherance'; did you mean 'coherence'?"
    ),
    "chats.jsonl --rubric no.toml --out a.jsonl": (
        "no.toml cannot be read: No such file or directory; check the path"
    ),
    "chats.jsonl --rubric mine.toml --out a.jsonl": (
        "mine.toml: questions[0].text is missing; add it"
    ),
    "chats.jsonl --rubric tbd --rubric overall --out a.jsonl": (
        "two rubrics are called 'overall'; rename one, or judge one at a time"
    ),
    "chats.jsonl --rubric preferred --rubric overall --out a.jsonl": (
        "rubrics of pairs give preferences and the others ratings, which are not in one file; "
        "judge them in two calls"
    ),
    "chats.jsonl --rubric grammar --eyes interlocutor --out a.jsonl": (
        "the rubric 'grammar' is for the outsider, not the interlocutor; leave --eyes out, or copy "
        "the rubric into a file and change its roles"
    ),
    "chats.jsonl --rubric preferred --out a.jsonl": (
        "there are no pairs to judge in the input; turns and exchanges need a system that replies, "
        "and pairs two systems on the same prompts"
    ),
    "plain.jsonl --rubric grammar --out a.jsonl": (
        "there are no turns to judge in the input; turns and exchanges need a system that replies, "
        "and pairs two systems on the same prompts"
    ),
    "no.jsonl --rubric overall --out a.jsonl": "no.jsonl: no such file; check the path",
    "chats.jsonl --rubric overall --repeat 0 --out a.jsonl": (
        "repeat is 0; judge each unit 1 to 100 times"
    ),
    "chats.jsonl --rubric overall --sample -3 --out a.jsonl": (
        "sample is -3; judge at least one dialog"
    ),
    "chats.jsonl --rubric overall --out chats.jsonl": (
        "--out {place}/chats.jsonl is the input file; name another file"
    ),
    "chats.jsonl --rubric overall --out other.txt": (
        "other.txt:1: this is no judgement of `simpatico judge`; name another file"
    ),
    "chats.jsonl --rubric overall --price-in -1 --out a.jsonl": (
        "--price-in is -1.0; a price per million tokens is zero or more"
    ),
}


@pytest.mark.parametrize("line", USAGES)
def test_a_wrong_usage_is_one_sentence_and_writes_nothing(place, line):
    before = {path.name: path.read_bytes() for path in place.iterdir()}
    done = simpatico("judge", *line.split(), "--bot", "script:echo", cwd=place)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"simpatico: {USAGES[line].replace('{place}', str(place))}\n"
    assert {path.name: path.read_bytes() for path in place.iterdir()} == before


GATES = {
    "--rule judge.flips<=1": (
        "--judged FILE, --lock FILE and --rule 'judge.flips <= NUMBER' must be given together."
    ),
    "--rule length<=1": "Missing argument 'RUN'.",
    "--judged a.jsonl --lock b.lock --rule judge.flops<=1": (
        "b.lock cannot be read: No such file or directory; check the path"
    ),
}


@pytest.mark.parametrize("line", GATES)
def test_a_wrong_gate(place, line):
    done = simpatico("gate", *line.split(), cwd=place)
    assert (done.returncode, done.stderr) == (2, f"simpatico: {GATES[line]}\n")
