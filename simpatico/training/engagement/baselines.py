"""Baselines of engagement without an encoder: reply length, question marks, SVM, Bi-RNN."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import polars as pl

from simpatico.arrays import Bools, Floats, Ints
from simpatico.errors import MissingResource
from simpatico.features.words import cut_words
from simpatico.stats.classification import LabelledPredictions
from simpatico.training.engagement.exchanges import EngagementSplits, Exchanges

LENGTH, QUESTION = "reply length", "question mark"
"""What a model must beat: long replies and questions are rated as engaging whatever they say."""
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
    from scipy import sparse

    vectorizers = [tfidf_vectorizer(ORDERS).fit(texts) for texts in (train.query, train.reply)]
    # lengths of both splits are standardised by the training split, which is all a model may know
    lengths = reply_lengths(train.reply)
    mean, sd = lengths.mean(axis=0), np.maximum(lengths.std(axis=0), 1e-6)
    matrices = []
    for split in (train, test):
        texts = zip(vectorizers, (split.query, split.reply), strict=True)
        ngrams = [vectorizer.transform(column) for vectorizer, column in texts]
        sizes = sparse.csr_matrix((reply_lengths(split.reply) - mean) / sd)
        matrices.append(sparse.hstack([*ngrams, sizes], format="csr"))
    svm = fit_svm(matrices[0], train.label, balance=True, seed=seed)
    return np.asarray(svm.decision_function(matrices[1]), np.float64)


def tfidf_vectorizer(orders: tuple[int, int], otherwise: str = "") -> Any:
    """Weights of n-grams of words; `otherwise` is what to do without scikit-learn."""
    try:
        from sklearn.feature_extraction.text import TfidfVectorizer
    except ImportError:
        raise MissingResource(
            "the support vector machine needs scikit-learn: pip install 'simpatico[train]'"
            f"{otherwise}"
        ) from None
    return TfidfVectorizer(ngram_range=orders, min_df=MIN_DOCUMENTS, token_pattern=TOKEN)


def fit_svm(rows: Any, label: Floats | Ints, *, balance: bool, seed: int) -> Any:
    """A linear support vector machine; with `balance` both labels count the same."""
    from sklearn.svm import LinearSVC

    weight = "balanced" if balance else None
    svm = LinearSVC(C=SVM_C, class_weight=weight, max_iter=MAX_ITERATIONS, random_state=seed)
    return svm.fit(rows, label)


def reply_lengths(texts: list[str]) -> Floats:
    """The number of words of each text, and how many of them are different (types)."""
    table = cut_words(pl.Series("text", texts, pl.String))
    different = [len(set(codes)) for codes in np.split(table.codes, np.cumsum(table.counts)[:-1])]
    return np.column_stack([table.counts, different]).astype(np.float64)


def question_marks(texts: list[str]) -> Floats:
    """1 for a text with a question mark, ASCII or full-width, 0 for another."""
    return np.array(["?" in text or "？" in text for text in texts], np.float64)


def baseline_predictions(
    splits: EngagementSplits, *, seed: int, trained: bool
) -> dict[str, LabelledPredictions]:
    """What baselines predict for the test split; SVM and Bi-RNN only if `trained`."""
    train, _, test = splits
    runs = length_and_question_predictions(train, test)
    if trained:
        from simpatico.training.engagement.birnn import predict_by_birnn

        scores = svm_scores(train, test, seed=seed)
        runs["linear SVM"] = test.label_predictions(scores, scores > 0)
        pairs = [(split.query, split.reply, split.label) for split in splits]
        probability = predict_by_birnn(*pairs, seed=seed)
        runs["Bi-RNN"] = test.label_predictions(probability, probability > 0.5)
    return runs


def length_and_question_predictions(
    train: Exchanges, test: Exchanges
) -> dict[str, LabelledPredictions]:
    """Predictions by the number of words of a reply, and by whether it has a question mark.

    Sign and threshold of either score are the best of the training split.
    """
    runs = {}
    scores: Mapping[str, Callable[[list[str]], Floats]] = {
        LENGTH: lambda texts: reply_lengths(texts)[:, 0],
        QUESTION: question_marks,
    }
    for name, score in scores.items():
        sign, threshold = best_threshold(score(train.reply), train.label > 0)
        predictions = sign * score(test.reply)
        runs[name] = test.label_predictions(predictions, predictions > threshold)
    return runs


def best_threshold(scores: Floats, label: Bools) -> tuple[int, float]:
    """The sign and threshold of a score with the best balanced accuracy.

    That is where J = true positive rate − false positive rate is largest (Youden 1950).
    """
    candidates = []
    for sign in (1, -1):
        values, code = np.unique(sign * scores, return_inverse=True)
        # a value predicts class 1 for itself and all above it, hence sums from the end
        hits = np.cumsum(np.bincount(code, label)[::-1])[::-1] / max(label.sum(), 1)
        false_alarms = np.cumsum(np.bincount(code, ~label)[::-1])[::-1] / max((~label).sum(), 1)
        at = int(np.argmax(hits - false_alarms))
        threshold = values[0] - 1 if at == 0 else (values[at - 1] + values[at]) / 2
        candidates.append((float((hits - false_alarms)[at]), sign, float(threshold)))
    _, sign, threshold = max(candidates, key=lambda one: one[0])
    return sign, threshold
