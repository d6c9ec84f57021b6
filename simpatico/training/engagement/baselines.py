"""Baselines of engagement without an encoder: reply length, question marks, SVM, Bi-RNN."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import polars as pl

from simpatico.arrays import Bools, Floats
from simpatico.errors import MissingResource
from simpatico.features.words import cut_words
from simpatico.stats.classification import LabelledPredictions
from simpatico.training.engagement.exchanges import Exchanges
from simpatico.training.engagement.splits import EngagementSplits

LENGTH, QUESTION = "reply length", "question mark"
SVM_C = 0.1
"""Below scikit-learn's 1: there are more n-grams than exchanges."""
MAX_ITERATIONS = 20_000
"""After which the support vector machine ends, converged or not."""
ORDERS = (1, 3)
"""Shortest and longest n-grams of the support vector machine."""
MIN_DOCUMENTS = 2
"""Exchanges that an n-gram must be in."""
# words with their apostrophes, and the marks that show interest or excitement
TOKEN = r"(?u)\w+(?:['’]\w+)*|[?!]"  # noqa: S105


def svm_scores(train: Exchanges, test: Exchanges, *, seed: int) -> Floats:
    """The distance of each exchange of `test` to the margin, above 0 on the engaging side.

    It sees n-grams of query and reply, the reply's number of words, and how many are different.
    """
    try:
        from sklearn.svm import LinearSVC
    except ImportError:
        raise MissingResource(
            "the support vector machine needs scikit-learn: pip install 'simpatico[train]'"
        ) from None
    features = SvmFeatures.of(train)
    svm = LinearSVC(C=SVM_C, class_weight="balanced", max_iter=MAX_ITERATIONS, random_state=seed)
    svm.fit(features.matrix(train), train.label)
    return np.asarray(svm.decision_function(features.matrix(test)), np.float64)


class SvmFeatures(NamedTuple):
    """The n-grams of the training exchanges, and mean and SD of their lengths."""

    query: Any
    reply: Any
    mean: Floats
    sd: Floats

    @classmethod
    def of(cls, train: Exchanges) -> SvmFeatures:
        from sklearn.feature_extraction.text import TfidfVectorizer

        query, reply = (
            TfidfVectorizer(ngram_range=ORDERS, min_df=MIN_DOCUMENTS, token_pattern=TOKEN).fit(t)
            for t in (train.query, train.reply)
        )
        sizes = reply_lengths(train.reply)
        return cls(query, reply, sizes.mean(axis=0), np.maximum(sizes.std(axis=0), 1e-6))

    def matrix(self, exchanges: Exchanges) -> Any:
        """A row an exchange."""
        from scipy import sparse

        sizes = sparse.csr_matrix((reply_lengths(exchanges.reply) - self.mean) / self.sd)
        ngrams = self.query.transform(exchanges.query), self.reply.transform(exchanges.reply)
        return sparse.hstack([*ngrams, sizes], format="csr")


def reply_lengths(texts: list[str]) -> Floats:
    """The number of words of each text, and how many of them are different."""
    table = cut_words(pl.Series("text", texts, pl.String))
    different = [len(set(codes)) for codes in np.split(table.codes, np.cumsum(table.counts)[:-1])]
    return np.column_stack([table.counts, different]).astype(np.float64)


def question_marks(texts: list[str]) -> Floats:
    """1 for a text with a question mark, 0 for another."""
    return np.array(["?" in text or "？" in text for text in texts], np.float64)


def baseline_predictions(
    splits: EngagementSplits, *, seed: int, trained: bool
) -> dict[str, LabelledPredictions]:
    """What baselines predict for the test split; SVM and Bi-RNN only if `trained`."""
    train, validation, test = splits
    runs = length_and_question_predictions(train, test)
    if trained:
        from simpatico.training.engagement.birnn import predict_by_birnn

        scores = svm_scores(train, test, seed=seed)
        runs["linear SVM"] = labelled_predictions(scores, scores > 0, test)
        pairs = [(split.query, split.reply, split.label) for split in (train, validation, test)]
        probability = predict_by_birnn(*pairs, seed=seed)
        runs["Bi-RNN"] = labelled_predictions(probability, probability > 0.5, test)
    return runs


def length_and_question_predictions(
    train: Exchanges, test: Exchanges
) -> dict[str, LabelledPredictions]:
    """Predictions by the number of words, and by whether there is a question mark."""
    return {
        LENGTH: length_predictions(train, test),
        QUESTION: threshold_predictions(
            question_marks(train.reply), question_marks(test.reply), train, test
        ),
    }


def length_predictions(train: Exchanges, test: Exchanges) -> LabelledPredictions:
    """Predictions by the number of words of the reply."""
    words, test_words = (reply_lengths(split.reply)[:, 0] for split in (train, test))
    return threshold_predictions(words, test_words, train, test)


def labelled_predictions(scores: Floats, predicted: Bools, test: Exchanges) -> LabelledPredictions:
    return LabelledPredictions(scores, predicted, test.label > 0, test.group)


def threshold_predictions(
    train_scores: Floats, test_scores: Floats, train: Exchanges, test: Exchanges
) -> LabelledPredictions:
    """A plain score as a classifier; sign and threshold are those best on the training split."""
    sign, threshold = best_threshold(train_scores, train.label > 0)
    scores = sign * test_scores
    return labelled_predictions(scores, scores > threshold, test)


def best_threshold(scores: Floats, label: Bools) -> tuple[int, float]:
    """The sign and threshold of a score with the best balanced accuracy.

    That is where Youden's J, true minus false positive rate, is largest.
    """
    candidates = []
    for sign in (1, -1):
        values, code = np.unique(sign * scores, return_inverse=True)
        hits = np.cumsum(np.bincount(code, label)[::-1])[::-1] / max(label.sum(), 1)
        false_alarms = np.cumsum(np.bincount(code, ~label)[::-1])[::-1] / max((~label).sum(), 1)
        at = int(np.argmax(hits - false_alarms))
        threshold = values[0] - 1 if at == 0 else (values[at - 1] + values[at]) / 2
        candidates.append((float((hits - false_alarms)[at]), sign, float(threshold)))
    _, sign, threshold = max(candidates, key=lambda one: one[0])
    return sign, threshold
