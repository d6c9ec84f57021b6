"""The corpora behind the published files, and what is left of them to train on.

Which corpora and labels these are was found by looking every published utterance up in the sources.
Utterances are the same if their letters from a to z and digits are: other letters came out of some
corpora as different ones.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from zipfile import ZipFile

import numpy as np
import polars as pl

from simpatico.features.detokenise import letters_and_digits
from simpatico.files import write_atomically
from simpatico.reproduction.cells import Cell, count_cell
from simpatico.reproduction.csv_files import ascii_key, read_text_columns
from simpatico.training.emotion.data import Utterances
from simpatico.training.emotion.labels import Polarity, infer_label_signs

EMPATHETIC, DAILY, COUNSEL, MEISD = "empathetic-dialogues", "dailydialog", "counsel-chat", "meisd"
CORPORA = (EMPATHETIC, DAILY, COUNSEL, MEISD)
NEUTRAL, EMOTIONAL = "neutral", "emotional"
POSITIVE, NEGATIVE, EACH = "positive", "negative", "each"
CLEAR_SHARE = 0.95
"""From this share on, utterances of an emotion that have one sign show that the emotion has it."""
MIN_VOTES = 3
"""Utterances of an emotion that must be found before it is said to have a sign."""
ORIGIN = "Published files: utterances by corpus"
RULE = "Published files: labels that the rule gives"
OVERLAP = "Training mix: utterances of the corpora"
SEVERAL, NOWHERE = "several corpora", "no corpus"

Signs = Mapping[tuple[str, str], str]
"""By corpus and emotion: positive, negative, or decided for each utterance."""


class CorpusUtterance(NamedTuple):
    """An utterance in its corpus; `emotion` is what the corpus calls it.

    The fields are the columns of the written training files.
    """

    text: str
    source: str
    dialog: str
    emotion: str

    @property
    def neutral(self) -> bool:
        return self.emotion == NEUTRAL

    @property
    def label(self) -> tuple[str, str]:
        """Of which corpus the emotion is, and what it is called there."""
        return self.source, self.emotion

    def label_by_rule(self, task: str, signs: Signs) -> str:
        """The label that the rule behind the published files gives.

        Empty where the corpus has none for this task; `EACH` for an emotion without a clear sign.
        """
        if task == "NNC":
            return NEUTRAL if self.neutral else EMOTIONAL
        if self.neutral or self.emotion in (POSITIVE, NEGATIVE):
            return "" if self.neutral else self.emotion
        return signs.get(self.label, EACH)

    @property
    def published_text(self) -> str:
        """The text as the authors' files spell it. Example: DailyDialog's "No." is "No ."."""
        if self.source == EMPATHETIC:
            return self.text.replace(",", "_comma_")
        if self.source == DAILY:
            return " ".join(re.sub(r'([.,?!;:"])', r" \1 ", self.text).split())
        return self.text


TextIndex = Mapping[str, Sequence[CorpusUtterance]]
"""All utterances of each text, by `text_key`."""


def text_key(text: str) -> str:
    """By what an utterance is recognised. Example: "Well_comma_ it’s 5." is "wellits5"."""
    return ascii_key(letters_and_digits(text))


class TrainingMix(NamedTuple):
    """Utterances to train on, and how many of each corpus are left out: published, or repeated."""

    rows: list[CorpusUtterance]
    n_published: Mapping[str, int]
    n_repeated: Mapping[str, int]


def read_corpora(data: Path, omissions: list[str]) -> list[CorpusUtterance]:
    """The utterances of those corpora that are there."""
    readers = {
        EMPATHETIC: read_empathetic_dialogues,
        DAILY: read_dailydialog,
        COUNSEL: read_counsel_chat,
        MEISD: read_meisd,
    }
    utterances = list[CorpusUtterance]()
    for name, reader in readers.items():
        own = list(reader(data / name))
        if not own:
            omissions.append(f"{name}: no such corpus in {data}")
        utterances += own
    return utterances


def read_empathetic_dialogues(folder: Path) -> Iterator[CorpusUtterance]:
    """EmpatheticDialogues without the situations; the emotion is that of the whole dialog."""
    for path in sorted(folder.glob("*_annotated/*.csv")):
        rows = read_text_columns(path, ("Dialog_ID", "Type", "Text"))
        for dialog, kind, text in rows.iter_rows():
            if kind == "utterance":
                yield CorpusUtterance(text, EMPATHETIC, f"{EMPATHETIC} {dialog}", path.stem)


def read_dailydialog(folder: Path) -> Iterator[CorpusUtterance]:
    """DailyDialog in the form of ConvLab."""
    if not (path := folder / "data.zip").is_file():
        return
    with ZipFile(path) as archive:
        dialogs = json.loads(archive.read("data/dialogues.json"))
    for dialog in dialogs:
        for turn in dialog["turns"]:
            emotion = NEUTRAL if turn["emotion"] == "no emotion" else turn["emotion"]
            text = turn["utterance"].strip()
            yield CorpusUtterance(text, DAILY, dialog["dialogue_id"], emotion)


def read_counsel_chat(folder: Path) -> Iterator[CorpusUtterance]:
    """The questions that people ask counsellors, each once; none is neutral."""
    for path in sorted(folder.glob("*.csv")):
        rows = read_text_columns(path, ("questionID", "questionText"))
        rows = rows.unique("questionID", keep="first")
        for number, text in rows.sort(pl.col("questionID").cast(pl.Int64)).iter_rows():
            yield CorpusUtterance(text, COUNSEL, f"{COUNSEL} {number}", "")


def read_meisd(folder: Path) -> Iterator[CorpusUtterance]:
    """MEISD by its sentiment, some of which is misspelt."""
    for path in sorted(folder.glob("*.csv")):
        rows = read_text_columns(path, ("TV Series", "Utterances", "dialog_ids", "sentiment"))
        for series, text, dialog, sentiment in rows.iter_rows():
            word = sentiment.lower()
            sign = POSITIVE if word.startswith("pos") else NEGATIVE
            emotion = NEUTRAL if word == NEUTRAL else sign
            yield CorpusUtterance(text, MEISD, f"{MEISD} {series} {dialog}", emotion)


def index_by_text(utterances: Iterable[CorpusUtterance]) -> dict[str, list[CorpusUtterance]]:
    """All utterances of each text."""
    index = defaultdict[str, list[CorpusUtterance]](list)
    for utterance in utterances:
        index[text_key(utterance.text)].append(utterance)
    return dict(index)


def remove_published(
    utterances: Iterable[CorpusUtterance], published_keys: Collection[str]
) -> TrainingMix:
    """What is not in the published files, each text once for every emotion it has."""
    rows, keys = list[CorpusUtterance](), set[tuple[str, str]]()
    n_published, n_repeated = dict.fromkeys(CORPORA, 0), dict.fromkeys(CORPORA, 0)
    for utterance in utterances:
        if not (key := text_key(utterance.text)):
            continue
        if key in published_keys:
            n_published[utterance.source] += 1
        elif (key, utterance.emotion) in keys:
            n_repeated[utterance.source] += 1
        else:
            keys.add((key, utterance.emotion))
            rows.append(utterance)
    return TrainingMix(rows, n_published, n_repeated)


def emotion_signs(valid: Utterances, index: TextIndex) -> dict[tuple[str, str], str]:
    """Whether each emotion of a corpus is positive, negative, or decided for each utterance.

    Read off the published labels of utterances that stand in one corpus under one emotion. Fewer
    than three of them say nothing, and then each utterance is decided by itself.
    """
    votes = defaultdict[tuple[str, str], list[bool]](list)
    for text, (label,) in zip(valid.text, valid.label, strict=True):
        emotions = {utterance.label for utterance in index.get(text_key(text), ())}
        if len(emotions) == 1:
            votes[emotions.pop()].append(label == POSITIVE)
    return {emotion: sign_of_votes(own) for emotion, own in votes.items()}


def sign_of_votes(positive: Sequence[bool]) -> str:
    """What the labels of utterances say of the emotion they share."""
    share = sum(positive) / len(positive)
    if len(positive) < MIN_VOTES or 1 - CLEAR_SHARE < share < CLEAR_SHARE:
        return EACH
    return POSITIVE if share >= CLEAR_SHARE else NEGATIVE


def mix_labels(
    task: str, rows: Sequence[CorpusUtterance], signs: Signs, model: Polarity | None
) -> list[str]:
    """The label of each utterance for NNC or EC.

    For EC it is empty where there is none: neutral, counselling, or an emotion without a sign and
    no model of polarity that could decide.
    """
    labels = [
        "" if task == "EC" and row.source == COUNSEL else row.label_by_rule(task, signs)
        for row in rows
    ]
    each = [index for index, label in enumerate(labels) if label == EACH]
    texts = [rows[index].text for index in each]
    probabilities = model(texts) if model and each else np.full(len(each), np.nan)
    for index, probability in zip(each, probabilities, strict=True):
        # NaN compares false both ways: no label
        labels[index] = POSITIVE if probability > 0.5 else NEGATIVE if probability <= 0.5 else ""
    return labels


def write_training_csv(path: Path, rows: Sequence[CorpusUtterance], labels: Sequence[str]) -> int:
    """Write the rows with a label as CSV for `simpatico train emotion`; returns how many."""
    frame = pl.DataFrame(rows, schema=list(CorpusUtterance._fields), orient="row")
    frame = frame.with_columns(
        label=pl.Series(labels, dtype=pl.String),
        published=pl.Series([row.published_text for row in rows], dtype=pl.String),
    ).filter(pl.col("label") != "")
    write_atomically(path, frame.write_csv)
    return frame.height


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
