"""How well NNC and EC are told: a head trained on the mix, and evaluators that are there.

Each text is seen as published and tidied: where punctuation stands apart, in small letters or not,
tells from which corpus it is, and for NNC that nearly is the label.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from simpatico.arrays import Floats
from simpatico.features.detokenise import letters, tidied
from simpatico.features.heads.folder import EmotionKind
from simpatico.metrics.emotional_consistency import EmotionalConsistency
from simpatico.reproduction import Cell
from simpatico.reproduction.emotional_consistency.data import NAMES
from simpatico.reproduction.emotional_consistency.paper import ACCURACY
from simpatico.reproduction.emotional_consistency.scores import handle
from simpatico.stats.classification import Row, row
from simpatico.stats.classification__measures import Estimate, Run
from simpatico.training.emotion.baselines import OURS
from simpatico.training.emotion.data import Utterances
from simpatico.training.emotion.settings import Training
from simpatico.training.emotion.train import Given, train_emotion
from simpatico.training.model_folder import About

KINDS: Mapping[str, EmotionKind] = {"NNC": "neutrality", "EC": "polarity"}
FIGURES = ("accuracy", "macro_f1", "auc")
TABLE = "Classifiers on the published test files: "
HEAD = "head on the rebuilt mix"
SPELT = {True: "tidied text", False: "text as published"}
LEARN, STOP = 20_000, 2_000
"""Utterances of the mix that a head learns from, and of the validation file that end it."""


def drawn(given: Utterances, most: int, *, seed: int) -> Utterances:
    """Whole groups of utterances, drawn until there are `most`."""
    if len(given) <= most:
        return given
    group = given.group
    names = list(dict.fromkeys(group))
    lot = {names[at]: n for n, at in enumerate(np.random.default_rng(seed).permutation(len(names)))}
    rows = sorted(sorted(range(len(given)), key=lambda at: lot[group[at]])[:most])
    return replace(
        given,
        text=[given.text[at] for at in rows],
        label=[given.label[at] for at in rows],
        dialog=[given.dialog[at] for at in rows],
    )


def head_cells(
    task: str, given: Given, *, seed: int, tell: Callable[[str], object]
) -> Iterator[Cell]:
    """A head over frozen vectors beside the commoner label, style, and words."""
    about = About("the rebuilt mix", "of the corpora")
    learn = drawn(given.data, LEARN, seed=seed)
    stop = None if given.validation is None else drawn(given.validation, STOP, seed=seed)
    for tidy, spelt in SPELT.items():
        tell(f"{task}: a head on {len(learn):,} utterances of the mix, {spelt}")
        own = {name: name for name in NAMES[task]} if task == "EC" else {}
        training = Training(seed=seed, tidy=tidy, mapped=own)
        with TemporaryDirectory() as folder:
            report = train_emotion(
                replace(given, data=learn, validation=stop),
                Path(folder) / "head",
                kind=KINDS[task],
                training=training,
                about=about,
            )
        for one in next(iter(report.rows.values())):
            name = HEAD if one.name == OURS else one.name
            yield from figures(task, one._replace(name=name), spelt, f"{len(learn):,} learned from")


def figures(task: str, one: Row, spelt: str, note: str) -> Iterator[Cell]:
    """Accuracy, macro-F1 and area of one guess; the paper has accuracy on text as published."""
    for figure in FIGURES:
        paper = ACCURACY[task][1] if figure == "accuracy" and spelt == SPELT[False] else None
        column = f"{one.name}, {figure.replace('_', '-')}"
        said = f"0 of {one.n:,} not scored; {note}; interval over different texts"
        table = f"{TABLE}{task}"
        found: Estimate = getattr(one, figure)
        yield Cell(table, spelt, column, paper, *found, one.n, said)


def evaluator_cells(
    task: str, test: Utterances, metrics: Mapping[str, EmotionalConsistency]
) -> Iterator[Cell]:
    """What evaluators that are there tell, of both spellings."""
    for name, metric in metrics.items():
        features, place = handle(metric), list(KINDS).index(task)
        for tidy, spelt in SPELT.items():
            texts = [tidied(text) if tidy else text for text in test.text]
            chance = metric._judges[place].of(features, texts)
            yield from figures(task, judged(name, task, test, chance), spelt, "half is the limit")


def judged(name: str, task: str, test: Utterances, chance: Floats) -> Row:
    """The figures of probabilities; a text of which nothing is said counts as even."""
    wanted = "positive" if task == "EC" else "emotional"
    label = np.array([found == wanted for (found,) in test.label])
    guess = np.where(np.isnan(chance), 0.5, chance)
    return row(name, Run(guess, guess >= 0.5, label, [letters(text) for text in test.text]))
