"""Accuracy on NNC and EC: heads trained on the rebuilt mix, and evaluators that are there.

Each text is read as published and tidied: punctuation that stands apart, and small letters, tell
from which corpus a text is, and for NNC the corpus nearly is the label.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from simpatico.arrays import Floats
from simpatico.features import features_for_texts
from simpatico.features.detokenise import detokenise, letters_and_digits
from simpatico.features.heads.folder import EmotionKind
from simpatico.metrics.emotional_consistency import EmotionalConsistency
from simpatico.reproduction.cells import Cell, make_cell
from simpatico.reproduction.emotional_consistency.data import LABEL_NAMES
from simpatico.reproduction.emotional_consistency.paper import ACCURACY
from simpatico.stats.classification import (
    ClassifierResults,
    LabelledPredictions,
    evaluate_classifier,
)
from simpatico.training.card import About
from simpatico.training.emotion.baselines import OURS
from simpatico.training.emotion.data import Utterances
from simpatico.training.emotion.settings import EmotionSettings
from simpatico.training.emotion.train import UtteranceInput, train_emotion

KINDS: Mapping[str, EmotionKind] = {"NNC": "neutrality", "EC": "polarity"}
TABLE = "Classifiers on the published test files: "
HEAD = "head on the rebuilt mix"
SPELLINGS = {True: "tidied text", False: "text as published"}
MAX_TRAIN, MAX_VALIDATION = 20_000, 2_000
"""Utterances of the mix to train on, and of the validation file for early stopping."""


def draw_groups(utterances: Utterances, most: int, *, seed: int) -> Utterances:
    """Whole groups of utterances, drawn until there are `most`; the order is kept."""
    if len(utterances) <= most:
        return utterances
    group = utterances.group
    names = list(dict.fromkeys(group))
    order = np.random.default_rng(seed).permutation(len(names))
    rank = {names[index]: position for position, index in enumerate(order)}
    rows = sorted(sorted(range(len(utterances)), key=lambda row: rank[group[row]])[:most])
    return replace(
        utterances,
        text=[utterances.text[row] for row in rows],
        label=[utterances.label[row] for row in rows],
        dialog=[utterances.dialog[row] for row in rows],
    )


def head_cells(
    task: str, data: UtteranceInput, *, seed: int, tell: Callable[[str], object]
) -> Iterator[Cell]:
    """A head over frozen vectors beside the commoner label, style, and words."""
    train = draw_groups(data.data, MAX_TRAIN, seed=seed)
    validation = data.validation and draw_groups(data.validation, MAX_VALIDATION, seed=seed)
    signs = {name: name for name in LABEL_NAMES[task]} if task == "EC" else {}
    for tidy, spelling in SPELLINGS.items():
        tell(f"{task}: a head on {len(train):,} utterances of the mix, {spelling}")
        with TemporaryDirectory() as folder:
            report = train_emotion(
                replace(data, data=train, validation=validation),
                Path(folder) / "head",
                kind=KINDS[task],
                settings=EmotionSettings(seed=seed, tidy=tidy, mapped=signs),
                about=About("the rebuilt mix", "of the corpora"),
            )
        for figures in next(iter(report.rows.values())):
            name = HEAD if figures.name == OURS else figures.name
            note = f"trained on {len(train):,} utterances"
            yield from accuracy_cells(task, figures._replace(name=name), spelling, note)


def accuracy_cells(
    task: str, figures: ClassifierResults, spelling: str, note: str
) -> Iterator[Cell]:
    """Accuracy, macro-F1 and AUC of one classifier; the paper has accuracy on published text."""
    for figure in ("accuracy", "macro_f1", "auc"):
        in_paper = figure == "accuracy" and spelling == SPELLINGS[False]
        yield make_cell(
            (f"{TABLE}{task}", spelling, f"{figures.name}, {figure.replace('_', '-')}"),
            getattr(figures, figure),
            paper=ACCURACY[task][1] if in_paper else None,
            n=figures.n,
            notes=[note, "interval over different texts"],
        )


def evaluator_cells(
    task: str, test: Utterances, metrics: Mapping[str, EmotionalConsistency]
) -> Iterator[Cell]:
    """The classifiers of available evaluators, on both spellings."""
    for name, metric in metrics.items():
        features = features_for_texts(metric.needs)
        classifier = metric.classifiers[list(KINDS).index(task)]
        for tidy, spelling in SPELLINGS.items():
            texts = [detokenise(text) if tidy else text for text in test.text]
            figures = binary_figures(name, task, test, classifier.probabilities(features, texts))
            yield from accuracy_cells(task, figures, spelling, "threshold .5")


def binary_figures(
    name: str, task: str, test: Utterances, probabilities: Floats
) -> ClassifierResults:
    """The figures of probabilities; a text without one counts as undecided, .5."""
    positive_class = "positive" if task == "EC" else "emotional"
    label = np.array([label_name == positive_class for (label_name,) in test.label])
    score = np.where(np.isnan(probabilities), 0.5, probabilities)
    clusters = [letters_and_digits(text) for text in test.text]
    return evaluate_classifier(name, LabelledPredictions(score, score >= 0.5, label, clusters))
