"""Runs changed at random, most with hashes that fit again: every command has a sentence for each."""

import random
from collections import Counter
from contextlib import suppress
from copy import deepcopy

import polars as pl
import pytest

from simpatico import Conversations, load, score_run
from tests.command_line import simpatico
from tests.run.damage import copy_run, rehash, store, stored

ODD = [
    *(None, True, False, 0, -1, 3, 0.5, 1e308, 2**70, "", "x", "nan", "higher", "system", "\x00"),
    *([], {}, [1], ["x"], [None, None], [5, -5], {"a": 1}, {"": {}}, "{}" * 500, [[[[[]]]]]),
]
TABLES = ["turn", "dialog", "system", "text"]
TEXTS = ["", "\x00", "human", "=1+1", "\u202e", "a" * 5000]


@pytest.fixture(scope="module")
def rich(tmp_path_factory):
    """A run with scores of every level, prompts, times, a column of the input, and text."""
    folder = tmp_path_factory.mktemp("rich")
    write_rich(folder)
    return folder / "run"


def write_rich(folder):
    rng, words = random.Random(1), ["I", "you", "love", "fear", "the", "dog", "not", "happy"]
    rows = [
        {
            "dialog": f"d{d}",
            "speaker": who,
            "system": who,
            "text": " ".join(rng.choices(words, k=rng.randint(1, 12))),
            "prompt": f"p{d // 2}",
            "time": f"2026-0{d % 3 + 1}-01T00:00:00Z",
            "condition": "ab"[d % 2],
        }
        for d in range(48)
        for who in ("human", "ash" if d % 4 < 2 else "birch") * 2
    ]
    pl.DataFrame(rows).write_ndjson(folder / "talk.jsonl")
    metrics = [load(m) for m in ("length", "emotion_shares", "empathy", "distinct_n")]
    score_run(Conversations((folder / "talk.jsonl",)), metrics, folder / "run")


def places(value, place=()):
    """Every place in a JSON value below its root."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        yield (*place, key)
        if isinstance(inner, dict | list):
            yield from places(inner, (*place, key))


def mutate_facts(rng, folder):
    """One to three fields of `run.json` go, or become something else; or its bytes change."""
    facts = stored(folder)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        facts = deepcopy(facts)
        every = list(places(facts))
        # as often near the root as deep inside, where most places are
        depth = rng.randint(1, max(map(len, every)))
        *above, last = rng.choice([p for p in every if len(p) <= depth])
        inner = facts
        for key in above:
            inner = inner[key]
        if rng.random() < 0.3:
            del inner[last]
        elif rng.random() < 0.2 and isinstance(inner, dict):
            inner[rng.choice(["x", "", "score", "turn"])] = inner.pop(last)
        else:
            inner[last] = rng.choice(ODD)
    store(folder, facts, sealed=rng.random() < 0.8)
    if rng.random() < 0.1:
        mutate_bytes(rng, folder / "run.json")


def mutate_bytes(rng, path):
    content = bytearray(path.read_bytes())
    for _ in range(rng.choice((1, 1, 8))):
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    path.write_bytes(content[: rng.randrange(len(content))] if rng.random() < 0.2 else content)


def mutate_table(rng, folder):
    """A column goes, changes its type, name or values; rows go, repeat or change places."""
    table = rng.choice(TABLES)
    path = folder / f"{table}.parquet"
    frame = pl.read_parquet(path)
    name = rng.choice(frame.columns)
    old, rows = frame[name], frame.height
    numbers = [None, float("nan"), float("inf"), -float("inf"), 1e308, -1e308, 0.0, -1.0, 5e-324]
    odd = rng.choice(TEXTS if old.dtype == pl.String else numbers)
    some = pl.Series([rng.random() < 0.3 for _ in range(rows)])
    changes = [
        lambda: frame.drop(name),
        lambda: frame.rename({name: "x"}),
        lambda: frame.with_columns(pl.lit(odd).alias(name)),
        lambda: frame.with_columns(pl.when(some).then(pl.lit(odd)).otherwise(name).alias(name)),
        lambda: frame.with_columns(pl.when(~some).then(name).alias(name)),
        lambda: frame.with_columns(pl.int_range(pl.len()).alias(name)),
        lambda: frame.with_columns(pl.col(name).cast(pl.String)),
        lambda: frame.with_columns(pl.concat_list(name).alias(name)),
        lambda: frame.clear(),
        lambda: frame.head(1),
        lambda: frame.filter(some),
        lambda: pl.concat([frame, frame]),
        lambda: frame.sample(rows, shuffle=True, seed=rng.randrange(99)),
    ]
    try:
        rng.choice(changes)().write_parquet(path)
    except pl.exceptions.PolarsError:  # no such cast
        frame.drop(name).write_parquet(path)
    if rng.random() < 0.3:
        mutate_bytes(rng, path)
    if rng.random() < 0.8:
        with suppress(pl.exceptions.PolarsError, pl.exceptions.PanicException):  # no table now
            rehash(folder, table)
    if rng.random() < 0.3:
        facts = stored(folder)
        store(folder, {k: v for k, v in facts.items() if k != "files"})


def commands(folder, work):
    """What every mutant is given to."""
    page, ratings = work / "page.html", work / "ratings.csv"
    ratings.write_text(
        "dialog,quality,value\n" + "".join(f"d{d},kind,{d % 5}\n" for d in range(48))
    )
    return [
        ("show", folder),
        ("show", folder, "--level", "turn", "--every"),
        ("compare", folder, "--every", "--by", "condition"),
        ("gate", folder, "--rule", "length >= 1"),
        ("report", folder, "--out", page),
        ("figure", "dots", "--run", folder, "--out", page.with_suffix(".svg")),
        ("validate", folder, "--judgements", ratings),
        ("explain", folder, "d0"),
        ("cite", folder),
        ("verify", folder),
    ]


def fuzz(source, work, seeds, each=10):
    """How often each command ended with each code, and the lines of bugs; `each` a mutant."""
    codes, bugs = Counter(), {}
    for seed in seeds:
        rng = random.Random(seed)
        folder = copy_run(source, work / "run")
        for mutate in rng.choice([[mutate_facts], [mutate_table], [mutate_table, mutate_facts]]):
            mutate(rng, folder)
        for command in rng.sample(commands(folder, work), each):
            done = simpatico(*command)
            codes[command[0], done.returncode] += 1
            if done.returncode not in ((0, 1, 2) if command[0] == "gate" else (0, 2)):
                bugs.setdefault(done.stderr.splitlines()[-1], (seed, command[0]))
    return codes, bugs


def test_no_change_of_a_run_ends_in_a_traceback(rich, tmp_path):
    codes, bugs = fuzz(rich, tmp_path, range(150), each=1)
    assert bugs == {}
    assert {code for _, code in codes} >= {0, 2}


@pytest.mark.slow
def test_two_thousand_changes_of_a_run(rich, tmp_path):
    codes, bugs = fuzz(rich, tmp_path, range(1000, 3000))
    assert bugs == {}
    assert sum(codes.values()) == 2000 * 10
