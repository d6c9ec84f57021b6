"""Figure 4 and the transfer step: classifiers of engaging exchanges.

Figure 4: tested on ConvAI and on the crowd's labels. For every seed the conversations are split
anew into 60% train, 20% validation and 20% test; the 50 conversations of the crowd are in none of
these. Transfer: a trained head is trained further on 300 labelled pairs of DailyDialog.

The paper has a linear SVM (C = .1) and a bidirectional RNN over word2vec, and an MLP of 64, 32 and
8 units over mean- or max-pooled BERT, all with a loss weighted by class and balanced accuracy as
the score. The same baselines are trained here, the MLP over MiniLM, beside two that need no
training at all: the reply's length and its question mark. The intervals resample conversations.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import NamedTuple, get_args

import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.errors import MissingResource
from simpatico.features.embeddings import MINILM
from simpatico.features.heads.folder import is_heads_folder, load_heads
from simpatico.features.heads.head import Head
from simpatico.features.on_model import package_release
from simpatico.models.cache import compute_once
from simpatico.reproduction.cells import Cell, make_cell
from simpatico.reproduction.predictive_engagement.counts import READING_NAMES
from simpatico.reproduction.predictive_engagement.data import pairs_as_exchanges
from simpatico.reproduction.request import Tell
from simpatico.stats.classification import LabelledPredictions, compare_runs, evaluate_runs
from simpatico.training.engagement import baselines
from simpatico.training.engagement.data import Reading
from simpatico.training.engagement.exchanges import (
    PEOPLE,
    Exchanges,
    concatenate_exchanges,
    split_exchanges,
)
from simpatico.training.engagement.train import (
    ENGAGING,
    SHAPES,
    TRANSFER_EPOCHS,
    HeadName,
    PooledBy,
    batch_size,
    encode_exchanges,
    fit_engagement_head,
    head_logits,
    pair_examples,
    transfer_shape,
)
from simpatico.training.heads.train import EncodedTexts, HeadForm
from simpatico.wording import format_count

FIGURE_4 = "Figure 4: classifying engaging exchanges, "
BALANCED, AUC, ABOVE = "balanced accuracy", "AUC", "AUC of our head minus that of others"
OUR_HEAD, SVM, BIRNN = "our head", "SVM", "Bi-RNN"
HEADS: Mapping[str, tuple[HeadName, PooledBy]] = {
    "MLP 64-32-8, mean": ("paper", "mean"),
    "MLP 64-32-8, max": ("paper", "max"),
    OUR_HEAD: ("best", "mean"),
}
CONVAI_TEST, CROWD = "ConvAI test", "crowd's labels"
BARS_ONLY = "the paper draws these as bars without numbers"
WITH_WORDS = "exchanges without a letter or digit on one side are left out"
BASELINES_VERSION = 1
"""To be raised whenever baselines are trained in another way, so that no old prediction is used."""
TRANSFER_TABLE = "Transfer: classifying labelled DailyDialog pairs, "
SHIPPED, SCRATCH = "shipped evaluator", "no evaluator, from scratch"
BEFORE, AFTER = "before", "after"
SPLIT_SHARES = (0.8, 0.2)
"""Of the pairs to train on, for training and for early stopping."""

Runs = defaultdict[tuple[str, str], list[LabelledPredictions]]
"""By test set and classifier, one for each seed."""


class SeedSplit(NamedTuple):
    """What classifiers are trained and tested on, for one seed."""

    train: Exchanges
    validation: Exchanges
    tests: Mapping[str, Exchanges]
    seed: int

    @property
    def all_tests(self) -> Exchanges:
        """All test sets, one after the other."""
        return concatenate_exchanges(self.tests.values(), source="")


def classifier_cells(
    readings: Mapping[Reading, Exchanges],
    crowd_labels: pl.DataFrame | None,
    seeds: int,
    *,
    tell: Tell,
) -> tuple[list[Cell], dict[Reading, Head]]:
    """The figures of every classifier, and our head of the first seed for each reading."""
    crowd = {}
    if crowd_labels is not None:
        crowd = {CROWD: exchanges_with_words(pairs_as_exchanges(crowd_labels, "crowd"))}
    # every text is encoded once for each pooling, whatever reading, seed or test set it is in
    encodings = {
        pooling: encode_exchanges(
            [*readings.values(), *crowd.values()],
            HeadForm(MINILM, pooling, SHAPES["paper", pooling]),
        )
        for pooling in dict.fromkeys(pooling for _, pooling in HEADS.values())
    }
    cells, heads = list[Cell](), dict[Reading, Head]()
    for reading, exchanges in readings.items():
        runs: Runs = defaultdict(list)
        for seed in range(seeds):
            tell(f"{READING_NAMES[reading]}: classifiers, seed {seed + 1} of {seeds}")
            train, validation, test = split_exchanges(exchanges_with_words(exchanges), seed=seed)
            splits = SeedSplit(train, validation, {CONVAI_TEST: test, **crowd}, seed)
            heads.setdefault(reading, run_classifiers(splits, encodings, runs, tell))
        cells += [*classifier_figure_cells(reading, runs), people_share_cell(reading, exchanges)]
    return cells, heads


def exchanges_with_words(exchanges: Exchanges) -> Exchanges:
    """Those exchanges that have a letter or digit on both sides; word vectors need one."""
    mask = [
        any(map(str.isalnum, query)) and any(map(str.isalnum, reply))
        for query, reply in zip(exchanges.query, exchanges.reply, strict=True)
    ]
    return exchanges.take(np.flatnonzero(mask))


def run_classifiers(
    splits: SeedSplit,
    encodings: Mapping[PooledBy, EncodedTexts],
    runs: Runs,
    tell: Tell,
) -> Head:
    """Train every classifier once and add its predictions to `runs`; returns our head."""
    for name, (shape, pooling) in HEADS.items():
        encoded_texts = encodings[pooling]
        head = train_head(splits, encoded_texts, shape, pooling)
        for test_name, test in splits.tests.items():
            logits = head_logits(head, encoded_texts, test)
            runs[test_name, name].append(test.label_predictions(logits, logits > 0))
    for test_name, test in splits.tests.items():
        for name, one in baselines.length_and_question_predictions(splits.train, test).items():
            runs[test_name, name].append(one)
    for name, classifier in {SVM: svm_runs, BIRNN: birnn_runs}.items():
        try:
            for test_name, one in classifier(splits).items():
                runs[test_name, name].append(one)
        except MissingResource as error:
            tell(f"{name} is left out: {error}")
    return head


def train_head(splits: SeedSplit, texts: EncodedTexts, shape: HeadName, pooling: PooledBy) -> Head:
    """A head over frozen vectors; both labels have the same weight."""
    train, validation = (
        pair_examples(part, texts.rows) for part in (splits.train, splits.validation)
    )
    return fit_engagement_head(SHAPES[shape, pooling], texts, train, validation, seed=splits.seed)


def svm_runs(splits: SeedSplit) -> dict[str, LabelledPredictions]:
    """A linear SVM on words."""

    def predict() -> Floats:
        return baselines.svm_scores(splits.train, splits.all_tests, seed=splits.seed)

    kind = f"{SVM}|{baselines.SVM_C}|{baselines.ORDERS}|{package_release('scikit-learn')}"
    return cached_runs(kind, splits, predict, threshold=0.0)


def birnn_runs(splits: SeedSplit) -> dict[str, LabelledPredictions]:
    """The paper's bidirectional RNN on word vectors."""
    from simpatico.training.engagement.birnn import DEFAULT, predict_by_birnn

    def predict() -> Floats:
        parts = (splits.train, splits.validation, splits.all_tests)
        columns = ((part.query, part.reply, part.label) for part in parts)
        return np.asarray(predict_by_birnn(*columns, seed=splits.seed), np.float64)

    kind = f"{BIRNN}|{DEFAULT}|{package_release('torch')}"
    return cached_runs(kind, splits, predict, threshold=0.5)


def cached_runs(
    kind: str, splits: SeedSplit, predict: Callable[[], Floats], *, threshold: float
) -> dict[str, LabelledPredictions]:
    """Predictions by test set, from disk where they were made before.

    The key has the texts and labels themselves, so that other data never get old predictions. All
    test sets are predicted at once, as training takes minutes and prediction seconds.
    """

    def digest(exchanges: Exchanges) -> str:
        columns = zip(exchanges.query, exchanges.reply, exchanges.label, strict=True)
        rows = [[query, reply, int(label)] for query, reply, label in columns]
        return sha256(json.dumps(rows).encode()).hexdigest()

    key = (str(splits.seed), *map(digest, (splits.train, splits.validation, splits.all_tests)))
    cache_kind = f"{kind}|{BASELINES_VERSION}"
    (values,) = compute_once(cache_kind, [key], lambda _: [(0, predict())], memo={})
    cuts = np.cumsum([len(test) for test in splits.tests.values()])[:-1]
    parts = zip(splits.tests.items(), np.split(np.asarray(values, np.float64), cuts), strict=True)
    return {name: test.label_predictions(part, part > threshold) for (name, test), part in parts}


def classifier_figure_cells(reading: Reading, runs: Runs) -> Iterator[Cell]:
    """Balanced accuracy and AUC of each classifier, and the AUC of our head minus the others'."""
    for test_name in dict.fromkeys(name for name, _ in runs):
        own = {name: seeds for (test, name), seeds in runs.items() if test == test_name}
        figures, gains = compare_runs(own, OUR_HEAD)
        n, row = len(own[OUR_HEAD][0].label), f"{test_name}, {READING_NAMES[reading]}"
        notes = [BARS_ONLY, WITH_WORDS, f"mean of {len(own[OUR_HEAD])} seeds, n is of one"]
        results = []
        for one in figures:
            results += [(BALANCED, one.name, one.balanced_accuracy), (AUC, one.name, one.auc)]
        results += [(ABOVE, name, gain) for name, gain in gains.items()]
        for statistic, name, result in results:
            yield make_cell((f"{FIGURE_4}{statistic}", row, name), result, n=n, notes=notes)


def people_share_cell(reading: Reading, exchanges: Exchanges) -> Cell:
    """Which share of the engaging exchanges is between people.

    In the paper's reading all of them are, so that a classifier can do well by telling bots apart.
    """
    people = sum(kind == PEOPLE for kind in exchanges.kind) / max(len(exchanges), 1)
    table, column = "Figure 4: exchanges between people", "share of the engaging ones"
    place, n = (table, READING_NAMES[reading], column), int(exchanges.label.sum())
    notes = [f"of all exchanges {people:.3f} are between people"]
    return make_cell(place, exchanges.share_between_people, n=n, notes=notes)


class TransferData(NamedTuple):
    """Labelled pairs to train further on and to test on; `n_dropped` are rated too."""

    train: Exchanges
    test: Exchanges
    n_dropped: int


def base_heads(heads: Mapping[Reading, Head]) -> dict[str, tuple[Head | None, str, PooledBy]]:
    """Heads to train further, each with its encoder and pooling.

    The one that is shipped, if there is one, those just trained on ConvAI, and none at all.
    """
    bases: dict[str, tuple[Head | None, str, PooledBy]] = {}
    if is_heads_folder("engagement"):
        folder = load_heads("engagement", "engagement")
        recipe = folder.recipe.heads[ENGAGING]
        for pooling in get_args(PooledBy):
            if recipe.pooling == pooling:
                bases[SHIPPED] = folder.heads[ENGAGING], recipe.encoder, pooling
    for reading, head in heads.items():
        bases[f"ConvAI, {READING_NAMES[reading]}"] = head, MINILM, HEADS[OUR_HEAD][1]
    return bases | {SCRATCH: (None, MINILM, "mean")}


def transfer_cells(data: TransferData, heads: Mapping[Reading, Head], seeds: int) -> Iterator[Cell]:
    """Each evaluator on the test pairs before and after the transfer, and what length tells."""
    for name, (head, encoder, pooling) in base_heads(heads).items():
        form = HeadForm(encoder, pooling, SHAPES["best", pooling])
        texts = encode_exchanges([data.train, data.test], form)
        if head is not None:
            logits = head_logits(head, texts, data.test)
            before = data.test.label_predictions(logits, logits > 0)
            yield from transfer_figures(name, BEFORE, [before], data)
        runs = [fine_tuned_run(data, texts, head, seed) for seed in range(seeds)]
        yield from transfer_figures(name, AFTER, runs, data)
    for name, one in baselines.length_and_question_predictions(data.train, data.test).items():
        yield from transfer_figures(name, AFTER, [one], data)


def fine_tuned_run(
    data: TransferData, texts: EncodedTexts, base: Head | None, seed: int
) -> LabelledPredictions:
    """The predictions on the test pairs of a head that was trained on the others.

    Epochs and batches are those for few pairs, whether it starts from a head or from scratch.
    """
    parts = split_exchanges(data.train, SPLIT_SHARES, seed=seed)
    train, validation = (pair_examples(part, texts.rows) for part in parts)
    shape = SHAPES["best", "mean"] if base is None else transfer_shape(base)
    shape = replace(shape, epochs=TRANSFER_EPOCHS, batch=batch_size(len(train.label)))
    head = fit_engagement_head(shape, texts, train, validation, seed=seed, base=base)
    logits = head_logits(head, texts, data.test)
    return data.test.label_predictions(logits, logits > 0)


def transfer_figures(
    name: str, when: str, runs: list[LabelledPredictions], data: TransferData
) -> Iterator[Cell]:
    """Balanced accuracy and AUC on the test pairs."""
    figures, n = evaluate_runs(name, runs), len(data.test)
    notes = [
        f"trained on {len(data.train)} pairs",
        f"{data.n_dropped} of the published 300 left out, as their query or reply is among the "
        "rated pairs",
        f"mean of {format_count(len(runs), 'seed')}",
    ]
    for column, value in ((BALANCED, figures.balanced_accuracy), (AUC, figures.auc)):
        yield make_cell((f"{TRANSFER_TABLE}{column}", when, name), value, n=n, notes=notes)
