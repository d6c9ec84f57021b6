"""Train evaluators of single utterances: emotional or not, good or bad, which of eight emotions.

80% of the data are for training, 10% for validation (early stopping) and 10% for the test; no
dialog and no text is in two splits. The encoder is frozen: a head sees the vector of a text, and
its character n-grams where these help. Of two classes, both count the same in the loss, so that a
probability of .5 is where they would be equally likely if they were equally frequent. Each of the
eight emotions has a head of its own that learns how frequent it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from simpatico.arrays import Floats, Floats32
from simpatico.features.char_ngrams import CharNgramSettings
from simpatico.features.embeddings import MINILM
from simpatico.features.heads.folder import SCHEMA, EmotionKind, HeadEvaluation, HeadsRecipe
from simpatico.features.heads.head import CharNgramWeights, Head
from simpatico.progress import track
from simpatico.stats.bootstrap import DECIMALS
from simpatico.stats.classification import ClassifierResults
from simpatico.training.card import About
from simpatico.training.emotion import report as emotion_report
from simpatico.training.emotion.baselines import OURS, STYLE, Predictions, compare_with_baselines
from simpatico.training.emotion.data import Utterances
from simpatico.training.emotion.labels import polarity_model, resolve_labels
from simpatico.training.emotion.report import EmotionReport
from simpatico.training.emotion.task import (
    EmotionSettings,
    EmotionTask,
    UtteranceInput,
    balanced_weights,
)
from simpatico.training.engagement.train import batch_size
from simpatico.training.finetune import FineTuning, TextDataset, fine_tune, predict_logits
from simpatico.training.finetune.folder import append_to_card
from simpatico.training.fit import linear
from simpatico.training.fit.mlp import HeadShape, PairExamples, fit_head
from simpatico.training.heads.folder import check_heads_folder, save_heads
from simpatico.training.heads.train import HeadForm, encode_texts

SHAPE = HeadShape(("first",), (128,), "relu", rate=3e-4, decay=0.3, epochs=60)
"""One vector in, since an utterance is judged by itself; epochs are an upper bound, for training
stops early."""
NGRAM_FORM = CharNgramSettings(2, 5, 2**15)
"""Half the default's buckets: a folder of Plutchik's emotions has eight such heads."""


def train_emotion(
    utterances: UtteranceInput | Utterances,
    out: Path,
    *,
    kind: EmotionKind,
    settings: EmotionSettings,
    about: About,
) -> EmotionReport:
    """Train or fine-tune, evaluate on the test split, and write the folder."""
    # before the work rather than after it; fine-tuning checks its own kind of folder
    if not settings.fine_tune:
        check_heads_folder(out)
    utterances = UtteranceInput.of(utterances)
    polarity = partial(polarity_model, settings.polarity)
    meanings = resolve_labels(utterances.all, kind, mapping=settings.mapped, polarity=polarity)
    task = utterances.split(meanings, tidy=settings.tidy, seed=settings.seed)
    # splits that lack a class are refused before encoding, which can take long
    task = task.drop_texts(lambda text: True)
    if settings.fine_tune:
        return fine_tune_emotion(task, out, settings, about)
    form = HeadForm(settings.encoder or MINILM, "mean", SHAPE)
    index, vectors = encode_texts([text for split in task.splits for text in split.text], form)
    # a text of unknown words alone has no vector
    usable = ~np.isnan(vectors[:, 0])
    task = task.drop_texts(lambda text: bool(usable[index[text]]))
    heads, predictions = fit_heads(task, index, vectors, settings)
    rows, thresholds = compare_with_baselines(task, predictions, settings)
    evaluations = {name: evaluate_head(results) for name, results in rows.items()}
    recipe = HeadsRecipe(
        kind,
        SCHEMA,
        len({group for split in task.splits for group in split.group}),
        {
            name: form.recipe(evaluation, NGRAM_FORM if heads[name].grams else None)
            for name, evaluation in evaluations.items()
        },
        data=about.data,
        licence=about.licence,
        limits=emotion_report.model_limits(task, settings),
    )
    report = EmotionReport(task, rows, thresholds, recipe)
    facts = {**about.training, **settings.facts, "shape": asdict(SHAPE), **report.facts}
    about = replace(about, training=facts)
    card = emotion_report.render_emotion_card(report, recipe, about)
    save_heads(out, recipe, heads, about=about, card=card)
    return report


def fine_tune_emotion(
    task: EmotionTask, out: Path, settings: EmotionSettings, about: About
) -> EmotionReport:
    """Fine-tune an encoder on single utterances, as the paper of emotional consistency did."""
    several = task.kind == "plutchik"
    # a target is the index of a text's class, or a 0 or 1 for each emotion
    columns = slice(None) if several else 0
    train, validation, _ = (
        TextDataset(texts.text, None, texts.target[:, columns].astype(np.float32))
        for texts in task.splits
    )
    # batches of 32 and 128 tokens, the defaults, are those of Liu et al., section 2.2
    tuning = FineTuning(
        settings.encoder or FineTuning.base,
        problem="multi" if several else "single",
        rate=settings.rate,
        epochs=settings.fine_tune,
        class_weights=settings.balances_classes(task.kind),
        spelling=settings.spelling,
        seed=settings.seed,
    )
    about = replace(about, training={**about.training, **settings.facts})
    labels = emotion_report.LABELS[task.kind]
    fine_tune(train, validation, out, settings=tuning, labels=labels, about=about)
    logits = [predict_logits(out, texts.text) for texts in task.splits[1:]]
    if not several:
        # of two classes the difference of logits is the log-odds of the second
        logits = [part[:, 1:] - part[:, :1] for part in logits]
    pairs = zip(*(part.T for part in logits), strict=True)
    predictions = {n: Predictions(*pair) for n, pair in zip(task.names, pairs, strict=True)}
    report = EmotionReport(task, *compare_with_baselines(task, predictions, settings), None)
    data = emotion_report.describe_emotion_data(report)
    results = emotion_report.describe_emotion_results(report)
    lines = ["", "## Training, validation and test set", *data, "", *results, ""]
    append_to_card(out, "\n".join(lines))
    return report


def fit_heads(
    task: EmotionTask, index: Mapping[str, int], vectors: Floats32, settings: EmotionSettings
) -> tuple[dict[str, Head], dict[str, Predictions]]:
    """A head for each name, and its logits for the validation and test split.

    Texts are encoded, and their n-grams counted, once for all heads.
    """
    heads, predictions = {}, {}
    balance = settings.balances_classes(task.kind)
    char_ngrams = linear.char_ngram_matrix(list(index), NGRAM_FORM) if settings.runs else None
    rows = [np.array([index[text] for text in split.text], np.int64) for split in task.splits]
    for column, name in enumerate(task.names):
        # texts are judged one by one, so both texts of a pair are the same
        examples = []
        for at, split in zip(rows[:2], task.splits[:2], strict=True):
            label = split.target[:, column].astype(np.float32)
            weight = balanced_weights(label) if balance else None
            examples.append(PairExamples(at, at, label, weight=weight))
        train, validation = examples
        if settings.penalty:
            head = fit_logistic_head(vectors, train, settings.penalty)
        else:
            shape = replace(SHAPE, batch=batch_size(len(train.label)))
            with track(f"epochs, {name}", shape.epochs) as tick:
                head = fit_head(shape, vectors, train, validation, seed=settings.seed, tick=tick)
        if char_ngrams is not None:
            with track(f"character n-grams, {name}", len(linear.PENALTIES)) as tick:
                head = add_char_ngrams(head, vectors, char_ngrams, (train, validation), tick=tick)
        logits = []
        for at in rows[1:]:
            logit = head.logit(vectors[at]).astype(np.float64)
            if head.grams is not None and char_ngrams is not None:
                logit = logit + char_ngrams[at] @ head.grams.first
            logits.append(logit)
        heads[name], predictions[name] = head, Predictions(*logits)
    return heads, predictions


def fit_logistic_head(vectors: Floats32, train: PairExamples, penalty: float) -> Head:
    """A linear head: Σ w_i CE(y_i, x_i'β + o) + λ/2 ‖β‖² is least, with weights w of mean 1.

    A strong penalty λ costs accuracy on texts like the training texts and gains it on others.
    """
    from scipy import sparse

    columns = [sparse.csr_matrix(vectors[train.first])]
    data = linear.LogisticData.from_columns(columns, train)
    zeros = np.zeros(data.rows.shape[1])
    weights = linear.fit_logistic(data, zeros, zeros, penalty).astype(np.float32)
    return Head(("first",), ((weights[:-1, None], weights[-1:]),), SHAPE.activation)


def add_char_ngrams(
    head: Head,
    vectors: Floats32,
    char_ngrams: Any,
    splits: tuple[PairExamples, PairExamples],
    *,
    tick: Callable[[int], object] = lambda n: None,
) -> Head:
    """The head with weights for character n-grams, unless these do not lower the validation loss.

    They are fitted on top of the head's logits, which stay as they are, by logistic regression with
    a ridge penalty that the validation split decides.
    """
    train, validation = (
        linear.LogisticData.from_columns(
            [char_ngrams[pairs.first]],
            pairs,
            head.logit(vectors[pairs.first]).astype(np.float64),
        )
        for pairs in splits
    )
    start = np.zeros(char_ngrams.shape[1] + 1)
    best = linear.fit_best_penalty(train, validation, start, tick)
    return head if best is start else with_char_ngrams(head, best[:-1], shift=best[-1])


def with_char_ngrams(head: Head, weights: Floats, *, shift: float) -> Head:
    """The head of single texts with its logit shifted and these weights of n-grams added.

    The second text of a pair has no weights: it is the same text, which would count twice.
    """
    *hidden, (matrix, offset) = head.layers
    last = (matrix, (offset + shift).astype(np.float32))
    grams = CharNgramWeights(
        NGRAM_FORM, weights.astype(np.float32), np.zeros(len(weights), np.float32)
    )
    return replace(head, layers=(*hidden, last), grams=grams)


def evaluate_head(results: Sequence[ClassifierResults]) -> HeadEvaluation:
    """The results of a head, beside those of style alone."""
    by_name = {row.name: row for row in results}
    ours, baseline = by_name[OURS], (STYLE, by_name[STYLE].auc.numbers[0])
    (accuracy, *_), (auc, *_) = ours.accuracy.numbers, ours.auc.numbers
    balanced = round(sum(one.recall for one in ours.classes) / 2, DECIMALS)
    size, interval = (ours.n, ours.clusters), (ours.auc.low, ours.auc.high)
    return HeadEvaluation(accuracy, auc, *baseline, *size, balanced, *interval)
