"""Baselines of emotion without an encoder: the commoner class, style, and a linear SVM of words.

Style is how a text was stored: case, the spacing of punctuation, and length. Where different
corpora have different labels, style gives away from which corpus a text is; what a model reaches
beyond it is what it knows of emotions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from simpatico.arrays import Floats, Floats32
from simpatico.stats import classification
from simpatico.training.emotion.task import (
    EmotionSettings,
    EmotionSplits,
    EmotionTask,
    balanced_weights,
)
from simpatico.training.engagement.baselines import fit_svm, tfidf_vectorizer
from simpatico.training.fit.mlp import HeadShape, PairExamples, fit_head

OURS = "this model"
MAJORITY, STYLE, RAW_STYLE, SVM = "majority", "style", "style as stored", "linear SVM"
SVM_ORDERS = (1, 2)
"""Shortest and longest n-grams of words; an utterance is too short for longer ones to recur."""
STYLE_SHAPE = HeadShape(("first",), (16,), rate=3e-3, epochs=15)
"""A hidden layer, so that the baseline can use interactions, such as short and in capitals."""
# traces of how corpora were stored: tokenised, with lost spaces, or with typographic quotes
SPACED = re.compile(r"\s[,.!?;:')]|[(]\s")
TIGHT = re.compile(r"[^\W\d][,.!?;][^\W\d]")
CURLY = re.compile("[‘’“”]")

ResultRows = dict[str, list[classification.ClassifierResults]]
"""The results of the model and its baselines, by head."""


class Predictions(NamedTuple):
    """A logit, or any score that is above 0 for class 1, for the texts of two splits."""

    validation: Floats
    test: Floats


def style_features(texts: list[str]) -> Floats32:
    """Length, case and the spacing of punctuation of each text, and nothing of its words."""
    rows = []
    for text in texts:
        words = text.split()
        upper = [letter.isupper() for letter in text if letter.isalpha()]
        n = max(len(words), 1)
        rows.append(
            (
                np.log1p(len(text)),
                np.log1p(len(words)),
                sum(map(len, words)) / n,
                sum(upper) / max(len(upper), 1),
                float(bool(upper) and upper[0]),
                len(SPACED.findall(text)) / n,
                len(TIGHT.findall(text)) / n,
                float("_comma_" in text),  # EmpatheticDialogues stores commas so, for its CSV
                float(bool(CURLY.search(text))),
                float(text[-1:] in ".!?"),
            )
        )
    return np.array(rows, np.float32).reshape(len(texts), -1)


def predict_by_style(
    splits: EmotionSplits, column: int, *, raw: bool, weight: Floats32, seed: int
) -> Predictions:
    """A small network over style alone, of texts as the model gets them or as they are stored.

    The second shows how much of a corpus effect tidying the texts has removed.
    """
    features = [style_features(texts.raw if raw else texts.text) for texts in splits]
    ends = np.cumsum([0, *map(len, features)])
    rows = [np.arange(a, b) for a, b in pairwise(ends)]
    labels = [texts.target[:, column].astype(np.float32) for texts in splits]
    train = PairExamples(rows[0], rows[0], labels[0], weight=weight)
    validation = PairExamples(rows[1], rows[1], labels[1])
    head = fit_head(STYLE_SHAPE, np.concatenate(features), train, validation, seed=seed)
    return Predictions(*(head.logit(part).astype(np.float64) for part in features[1:]))


def predict_by_svm(splits: EmotionSplits, *, balance: bool, seed: int) -> list[Predictions]:
    """The distance to the margin of a linear SVM over words and pairs of words, for each column."""
    words = tfidf_vectorizer(SVM_ORDERS, ", or leave it out with --no-svm")
    train = words.fit_transform(splits.train.text)
    others = [words.transform(texts.text) for texts in splits[1:]]
    predictions = []
    for label in splits.train.target.T:
        svm = fit_svm(train, label, balance=balance, seed=seed)
        predictions.append(Predictions(*(svm.decision_function(rows) for rows in others)))
    return predictions


def compare_with_baselines(
    task: EmotionTask, ours: Mapping[str, Predictions], settings: EmotionSettings
) -> tuple[ResultRows, dict[str, float]]:
    """The results of each head and its baselines, and the head's threshold.

    Of two classes the threshold is where both are equally likely; of each of the eight emotions it
    is the one of best F1 on the validation split.
    """
    splits, balance, seed = task.splits, settings.balances_classes(task.kind), settings.seed
    test = splits.test
    words = predict_by_svm(splits, balance=balance, seed=seed) if settings.svm else []
    rows, thresholds = ResultRows(), dict[str, float]()
    for column, name in enumerate(task.names):
        label = splits.train.target[:, column].astype(np.float32)
        weight = balanced_weights(label) if balance else np.ones_like(label)
        by_style = partial(predict_by_style, splits, column, weight=weight, seed=seed)
        predictions = {OURS: ours[name], STYLE: by_style(raw=False)}
        if settings.tidy:  # otherwise texts are as they were stored anyway
            predictions[RAW_STYLE] = by_style(raw=True)
        if words:
            predictions[SVM] = words[column]
        truth = splits.validation.target[:, column] > 0
        # every classifier gets a threshold of its own, so that none is handicapped
        limits = dict.fromkeys(predictions, 0.0)
        if task.kind == "plutchik":
            best = classification.best_f1_threshold
            limits = {n: best(p.validation, truth) for n, p in predictions.items()}
        runs = {n: (p.test, p.test > limits[n]) for n, p in predictions.items()}
        # a constant score: its AUC is .5, and all are predicted to be of the commoner class
        majority = np.full(len(test), float(splits.train.target[:, column].mean()))
        runs = {OURS: runs.pop(OURS), MAJORITY: (majority, majority > 0.5), **runs}
        truth = test.target[:, column] > 0
        rows[name] = [
            classification.evaluate_classifier(
                n, classification.LabelledPredictions(*run, truth, test.group)
            )
            for n, run in runs.items()
        ]
        thresholds[name] = limits[OURS]
    return rows, thresholds
