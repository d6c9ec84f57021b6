"""BERTScore: how alike a turn and its references are, word piece by word piece in context.

Zhang et al. (2020, ICLR). With unit vectors x_i of the turn's word pieces and y_j of the
reference's: P = mean over i of max_j x_i·y_j, R = mean over j of max_i x_i·y_j,
F1 = 2 P R / (P + R), and 0 where P or R is not above 0. Special tokens such as [CLS] can be matched
but have no weight. With several references the best of each counts.

With `idf`, a file with one text a line, pieces weigh the more the fewer of those texts have them.
With `baseline`, a value s becomes (s - baseline) / (1 - baseline), so that texts with nothing in
common get about 0.
Example: if the cosines of two pieces with two others are .9 .2 / .4 .5, precision is (.9 + .5) / 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
import polars as pl

from simpatico.arrays import Floats32
from simpatico.features import Feature, Features
from simpatico.features.embeddings import MINILM, TokenEmbeddings, TokenVectors, unit_length
from simpatico.features.idf import Baseline, Idf, IdfWeights, bert_score_texts
from simpatico.metric import Card, Carried, Score
from simpatico.metrics._shared.model_metric import ModelMetric
from simpatico.metrics._shared.pairs import NEEDS, NO_REFERENCE, Pairs
from simpatico.metrics._shared.parameters import bounded, check_parameters
from simpatico.metrics._shared.product import blocked_product
from simpatico.metrics._shared.scores import mean_statistic
from simpatico.models.names import find_model, parse_model_name
from simpatico.turns import Turns

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
"""The layer whose vectors are taken, by the hub's name of a model; the last layer of others. As
bert_score tuned them on WMT16."""

DEFAULT_LAYER = -1
"""Stands for the layer by this table."""

PARTS = {"f1": "F1", "precision": "precision", "recall": "recall"}
"""The statistics, and what the score of each is called."""


@dataclass(frozen=True)
class BertScore(ModelMetric):
    """Parameters: `model`, an encoder; `layer`, -1 for the published one; `idf`, a file of texts
    whose document frequencies weigh the tokens; `baseline`, a file of bert_score that rescales.
    """

    model: str = MINILM
    layer: int = bounded(DEFAULT_LAYER, -1, 1_000)
    idf: str = ""
    baseline: str = ""

    name = Carried("bert_score")
    published = ("hub:FacebookAI/roberta-large", "hub:roberta-large")
    card = Card(
        about="How alike a turn and its references are, word piece by word piece in context.",
        undefined=NO_REFERENCE,
        citation=(
            "Zhang et al. 2020, BERTScore: Evaluating Text Generation with BERT; "
            "github.com/Tiiiger/bert_score; checkpoint hub:FacebookAI/roberta-large, layer 17"
        ),
        kind="traditional",
        careful="A good reply need not resemble the reference, and unrelated texts are not at 0.",
    )

    def __post_init__(self) -> None:
        check_parameters(self)

    @property
    def depth(self) -> int | None:
        """The layer that is taken; null for the last."""
        where, what = parse_model_name(self.model)
        usual = LAYERS.get(what.rpartition("/")[2]) if where == "hub" else None
        return usual if self.layer == DEFAULT_LAYER else self.layer

    @property
    def needs(self) -> tuple[Feature, ...]:
        more: list[Feature] = [Idf(self.model, self.idf)] if self.idf else []
        more += [Baseline(self.baseline, self.depth)] if self.baseline else []
        return (TokenEmbeddings(self.model, self.depth), *more, *NEEDS)

    @property
    def scores(self) -> tuple[Score, ...]:
        return tuple(
            self.score(
                "" if part == "f1" else f"_{part}",
                mean_statistic(part),
                f"{title} of the best matches of word pieces with a reference",
                f"resembles the references (more|less) ({title})",
                range=(-inf if self.baseline else -1.0, 1.0),
                title="BERTScore" if part == "f1" else f"BERTScore {title}",
            )
            for part, title in PARTS.items()
        )

    def __call__(self, turns: Turns, features: Features) -> pl.DataFrame:
        pairs = Pairs.with_references(turns, features)
        texts = bert_score_texts(find_model(self.model), [*pairs.text, *pairs.other])
        tokens = features[TokenEmbeddings(self.model, self.depth)].of(texts)
        idf = features[Idf(self.model, self.idf)] if self.idf else None
        values = np.zeros((len(pairs), len(PARTS)))
        for row, (turn, reference) in enumerate(
            zip(tokens[: len(pairs)], tokens[len(pairs) :], strict=True)
        ):
            values[row] = match_pieces(turn, reference, idf)
        if self.baseline:
            # the file has precision, recall and F1, where the columns here begin with F1
            base = features[Baseline(self.baseline, self.depth)][[2, 0, 1]]
            values = (values - base) / (1 - base)
        columns = zip(PARTS, values.T, strict=True)
        return pairs.statistics(**{part: pairs.best_per_turn(column) for part, column in columns})


def match_pieces(
    turn: TokenVectors, reference: TokenVectors, idf: IdfWeights | None
) -> tuple[float, float, float]:
    """F1, precision and recall of one pair; NaN where no piece of a text has a weight."""
    cosines = blocked_product(unit_length(turn.vectors), unit_length(reference.vectors))
    # unit vectors of float32 are a last bit too long at times, and a cosine is never above 1
    cosines = np.clip(cosines, -1.0, 1.0)
    precision = weighted_mean_match(cosines.max(axis=1), turn, idf)
    recall = weighted_mean_match(cosines.max(axis=0), reference, idf)
    if np.isnan(precision) or np.isnan(recall):
        return (np.nan, np.nan, np.nan)
    agree = precision > 0 and recall > 0
    f1 = 2 * precision * recall / (precision + recall) if agree else 0.0
    return (f1, precision, recall)


def weighted_mean_match(best: Floats32, tokens: TokenVectors, idf: IdfWeights | None) -> float:
    """The mean over a text's pieces of their best match, by weight."""
    weights = idf.of(tokens.ids) if idf else (~tokens.special).astype(np.float64)
    total = float(weights.sum())
    return float((best * weights).sum()) / total if total > 0 else np.nan
