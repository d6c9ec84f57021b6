"""Where the published utterances come from, which rule gives their labels, and what is left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from simpatico.reproduction.cells import Cell, count_cell
from simpatico.reproduction.emotional_consistency.training_mix import (
    CORPORA,
    EACH,
    POSITIVE,
    CorpusUtterance,
    Signs,
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


def origin_cells(files: Mapping[str, Utterances], index: TextIndex) -> Iterator[Cell]:
    """How many utterances of each file are of each corpus."""

    def corpus_of(text: str) -> str:
        sources = {utterance.source for utterance in index.get(text_key(text), ())}
        return sources.pop() if len(sources) == 1 else SEVERAL if sources else NOWHERE

    for name, utterances in files.items():
        counts = Counter(map(corpus_of, utterances.text))
        for corpus in (*CORPORA, SEVERAL, NOWHERE):
            yield count_cell((ORIGIN, name, corpus), counts[corpus], total=len(utterances))


def rule_cells(files: Mapping[str, Utterances], index: TextIndex, signs: Signs) -> Iterator[Cell]:
    """How many labels of utterances found are among those that their corpora give.

    For EC only utterances count whose emotion has a sign of its own.
    """
    for name, utterances in files.items():
        task, right, total = name.partition("_")[0], 0, 0
        for text, (label,) in zip(utterances.text, utterances.label, strict=True):
            labels = [u.label_by_rule(task, signs) for u in index.get(text_key(text), ())]
            if labels and EACH not in labels:
                right, total = right + (label in labels), total + 1
        notes = ["signs of emotions are read off EC_valid"] if task == "EC" else []
        yield count_cell((RULE, name, "as the rule says"), right, total=total, notes=notes)


def overlap_cells(mix: TrainingMix) -> Iterator[Cell]:
    """How much of each corpus is published, repeated, or left to train on."""
    left = Counter(utterance.source for utterance in mix.rows)
    note = "the same letters and digits as one of the four published files"
    columns = {"in a published file": mix.n_published, "said before": mix.n_repeated, "left": left}
    for corpus in CORPORA:
        total = sum(counts[corpus] for counts in columns.values())
        for column, counts in columns.items():
            place = OVERLAP, corpus, column
            yield count_cell(place, counts[corpus], total=total, notes=[note])


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
    place = RULE, "EC_valid.csv", "utterances decided one by one as published"
    yield count_cell(place, sum(map(int, agree)), total=len(agree))
    rule = infer_label_signs([[name] for name in names], texts, lambda _: probabilities)
    same_sign = [rule["/".join(emotion)].sign == sign for emotion, sign in signs.items()]
    place = RULE, "EC_valid.csv", "emotions whose sign the 70% rule finds"
    yield count_cell(place, sum(same_sign), total=len(same_sign))
