"""Answers that belong elsewhere: dealt to another dialog, or chosen to be about something else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import sparse

from simpatico.arrays import Floats, Ints
from simpatico.features.lexicon import load_lexicon
from simpatico.features.words import words
from simpatico.stats.draws import uniform
from simpatico.turns import Turns

POOL = 512
"""Answers of a system among which one about something else is looked for."""
AT_ONCE = 4_096
FAR = 1e9
"""How many words of length a likeness of 1 outweighs, so that length decides between equals."""
LONGEST = 1e3


def dealt(turns: Turns, rows: Ints, seed: int) -> Ints:
    """For each answer the row of one by the same system in another dialog; -1 where none is.

    Dialogs of one prompt count as one: what was said in another of them may fit as well.

    The dialogs are put in a drawn order and every answer goes half the way round, so that the
    answers of a system stay the same as a whole and no one is dealt twice.
    """
    found = np.full(len(rows), -1, np.int64)
    dialog = origin(turns)[rows]
    drawn = uniform(int(dialog.max(initial=0)) + 1, seed)[dialog]
    for own in by_system(turns, rows):
        order = own[np.argsort(drawn[own], kind="stable")]
        donors = np.roll(order, -(len(order) // 2))
        able = dialog[order] != dialog[donors]
        found[order[able]] = rows[donors[able]]
    return found


def origin(turns: Turns) -> Ints:
    """A number for the prompt of each turn's dialog, or for the dialog where there is none."""
    named = turns.frame.select(pl.coalesce("p" + pl.col("prompt"), "d" + pl.col("dialog")))
    return named.to_series().rank("dense").to_numpy().astype(np.int64)


def by_system(turns: Turns, rows: Ints) -> Iterator[Ints]:
    """Places, within `rows`, of the answers of each system."""
    codes = turns.frame["system"].rank("dense").fill_null(0).to_numpy()[rows]
    for code in np.unique(codes):
        yield np.flatnonzero(codes == code)


def farthest(turns: Turns, rows: Ints, seed: int) -> Ints:
    """For each answer the row of one by the same system that is about something else; -1 if none.

    Of up to 512 answers in other dialogs, the one whose words are least like those of the answer
    and of what it answers; of several, the one nearest to the answer in length, and of these a
    drawn one. No dialog gets the same one twice.
    """
    found = np.full(len(rows), -1, np.int64)
    content, dialog = Content.of(turns, rows), origin(turns)[rows]
    drawn = uniform(len(rows), seed)
    for own in by_system(turns, rows):
        able = own[content.any_of[own]]
        pool = able[np.argsort(drawn[able], kind="stable")[:POOL]]
        given = dict[int, list[int]]()
        for start in range(0, len(own) if len(pool) else 0, AT_ONCE):
            some = own[start : start + AT_ONCE]
            cost = content.likeness(some, pool) * FAR + content.apart(some, pool)
            cost += (drawn[some][:, None] + drawn[pool]) % 1
            cost[dialog[some][:, None] == dialog[pool]] = np.inf
            for row, costs in zip(some, cost, strict=True):
                taken = given.setdefault(int(dialog[row]), [])
                costs[taken] = np.inf
                best = int(costs.argmin())
                if np.isfinite(costs[best]):
                    found[row] = rows[pool[best]]
                    taken.append(best)
    return found


@dataclass(frozen=True, eq=False)
class Content:
    """What answers are about, and their exchanges: rare words weigh more, function words none."""

    answer: sparse.csr_matrix
    exchange: sparse.csr_matrix
    length: Floats

    @classmethod
    def of(cls, turns: Turns, rows: Ints) -> Content:
        heard = turns.answered[rows]
        texts = turns.frame["text"]
        table = words(pl.concat([texts.gather(rows), texts.gather(heard)]))
        shape = (2 * len(rows), len(table.vocabulary))
        ends = table.ends.astype(np.int32)
        said = sparse.csr_matrix((np.ones(len(table.codes)), table.codes, ends), shape=shape)
        said.sum_duplicates()
        said.data[:] = 1
        matters = ~load_lexicon("function_words").of(table.vocabulary).any(axis=1)
        seen = np.asarray(said.sum(axis=0)).ravel()
        weighted = said @ sparse.diags(matters * np.log1p(len(rows) / np.maximum(seen, 1)))
        answer, prompt = weighted[: len(rows)], weighted[len(rows) :]
        length = table.counts[: len(rows)].astype(np.float64)
        return cls(unit(answer), unit(answer.maximum(prompt)), length)

    @property
    def any_of(self) -> npt.NDArray[np.bool_]:
        """Whether an answer is about anything at all."""
        return np.asarray(np.diff(unempty(self.answer).indptr) > 0)

    def likeness(self, some: Ints, pool: Ints) -> Floats:
        """Cosine of the words of exchanges with those of answers."""
        return np.asarray((self.exchange[some] @ self.answer[pool].T).toarray())

    def apart(self, some: Ints, pool: Ints) -> Floats:
        """By how many words answers differ in length."""
        return np.minimum(np.abs(self.length[some][:, None] - self.length[pool]), LONGEST)


def unit(matrix: sparse.csr_matrix) -> sparse.csr_matrix:
    """Rows of length 1; those of nothing stay so."""
    size = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    return sparse.csr_matrix(sparse.diags(1 / np.where(size > 0, size, 1)) @ matrix)


def unempty(matrix: sparse.csr_matrix) -> sparse.csr_matrix:
    """The matrix without places that hold 0."""
    kept = matrix.copy()
    kept.eliminate_zeros()
    return kept
