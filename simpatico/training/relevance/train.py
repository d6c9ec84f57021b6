"""Train what tells whether a reply is about what it answers, from dialogs and made-up replies.

This is the unreferenced part of contextual RUBER: nobody has to judge anything. The figures come
from dialogs held out, with made-up replies of the same kinds as were learned from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy as np

from simpatico.errors import BadValue
from simpatico.features.embeddings import MINILM
from simpatico.features.heads.folder import SCHEMA, Pooling, Recipe
from simpatico.features.heads.head import Head
from simpatico.stats.auc import area
from simpatico.training.card import About
from simpatico.training.fit.mlp import Examples, Shape
from simpatico.training.heads.data import Talk
from simpatico.training.heads.folder import check_heads_folder, save_heads
from simpatico.training.heads.train import Form, encoded, enough, learned
from simpatico.training.relevance.negatives import WAYS, Answers, Maker, Mix
from simpatico.turns import Turns

SHAPE = Shape(("first", "second", "product", "difference", "bilinear"), rate=3e-4, decay=0.1)


@dataclass(frozen=True)
class Training:
    """How to train: over which vectors, and against which made-up replies.

    An empty encoder is the usual one; with `fine_tune` epochs its own weights learn, too.
    """

    encoder: str = ""
    pooling: Pooling = "mean"
    mix: Mix = field(default_factory=Mix)
    fine_tune: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.fine_tune < 0:
            raise BadValue(f"{self.fine_tune} epochs of fine-tuning; there are none or more")


@dataclass(frozen=True)
class Drawn:
    """True and made-up pairs of the three sides, with vectors that tell which texts are near."""

    form: Form
    dialogs: int
    place: dict[str, int]
    makers: Sequence[Maker]
    sides: Sequence[Examples]

    @classmethod
    def of(cls, talk: Talk, training: Training) -> Drawn:
        form = Form(training.encoder or MINILM, training.pooling, SHAPE)
        split, rng = talk.split(training.seed), np.random.default_rng(training.seed)
        place, vectors = encoded(talk.paired, form)
        makers = [Maker(Answers.of(talk, side, place, vectors), vectors, rng) for side in split]
        sides = [maker.made(training.mix) for maker in makers]
        enough(sides, talk.source, "pairs with a reply that another could stand in for")
        return cls(form, sum(map(len, split)), place, makers, sides)


def train_relevance(turns: Turns, out: Path, *, training: Training, about: About) -> Recipe:
    """Train a head, estimate on dialogs held out, and write the folder."""
    check_heads_folder(out)
    drawn = Drawn.of(Talk.of(turns, about.data), training)
    texts, heldout = list(drawn.place), drawn.makers[2]
    head, told = learned(drawn.sides, heldout.vectors, drawn.form, texts, seed=training.seed)
    recipe = Recipe("relevance", SCHEMA, drawn.dialogs, {"relevant": told})
    facts = {**asdict(training), "shape": asdict(SHAPE), "areas": by_way(head, heldout)}
    save_heads(out, recipe, {"relevant": head}, about=replace(about, training=facts))
    return recipe


def by_way(head: Head, maker: Maker) -> dict[str, float]:
    """The area under the curve on dialogs held out against each kind of made-up reply."""
    found = dict[str, float]()
    for number, way in enumerate(WAYS):
        given = maker.against(np.full(len(maker.answers.first), number))
        if len(given.label):
            inputs = head.inputs(maker.vectors[given.first], maker.vectors[given.second])
            found[way] = area(head.logit(inputs), given.label)
    return found
