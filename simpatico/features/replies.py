"""Replies with what they answer, and the columns that predict how people rate them.

A reply is read without what it copies: a sentence of four words or more that stands in the turns
before, or earlier in the reply itself, is left out, and counts as copied instead. So nobody gains
by echoing the user or by saying things twice.

The columns, and the part of the rating that each belongs to:
- fit: cosine of the reply with the turn it answers, with the last three turns (weights 1, 1/2,
  1/4), and the best of the three; the log-odds of the shipped `relevance` model; idf-weighted share
  of the content words of the answered turn that the reply takes up, of the reply's own that come
  from there, and from the turns before
- fluency: mean association of neighbouring words (`chat_words`)
- specificity: log(1 + different content words)
- repetition: share of the words that are copied, of words and of pairs of words that the reply
  repeats, of trigrams that the speaker has used before in the dialog, and how far the cosine with
  the answered turn is above .9
- tone: an exclamation mark; whether the sentiment fits that of the answered turn (`sentiment`)
- length: how far log(1 + words) is below log(6) or above log(25)
Example: "I like tea. Do you like tea?" answers "Tea or coffee? Do you like tea?" with a sentence of
its own, "I like tea.", and 4 of its 7 words are copied.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log

import numpy as np
import polars as pl
from scipy import sparse

from simpatico.arrays import Bools, Floats, Floats32, Ints
from simpatico.features.chat_words import ChatWords
from simpatico.features.detokenise import detokenise
from simpatico.features.embeddings import TextEncoder, row_cosines, unit_length
from simpatico.features.heads.folder import HeadProbabilities
from simpatico.features.lexicon import load_lexicon
from simpatico.features.repeats import find_repeats
from simpatico.features.sentences import END
from simpatico.features.sentiment import sentiment_match
from simpatico.features.words import WordTable, cut_words
from simpatico.turns import Turns

PARTS: Mapping[str, tuple[str, ...]] = {
    "fit": (
        *("cosine", "cosine_context", "cosine_best", "relevance"),
        *("overlap", "overlap_reply", "overlap_any", "overlap_earlier"),
    ),
    "fluency": ("association",),
    "specificity": ("content_words",),
    "repetition": (
        *("copied", "repeated_words", "repeated_pairs", "repeated_trigrams", "near_copy"),
    ),
    "tone": ("exclamation", "sentiment_match"),
    "length": ("short", "long"),
}
"""The columns of each part."""
WITH_ENCODER = (
    *("cosine", "cosine_context", "cosine_best", "relevance", "near_copy", "sentiment_match"),
)
WITHOUT_ENCODER = ("overlap_reply", "overlap_any", "repeated_pairs")
"""Columns that stand in for those of an encoder, beside which they add nothing."""
EARLIER = 2
"""Turns before the answered one that belong to the context."""
CONTEXT_WEIGHTS = (1.0, 0.5, 0.25)
"""Of the answered turn and of those before it, in the mean vector of the context."""
COPY_FROM = 0.9
"""The cosine from which a reply counts as near to a copy."""
MIN_COPIED_WORDS = 4
"""A shorter sentence is no copy: "how are you" may be said by both."""
NO_ANSWER = -3.0
"""The log-odds of relevance of a reply that only echoes what it answers: 1 in 21."""
SHORT, LONG = log(6), log(25)
TOKENISED = r"\sn't\b|\s'\s?\w|\w'\s(?:s|m|re|ve|ll|d|t)\b|_comma_"
"""Contractions that a tokenised text has apart, "do n't" and "it 's": their words would be others.

Spaces before punctuation do not change words."""
WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


@dataclass(frozen=True)
class Replies:
    """Turns that answer another one, each with what stands before it."""

    row: Ints
    text: Sequence[str]
    answered: Sequence[str]
    earlier: Sequence[tuple[str, ...]]
    """Up to two turns before the answered one, the nearest first."""
    repeated: Floats
    """The share of trigrams that the speaker has used before in the dialog."""

    def __len__(self) -> int:
        return len(self.row)

    def take(self, indices: Ints, text: Sequence[str] | None = None) -> Replies:
        """The replies at these indices, with other texts where they are given."""
        return Replies(
            self.row[indices],
            [self.text[at] for at in indices] if text is None else text,
            [self.answered[at] for at in indices],
            [self.earlier[at] for at in indices],
            self.repeated[indices],
        )


def find_replies(turns: Turns, table: WordTable, usable: Bools) -> Replies:
    """The replies among the turns for which `usable` holds."""
    answered = turns.answered
    rows = np.flatnonzero(turns.scored & (answered >= 0) & usable)
    texts, number = turns.frame["text"].to_list(), turns.frame["turn"].to_numpy()
    turn, _, again = find_repeats(turns, table, 3)
    trigrams = np.bincount(turn, minlength=len(turns))
    share = np.bincount(turn[again], minlength=len(turns)) / np.maximum(trigrams, 1)
    return Replies(
        rows,
        [texts[row] for row in rows],
        [texts[at] for at in answered[rows]],
        [
            tuple(texts[at - step] for step in range(1, 1 + min(EARLIER, int(number[at]))))
            for at in answered[rows].tolist()
        ],
        share[rows],
    )


@dataclass(frozen=True)
class NeuralColumns:
    """What gives the columns that need an encoder."""

    encoder: TextEncoder
    relevance: HeadProbabilities
    emotional: HeadProbabilities
    positive: HeadProbabilities


def reply_columns(
    replies: Replies, words: ChatWords, neural: NeuralColumns | None = None
) -> dict[str, Floats]:
    """The columns of each reply; those that need an encoder only where there is one."""
    if not len(replies):
        return {name: np.zeros(0) for name in column_names(neural is not None)}
    own, copied = leave_out_copies(replies)
    table = word_table([*own, *replies.answered, *map(" ".join, replies.earlier)])
    columns = word_columns(table, len(replies), words) | overlap_columns(table, words)
    columns["copied"] = copied
    columns["repeated_trigrams"] = replies.repeated
    columns["exclamation"] = np.array([float("!" in text) for text in own])
    if neural is not None:
        columns |= cosine_columns(own, replies, neural.encoder)
        probability = neural.relevance.of(replies.answered, own)
        columns["relevance"] = log_odds(np.nan_to_num(probability, nan=0.5))
        columns["sentiment_match"] = sentiment_match(
            neural.emotional, neural.positive, replies.answered, own
        )
    # what only echoes the answered turn is near to it, and yet no answer
    echo = find_echoes(replies, copied)
    for name in PARTS["fit"]:
        if name in columns:
            columns[name][echo] = NO_ANSWER if name == "relevance" else 0.0
    return {name: columns[name] for name in column_names(neural is not None)}


def find_echoes(replies: Replies, copied: Floats) -> Ints:
    """Replies of which all stands in the turn that they answer."""
    return np.array(
        [
            at
            for at in np.flatnonzero(copied == 1).tolist()
            if own_sentences(replies.text[at], replies.answered[at : at + 1])[1] == 1
        ],
        np.int64,
    )


def column_names(encoder: bool) -> list[str]:
    """The columns of a model with or without an encoder, in the order of the parts."""
    without = WITHOUT_ENCODER if encoder else WITH_ENCODER
    return [name for names in PARTS.values() for name in names if name not in without]


def word_table(texts: Sequence[str]) -> WordTable:
    """The words of these texts, whether or not a corpus stores them tokenised."""
    column = pl.Series(texts, dtype=pl.String)
    tokenised = column.str.contains(TOKENISED).to_list()
    if any(tokenised):
        pairs = zip(texts, tokenised, strict=True)
        column = pl.Series([detokenise(text) if one else text for text, one in pairs])
    return cut_words(column)


def leave_out_copies(replies: Replies) -> tuple[list[str], Floats]:
    """The replies without copied sentences, and the share of their words that this leaves out.

    Most replies share no trigram with what stands before and repeat none: they need no second look.
    """
    n = len(replies)
    before = [" ".join([a, *e]) for a, e in zip(replies.answered, replies.earlier, strict=True)]
    table = word_table([*replies.text, *before])
    grams = trigram_matrix(table)
    different, shared = (row_sums(m) for m in (grams[:n], grams[:n].multiply(grams[n:])))
    suspect = (shared > 0) | (different < np.maximum(table.counts[:n] - 2, 0))
    texts, copied = list(replies.text), np.zeros(n)
    for at in np.flatnonzero(suspect).tolist():
        context = (replies.answered[at], *replies.earlier[at])
        texts[at], copied[at] = own_sentences(texts[at], context)
    return texts, copied


def row_sums(matrix: sparse.csr_matrix) -> Floats:
    return np.asarray(matrix.sum(axis=1), np.float64).ravel()


def own_sentences(text: str, context: Sequence[str]) -> tuple[str, float]:
    """A reply without the sentences that it copies or repeats, and the share of words left out.

    A reply of copies alone keeps its first sentence, so that there is something to read.
    """
    seen = " | ".join(" ".join(WORD.findall(one.lower())) for one in context)
    kept, left_out, total = list[str](), 0, 0
    sentences = [one for one in END.split(text) if one.strip()]
    for sentence in sentences:
        spoken = WORD.findall(sentence.lower())
        total += len(spoken)
        joined = " ".join(spoken)
        if len(spoken) >= MIN_COPIED_WORDS and f" {joined} " in f" {seen} ":
            left_out += len(spoken)
        else:
            kept.append(sentence)
            seen = f"{seen} | {joined}"
    return " ".join(kept or sentences[:1]), left_out / max(total, 1)


def trigram_matrix(table: WordTable) -> sparse.csr_matrix:
    """A row for each text, with a one for each of its word trigrams."""
    row = np.repeat(np.arange(len(table.counts)), table.counts)
    size = max(len(row) - 2, 0)
    start = np.flatnonzero(row[:size] == row[2:][:size]) if size else np.zeros(0, np.int64)
    kinds, vocabulary = table.codes[start].astype(np.int64), len(table.vocabulary) + 1
    for step in (1, 2):
        kinds = kinds * vocabulary + table.codes[start + step]
        # made dense where it is a column, and before it would overflow
        if step == 2 or vocabulary**3 >= 2**62:
            kinds = np.unique(kinds, return_inverse=True)[1].astype(np.int64)
    return binary_matrix(row[start], kinds, (len(table.counts), int(kinds.max(initial=-1)) + 1))


def binary_matrix(row: Ints, column: Ints, shape: tuple[int, int]) -> sparse.csr_matrix:
    """A matrix with ones at these places, however often they are named."""
    keys = distinct(row * max(shape[1], 1) + column)
    places = (keys // max(shape[1], 1), keys % max(shape[1], 1))
    return sparse.csr_matrix((np.ones(len(keys)), places), shape=shape)


def distinct(keys: Ints) -> Ints:
    """The different keys in rising order; sorting is far faster than np.unique's hashes."""
    keys = np.sort(keys)
    return keys[np.concatenate([[True], keys[1:] != keys[:-1]])] if len(keys) else keys


def word_columns(table: WordTable, n: int, words: ChatWords) -> dict[str, Floats]:
    """What the words of the first `n` texts say by themselves."""
    row, association = words.associations_of(table)
    row, association = row[row < n], association[: (row < n).sum()]
    mean = np.bincount(row, association, n) / np.maximum(np.bincount(row, minlength=n), 1)
    counts, at_least_one = table.counts[:n], np.maximum(table.counts[:n], 1)
    row, codes = np.repeat(np.arange(n), counts), table.codes[: table.ends[n]]
    size = max(len(table.vocabulary), 1)
    word_row, word = np.divmod(distinct(row * size + codes), size)
    content = content_words(table)
    length = np.log1p(counts)
    return {
        "association": mean,
        "content_words": np.log1p(np.bincount(word_row, content[word], n)),
        "repeated_words": 1 - np.bincount(word_row, minlength=n) / at_least_one,
        "repeated_pairs": 1 - distinct_pairs(table, n) / np.maximum(counts - 1, 1),
        "short": np.maximum(SHORT - length, 0.0),
        "long": np.maximum(length - LONG, 0.0),
    }


def distinct_pairs(table: WordTable, n: int) -> Ints:
    """How many different pairs of neighbours each of the first `n` texts has; 1 for none."""
    row, codes = np.repeat(np.arange(n), table.counts[:n]), table.codes[: table.ends[n]]
    inside = row[1:] == row[:-1]
    size = len(table.vocabulary)
    keys = (row[1:] * size + codes[:-1]) * size + codes[1:]
    pairs = distinct(keys[inside])
    return np.maximum(np.bincount(pairs // max(size * size, 1), minlength=n), 1)


def overlap_columns(table: WordTable, words: ChatWords) -> dict[str, Floats]:
    """Content words that a reply shares with what stands before it.

    A third of the texts are replies, then come the turns they answer, and the turns before those.
    """
    n = len(table.counts) // 3
    weights = np.where(content_words(table), words.idf(table), 0.0)
    row = np.repeat(np.arange(3 * n), table.counts)
    presence = binary_matrix(row, table.codes.astype(np.int64), (3 * n, len(weights)))
    reply, answered, before = presence[:n], presence[n : 2 * n], presence[2 * n :]
    taken = reply.multiply(answered).tocsr()
    earlier = reply.multiply(before).tocsr()
    total, of_answered, common = (m @ weights for m in (reply, answered, taken))
    return {
        "overlap": share(common, of_answered),
        "overlap_reply": share(common, total),
        "overlap_any": (common > 0).astype(float),
        "overlap_earlier": share((earlier - earlier.multiply(answered)) @ weights, total),
    }


def share(part: Floats, whole: Floats) -> Floats:
    """One over the other; 0 of nothing."""
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)


def cosine_columns(
    texts: Sequence[str], replies: Replies, encoder: TextEncoder
) -> dict[str, Floats]:
    """How near a reply is to the turns before it, by the encoder."""
    earlier = [[e[k] if k < len(e) else "" for e in replies.earlier] for k in range(EARLIER)]
    contexts = [replies.answered, *earlier]
    vectors = encode_present([*texts, *(text for column in contexts for text in column)], encoder)
    reply, *before = np.split(vectors, 1 + len(contexts))
    cosines = [np.nan_to_num(row_cosines(reply, one)) for one in before]
    mixed = np.zeros_like(reply, np.float64)
    for weight, one in zip(CONTEXT_WEIGHTS, before, strict=True):
        mixed += weight * one
    return {
        "cosine": cosines[0],
        "cosine_context": np.nan_to_num(row_cosines(reply, unit_length(mixed.astype(np.float32)))),
        "cosine_best": np.maximum.reduce(cosines),
        "near_copy": np.maximum(cosines[0] - COPY_FROM, 0.0),
    }


def log_odds(probability: Floats) -> Floats:
    """The logit, of probabilities from 1 to 9,999 in 10,000."""
    bounded = np.clip(probability, 1e-4, 1 - 1e-4)
    return np.log(bounded / (1 - bounded))


def encode_present(texts: Sequence[str], encoder: TextEncoder) -> Floats32:
    """A vector for each text; zeros where there is none."""
    present = [at for at, text in enumerate(texts) if text]
    rows = encoder.of([texts[at] for at in present])
    vectors = np.zeros((len(texts), rows.shape[1]), np.float32)
    vectors[present] = rows
    return vectors


def content_words(table: WordTable) -> Bools:
    """Which words of the vocabulary are no function words."""
    return np.asarray(~table.vocabulary.is_in(function_words()).to_numpy())


@lru_cache(maxsize=1)
def function_words() -> frozenset[str]:
    """Words that say nothing about a subject."""
    return frozenset(load_lexicon("function_words").rows)
