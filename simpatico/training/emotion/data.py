"""Utterances with labels of what they express, out of any table or GoEmotions' own files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from simpatico.errors import DataError
from simpatico.features.detokenise import letters_and_digits
from simpatico.readers import Source
from simpatico.training.lexicon import MAPPING, PLACEHOLDERS, read_goemotions
from simpatico.training.tables import named_rows

Sign = Literal["positive", "negative", "neutral", "omit"]

DIALOG = "dialog"
"""An optional column; utterances of one dialog stay in one split."""
SEPARATOR = "|"
"""Between the labels in one cell of a table."""
OF_GOEMOTIONS: Mapping[Sign, str] = {
    "positive": "admiration amusement approval caring desire excitement gratitude joy love "
    "optimism pride relief",
    "negative": "anger annoyance disappointment disapproval disgust embarrassment fear grief "
    "nervousness remorse sadness",
    "omit": "confusion curiosity realization surprise",
    "neutral": "neutral",
}
"""The groups of Demszky et al. (2020); "omit" are the ambiguous ones, neither good nor bad."""
GOEMOTIONS_SIGNS: Mapping[str, Sign] = {
    name: sign for sign, names in OF_GOEMOTIONS.items() for name in names.split()
}


class UtteranceColumns(NamedTuple):
    """The names of the columns with the text and its label."""

    text: str = "text"
    label: str = "label"


DEFAULT_COLUMNS = UtteranceColumns()


@dataclass(frozen=True, eq=False)
class Utterances:
    """Columns of equal length; `dialog` is "" where it is unknown.

    `known_signs` are those of labels that the data themselves say are positive or negative.
    """

    source: str
    text: list[str]
    label: list[tuple[str, ...]]
    dialog: list[str] = field(default_factory=list)
    known_signs: Mapping[str, Sign] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "dialog", self.dialog or [""] * len(self.text))

    def __len__(self) -> int:
        return len(self.text)

    @property
    def group(self) -> list[str]:
        """What stays together: the dialog, or utterances of the same letters and digits."""
        return [
            dialog or letters_and_digits(text)
            for dialog, text in zip(self.dialog, self.text, strict=True)
        ]

    @property
    def labels(self) -> list[str]:
        """The different labels, by name."""
        return sorted({name for names in self.label for name in names})


def read_utterances(path: Path | str, columns: UtteranceColumns = DEFAULT_COLUMNS) -> Utterances:
    """The utterances in GoEmotions' own file, or in a CSV, TSV or JSONL file with named columns."""
    source = Source.of(path)
    first = source.head.lines[0].split(b"\t") if source.head.lines else []
    # GoEmotions' files have no header: each row is a text, label numbers and an id
    if len(first) == 3 and re.fullmatch(rb"\d+(,\d+)*", first[1]):
        stored, numbers = read_goemotions(Path(path))
        emotions = tuple(MAPPING)
        label_names = [tuple(emotions[number] for number in row) for row in numbers]
        # [NAME] and [RELIGION] stand where names were; a model would take them for words
        clean = [re.sub(PLACEHOLDERS, " ", text) for text in stored]
        return Utterances(Path(path).name, clean, label_names, known_signs=GOEMOTIONS_SIGNS)
    rows = []
    # errors name the place and the column, and never show what somebody wrote
    for place, cells in named_rows(source, columns):
        text, label = cells[columns.text], cells[columns.label]
        if not isinstance(text, str) or not text.strip():
            raise DataError(f"{place}: {columns.text!r} has no text; leave out rows without words")
        values = label if isinstance(label, list) else str(label).split(SEPARATOR)
        names = tuple(dict.fromkeys(str(name).strip() for name in values))
        if label is None or not names or not all(names):
            raise DataError(f"{place}: {columns.label!r} has no label; leave out rows without one")
        rows.append((text.strip(), names, str(cells.get(DIALOG, ""))))
    if not rows:
        raise DataError(f"{source.name}: no utterance in it; give rows of {' and '.join(columns)}")
    texts, labels, dialogs = map(list, zip(*rows, strict=True))
    return Utterances(Path(source.name).name, texts, labels, dialogs)


def join_utterances(parts: Sequence[Utterances]) -> Utterances:
    """The utterances of several files; dialogs of different files are different ones.

    Their names are prefixed, for two files may well number their dialogs alike.
    """
    if len(parts) == 1:
        return parts[0]
    return Utterances(
        " and ".join(part.source for part in parts),
        [text for part in parts for text in part.text],
        [names for part in parts for names in part.label],
        [
            f"{number}/{dialog}" if dialog else ""
            for number, part in enumerate(parts)
            for dialog in part.dialog
        ],
        {name: sign for part in parts for name, sign in part.known_signs.items()},
    )
