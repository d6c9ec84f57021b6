"""The corpora behind the published files, and what is left of them to learn from.

Which corpora and labels these are was found by looking every published utterance up in the sources.
Utterances are the same if their letters from a to z and digits are: other letters came out of some
corpora as different ones.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from zipfile import ZipFile

import msgspec
import numpy as np
import polars as pl

from simpatico.errors import DataError
from simpatico.features.detokenise import letters
from simpatico.reproduction.predictive_engagement.data import table
from simpatico.training.emotion.data import Utterances
from simpatico.training.emotion.labels import Polarity

EMPATHETIC, DAILY, COUNSEL, SCENES = "empathetic-dialogues", "dailydialog", "counsel-chat", "meisd"
CORPORA = (EMPATHETIC, DAILY, COUNSEL, SCENES)
NEUTRAL, EMOTIONAL = "neutral", "emotional"
POSITIVE, NEGATIVE, EACH = "positive", "negative", "each"
CLEAR = 0.95
"""From this share on, utterances of a label that have one sign show that the label has it."""
FEWEST = 3
"""Utterances of a label that must be found before it is said to have a sign."""


class Said(NamedTuple):
    """An utterance in its corpus; `emotion` is what the corpus calls it."""

    text: str
    source: str
    dialog: str
    emotion: str

    @property
    def neutral(self) -> bool:
        return self.emotion == NEUTRAL

    @property
    def name(self) -> tuple[str, str]:
        """Of which corpus the emotion is, and what it is called there."""
        return self.source, self.emotion

    @property
    def published(self) -> str:
        """The text as the authors' files spell it."""
        if self.source == EMPATHETIC:
            return self.text.replace(",", "_comma_")
        return spaced(self.text) if self.source == DAILY else self.text


def spaced(text: str) -> str:
    """With punctuation apart. Example: "Well, no." is "Well , no ."."""
    return " ".join(re.sub(r'([.,?!;:"])', r" \1 ", text).split())


def same(text: str) -> str:
    """By what an utterance is known. Example: "Well_comma_ it’s 5." is "wellits5"."""
    return re.sub(r"[^a-z0-9]", "", letters(text))


class Kept(NamedTuple):
    """Utterances to learn from, and how many of each corpus were left out, for what reason."""

    rows: list[Said]
    published: Mapping[str, int]
    repeated: Mapping[str, int]


def corpora(data: Path, absent: list[str]) -> list[Said]:
    """The utterances of those corpora that are there."""
    readers = {EMPATHETIC: empathetic, DAILY: daily, COUNSEL: counsel, SCENES: scenes}
    found = list[Said]()
    for name, reader in readers.items():
        some = list(reader(data / name))
        if not some:
            absent.append(f"{name}: no such corpus in {data}")
        found += some
    return found


def empathetic(folder: Path) -> Iterator[Said]:
    """EmpatheticDialogues without the situations; the emotion is that of the whole dialog."""
    for path in sorted(folder.glob("*_annotated/*.csv")):
        rows = table(path, ("Dialog_ID", "Type", "Text"))
        for dialog, kind, text in rows.iter_rows():
            if kind == "utterance":
                yield Said(text, EMPATHETIC, f"{EMPATHETIC} {dialog}", path.stem)


class Turn(msgspec.Struct):
    utterance: str
    emotion: str


class Dialog(msgspec.Struct):
    dialogue_id: str
    turns: list[Turn]


def daily(folder: Path) -> Iterator[Said]:
    """DailyDialog in the form of ConvLab."""
    if not (path := folder / "data.zip").is_file():
        return
    with ZipFile(path) as packed:
        given = msgspec.json.decode(packed.read("data/dialogues.json"), type=list[Dialog])
    for one in given:
        for turn in one.turns:
            emotion = NEUTRAL if turn.emotion == "no emotion" else turn.emotion
            yield Said(turn.utterance.strip(), DAILY, one.dialogue_id, emotion)


def counsel(folder: Path) -> Iterator[Said]:
    """The questions that people ask counsellors, each once; none is neutral."""
    for path in sorted(folder.glob("*.csv")):
        rows = table(path, ("questionID", "questionText")).unique("questionID", keep="first")
        for number, text in rows.sort(pl.col("questionID").cast(pl.Int64)).iter_rows():
            yield Said(text, COUNSEL, f"{COUNSEL} {number}", "")


def scenes(folder: Path) -> Iterator[Said]:
    """MEISD by its sentiment, some of which is misspelt."""
    for path in sorted(folder.glob("*.csv")):
        rows = table(path, ("TV Series", "Utterances", "dialog_ids", "sentiment"))
        for series, text, dialog, told in rows.iter_rows():
            word = told.lower()
            sign = POSITIVE if word.startswith("pos") else NEGATIVE
            yield Said(
                text, SCENES, f"{SCENES} {series} {dialog}", NEUTRAL if word == NEUTRAL else sign
            )


def index(given: Iterable[Said]) -> dict[str, list[Said]]:
    """Where each text is said."""
    found: dict[str, list[Said]] = {}
    for said in given:
        found.setdefault(same(said.text), []).append(said)
    return found


def left(given: Iterable[Said], held: Collection[str]) -> Kept:
    """What is not in the published files, each text once for every emotion it has."""
    rows, seen = list[Said](), set[tuple[str, str]]()
    published, repeated = dict.fromkeys(CORPORA, 0), dict.fromkeys(CORPORA, 0)
    for said in given:
        if not (key := same(said.text)):
            continue
        if key in held:
            published[said.source] += 1
        elif (key, said.emotion) in seen:
            repeated[said.source] += 1
        else:
            seen.add((key, said.emotion))
            rows.append(said)
    return Kept(rows, published, repeated)


def signs(valid: Utterances, known: Mapping[str, Sequence[Said]]) -> dict[tuple[str, str], str]:
    """Whether each emotion of a corpus is positive, negative, or decided for each utterance.

    Read off the published labels of utterances that stand in one corpus under one emotion. Fewer
    than three of them say nothing, and then each utterance is decided by itself.
    """
    votes: dict[tuple[str, str], list[bool]] = {}
    for text, (label,) in zip(valid.text, valid.label, strict=True):
        where = {said.name for said in known.get(same(text), ())}
        if len(where) == 1:
            votes.setdefault(where.pop(), []).append(label == POSITIVE)
    return {name: sign(some) for name, some in votes.items()}


def sign(positive: Sequence[bool]) -> str:
    """What the labels of utterances say of the emotion they share."""
    share = sum(positive) / len(positive)
    if len(positive) < FEWEST or 1 - CLEAR < share < CLEAR:
        return EACH
    return POSITIVE if share >= CLEAR else NEGATIVE


def neutrality(rows: Sequence[Said]) -> list[str]:
    """The label of each for NNC."""
    return [NEUTRAL if said.neutral else EMOTIONAL for said in rows]


def polarity(
    rows: Sequence[Said], meant: Mapping[tuple[str, str], str], judge: Polarity | None
) -> list[str]:
    """The label of each for EC; "" where it has none: neutral, counselling, or nobody to decide."""
    found = [own_sign(said) or meant.get(said.name, EACH) for said in rows]
    found = ["" if no_sign(said) else label for said, label in zip(rows, found, strict=True)]
    each = [at for at, label in enumerate(found) if label == EACH]
    texts = [rows[at].text for at in each]
    chances = judge(texts) if judge and each else np.full(len(each), np.nan)
    for at, chance in zip(each, chances, strict=True):
        found[at] = POSITIVE if chance > 0.5 else NEGATIVE if chance <= 0.5 else ""
    return found


def own_sign(said: Said) -> str:
    """What a corpus itself says of the sign."""
    return said.emotion if said.emotion in (POSITIVE, NEGATIVE) else ""


def no_sign(said: Said) -> bool:
    return said.neutral or said.source == COUNSEL


def learnable(rows: Sequence[Said], labels: Sequence[str], source: str) -> Utterances:
    """Those that have a label, spelt as the authors' files are, to train on."""
    both = [(said, label) for said, label in zip(rows, labels, strict=True) if label]
    return Utterances(
        source,
        [said.published for said, _ in both],
        [(label,) for _, label in both],
        [said.dialog for said, _ in both],
    )


def write(path: Path, rows: Sequence[Said], labels: Sequence[str]) -> int:
    """The rows with a label as CSV for `simpatico train emotion`; tells how many."""
    if path.is_dir():
        raise DataError(f"{path} is a folder; move it away to write the file there")
    frame = pl.DataFrame(rows, schema=list(Said._fields), orient="row")
    frame = frame.with_columns(
        label=pl.Series(labels, dtype=pl.String),
        published=pl.Series([said.published for said in rows], dtype=pl.String),
    ).filter(pl.col("label") != "")
    frame.write_csv(path)
    return frame.height
