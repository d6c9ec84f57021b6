"""200 planted strings, and every place where one of them could turn up."""

import html
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

import polars as pl
import pytest

from simpatico import load
from simpatico.metric import missing_resource
from tests.command_line import simpatico
from tests.privacy.generator import MAKERS, digits

N = 40
METRICS = "length,distinct_n"
COMMANDS = (
    ("show", "--level", "turn", "--format", "csv"),
    ("show", "--level", "dialog", "--format", "json"),
    ("show", "--format", "long"),
    ("compare", "--json"),
    ("report", "--json"),
)


def canaries(seed=1):
    """40 each of five kinds; no two alike."""
    rng = random.Random(seed)
    emails = [f"kestrel{n}.{digits(rng, 4)}@example{n}.org" for n in range(N)]
    phones = {f"+49 30 {digits(rng, 4)} {n:02}{digits(rng, 3)}": None for n in range(N)}
    names = [f"Zyxwine{n:02}" for n in range(N)]
    keys = [f"sk-canary{n:02}{rng.getrandbits(80):020x}" for n in range(N)]
    ids = [f"customer-{n:02}-{rng.getrandbits(40):010x}" for n in range(N)]
    return {"email": emails, "phone": list(phones), "name": names, "key": keys, "id": ids}


PLANTED = canaries()
EVERY = [string for kind in PLANTED.values() for string in kind]


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Folders of this test alone for the input, the run, the cache, the key and temporary files."""
    (tmp_path / "pages").mkdir()
    for name, variable in (("cache", "SIMPATICO_CACHE"), ("temporary", "TMPDIR")):
        (tmp_path / name).mkdir()
        monkeypatch.setenv(variable, str(tmp_path / name))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(tempfile, "tempdir", None)
    with (tmp_path / "chats.jsonl").open("w", encoding="utf-8") as file:
        for n in range(N):
            email, phone, name, key, id = (PLANTED[kind][n] for kind in PLANTED)
            said = f"I am {name}, write to {email} or call {phone}; the key is {key}"
            for speaker, system, text in (
                (name, "human", said),
                (f"bot-{n % 2}", f"bot-{n % 2}", f"Thank you, I will call {phone}."),
                (name, "human", f"Not {email}!"),
                (f"bot-{n % 2}", f"bot-{n % 2}", "Fine, as you like it."),
            ):
                row = {"dialog": id, "speaker": speaker, "system": system, "text": text}
                file.write(json.dumps({**row, "account": f"{id}/{email}", "prompt": phone}) + "\n")
    return tmp_path


def score(place, *options):
    """Score and call everything that reads the run; all that these calls print."""
    metrics = METRICS if missing_resource(load("coherence")) else f"{METRICS},coherence"
    chats, run = place / "chats.jsonl", place / "run"
    calls = [simpatico("score", chats, "--metrics", metrics, "--out", run, *options)]
    calls += [simpatico(command, run, *rest) for command, *rest in COMMANDS]
    calls.append(simpatico("report", run, "--out", place / "pages" / "report.html"))
    assert [call.returncode for call in calls] == [0] * len(calls)
    return "".join(call.stdout + call.stderr for call in calls)


def contents(*places):
    """All files below, as they are, and as those read them who unpack tables and pages."""
    texts = {}
    for path in (p for place in places for p in sorted(place.rglob("*")) if p.is_file()):
        text = path.read_bytes().decode("utf-8", "replace")
        if path.suffix == ".parquet":
            text += json.dumps(pl.read_parquet(path).to_dict(as_series=False), default=str)
        texts[path.name] = f"{text} {html.unescape(text)}"
    return texts


def found(strings, texts):
    return {(string, name) for name, text in texts.items() for string in strings if string in text}


def everywhere(place, printed):
    places = (place / name for name in ("run", "pages", "cache", "temporary"))
    return {"printed": printed, **contents(*places)}


def test_there_are_200_of_five_kinds():
    assert [len(kind) for kind in PLANTED.values()] == [N] * 5
    assert len(set(EVERY)) == 200
    assert set(PLANTED) & set(MAKERS) == {"email", "phone"}


def test_what_people_wrote_is_in_the_stored_text_and_on_the_page_alone(place):
    score(place)
    texts = everywhere(place, "")
    assert {string for string, name in found(EVERY, {"text.parquet": texts["text.parquet"]})} == {
        *EVERY
    }
    for allowed in ("text.parquet", "report.html"):
        del texts[allowed]
    # columns of the input are kept for --by, ids and prompts to match by; no key is among them
    assert not found(PLANTED["key"], texts)
    assert not found(EVERY, {"run.json": texts["run.json"]})
    assert not list((place / "temporary").iterdir())


def test_redacted_and_pseudonymised_nothing_that_can_be_told_is_anywhere(place):
    hide = ["--redact", "--pseudonymise", "--pseudonymise-columns", "account"]
    texts = everywhere(place, score(place, *hide))
    assert not found([*PLANTED["email"], *PLANTED["phone"], *PLANTED["id"]], texts)
    # names and keys within a text have no pattern: they stay there, and nowhere else
    said = {name for _, name in found([*PLANTED["name"], *PLANTED["key"]], texts)}
    assert said <= {"text.parquet", "report.html", "printed"}
    table = pl.read_parquet(place / "run" / "text.parquet")
    assert not {*table["speaker"]} & {*PLANTED["name"]}


def test_without_text_none_of_the_200_is_anywhere(place):
    hide = ["--redact", "--pseudonymise", "--pseudonymise-columns", "account", "--no-text"]
    texts = everywhere(place, score(place, *hide))
    assert len(texts) >= 6
    assert not found(EVERY, texts)


@pytest.mark.parametrize("point", ["part-scored", "done"])
def test_without_text_none_of_the_200_is_in_a_run_that_was_killed(place, point):
    """Its parts hold what `distinct_n` needs of every reply: words as hashes."""
    line = [sys.executable, "-m", "simpatico", "score", place / "chats.jsonl", "--metrics", METRICS]
    hide = ["--redact", "--pseudonymise", "--pseudonymise-columns", "account", "--no-text"]
    environment = os.environ | {"SIMPATICO_FAULT": f"{point}:1"}
    run = place / "run"
    assert subprocess.run([*line, "--out", run, *hide], env=environment).returncode == 70
    parts = {path.name for path in (run / "parts").iterdir()}
    assert {"000000.turn.arrow", "000000.extras.parquet"} <= parts
    assert "000000.distinct_n.material.parquet" in parts
    texts = contents(run, place / "cache", place / "temporary")
    assert not found(EVERY, texts)
    assert found(["bot-1"], texts)  # the search finds what is there


def test_after_a_purge_nothing_of_the_dialog_is_anywhere(place):
    score(place)
    gone = [kind[7] for kind in PLANTED.values()]
    assert found(gone, contents(place / "run"))
    shutil.move(place / "pages" / "report.html", place / "run" / "report.html")
    done = simpatico("purge", place / "run", PLANTED["id"][7], "--force")
    assert done.returncode == 0
    again = [simpatico(command, place / "run", *rest) for command, *rest in COMMANDS]
    again.append(simpatico("report", place / "run", "--out", place / "pages" / "report.html"))
    assert [call.returncode for call in again] == [0] * len(again)
    printed = done.stdout + done.stderr + "".join(call.stdout + call.stderr for call in again)
    texts = everywhere(place, printed)
    assert not found(gone, texts)
    assert found([kind[8] for kind in PLANTED.values()], texts)  # the search finds what is there


def test_no_error_repeats_what_a_broken_file_says(place):
    broken = place / "broken.jsonl"
    lines = (place / "chats.jsonl").read_text(encoding="utf-8").splitlines()
    broken.write_text("\n".join(line[: -(n % 60) - 1] for n, line in enumerate(lines)))
    calls = [
        simpatico("score", broken, "--out", place / "run"),
        simpatico("score", broken, "--out", place / "run", "--on-error", "skip"),
        simpatico("score", place / "chats.jsonl", "--out", place / "run", "--format", "chatgpt"),
        simpatico("validate", place / "run", "--judgements", place / "chats.jsonl"),
    ]
    printed = "".join(call.stdout + call.stderr for call in calls)
    assert [call.returncode for call in calls] == [2, 2, 2, 2]
    assert not found(EVERY, everywhere(place, printed))
