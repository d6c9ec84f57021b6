"""The units of a study: what its questions ask about, cut from its source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from simpatico.errors import DataError, suggest_names
from simpatico.questions.question import Asked
from simpatico.questions.units import (
    Side,
    Unit,
    exchanges,
    load_turns,
    pairs,
    split_dialogs,
    unit_id,
)
from simpatico.study.design import Design


def build_units(design: Design, folder: Path) -> Iterator[Unit]:
    """The units of a study's source: for each kind that some outsiders' question asks about."""
    if not design.rate.source:
        return
    place = folder / design.rate.source
    if not place.exists():
        raise DataError(f"[rate]: there is no source {place}; name a run folder or a file")
    try:
        dialogs = list(split_dialogs(load_turns(place)))
    except DataError as error:
        way_out = "; a study has no such option: score the file with it, and name the run"
        raise DataError(f"[rate]: {error}{way_out if ' --' in str(error) else ''}") from None
    if not dialogs:
        raise DataError(f"[rate]: the source {place} has no dialogs; name another")
    check_gold(design, dialogs)
    units = list(units_of(design, dialogs))
    if problem := source_problem(design, units):
        raise DataError(f"[rate]: the source {place} has nothing to rate: {problem}")
    yield from units


def source_problem(design: Design, units: Iterable[Unit]) -> str | None:
    """Which question there is nothing to be asked about, and why; null if there is none."""
    found: set[Asked] = {unit.kind for unit in units}
    if any(line.rated for unit in units for side in unit.sides for line in side.lines):
        found.add("turn")
    reasons = {
        "turn": "a turn by a system; name the system of every speaker in the column system",
        "exchange": "a turn by a system after another one; the column system names systems",
        "pair": "two dialogs by different systems; the column system names them",
    }
    missing = (q for q in design.questions if "outsider" in q.roles and q.unit not in found)
    return next((f"{q.name!r} needs {reasons[q.unit]}" for q in missing), None)


def check_gold(design: Design, dialogs: Iterable[Side]) -> None:
    """Refuse right answers about a dialog or a turn that is not there."""
    sides = {side.dialog: side for side in dialogs}
    for item in design.gold:
        if item.dialog not in sides:
            hint = suggest_names(item.dialog, sides)
            raise DataError(f"[[gold]]: the source has no dialog {item.dialog!r}; {hint}")
        rated = [line.turn for line in sides[item.dialog].lines if line.rated]
        for turn in (e.turn for e in item.expected):
            if turn is not None and turn not in rated:
                turns = ", ".join(map(str, rated))
                raise DataError(
                    f"[[gold]]: turn {turn} of dialog {item.dialog!r} is not rated; {turns} are"
                )


def units_of(design: Design, dialogs: Iterable[Side]) -> Iterator[Unit]:
    """Units of every kind that is asked about; exchanges come with their dialog, for the export."""
    dialogs, kinds = list(dialogs), design.rated_kinds
    if kinds & {"dialog", "exchange"}:
        yield from (Unit(unit_id("dialog", d.dialog), "dialog", (d,)) for d in dialogs)
    if "exchange" in kinds:
        yield from exchanges(dialogs)
    if "pair" in kinds:
        yield from pairs(dialogs)
