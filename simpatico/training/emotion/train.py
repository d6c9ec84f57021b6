"""Train evaluators of single utterances: emotional or not, good or bad, which of eight emotions.

Of what is given, 80% is learned from, 10% decides when to stop, and 10% is held out; no dialog and
no text is on two sides. The encoder stays as it is: a head sees the vector of a text, and runs of
its characters where these help. Where two classes are told apart, both count the same in the loss,
so that a probability of .5 is where they are equally likely if they were equally frequent. Each of
the eight emotions has a head of its own that learns how frequent it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from simpatico.arrays import Floats, Floats32, Ints
from simpatico.features.embeddings import MINILM
from simpatico.features.heads.folder import SCHEMA, EmotionKind, Figures, HeadRecipe, Recipe
from simpatico.features.heads.head import Head
from simpatico.models.names import find_model
from simpatico.progress import step
from simpatico.stats.classification import Row
from simpatico.training.card import About
from simpatico.training.emotion.baselines import OURS, STYLE, Guess, Rows, compared
from simpatico.training.emotion.data import Utterances, read_utterances
from simpatico.training.emotion.report import Report, card, limits
from simpatico.training.emotion.settings import Prepared, Training, evenly, prepared, usable
from simpatico.training.emotion.splits import Given, Taught
from simpatico.training.emotion.train__emotion_runs import FORM, with_runs
from simpatico.training.engagement.train import batch
from simpatico.training.fit.linear import PULLS, sparse_runs
from simpatico.training.fit.mlp import Examples, Shape, fit
from simpatico.training.heads.folder import check_heads_folder, save_heads
from simpatico.training.heads.train import Form, encoded

__all__ = ["Given", "Training", "Utterances", "read_utterances", "train_emotion"]

SHAPE = Shape(("first",), (128,), "relu", rate=3e-4, decay=0.3, epochs=60)


def train_emotion(
    given: Given | Utterances, out: Path, *, kind: EmotionKind, training: Training, about: About
) -> Report:
    """Train, estimate on utterances held out, and write the folder."""
    if training.fine_tune:
        from simpatico.training.emotion.finetuned import tune_emotion

        return tune_emotion(given, out, kind=kind, training=training, about=about)
    check_heads_folder(out)
    form = former(training)
    ready = prepared(given, kind, training)
    place, vectors = encoded([text for side in ready.drawn.sides for text in side.text], form)
    known = ~np.isnan(vectors[:, 0])
    ready = usable(ready, lambda text: bool(known[place[text]]))
    heads, guesses = learned(ready, place, vectors, training)
    rows, at = compared(ready, guesses, training)
    told = recipe(ready, heads, rows, about=about, training=training)
    report = Report(ready, rows, at, told)
    facts = {**about.training, **training.facts, "shape": asdict(form.shape), **report.facts}
    about = replace(about, training=facts)
    save_heads(out, told, heads, about=about, card=card(report, about))
    return report


def former(training: Training) -> Form:
    """Over which vectors heads are trained, and of what shape."""
    return Form(training.encoder or MINILM, "mean", SHAPE)


def learned(
    ready: Prepared, place: Mapping[str, int], vectors: Floats32, training: Training
) -> tuple[dict[str, Head], dict[str, Guess]]:
    """A head for each name, and what it says of the sides it did not learn from."""
    heads, guesses = {}, {}
    balanced = ready.balanced(training)
    runs = sparse_runs(list(place), FORM) if training.runs else None
    for column, name in enumerate(ready.names):
        learn, check, heldout = (
            examples(side, place, column, balanced=balanced) for side in ready.drawn.sides
        )
        shape = replace(SHAPE, batch=batch(len(learn.label)))
        with step(f"epochs, {name}", shape.epochs) as tick:
            head = fit(shape, vectors, learn, check, seed=training.seed, tick=tick)
        if runs is not None:
            with step(f"runs of characters, {name}", len(PULLS)) as tick:
                head = with_runs(head, vectors, runs, (learn, check), tick=tick)
        heads[name] = head
        guesses[name] = Guess(
            *(logits(head, vectors[side.first], runs, side.first) for side in (check, heldout))
        )
    return heads, guesses


def logits(head: Head, vectors: Floats32, runs: Any, rows: Ints) -> Floats:
    """What a head says of texts before the logistic function."""
    found = head.logit(vectors).astype(np.float64)
    return found if head.grams is None else found + runs[rows] @ head.grams.first


def examples(given: Taught, place: Mapping[str, int], column: int, *, balanced: bool) -> Examples:
    """Texts as places among distinct ones, with their label in one column."""
    where = np.array([place[text] for text in given.text], np.int64)
    label = given.target[:, column].astype(np.float32)
    return Examples(where, where, label, weight=evenly(label) if balanced else None)


def recipe(
    ready: Prepared,
    heads: Mapping[str, Head],
    rows: Rows,
    *,
    about: About,
    training: Training,
) -> Recipe:
    """What a reader of the folder must know."""
    form = former(training)
    model, sides = find_model(form.encoder), ready.drawn.sides
    told = {
        name: HeadRecipe(
            model.name,
            model.sha256,
            form.pooling,
            list(form.shape.parts),
            form.shape.activation,
            figures({row.name: row for row in some}),
            FORM if heads[name].grams else None,
        )
        for name, some in rows.items()
    }
    return Recipe(
        ready.kind,
        SCHEMA,
        len({group for side in sides for group in side.group}),
        told,
        data=about.data,
        licence=about.licence,
        limits=limits(ready, training),
    )


def figures(rows: Mapping[str, Row]) -> Figures:
    """Those of a head, beside what style alone reaches."""
    ours, style = rows[OURS], rows[STYLE]
    balanced = sum(one.recall for one in ours.classes) / 2
    return Figures(
        ours.accuracy.value,
        ours.auc.value,
        STYLE,
        style.auc.value,
        ours.n,
        ours.groups,
        round(balanced, 6),
        ours.auc.low,
        ours.auc.high,
    )
