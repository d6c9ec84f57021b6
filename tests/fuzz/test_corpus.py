"""Every target on every seed, whole and cut: no errors but ours. `make fuzz` looks for more."""

from pathlib import Path

import pytest

from tests.fuzz.targets import TARGETS, check

SEEDS = sorted(path for path in (Path(__file__).parent / "corpus").iterdir())


def test_the_corpus_is_small():
    assert len(SEEDS) >= 20
    assert sum(path.stat().st_size for path in SEEDS) < 200_000


@pytest.mark.parametrize("name", TARGETS)
def test_nothing_but_sentences(name):
    for seed in SEEDS:
        data = seed.read_bytes()
        for size in {len(data), len(data) // 2, 1, 0}:
            check(TARGETS[name], data[:size])
