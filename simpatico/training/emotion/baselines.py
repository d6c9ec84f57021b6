"""What emotions are guessed by without an encoder: the commoner class, style, and words.

Style is how a text was stored: case, the spacing of punctuation, and length. Where different
corpora have different labels, style tells from which corpus a text is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from simpatico.arrays import Floats, Floats32
from simpatico.errors import MissingResource
from simpatico.stats.classification import Row, best_f1_limit, row
from simpatico.stats.classification__measures import Run
from simpatico.training.emotion.settings import Prepared, Training, evenly
from simpatico.training.emotion.splits import Sides, Taught
from simpatico.training.engagement.baselines import FEWEST, MOST_STEPS, SVM_C, TOKEN
from simpatico.training.fit.mlp import Examples, Shape, fit

OURS = "this model"
MAJORITY, STYLE, STORED, SVM = "majority", "style", "style as stored", "linear SVM"
ORDERS = (1, 2)
"""Shortest and longest n-grams of the support vector machine."""
SHAPE = Shape(("first",), (16,), rate=3e-3, epochs=15)
"""The small network that sees style alone."""
SPACED = re.compile(r"\s[,.!?;:')]|[(]\s")
TIGHT = re.compile(r"[^\W\d][,.!?;][^\W\d]")
CURLY = re.compile("[‘’“”]")


class Guess(NamedTuple):
    """A number for each text of the sides that decide and are held out; class 1 is above 0."""

    check: Floats
    heldout: Floats


def style(texts: list[str]) -> Floats32:
    """Numbers that say how texts are written and nothing of their words."""
    return np.array([styled(text) for text in texts], np.float32).reshape(len(texts), -1)


def styled(text: str) -> tuple[float, ...]:
    """Length, case and the spacing of punctuation in one text."""
    words = text.split()
    capital = [mark.isupper() for mark in text if mark.isalpha()]
    many = max(len(words), 1)
    return (
        np.log1p(len(text)),
        np.log1p(len(words)),
        sum(map(len, words)) / many,
        sum(capital) / max(len(capital), 1),
        float(bool(capital) and capital[0]),
        len(SPACED.findall(text)) / many,
        len(TIGHT.findall(text)) / many,
        float("_comma_" in text),
        float(bool(CURLY.search(text))),
        float(text[-1:] in ".!?"),
    )


def by_style(sides: Sides, column: int, *, stored: bool, weight: Floats32, seed: int) -> Guess:
    """What a small network tells from style alone, of texts as they are seen or were stored."""
    parts = [style(side.stored if stored else side.text) for side in sides]
    ends = np.cumsum([0, *map(len, parts)])
    given = [
        Examples(places, places, side.target[:, column].astype(np.float32))
        for side, a, b in zip(sides, ends, ends[1:], strict=False)
        for places in [np.arange(a, b)]
    ]
    vectors = np.concatenate(parts)
    learn = given[0]._replace(weight=weight)
    head = fit(SHAPE, vectors, learn, given[1], seed=seed)
    return Guess(*(head.logit(part).astype(np.float64) for part in parts[1:]))


def by_words(sides: Sides, *, balanced: bool, seed: int) -> list[Guess]:
    """How far on its side of a linear margin over words and pairs of words each text lies."""
    try:
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.svm import LinearSVC
    except ImportError:
        raise MissingResource(
            "the support vector machine needs scikit-learn: pip install 'simpatico[train]', or "
            "leave it out with --no-svm"
        ) from None
    words = TfidfVectorizer(ngram_range=ORDERS, min_df=FEWEST, token_pattern=TOKEN)
    learn = words.fit_transform(sides.learn.text)
    others = [words.transform(side.text) for side in sides[1:]]
    weight = "balanced" if balanced else None
    found = []
    for label in sides.learn.target.T:
        machine = LinearSVC(C=SVM_C, class_weight=weight, max_iter=MOST_STEPS, random_state=seed)
        machine.fit(learn, label)
        check, heldout = (np.asarray(machine.decision_function(side)) for side in others)
        found.append(Guess(check, heldout))
    return found


def run(guess: Floats, limit: float, heldout: Taught, column: int) -> Run:
    """A guess of what was held out, as figures are taken from it."""
    return Run(guess, guess > limit, heldout.target[:, column] > 0, heldout.group)


def commoner(sides: Sides, column: int) -> Run:
    """Everything taken for the class that is commoner in what is learned from."""
    share = float(sides.learn.target[:, column].mean())
    return run(np.full(len(sides.heldout), share), 0.5, sides.heldout, column)


Rows = dict[str, list[Row]]
"""The figures of all guesses, by head."""


def compared(
    ready: Prepared, ours: Mapping[str, Guess], training: Training
) -> tuple[Rows, dict[str, float]]:
    """The figures of each head beside simpler guesses, and above what it says yes.

    Of two classes that is where both are equally likely; of each of the eight emotions it is what
    has the best F1 on the side that decides.
    """
    sides, words = ready.drawn.sides, list[Guess]()
    balanced = ready.balanced(training)
    if training.svm:
        words = by_words(sides, balanced=balanced, seed=training.seed)
    rows, limits = Rows(), dict[str, float]()
    for column, name in enumerate(ready.names):
        guesses = {OURS: ours[name], **styles(sides, column, balanced=balanced, training=training)}
        guesses |= {SVM: words[column]} if words else {}
        label = sides.check.target[:, column] > 0
        best = ready.kind == "plutchik"
        at = {n: best_f1_limit(g.check, label) if best else 0.0 for n, g in guesses.items()}
        runs = {n: run(g.heldout, at[n], sides.heldout, column) for n, g in guesses.items()}
        runs = {OURS: runs.pop(OURS), MAJORITY: commoner(sides, column), **runs}
        rows[name], limits[name] = [row(n, one) for n, one in runs.items()], at[OURS]
    return rows, limits


def styles(sides: Sides, column: int, *, balanced: bool, training: Training) -> dict[str, Guess]:
    """What style tells of texts as they are seen, and of those as they were stored."""
    label = sides.learn.target[:, column].astype(np.float32)
    weight = evenly(label) if balanced else np.ones_like(label)
    kinds = {STYLE: False, STORED: True} if training.tidy else {STYLE: False}
    return {
        name: by_style(sides, column, stored=stored, weight=weight, seed=training.seed)
        for name, stored in kinds.items()
    }
