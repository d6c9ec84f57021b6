"""The data sets on which the tables are recomputed: where they are, and how to read them.

A set that is missing, or that cannot be read, leaves out its tables and no others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import polars as pl

from simpatico.errors import BadValue, DataError
from simpatico.judgements import Judgements
from simpatico.readers.conversations import read
from simpatico.readers.judgement_files import read_judgements
from simpatico.reproduction.cells import Cell
from simpatico.turns import Turns

HAZUMI = {"Hazumi1902": "hazumi1902", "Hazumi1911": "hazumi1911"}
LISTED, ANNOTATED = "exchanges_parsed.json", "elan"
IRC, PERSONA, CROWD = "irc", "real-persona-chat", "ji2022"
"""Ubuntu IRC logs with reply links; RealPersonaChat, in Japanese; Ji et al. (2022), crowd workers
who passed the quality control, with bots."""
PARTS = ("train", "dev", "test")
TALKS = "dialogues.jsonl.gz"
SYSTEMS = "llm/GPT*.json"
PASSED = "pass_*.json"
LOGGED = "*.ascii.txt"
NEEDED = {
    **dict.fromkeys(HAZUMI.values(), f"{LISTED} and no {ANNOTATED}"),
    IRC: f"{LOGGED}, nor have {PARTS[0]}, {PARTS[1]} and {PARTS[2]} in it",
    PERSONA: TALKS,
    CROWD: PASSED,
}
"""What is missing in a folder that cannot be used."""
UNUSABLE = (DataError, BadValue)
"""Raised for data that are too few or of something else; nothing here depends on options."""


class RatedData(NamedTuple):
    """Dialogs, and what those who took part said about them."""

    turns: Turns
    judgements: Judgements


def cells_until_unusable(what: str, cells: Iterable[Cell], omissions: list[str]) -> Iterator[Cell]:
    """The cells as far as the data go; why they go no farther is added to the omissions."""
    try:
        yield from cells
    except UNUSABLE as error:
        omissions.append(f"{what}: {error}")


def read_irc(folder: Path) -> Turns | None:
    """The logs of IRC, whichever parts are there; all of them are split by time anew."""
    folders = [*(folder / part for part in PARTS), folder]
    paths = [path for path in folders if path.is_dir() and any(path.glob(LOGGED))]
    return concat_turns([read(path) for path in paths]) if paths else None


def read_rated_folder(folder: Path, patterns: Sequence[str]) -> RatedData | None:
    """The files of the first pattern for which there are some; null where there are none."""
    for pattern in patterns:
        if paths := sorted(folder.glob(pattern)):
            return read_rated(paths)
    return None


def read_rated(paths: Sequence[Path]) -> RatedData:
    """The dialogs and judgements of these files; with several, a dialog's name has the file's."""
    parts = []
    for path in paths:
        prefix = f"{path.stem}/" if len(paths) > 1 else ""
        dialog = pl.concat_str(pl.lit(prefix), "dialog").alias("dialog")
        turns = read(path).frame.with_columns(dialog)
        judgements = read_judgements(path).frame.with_columns(dialog)
        parts.append(RatedData(Turns(turns), Judgements(judgements)))
    return concat_rated(parts)


def concat_turns(parts: Sequence[Turns]) -> Turns:
    return Turns(pl.concat([part.frame for part in parts]).rechunk())


def concat_rated(parts: Sequence[RatedData]) -> RatedData:
    turns = concat_turns([part.turns for part in parts])
    return RatedData(turns, Judgements(pl.concat([part.judgements.frame for part in parts])))
