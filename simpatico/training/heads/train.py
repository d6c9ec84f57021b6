"""Train heads over frozen vectors: what follows what, and what nobody would say.

The figures that are reported come from dialogs held out: nothing of them is learned from, and they
do not decide when training stops.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl

from simpatico.arrays import Floats32, Ints
from simpatico.errors import BadValue, DataError
from simpatico.features import alone
from simpatico.features.embeddings import MINILM, cosines
from simpatico.features.heads.folder import (
    SCHEMA,
    Costs,
    Figures,
    HeadRecipe,
    Kind,
    Pooling,
    Recipe,
    encoder,
)
from simpatico.features.heads.head import Head, Numbers
from simpatico.features.masked import MaskedLikelihood
from simpatico.features.word_vectors import GLOVE
from simpatico.features.words import words
from simpatico.models.names import find_model
from simpatico.progress import step
from simpatico.stats.auc import DECIMALS, area, area_interval, balanced
from simpatico.training.card import About
from simpatico.training.fit.mlp import Examples, Shape, fit
from simpatico.training.heads.data import FEWEST_WORDS, Side, Split, Talk
from simpatico.training.heads.folder import FEWEST_DIALOGS_OF_WORD, check_heads_folder, save_heads
from simpatico.turns import Turns

LOWEST = 0.05
"""Share of cosines of unrelated replies that lie below what counts as nothing in common."""
LOW, HIGH = 0.25, 0.75
"""Between these quantiles negative log-likelihoods are spread from 0 to 1."""
MOST_TEXTS = 2_000
"""Texts of the training whose likelihood a model is asked for."""
WANTED = {
    "pairs": "turns that answer another",
    "utterances": f"texts with at least {FEWEST_WORDS} different words or marks",
}
"""What true examples are made from."""


@dataclass(frozen=True)
class Form:
    """A head to train: over which vectors, of which examples, of what shape."""

    encoder: str
    pooling: Pooling
    shape: Shape
    examples: Literal["pairs", "utterances"] = "pairs"


NEXT = Form(
    MINILM,
    "mean",
    Shape(("first", "second", "product", "difference", "bilinear"), rate=3e-4, decay=0.1),
)
FORMS: Mapping[Kind, Mapping[str, Form]] = {
    "nsp": {"next": NEXT},
    "ruber": {
        "unreferenced": Form(GLOVE, "extremes", Shape(("first", "bilinear", "second"), (64,)))
    },
    "ctx-ruber": {
        "unreferenced": Form(
            MINILM,
            "mean",
            Shape(("first", "second"), (256, 512, 128), "relu", rate=3e-4, decay=0.1, epochs=8),
        )
    },
    "usl-h": {
        "valid": Form(MINILM, "max", Shape(("first",), (128,), "relu"), "utterances"),
        "next": NEXT,
    },
}


@dataclass(frozen=True)
class Training:
    """How to train; an empty encoder is the usual one of the kind."""

    kind: Kind
    encoder: str = ""
    seed: int = 0
    likelihood: str = ""
    """For usl-h: a masked language model, or nothing for how often words occur."""


def train_heads(turns: Turns, out: Path, *, training: Training, about: About) -> Recipe:
    """Train, estimate on dialogs held out, and write the folder."""
    check_heads_folder(out)
    talk = Talk.of(turns, about.data)
    split = talk.split(training.seed)
    if training.likelihood and training.kind != "usl-h":
        raise BadValue(f"{training.kind} has no part that a likelihood could be for")
    heads, told, low = dict[str, Head](), dict[str, HeadRecipe](), None
    for name, form in FORMS[training.kind].items():
        form = replace(form, encoder=training.encoder or form.encoder)
        heads[name], told[name], low = trained(talk, split, form, training.seed)
    likely, costs = None, dict[str, float]()
    if training.kind == "usl-h":
        likely, costs = likelihood(talk, split.learn, training)
    recipe = Recipe(
        training.kind,
        SCHEMA,
        sum(map(len, split)),
        told,
        low if training.kind in ("ruber", "ctx-ruber") else None,
        likely,
    )
    facts = {**asdict(training), "shapes": {n: asdict(FORMS[training.kind][n].shape) for n in told}}
    save_heads(out, recipe, heads, costs=costs, about=replace(about, training=facts))
    return recipe


def trained(
    talk: Talk, split: Split, form: Form, seed: int
) -> tuple[Head, HeadRecipe, float | None]:
    """A head, how it does, and which cosine replies of different dialogs hardly fall below."""
    rng = np.random.default_rng(seed)
    draw = talk.pairs if form.examples == "pairs" else talk.utterances
    sides = [draw(dialogs, rng) for dialogs in split]
    enough(sides, talk.source, WANTED[form.examples])
    place, vectors = vectorised(sides, form)
    given = [known(side.among(place), vectors) for side in sides]
    enough(given, talk.source, "examples whose texts have known words")
    head, told = learned(given, vectors, form, list(place), seed=seed)
    learn = given[0]
    true, other = (learn.second[learn.label == side] for side in (1, 0))
    half = min(len(true), len(other))
    replies = cosines(vectors[true[:half]], vectors[other[:half]])
    low = min(float(np.quantile(replies, LOWEST)), 1 - 10**-DECIMALS)
    return head, told, round(low, DECIMALS)


def learned(
    given: Sequence[Examples], vectors: Floats32, form: Form, texts: list[str], *, seed: int
) -> tuple[Head, HeadRecipe]:
    """A head learned from the first examples, stopped by the second, and judged on the third."""
    learn, check, heldout = given
    with step("epochs", form.shape.epochs) as tick:
        head = fit(form.shape, vectors, learn, check, seed=seed, tick=tick)
    model = find_model(form.encoder)
    parts, activation = list(form.shape.parts), form.shape.activation
    found = judged(head, vectors, heldout, form, texts)
    return head, HeadRecipe(model.name, model.sha256, form.pooling, parts, activation, found)


def enough(sides: Sequence[Side | Examples], source: str, what: str) -> None:
    """Refuse sides of which one has no true or no made-up example."""
    true = [int(side.label.sum()) for side in sides]
    if all(0 < n < len(side.label) for n, side in zip(true, sides, strict=True)):
        return
    raise DataError(
        f"{source}: of {what} there are {true[0]} to learn from, {true[1]} to decide by when to "
        f"stop, and {true[2]} held out; training needs some of each"
    )


def vectorised(sides: list[Side], form: Form) -> tuple[dict[str, int], Floats32]:
    """Every distinct text's place, and its vector there."""
    return encoded([text for side in sides for text in [*side.first, *side.second]], form)


def encoded(given: Sequence[str], form: Form) -> tuple[dict[str, int], Floats32]:
    """The same of any texts."""
    texts = dict.fromkeys(given)
    told = HeadRecipe(form.encoder, "", form.pooling, [], "tanh", Figures(0, 0, "", 0, 0, 0))
    feature = encoder(told)
    handle = alone([feature])[feature]
    return {text: at for at, text in enumerate(texts)}, handle.of(list(texts))


def known(given: Examples, vectors: Floats32) -> Examples:
    """Those of the examples whose texts both have a vector."""
    able = ~np.isnan(vectors[:, 0])
    return given.some(np.flatnonzero(able[given.first] & able[given.second]))


def judged(head: Head, vectors: Floats32, given: Examples, form: Form, texts: list[str]) -> Figures:
    """Accuracy and area under the curve of a head, and the area of a plain number beside it."""
    first, second = vectors[given.first], vectors[given.second]
    guess = head.logit(head.inputs(first, second))
    if form.examples == "pairs":
        plain, beside = "cosine", cosines(first, second)
    else:
        counts = words(pl.Series([texts[at] for at in given.first], dtype=pl.String)).counts
        plain, beside = "number of words", counts.astype(np.float64)
    return figures(guess, given, plain, beside)


def figures(guess: Numbers, given: Examples, plain: str, beside: Numbers) -> Figures:
    """What a number above 0 for true examples reaches, beside a plain one."""
    right = float(((guess > 0) == (given.label > 0)).mean())
    return Figures(
        round(right, DECIMALS),
        area(guess, given.label),
        plain,
        area(beside, given.label),
        len(given.label),
        len(np.unique(given.of_dialog)),
        balanced(guess > 0, given.label),
        *sure(guess, given),
    )


def sure(guess: Numbers, given: Examples) -> tuple[float | None, float | None]:
    """The interval of a head's area; null where too few dialogs have examples of both kinds."""
    low, high = area_interval(guess, given.label, given.of_dialog)
    return (low, high) if low <= high else (None, None)


def likelihood(talk: Talk, dialogs: Ints, training: Training) -> tuple[Costs, dict[str, float]]:
    """Where the quartiles of negative log-likelihoods are, and what each word costs."""
    texts = [talk.texts[row] for row in np.flatnonzero(np.isin(talk.dialog, dialogs))]
    if training.likelihood:
        rng = np.random.default_rng(training.seed)
        some = [texts[place] for place in np.sort(rng.permutation(len(texts))[:MOST_TEXTS])]
        feature = MaskedLikelihood(training.likelihood)
        logs = alone([feature])[feature].of(some)
        costs, found = dict[str, float](), np.array([-float(log.sum()) for log in logs])
    else:
        costs = word_costs(texts, talk.dialog[np.isin(talk.dialog, dialogs)])
        table = words(pl.Series("text", texts, pl.String))
        each = np.array([costs.get(word, costs[""]) for word in table.vocabulary])
        found = table.sums(each[:, None])[:, 0]
    low, high = (round(float(end), DECIMALS) for end in np.quantile(found, [LOW, HIGH]))
    return Costs(training.likelihood, low, max(high, low + 10**-DECIMALS)), costs


def word_costs(texts: list[str], dialog: Ints) -> dict[str, float]:
    """Minus the logarithm of each word's share, one more counted of each and of "", the unknown.

    Words of few dialogs, such as names, are not told and so cost what an unknown one does.
    """
    table = words(pl.Series("text", texts, pl.String))
    size = len(table.vocabulary)
    counts = np.bincount(table.codes, minlength=size) + 1
    total = counts.sum() + 1
    where = np.stack([table.codes, np.repeat(dialog, np.diff(table.ends))])
    spread = np.bincount(np.unique(where, axis=1)[0], minlength=size)
    costs = {
        word: round(float(np.log(total / count)), DECIMALS)
        for word, count, dialogs in zip(table.vocabulary, counts, spread, strict=True)
        if dialogs >= FEWEST_DIALOGS_OF_WORD
    }
    return {"": round(float(np.log(total)), DECIMALS), **dict(sorted(costs.items()))}
