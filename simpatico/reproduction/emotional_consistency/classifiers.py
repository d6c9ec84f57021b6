"""Classifiers of utterances: evaluators, lexica and heads trained on the rebuilt mix.

Their accuracy on NNC and EC, and the points that they give answers in the human conversations.

The paper prints an accuracy of .919 for NNC and .844 for EC on the test files, of RoBERTa models
that were fine-tuned on its mix. The heads here are over frozen MiniLM vectors and see 20,000
utterances: they show what the mix teaches a small model, and do not replicate the paper's.

Each text is read as published and tidied: punctuation that stands apart, and small letters, tell
from which corpus a text is, and for NNC the corpus nearly is the label.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from simpatico.arrays import Floats
from simpatico.features import Features, closure, features_for_texts
from simpatico.features.detokenise import detokenise, letters_and_digits
from simpatico.features.heads.folder import EmotionKind
from simpatico.features.lexicon import LexiconSums
from simpatico.features.plutchik import EMOTIONS
from simpatico.features.sentiment import expected_points
from simpatico.metrics.emotional_consistency import (
    EmotionalConsistency,
    consistency_points,
)
from simpatico.reproduction.cells import Cell, make_cell
from simpatico.reproduction.emotional_consistency.data import LABEL_NAMES
from simpatico.reproduction.emotional_consistency.paper import ACCURACY
from simpatico.reproduction.request import Request, Tell
from simpatico.stats.classification import (
    ClassifierResults,
    LabelledPredictions,
    evaluate_classifier,
)
from simpatico.training.card import About
from simpatico.training.emotion.baselines import OURS
from simpatico.training.emotion.data import Utterances
from simpatico.training.emotion.task import EmotionSettings, UtteranceInput
from simpatico.training.emotion.train import train_emotion
from simpatico.turns import Turns

KINDS: Mapping[str, EmotionKind] = {"NNC": "neutrality", "EC": "polarity"}
TABLE = "Classifiers on the published test files: "
HEAD = "head on the rebuilt mix"
SPELLINGS = {True: "tidied text", False: "text as published"}
MAX_TRAIN, MAX_VALIDATION = 20_000, 2_000
"""Utterances of the mix to train on, and of the validation file for early stopping."""
SHIPPED, FINE_TUNED, AS_GIVEN = "shipped", "fine-tuned", "as given"
AS_PUBLISHED = "fine-tuned on text as published"
LEXICON, VADER = "our lexicon", "VADER"
GOOD, BAD = ("joy", "trust"), ("anger", "fear", "disgust", "sadness")
"""Plutchik's emotions by sign; surprise and anticipation have none."""

Probabilities = tuple[Floats, Floats]
"""That texts are emotional, and that they are positive."""
TextScorer = Callable[[Sequence[str]], Probabilities]


class AnswerScores(NamedTuple):
    """Points of answers, what probabilities expect, and how likely users' turns are emotional."""

    hard: Floats
    soft: Floats
    user_emotional: Floats


def draw_groups(utterances: Utterances, most: int, *, seed: int) -> Utterances:
    """Whole groups of utterances, drawn until there are `most`; the order is kept.

    Groups, as utterances of one dialog are alike: half a dialog would add little.
    """
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


def head_cells(task: str, data: UtteranceInput, *, seed: int, tell: Tell) -> Iterator[Cell]:
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
    notes = [note, "interval over different texts"]
    for figure in ("accuracy", "macro_f1", "auc"):
        in_paper = figure == "accuracy" and spelling == SPELLINGS[False]
        paper = ACCURACY[task][1] if in_paper else None
        place = f"{TABLE}{task}", spelling, f"{figures.name}, {figure.replace('_', '-')}"
        yield make_cell(place, getattr(figures, figure), paper=paper, n=figures.n, notes=notes)


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


def available_evaluators(request: Request, omissions: list[str]) -> dict[str, EmotionalConsistency]:
    """The metric as shipped and with the models that were given."""
    candidates = {
        SHIPPED: {},
        FINE_TUNED: {f"{kind}_model": model for kind, model in request.fine_tuned.items()},
        AS_PUBLISHED: {f"{kind}_model": model for kind, model in request.as_published.items()},
        AS_GIVEN: request.parameters_of("emotional_consistency"),
    }
    evaluators = dict[str, EmotionalConsistency]()
    for name, parameters in candidates.items():
        if not parameters and name != SHIPPED:
            continue
        metric = EmotionalConsistency(**parameters)
        if why := metric.missing:
            omissions.append(f"{name} evaluators: {why}")
        else:
            evaluators[name] = metric
    return evaluators


def text_scorers(
    metrics: Mapping[str, EmotionalConsistency], omissions: list[str]
) -> Iterator[tuple[str, TextScorer]]:
    """The evaluators and the lexicon baselines, by name.

    Without evaluators of text as published: it tells the corpus, and conversations are of none.
    """
    for name, metric in metrics.items():
        if name == AS_PUBLISHED:
            continue
        yield name, partial(evaluator_probabilities, metric, features_for_texts(metric.needs))
    yield LEXICON, lexicon_probabilities
    try:
        vader = import_module("vaderSentiment.vaderSentiment")
    except ImportError:
        omissions.append("VADER: vaderSentiment is not installed")
    else:
        yield VADER, partial(vader_probabilities, vader.SentimentIntensityAnalyzer())


def evaluator_probabilities(
    metric: EmotionalConsistency, features: Features, texts: Sequence[str]
) -> Probabilities:
    """What a metric's classifiers say of texts."""
    emotional, _, positive, _ = metric.probabilities(features, texts, texts)
    return emotional, positive


def lexicon_probabilities(texts: Sequence[str]) -> Probabilities:
    """1 for emotional where a word of the lexicon is there; the share of good among good and bad.

    Example: joy 3, anger 1 is positive with 3/4; without any of both it is .5.
    """
    frame = pl.DataFrame({"text": pl.Series([detokenise(t) for t in texts], dtype=pl.String)})
    feature = LexiconSums("emotions", EMOTIONS)
    sums = Features(Turns(frame), closure([feature]))[feature]
    good, bad = (
        sums[:, [EMOTIONS.index(name) for name in names]].sum(axis=1) for names in (GOOD, BAD)
    )
    both = good + bad
    share = np.divide(good, both, out=np.full(len(good), 0.5), where=both > 0)
    return (both > 0).astype(np.float64), share


def vader_probabilities(analyzer: Any, texts: Sequence[str]) -> Probabilities:
    """VADER's compound score (Hutto and Gilbert 2014) rescaled to 0 to 1; emotional if not 0."""
    scores = [analyzer.polarity_scores(detokenise(text))["compound"] for text in texts]
    compound = np.array(scores)
    return (compound != 0).astype(np.float64), (1 + compound) / 2


def score_answers(scorer: TextScorer, users: Sequence[str], answers: Sequence[str]) -> AnswerScores:
    """The points of answers to users' turns; neutral turns count, as they do in the paper."""
    user_emotional, user_positive = scorer(users)
    emotional, positive = scorer(answers)
    return AnswerScores(
        consistency_points(emotional, user_positive, positive),
        expected_points(user_emotional, emotional, user_positive, positive),
        user_emotional,
    )
