"""What engagement is guessed by without an encoder: words, length, question marks."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from simpatico.arrays import Floats
from simpatico.errors import MissingResource
from simpatico.features.words import words
from simpatico.stats.classification__measures import Run
from simpatico.training.engagement.exchanges import Exchanges
from simpatico.training.engagement.splits import Sides

LENGTH, QUESTION = "reply length", "question mark"
SVM_C = 0.1
MOST_STEPS = 20_000
"""After which the support vector machine ends, converged or not."""
ORDERS = (1, 3)
"""Shortest and longest n-grams of the support vector machine."""
FEWEST = 2
"""Exchanges that an n-gram must be in."""


def svm(learn: Exchanges, test: Exchanges, *, seed: int) -> Floats:
    """How far on the engaging side of a linear margin each exchange of `test` lies.

    It sees n-grams of query and reply, the reply's number of words, and how many are different.
    """
    try:
        from sklearn.svm import LinearSVC
    except ImportError:
        raise MissingResource(
            "the support vector machine needs scikit-learn: pip install 'simpatico[train]'"
        ) from None
    known = Known.of(learn)
    machine = LinearSVC(C=SVM_C, class_weight="balanced", max_iter=MOST_STEPS, random_state=seed)
    machine.fit(known.features(learn), learn.label)
    return np.asarray(machine.decision_function(known.features(test)), np.float64)


class Known(NamedTuple):
    """The n-grams of the exchanges to learn from, and where their lengths lie."""

    query: Any
    reply: Any
    mean: Floats
    spread: Floats

    @classmethod
    def of(cls, learn: Exchanges) -> Known:
        from sklearn.feature_extraction.text import TfidfVectorizer

        query, reply = (
            TfidfVectorizer(ngram_range=ORDERS, min_df=FEWEST, token_pattern=TOKEN).fit(texts)
            for texts in (learn.query, learn.reply)
        )
        sizes = lengths(learn.reply)
        return cls(query, reply, sizes.mean(axis=0), np.maximum(sizes.std(axis=0), 1e-6))

    def features(self, given: Exchanges) -> Any:
        """A row an exchange."""
        from scipy import sparse

        sizes = sparse.csr_matrix((lengths(given.reply) - self.mean) / self.spread)
        ngrams = self.query.transform(given.query), self.reply.transform(given.reply)
        return sparse.hstack([*ngrams, sizes], format="csr")


TOKEN = r"(?u)\w+(?:['’]\w+)*|[?!]"  # noqa: S105


def lengths(texts: list[str]) -> Floats:
    """The number of words of each text, and how many of them are different."""
    table = words(pl.Series("text", texts, pl.String))
    different = [len(set(some)) for some in np.split(table.codes, np.cumsum(table.counts)[:-1])]
    return np.column_stack([table.counts, different]).astype(np.float64)


def questions(texts: list[str]) -> Floats:
    """1 for a text with a question mark, 0 for another."""
    return np.array(["?" in text or "？" in text for text in texts], np.float64)


def beside(sides: Sides, *, seed: int, learned: bool) -> dict[str, Run]:
    """What plain numbers guess of the exchanges held out, and what learned baselines do."""
    learn, check, heldout = sides
    runs = plainly(learn, heldout)
    if learned:
        from simpatico.training.engagement.birnn import birnn

        guess = svm(learn, heldout, seed=seed)
        runs["linear SVM"] = run(guess, guess > 0, heldout)
        both = (learn.query, learn.reply, learn.label), (check.query, check.reply, check.label)
        guess = birnn(*both, (heldout.query, heldout.reply, heldout.label), seed=seed)
        runs["Bi-RNN"] = run(guess, guess > 0.5, heldout)
    return runs


def plainly(learn: Exchanges, test: Exchanges) -> dict[str, Run]:
    """What the number of words and a question mark tell."""
    return {
        LENGTH: plain(lengths(learn.reply)[:, 0], lengths(test.reply)[:, 0], learn, test),
        QUESTION: plain(questions(learn.reply), questions(test.reply), learn, test),
    }


def run(guess: Floats, told: npt.NDArray[np.bool_], heldout: Exchanges) -> Run:
    return Run(guess, told, heldout.label > 0, heldout.group)


def plain(seen: Floats, found: Floats, learn: Exchanges, heldout: Exchanges) -> Run:
    """A plain number as a guess; its sign and limit are those best for what was learned from."""
    sign, limit = best_limit(seen, learn.label > 0)
    return run(sign * found, sign * found > limit, heldout)


def best_limit(guess: Floats, label: npt.NDArray[np.bool_]) -> tuple[int, float]:
    """Sign and limit with which a number tells most in balanced accuracy."""
    found = []
    for sign in (1, -1):
        values, code = np.unique(sign * guess, return_inverse=True)
        above = np.cumsum(np.bincount(code, label)[::-1])[::-1] / max(label.sum(), 1)
        wrong = np.cumsum(np.bincount(code, ~label)[::-1])[::-1] / max((~label).sum(), 1)
        at = int(np.argmax(above - wrong))
        limit = values[0] - 1 if at == 0 else (values[at - 1] + values[at]) / 2
        found.append((float((above - wrong)[at]), sign, float(limit)))
    _, sign, limit = max(found, key=lambda one: one[0])
    return sign, limit
