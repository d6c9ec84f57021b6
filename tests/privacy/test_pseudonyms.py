"""Pseudonyms: made with a key, the same for the same key, and matched with ratings by it."""

import json
import os
import stat
from dataclasses import dataclass
from typing import ClassVar

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simpatico import Conversations, Run, load, read, score_run
from simpatico.errors import DataError, MissingResource, RecordError
from simpatico.metric import Card, Score
from simpatico.privacy.pseudonyms import Pseudonyms, key_path, make_key, read_key
from tests.command_line import simpatico
from tests.conftest import ROOT

SAMPLES = ROOT / "simpatico" / "data" / "samples"
CHATS, RATINGS = SAMPLES / "conversations.jsonl", SAMPLES / "judgements_made_up.csv"
METRICS = "length,distinct_n"


@pytest.fixture(autouse=True)
def config(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("SIMPATICO_KEY", raising=False)


def test_a_pseudonym_is_the_hmac_of_the_name():
    """RFC 4231, test case 1: b0344c61d8db38535ca8 afceaf0bf12b 881dc200c9833da726e9376c2e32cff7."""
    assert Pseudonyms(b"\x0b" * 20).of("Hi There") == "pb0344c61d8db38535ca8"


@given(st.text(st.characters(codec=None)), st.binary(min_size=32, max_size=32))
def test_the_key_decides_and_is_not_shown(name, key):
    one = Pseudonyms(key)
    assert one.of(name) == Pseudonyms(key).of(name) != Pseudonyms(b"k" + key).of(name)
    assert key.hex() not in repr(one) + json.dumps(one.as_json())


def test_a_key_is_made_once_and_for_its_owner_only(tmp_path):
    before = os.umask(0)
    try:
        assert make_key() is True
    finally:
        os.umask(before)
    path, key = key_path(), read_key()
    assert path == tmp_path / "config" / "simpatico" / "pseudonyms.key"
    modes = [stat.S_IMODE(p.stat().st_mode) for p in (path, path.parent)]
    assert modes == [0o600, 0o700]
    assert make_key() is False
    assert read_key() == key
    assert [p.name for p in path.parent.iterdir()] == ["pseudonyms.key"]


def test_a_key_that_is_missing_open_or_damaged_is_refused():
    path = key_path()
    with pytest.raises(MissingResource) as error:
        read_key()
    assert str(error.value) == f"no key of pseudonyms at {path}; name its file with --key FILE"
    make_key()
    path.chmod(0o640)
    with pytest.raises(DataError) as error:
        read_key()
    assert str(error.value) == f"{path}: others can read this key; run chmod 600 {path}"
    path.chmod(0o600)
    path.write_text("abc\n")
    with pytest.raises(DataError) as error:
        read_key()
    assert str(error.value) == f"{path}: no key of 32 bytes in hex digits; restore it"


def score(out, *more):
    done = simpatico("score", CHATS, "--metrics", METRICS, "--out", out, *more)
    assert done.returncode == 0, done.stderr
    return Run(out)


def test_scores_stay_and_ids_and_names_are_nowhere(tmp_path):
    plain, run = score(tmp_path / "plain"), score(tmp_path / "run", "--pseudonymise", "--no-text")
    for level in ("turn", "dialog"):
        keys = ["dialog", "speaker"]
        assert run.at(level).drop(keys).equals(plain.at(level).drop(keys))
    means = [c for c in plain.at("system").columns if not c.startswith("distinct")]
    assert run.at("system", means).equals(plain.at("system", means))
    # intervals of metrics of systems come from halves of the dialogs in the order of their ids
    assert run.at("system")["distinct_n"].equals(plain.at("system")["distinct_n"])
    turns = read(CHATS).frame
    names = {*turns["dialog"], *turns["speaker"]} - {*turns["system"]}
    assert len(names) > 60
    tables = [pl.read_parquet(path) for path in run.folder.glob("*.parquet")]
    cells = {str(cell) for table in tables for row in table.iter_rows() for cell in row}
    assert not names & cells
    raw = b"".join(path.read_bytes() for path in run.folder.iterdir())
    assert not [name for name in names if len(name) > 5 and name.encode() in raw]


def test_another_key_gives_other_pseudonyms_and_another_run(tmp_path):
    run = score(tmp_path / "run", "--pseudonymise")
    again = score(tmp_path / "again", "--pseudonymise")
    other = score(tmp_path / "other", "--pseudonymise", "--key", tmp_path / "other.key")
    ids = [set(r.at("dialog")["dialog"]) for r in (run, again, other)]
    assert ids[0] == ids[1]
    assert not ids[0] & ids[2]
    refused = simpatico(
        *("score", CHATS, "--metrics", METRICS, "--out", run.folder),
        *("--pseudonymise", "--key", tmp_path / "other.key"),
    )
    assert (refused.returncode, refused.stderr) == (
        2,
        f"simpatico: {run.folder} holds a run of other input, metrics, options or version; choose "
        "another folder or delete this one\n",
    )


def rows(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def numbers(answer):
    """What was found, but for the last digits, which hang on the order of ids."""
    own = answer["correlations"] if isinstance(answer, dict) else answer
    value = "value" if isinstance(answer, dict) else "difference"
    keys = ("quality", "score", "a", "b", "n", "n_a", "n_b")
    return [(*map(row.get, keys), row[value] and round(row[value], 12)) for row in own]


def test_ratings_of_the_original_ids_match_with_the_key(tmp_path):
    plain = score(tmp_path / "plain")
    run = score(tmp_path / "run", "--pseudonymise", "--key", tmp_path / "k")
    for command in ("validate", "compare"):
        more = ["--judgements", RATINGS, "--json"]
        found = rows(simpatico(command, run.folder, *more, "--key", tmp_path / "k"))
        expected = rows(simpatico(command, plain.folder, *more))
        found, expected = map(numbers, (found, expected))
        assert len(found) > 3
        assert found == expected
    page = tmp_path / "page.html"
    call = ["report", run.folder, "--judgements", RATINGS, "--out", page, "--key", tmp_path / "k"]
    assert simpatico(*call).returncode == 0
    assert "correlation" in page.read_text(encoding="utf-8").lower()


def test_ratings_do_not_match_without_the_key(tmp_path):
    run = score(tmp_path / "run", "--pseudonymise")
    call = ["validate", run.folder, "--judgements", RATINGS, "--key", tmp_path / "no"]
    done = simpatico(*call)
    assert done.returncode == 2
    assert done.stderr == (
        f"simpatico: no key of pseudonyms at {tmp_path / 'no'}; name its file with --key FILE\n"
    )
    (tmp_path / "no").write_text("0" * 64)
    (tmp_path / "no").chmod(0o600)
    done = simpatico(*call)
    assert done.stderr == (
        f"simpatico: {run.folder} holds pseudonyms, and {tmp_path / 'no'} is not their key; name "
        "the file of the key with --key FILE\n"
    )
    dialog = run.at("dialog")["dialog"][0]
    ratings = tmp_path / "own.csv"
    ratings.write_text(f"dialog,quality,value\n{dialog},overall,3\n")
    call[3] = ratings  # ratings of pseudonyms need no key
    assert "is not their key" not in simpatico(*call).stderr


def test_speakers_of_ratings_get_their_pseudonyms_too(tmp_path):
    chats, ratings = tmp_path / "c.jsonl", tmp_path / "r.csv"
    turns = [
        {"dialog": f"d{d}", "speaker": who, "system": system, "text": f"{who} says {d}" * (d + 1)}
        for d in range(8)
        for who, system in (("ann", "human"), ("bea", "bot"), ("bot", "bot"))
    ]
    chats.write_text("".join(json.dumps(turn) + "\n" for turn in turns))
    ratings.write_text(
        "dialog,speaker,quality,value\n"
        + "".join(
            f"d{d},{who},q,{d + n}\n" for d in range(8) for n, who in enumerate(["bea", "bot"])
        )
    )
    make_key()
    metrics = [load("length")]
    score_run(Conversations((chats,)), metrics, tmp_path / "r", pseudonyms=Pseudonyms(read_key()))
    found = rows(simpatico("validate", tmp_path / "r", "--judgements", ratings, "--json"))
    assert [(r["n"], r["unmatched"]) for r in found["correlations"]] == [(16, 0)]


def test_other_columns_are_replaced_where_they_are_named(tmp_path):
    path = tmp_path / "c.jsonl"
    record = {"dialog": "d", "speaker": "a", "system": "s", "text": "hi", "user_id": 4711}
    path.write_text(json.dumps({**record, "metadata": {"mail": "x@y.de", "app": "ios"}}) + "\n")
    pseudonyms = Pseudonyms(b"k" * 32, ("user_id", "mail"))
    conversations, metrics = Conversations((path,)), [load("length")]
    run = score_run(conversations, metrics, tmp_path / "r", pseudonyms=pseudonyms)
    (row,) = run.at("turn", ["dialog", "speaker", "user_id", "mail", "app"]).iter_rows()
    assert row == (*map(pseudonyms.of, ("d", "a", "4711", "x@y.de")), "ios")
    with pytest.raises(RecordError) as error:
        score_run(
            conversations, metrics, tmp_path / "x", pseudonyms=Pseudonyms(b"k" * 32, ("userid",))
        )
    assert str(error.value) == (
        "no record has a column 'userid' for --pseudonymise-columns; did you mean 'user_id'?"
    )
    assert not (tmp_path / "x").exists()


def test_a_dry_run_makes_no_key():
    assert simpatico("score", CHATS, "--pseudonymise", "--plan").returncode == 0
    assert not key_path().exists()


def test_columns_without_pseudonyms_are_wrong_usage(tmp_path):
    done = simpatico("score", CHATS, "--out", tmp_path / "r", "--pseudonymise-columns", "user")
    assert done.stderr == "simpatico: --pseudonymise-columns needs --pseudonymise\n"


@dataclass(frozen=True)
class Order:
    """A metric of systems: 1 where its material stands in the order of dialogs."""

    seed: int = 0
    name: ClassVar[str] = "order"
    level: ClassVar[str] = "system"
    card: ClassVar[Card] = Card(about="a", undefined="u", citation="c")
    needs: ClassVar[tuple[()]] = ()
    scores: ClassVar[tuple[Score, ...]] = (Score("order", pl.col("order"), (0, 1), "m"),)

    def __call__(self, turns, features):
        return pl.DataFrame({"turn_number": turns.frame["turn"]})

    def summary(self, material, *, seed):
        one = pl.lit(None, pl.Float64)
        is_sorted = material.select(
            pl.struct("system", "dialog", "turn").rank("ordinal").is_sorted()
        )
        rows = material.select("system").unique(maintain_order=True)
        value = pl.lit(float(is_sorted.item())).alias("order")
        return rows.with_columns(value, order_n=1, order_low=one, order_high=one)


def test_metrics_of_systems_get_their_material_in_the_order_of_the_new_ids(tmp_path):
    conversations, pseudonyms = Conversations((CHATS,)), Pseudonyms(b"k" * 32)
    run = score_run(conversations, [Order()], tmp_path / "run", pseudonyms=pseudonyms)
    assert set(run.at("system")["order"]) == {1.0}


def test_pseudonyms_are_the_same_with_any_chunk(tmp_path):
    runs = [
        score_run(
            Conversations((CHATS,)),
            [load("length"), load("distinct_n")],
            tmp_path / f"r{chunk}",
            chunk=chunk,
            pseudonyms=Pseudonyms(b"k" * 32),
        )
        for chunk in (100, 10_000)
    ]
    for level in ("turn", "dialog", "system"):
        assert runs[0].at(level).equals(runs[1].at(level))
