"""What else guesses engagement: words and word vectors."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import NamedTuple

import numpy as np

from simpatico.arrays import Floats
from simpatico.features.on_model import release
from simpatico.models.cache__once import remembered
from simpatico.stats.classification__measures import Run
from simpatico.training.engagement.baselines import ORDERS, SVM_C, run, svm
from simpatico.training.engagement.exchanges import Exchanges, stacked

SVM, BIRNN = "SVM", "Bi-RNN"
VERSION = 1
"""To be raised whenever baselines are trained in another way, so that no old guess is used."""


class Bench(NamedTuple):
    """What classifiers learn from and are tested on, for one seed."""

    learn: Exchanges
    check: Exchanges
    tests: Mapping[str, Exchanges]
    seed: int

    @property
    def tested(self) -> Exchanges:
        """All that is tested on, one after the other."""
        return stacked(self.tests.values(), source="")


def by_svm(bench: Bench) -> dict[str, Run]:
    def learn() -> Floats:
        return svm(bench.learn, bench.tested, seed=bench.seed)

    guess = once(f"{SVM}|{SVM_C}|{ORDERS}|{release('scikit-learn')}", bench, learn)
    return apart(bench, guess, 0.0)


def by_birnn(bench: Bench) -> dict[str, Run]:
    from simpatico.training.engagement.birnn import USUAL, birnn

    def learn() -> Floats:
        sides = ((s.query, s.reply, s.label) for s in (bench.learn, bench.check, bench.tested))
        return np.asarray(birnn(*sides, seed=bench.seed), np.float64)

    return apart(bench, once(f"{BIRNN}|{USUAL}|{release('torch')}", bench, learn), 0.5)


def once(what: str, bench: Bench, learn: Callable[[], Floats]) -> Floats:
    """What a classifier guesses of all that is tested on, from disk if it did so before."""
    kind = "|".join([what, str(VERSION)])
    key = (str(bench.seed), *map(digest, (bench.learn, bench.check, bench.tested)))
    (found,) = remembered(kind, [key], lambda _: [(0, learn())], memo={})
    return np.asarray(found, np.float64)


def digest(given: Exchanges) -> str:
    """Exchanges by their texts and labels."""
    told = [[q, r, int(y)] for q, r, y in zip(given.query, given.reply, given.label, strict=True)]
    return sha256(json.dumps(told).encode()).hexdigest()


def apart(bench: Bench, guess: Floats, limit: float) -> dict[str, Run]:
    """Guesses of all that is tested on, by what it is."""
    cuts = np.cumsum([len(test) for test in bench.tests.values()])[:-1]
    parts = zip(bench.tests.items(), np.split(guess, cuts), strict=True)
    return {where: run(part, part > limit, test) for (where, test), part in parts}
