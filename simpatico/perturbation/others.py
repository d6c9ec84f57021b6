"""Answers that belong elsewhere: dealt to another dialog, or chosen to be about something else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy import sparse

from simpatico.arrays import Bools, Floats, Ints
from simpatico.features.lexicon import load_lexicon
from simpatico.features.words import cut_words
from simpatico.stats.draws import draw_uniform
from simpatico.turns import Turns

POOL = 512
"""Answers of a system among which one about something else is looked for."""
BATCH = 4_096
FAR = 1e9
"""How many words of length a similarity of 1 outweighs, so that length only breaks ties."""
MAX_LENGTH_DIFFERENCE = 1e3
"""Words beyond which answers differ in length no more, so that length never outweighs likeness."""


def shuffle_answers(turns: Turns, rows: Ints, seed: int) -> Ints:
    """For each answer the row of one by the same system in another dialog; -1 where none is.

    Dialogs of one prompt count as one: what was said in another of them may fit as well.

    The dialogs are put in random order and every answer moves half the way round, so that a system
    keeps its answers as a whole and none is used twice.
    """
    donors = np.full(len(rows), -1, np.int64)
    dialog = prompt_codes(turns)[rows]
    random = draw_uniform(int(dialog.max(initial=0)) + 1, seed)[dialog]
    for own in split_by_system(turns, rows):
        order = own[np.argsort(random[own], kind="stable")]
        half_round = np.roll(order, -(len(order) // 2))
        mask = dialog[order] != dialog[half_round]
        donors[order[mask]] = rows[half_round[mask]]
    return donors


def prompt_codes(turns: Turns) -> Ints:
    """A number for the prompt of each turn's dialog, or for the dialog where there is none."""
    names = turns.frame.select(pl.coalesce("p" + pl.col("prompt"), "d" + pl.col("dialog")))
    return names.to_series().rank("dense").to_numpy().astype(np.int64)


def split_by_system(turns: Turns, rows: Ints) -> Iterator[Ints]:
    """Positions, within `rows`, of the answers of each system."""
    codes = turns.frame["system"].rank("dense").fill_null(0).to_numpy()[rows]
    for code in np.unique(codes):
        yield np.flatnonzero(codes == code)


def off_topic_answers(turns: Turns, rows: Ints, seed: int) -> Ints:
    """For each answer the row of one by the same system that is about something else; -1 if none.

    Of up to 512 answers in other dialogs, the one whose words are least like those of the answer
    and of what it answers (tf-idf cosine); of several, the one nearest to the answer in length, and
    of these a random one. No dialog gets the same one twice.
    """
    donors = np.full(len(rows), -1, np.int64)
    content, dialog = ContentWords.of(turns, rows), prompt_codes(turns)[rows]
    random = draw_uniform(len(rows), seed)
    for own in split_by_system(turns, rows):
        candidates = own[content.has_content[own]]
        pool = candidates[np.argsort(random[candidates], kind="stable")[:POOL]]
        chosen_by_dialog = dict[int, list[int]]()
        for start in range(0, len(own) if len(pool) else 0, BATCH):
            batch = own[start : start + BATCH]
            similarity = (
                content.exchange[batch] @ content.answer[pool].T
            )  # cosine, as rows are unit
            difference = np.abs(content.length[batch][:, None] - content.length[pool])
            cost = similarity.toarray() * FAR + np.minimum(difference, MAX_LENGTH_DIFFERENCE)
            cost += (random[batch][:, None] + random[pool]) % 1  # below one word: breaks ties
            cost[dialog[batch][:, None] == dialog[pool]] = np.inf
            for row, costs in zip(batch, cost, strict=True):
                choices = chosen_by_dialog.setdefault(int(dialog[row]), [])
                costs[choices] = np.inf
                best = int(costs.argmin())
                if np.isfinite(costs[best]):
                    donors[row] = rows[pool[best]]
                    choices.append(best)
    return donors


@dataclass(frozen=True, eq=False)
class ContentWords:
    """What answers are about, and their exchanges: rare words weigh more, function words none."""

    answer: sparse.csr_matrix
    exchange: sparse.csr_matrix
    length: Floats

    @classmethod
    def of(cls, turns: Turns, rows: Ints) -> ContentWords:
        """Which words are there, times idf = log(1 + n / df); function words weigh 0."""
        targets = turns.answered[rows]
        texts = turns.frame["text"]
        table = cut_words(pl.concat([texts.gather(rows), texts.gather(targets)]))
        shape = (2 * len(rows), len(table.vocabulary))
        ends = table.ends.astype(np.int32)
        counts = sparse.csr_matrix((np.ones(len(table.codes)), table.codes, ends), shape=shape)
        counts.sum_duplicates()
        counts.data[:] = 1
        is_content = ~load_lexicon("function_words").of(table).any(axis=1)
        document_counts = np.asarray(counts.sum(axis=0)).ravel()
        idf = np.log1p(len(rows) / np.maximum(document_counts, 1))
        weights = counts @ sparse.diags(is_content * idf)
        answer, prompt = weights[: len(rows)], weights[len(rows) :]
        length = table.counts[: len(rows)].astype(np.float64)
        return cls(unit_rows(answer), unit_rows(answer.maximum(prompt)), length)

    @property
    def has_content(self) -> Bools:
        """Whether an answer is about anything at all."""
        matrix = self.answer.copy()
        matrix.eliminate_zeros()  # words of weight 0 are stored too
        return np.asarray(np.diff(matrix.indptr) > 0)


def unit_rows(matrix: sparse.csr_matrix) -> sparse.csr_matrix:
    """Rows of length 1; those of nothing stay so."""
    size = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    return sparse.csr_matrix(sparse.diags(1 / np.where(size > 0, size, 1)) @ matrix)
