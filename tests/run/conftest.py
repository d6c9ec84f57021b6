"""A small finished run for every test that damages one."""

import random

import polars as pl
import pytest

from simpatico import Conversations, load, score_run
from tests.run.damage import copy_run


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A small finished run, and the file it was made from."""
    folder = tmp_path_factory.mktemp("schema")
    rng, words = random.Random(1), ["I", "you", "love", "fear", "the", "dog", "not", "happy"]
    rows = [
        {
            "dialog": f"d{d}",
            "speaker": who,
            "system": who,
            "text": " ".join(rng.choices(words, k=9)),
        }
        for d in range(12)
        for who in ("human", "ash" if d % 2 else "birch") * 2
    ]
    pl.DataFrame(rows).write_ndjson(folder / "talk.jsonl")
    score_made(folder / "talk.jsonl", folder / "run")
    return folder / "run", folder / "talk.jsonl"


def score_made(path, out):
    return score_run(Conversations((path,)), [load(m) for m in ("length", "emotion_shares")], out)


@pytest.fixture
def run(made, tmp_path):
    return copy_run(made[0], tmp_path / "run")
