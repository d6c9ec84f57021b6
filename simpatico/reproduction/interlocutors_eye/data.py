"""The data sets beside which the paper's tables are redone: where they are, and what is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import polars as pl

from simpatico.errors import BadValue, DataError
from simpatico.judgements import Judgements
from simpatico.readers.conversations import read
from simpatico.readers.judgement_files import read_judgements
from simpatico.reproduction import Cell
from simpatico.turns import Turns

HAZUMI = {"Hazumi1902": "hazumi1902", "Hazumi1911": "hazumi1911"}
LISTED, ANNOTATED = "exchanges_parsed.json", "elan"
IRC, PERSONA, CROWD = "irc", "real-persona-chat", "ji2022"
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
"""What a folder has none of that cannot be used."""
UNFIT = (DataError, BadValue)
"""What data may raise that are too few, or of something else; nothing here is chosen by users."""


class Rated(NamedTuple):
    """Conversations, and what those who took part said about them."""

    turns: Turns
    judgements: Judgements


def kept(what: str, cells: Iterable[Cell], absent: list[str]) -> Iterator[Cell]:
    """The figures as far as the data go; why they go no farther is told."""
    try:
        yield from cells
    except UNFIT as error:
        absent.append(f"{what}: {error}")


def hazumi(data: Path, folder: str) -> Rated | None:
    """One of the two subsets, from its list of exchanges or from its ELAN files."""
    tries = (data / folder / LISTED, data / folder / ANNOTATED)
    found = next((path for path in tries if path.exists()), None)
    return None if found is None else rated([found])


def logs(data: Path) -> Turns | None:
    """The logs of IRC, whichever parts are there; files of all parts are split by time anew."""
    tries = [*(data / IRC / part for part in PARTS), data / IRC]
    found = [path for path in tries if path.is_dir() and any(path.glob(LOGGED))]
    return joined([read(path) for path in found]) if found else None


def people(data: Path) -> Rated | None:
    """RealPersonaChat: people with people."""
    path = data / PERSONA / TALKS
    return rated([path]) if path.is_file() else None


def systems(data: Path) -> Rated | None:
    """RealPersonaChat: people with systems."""
    return several(data / PERSONA, SYSTEMS)


def crowd(data: Path) -> Rated | None:
    """Ji et al.: crowd workers who passed the control of quality, with bots."""
    return several(data / CROWD, PASSED)


def several(folder: Path, pattern: str) -> Rated | None:
    """All files of a pattern, where there are any."""
    found = sorted(folder.glob(pattern))
    return rated(found) if found else None


def rated(paths: Sequence[Path]) -> Rated:
    """What is in these files; of several, dialogs have the file's name before their own."""
    turns, judged = [], []
    for path in paths:
        prefix = f"{path.stem}/" if len(paths) > 1 else ""
        named = pl.concat_str(pl.lit(prefix), "dialog").alias("dialog")
        turns.append(Turns(read(path).frame.with_columns(named)))
        judged.append(read_judgements(path).frame.with_columns(named))
    return Rated(joined(turns), Judgements(pl.concat(judged)))


def joined(parts: Sequence[Turns]) -> Turns:
    """Some conversations after others."""
    return Turns(pl.concat([part.frame for part in parts]).rechunk())


def merged(parts: Sequence[Rated]) -> Rated:
    """Conversations and judgements of several data sets together."""
    turns = joined([part.turns for part in parts])
    return Rated(turns, Judgements(pl.concat([part.judgements.frame for part in parts])))
