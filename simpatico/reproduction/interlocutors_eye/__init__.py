"""The interlocutor's eye (Tsuta et al., 2023): what can be redone.

Hazumi is the paper's own; in place of X, which cannot be had, stand IRC, RealPersonaChat and Ji et
al. What is held out comes last in each dialog or in time, and chose no model, weight or variant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

from simpatico.errors import DataError
from simpatico.reproduction import Cell, Reproduction
from simpatico.reproduction.comparison import apart
from simpatico.reproduction.interlocutors_eye import data as files
from simpatico.reproduction.interlocutors_eye.continuity import TABLE as TABLE_4
from simpatico.reproduction.interlocutors_eye.continuity import continuity_cells, wanted
from simpatico.reproduction.interlocutors_eye.hazumi import (
    TABLE_1,
    prediction_cells,
    statistics_cells,
)
from simpatico.reproduction.interlocutors_eye.ratings import TABLE as TABLE_5
from simpatico.reproduction.interlocutors_eye.ratings import crowd_cells, people_cells
from simpatico.reproduction.request import Asked
from simpatico.turns import Turns

FIXED = (
    "continuity on RealPersonaChat: its dialogs end after the thirty utterances that were asked "
    "for, so that who answers no more says nothing"
)
REASONS = {
    TABLE_1: "the paper does not say which exchanges it dropped; ours have all six scores",
    TABLE_4: "other data: IRC in place of X, which cannot be had, and no fine-tuned BERT",
    TABLE_5: "other data: the two annotators' posts are not published, nor their ratings",
}
OTHER = "another model: the authors fine-tune a Japanese BERT, which is not to be had here"
Tell = Callable[[str], object]
Found = TypeVar("Found")


class Work(NamedTuple):
    """Where the data are, what was asked for, and who hears what is begun and what is left out."""

    data: Path
    asked: Asked
    absent: list[str]
    tell: Tell

    def read(
        self, name: str, how: Callable[[Path], Found | None], needed: str = ""
    ) -> Found | None:
        """What is read of a data set that is there; where nothing can be, why is told."""
        if not (self.data / name).is_dir():
            return None
        try:
            found = how(self.data)
        except DataError as error:
            self.absent.append(f"{name}: {error}")
            return None
        if found is None:
            self.absent.append(f"{name}: the folder has no {needed or files.NEEDED[name]}")
        return found


def reproduce(
    data: Path, asked: Asked | None = None, *, tell: Tell = lambda _: None
) -> Reproduction:
    """Every table for which the files are there; `tell` hears what is begun."""
    work = Work(data, asked or Asked(), [], tell)
    wanted(work.asked)  # a name that nothing has is told before hours of work
    there = [name for name in files.NEEDED if (data / name).is_dir()]
    if not there:
        raise DataError(
            f"{data} has none of {', '.join(files.NEEDED)}; give the folder that holds them"
        )
    gone = [name for name in files.NEEDED if name not in there]
    work.absent.extend(f"{name}: no folder of that name" for name in gone)
    logs = work.read(files.IRC, files.logs)
    cells = [*hazumi(work), *continuity(work, logs), *people(work), *crowd(work, logs)]
    reasons = [(cell, why(cell)) for cell in apart(cells)]
    return Reproduction(cells, [], reasons, list(dict.fromkeys(work.absent)))


def hazumi(work: Work) -> Iterator[Cell]:
    """Tables 1 and 2."""
    found = {
        name: work.read(folder, partial(files.hazumi, folder=folder))
        for name, folder in files.HAZUMI.items()
    }
    sets = {name: given for name, given in found.items() if given is not None}
    yield from statistics_cells(sets)
    if len(sets) < len(found):
        work.absent.append("Table 2: it needs both subsets of Hazumi")
        return
    work.tell("Table 2: scores of Hazumi's interlocutors")
    both, asked = files.merged(list(sets.values())), work.asked
    cells = prediction_cells(both, seeds=asked.seeds, seed=asked.sample.seed)
    yield from files.kept("Table 2, Hazumi", cells, work.absent)


def continuity(work: Work, logs: Turns | None) -> Iterator[Cell]:
    """Table 4 and Figure 3."""
    if logs is None:
        work.absent.append("Table 4: no logs of IRC")
        return
    work.tell(f"Table 4: will they answer? {len(logs):,} turns of IRC")
    yield from continuity_cells(logs, work.asked, work.absent)


def people(work: Work) -> Iterator[Cell]:
    """Table 5's design: people about people, and about systems."""
    given = work.read(files.PERSONA, files.people)
    if given is None:
        work.absent.append("Table 5: no RealPersonaChat")
        return
    work.tell("Table 5: people about people, RealPersonaChat")
    work.absent.append(FIXED)
    systems = work.read(files.PERSONA, files.systems, files.SYSTEMS)
    cells = people_cells(given, systems, seed=work.asked.sample.seed)
    yield from files.kept("Table 5, RealPersonaChat", cells, work.absent)


def crowd(work: Work, logs: Turns | None) -> Iterator[Cell]:
    """Table 5's design: people about bots."""
    given = work.read(files.CROWD, files.crowd)
    if given is None:
        work.absent.append("Table 5: no dialogs of Ji et al.")
        return
    work.tell("Table 5: people about bots, Ji et al.")
    cells = crowd_cells(given, logs, work.absent, seed=work.asked.sample.seed)
    yield from files.kept("Table 5, Ji et al.", cells, work.absent)


def why(cell: Cell) -> str:
    """Why a figure is not the paper's."""
    return next((told for table, told in REASONS.items() if cell.table.startswith(table)), OTHER)
