"""The interlocutor's eye (Tsuta et al., 2023): what can be redone.

Hazumi is the paper's own; in place of X, which cannot be had, stand IRC, RealPersonaChat and Ji et
al. What is held out comes last in each dialog or in time, and chose no model, weight or variant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from simpatico.errors import DataError
from simpatico.reproduce import Cell, Reproduction
from simpatico.reproduce import eye_files as files
from simpatico.reproduce.agreement import apart
from simpatico.reproduce.asked import Asked
from simpatico.reproduce.eye_continuity import TABLE as TABLE_4
from simpatico.reproduce.eye_continuity import continuity_cells
from simpatico.reproduce.eye_hazumi import TABLE_1, prediction_cells, statistics_cells
from simpatico.reproduce.eye_ratings import TABLE as TABLE_5
from simpatico.reproduce.eye_ratings import crowd_cells, people_cells

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


def reproduce(
    data: Path, asked: Asked | None = None, *, tell: Tell = lambda _: None
) -> Reproduction:
    """Every table for which the files are there; `tell` hears what is begun."""
    asked, absent, cells = asked or Asked(), list[str](), list[Cell]()
    there = [name for name in files.NEEDED if (data / name).is_dir()]
    if not there:
        raise DataError(
            f"{data} has none of {', '.join(files.NEEDED)}; give the folder that holds them"
        )
    absent += [f"{name}: no folder of that name" for name in files.NEEDED if name not in there]
    cells += hazumi(data, asked, absent, tell)
    cells += continuity(data, asked, absent, tell)
    cells += ratings(data, asked, absent, tell)
    reasons = [(cell, why(cell)) for cell in apart(cells)]
    return Reproduction(cells, [], reasons, list(dict.fromkeys(absent)))


def hazumi(data: Path, asked: Asked, absent: list[str], tell: Tell) -> Iterator[Cell]:
    """Tables 1 and 2."""
    found = {name: files.hazumi(data, folder) for name, folder in files.HAZUMI.items()}
    sets = {name: given for name, given in found.items() if given is not None}
    yield from statistics_cells(sets)
    if len(sets) < len(found):
        absent.append("Table 2: it needs both subsets of Hazumi")
        return
    tell("Table 2: scores of Hazumi's interlocutors")
    yield from prediction_cells(
        files.merged(list(sets.values())), seeds=asked.seeds, seed=asked.sample.seed
    )


def continuity(data: Path, asked: Asked, absent: list[str], tell: Tell) -> Iterator[Cell]:
    """Table 4 and Figure 3."""
    logs = files.logs(data)
    if logs is None:
        absent.append("Table 4: no logs of IRC")
        return
    tell(f"Table 4: will they answer? {len(logs):,} turns of IRC")
    yield from continuity_cells(logs, asked, absent)


def ratings(data: Path, asked: Asked, absent: list[str], tell: Tell) -> Iterator[Cell]:
    """Table 5's design."""
    seed, people, crowd = asked.sample.seed, files.people(data), files.crowd(data)
    if people is not None:
        tell("Table 5: people about people, RealPersonaChat")
        absent.append(FIXED)
        yield from people_cells(people, files.systems(data), seed=seed)
    else:
        absent.append("Table 5: no RealPersonaChat")
    if crowd is not None:
        tell("Table 5: people about bots, Ji et al.")
        yield from crowd_cells(crowd, files.logs(data), seed=seed)
    else:
        absent.append("Table 5: no dialogs of Ji et al.")


def why(cell: Cell) -> str:
    """Why a figure is not the paper's."""
    return next((told for table, told in REASONS.items() if cell.table.startswith(table)), OTHER)
