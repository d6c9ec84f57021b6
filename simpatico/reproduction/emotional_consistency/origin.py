"""Where the published utterances come from, which rule gives their labels, and what is left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from simpatico.reproduction.cells import Cell, CellKey, count_cell
from simpatico.reproduction.emotional_consistency.training_mix import (
    CORPORA,
    EACH,
    NEUTRAL,
    POSITIVE,
    CorpusUtterance,
    TrainingMix,
    text_key,
)
from simpatico.training.emotion.data import Utterances
from simpatico.training.emotion.labels import Polarity, infer_label_signs

ORIGIN = "Published files: utterances by corpus"
RULE = "Published files: labels that the rule gives"
OVERLAP = "Training mix: utterances of the corpora"
SEVERAL, NOWHERE = "several corpora", "no corpus"

TextIndex = Mapping[str, Sequence[CorpusUtterance]]
Signs = Mapping[tuple[str, str], str]


def origin_cells(files: Mapping[str, Utterances], index: TextIndex) -> Iterator[Cell]:
    """How many utterances of each file are of each corpus."""

    def corpus_of(text: str) -> str:
        sources = {utterance.source for utterance in index.get(text_key(text), ())}
        return sources.pop() if len(sources) == 1 else SEVERAL if sources else NOWHERE

    for name, utterances in files.items():
        counts = Counter(map(corpus_of, utterances.text))
        for corpus in (*CORPORA, SEVERAL, NOWHERE):
            key = CellKey(ORIGIN, name, corpus)
            yield count_cell(key, counts[corpus], paper=None, total=len(utterances))


def rule_cells(files: Mapping[str, Utterances], index: TextIndex, signs: Signs) -> Iterator[Cell]:
    """How many labels of utterances found are among those that their corpora give.

    For EC only utterances count whose emotion has a sign of its own.
    """
    for name, utterances in files.items():
        right, total = 0, 0
        for text, (label,) in zip(utterances.text, utterances.label, strict=True):
            labels = [rule_label(u, name, signs) for u in index.get(text_key(text), ())]
            if labels and EACH not in labels:
                right, total = right + (label in labels), total + 1
        note = "signs of emotions are read off EC_valid" if name.startswith("EC") else ""
        key = CellKey(RULE, name, "as the rule says")
        yield count_cell(key, right, paper=None, total=total, note=note)


def rule_label(utterance: CorpusUtterance, file: str, signs: Signs) -> str:
    """The label of an utterance by its corpus; empty where the corpus has none for this task."""
    if file.startswith("NNC"):
        return NEUTRAL if utterance.neutral else "emotional"
    return "" if utterance.neutral else utterance.own_sign or signs.get(utterance.label, EACH)


def overlap_cells(mix: TrainingMix) -> Iterator[Cell]:
    """How much of each corpus is published, repeated, or left to train on."""
    left = Counter(utterance.source for utterance in mix.rows)
    note = "the same letters and digits as one of the four published files"
    columns = {"in a published file": mix.published, "said before": mix.repeated, "left": left}
    for corpus in CORPORA:
        total = sum(counts[corpus] for counts in columns.values())
        for column, counts in columns.items():
            key = CellKey(OVERLAP, corpus, column)
            yield count_cell(key, counts[corpus], paper=None, total=total, note=note)


def polarity_agreement_cells(
    valid: Utterances, index: TextIndex, signs: Signs, model: Polarity
) -> Iterator[Cell]:
    """How often a model of polarity decides as published, and finds the sign of an emotion."""
    rows = [
        (text, label == POSITIVE, emotions.pop())
        for text, (label,) in zip(valid.text, valid.label, strict=True)
        if len(emotions := {u.label for u in index.get(text_key(text), ())}) == 1
    ]
    texts, names = [text for text, _, _ in rows], ["/".join(emotion) for _, _, emotion in rows]
    probabilities = model(texts)
    agree = [
        (probability > 0.5) == positive
        for probability, (_, positive, emotion) in zip(probabilities, rows, strict=True)
        if signs[emotion] == EACH
    ]
    key = CellKey(RULE, "EC_valid.csv", "utterances decided one by one as published")
    yield count_cell(key, sum(map(int, agree)), paper=None, total=len(agree))
    rule = infer_label_signs([[name] for name in names], texts, lambda _: probabilities)
    same_sign = [rule["/".join(emotion)].sign == sign for emotion, sign in signs.items()]
    key = CellKey(RULE, "EC_valid.csv", "emotions whose sign the 70% rule finds")
    yield count_cell(key, sum(same_sign), paper=None, total=len(same_sign))
