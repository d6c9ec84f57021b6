"""BERTScore: how alike a turn and its references are, word piece by word piece in context.

Each word piece is matched with the most similar one of the other text, by cosine of their vectors.
Precision is the mean over the pieces of the turn, recall over those of the reference, F1 their
harmonic mean; marks such as [CLS] can be matched but have no weight. With several references the
best of each counts. Where precision or recall is not above 0, F1 is 0.

With `idf`, a file with one text a line, pieces weigh the more the fewer of those texts have them.
With `baseline`, a number b becomes (b - baseline) / (1 - baseline), so that texts with nothing in
common get about 0.
Example: if the cosines of two pieces with two others are .9 .2 / .4 .5, precision is (.9 + .5) / 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import polars as pl

from simpatico.errors import BadValue
from simpatico.features import Feature, Features
from simpatico.features.embeddings import MINILM, TokenEmbeddings, Tokens, unit
from simpatico.features.idf import Baseline, Rarity, Weights, prepared
from simpatico.metric import Card, Carried, OnModels, Score, mark
from simpatico.metrics._shared.pairs import NEEDS, mean, with_references
from simpatico.metrics._shared.product import product
from simpatico.models.names import find, named
from simpatico.turns import Level, Turns

LAYERS = {
    "bert-base-uncased": 9,
    "bert-large-uncased": 18,
    "bert-base-multilingual-cased": 9,
    "roberta-base": 10,
    "roberta-large": 17,
    "roberta-large-mnli": 19,
    "distilroberta-base": 5,
    "distilbert-base-uncased": 5,
    "xlm-roberta-base": 9,
    "xlm-roberta-large": 17,
    "deberta-xlarge-mnli": 40,
    "deberta-large-mnli": 18,
    "mpnet-base": 8,
}
"""After which layer vectors are taken, by the hub's name of a model; of others after the last."""

USUAL = -1
"""Stands for the layer by this table."""

PARTS = {"f1": "F1", "precision": "precision", "recall": "recall"}


@dataclass(frozen=True)
class BertScore(OnModels):
    model: str = MINILM
    layer: int = USUAL
    idf: str = ""
    baseline: str = ""

    name: ClassVar = Carried("bert_score")
    published: ClassVar[tuple[str, ...]] = ("hub:FacebookAI/roberta-large", "hub:roberta-large")
    level: ClassVar[Level] = "turn"
    card: ClassVar[Card] = Card(
        about="How alike a turn and its references are, word piece by word piece in context.",
        undefined=(
            "Null when the turn has no reference with words, no words itself, or is in another "
            "script."
        ),
        citation=(
            "Zhang et al. 2020, BERTScore: Evaluating Text Generation with BERT; "
            "github.com/Tiiiger/bert_score; checkpoint hub:FacebookAI/roberta-large, layer 17"
        ),
        kind="traditional",
        careful="A good reply need not resemble the reference, and unrelated texts are not at 0.",
    )

    def __post_init__(self) -> None:
        if self.layer < USUAL:
            raise BadValue(
                f"bert_score.layer is {self.layer}; it is 0 or more, or -1 for the usual"
            )

    @property
    def depth(self) -> int | None:
        """The layer that is taken; null for the last."""
        where, what = named(self.model)
        usual = LAYERS.get(what.rpartition("/")[2]) if where == "hub" else None
        return usual if self.layer == USUAL else self.layer

    @property
    def needs(self) -> tuple[Feature, ...]:
        more: list[Feature] = [Rarity(self.model, self.idf)] if self.idf else []
        more += [Baseline(self.baseline, self.depth)] if self.baseline else []
        return (TokenEmbeddings(self.model, self.depth), *more, *NEEDS)

    @property
    def scores(self) -> tuple[Score, ...]:
        return tuple(
            Score(
                f"bert_score{'' if part == 'f1' else f'_{part}'}{mark(self)}",
                of=mean(part),
                range=(-inf if self.baseline else -1.0, 1.0),
                meaning=f"{told} of the best matches of word pieces with a reference",
                better="higher",
                title="BERTScore" if part == "f1" else f"BERTScore {told}",
                more=f"resembles the references more ({told}) than",
                less=f"resembles the references less ({told}) than",
            )
            for part, told in PARTS.items()
        )

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        pairs = with_references(turns, features)
        texts = prepared(find(self.model), [*pairs.text, *pairs.other])
        tokens = features[TokenEmbeddings(self.model, self.depth)].of(texts)
        rarity = features[Rarity(self.model, self.idf)] if self.idf else None
        found = np.zeros((len(pairs), len(PARTS)))
        for row, (turn, reference) in enumerate(
            zip(tokens[: len(pairs)], tokens[len(pairs) :], strict=True)
        ):
            found[row] = matched(turn, reference, rarity)
        if self.baseline:
            base = features[Baseline(self.baseline, self.depth)][[2, 0, 1]]
            found = (found - base) / (1 - base)
        columns = zip(PARTS, found.T, strict=True)
        return pairs.statistics(**{part: pairs.best(values) for part, values in columns})


def matched(turn: Tokens, reference: Tokens, rarity: Weights | None) -> tuple[float, float, float]:
    """F1, precision and recall of one pair; NaN where no piece of a text has a weight."""
    likeness = product(unit(turn.vectors), unit(reference.vectors))
    precision = weighed(likeness.max(axis=1), turn, rarity)
    recall = weighed(likeness.max(axis=0), reference, rarity)
    if np.isnan(precision) or np.isnan(recall):
        return (np.nan, np.nan, np.nan)
    agree = precision > 0 and recall > 0
    f1 = 2 * precision * recall / (precision + recall) if agree else 0.0
    return (f1, precision, recall)


def weighed(best: npt.NDArray[np.float32], tokens: Tokens, rarity: Weights | None) -> float:
    """The mean over a text's pieces of their best match, by weight."""
    weights = rarity.of(tokens.ids) if rarity else (~tokens.special).astype(np.float64)
    total = float(weights.sum())
    return float((best * weights).sum()) / total if total > 0 else np.nan
