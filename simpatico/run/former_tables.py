"""Row groups of a run's tables that stay as they are when inputs are added behind the others."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import accumulate, takewhile
from pathlib import Path
from typing import Any

from simpatico.run import row_groups
from simpatico.run.folder import ADDED, part_path, stored_facts
from simpatico.run.joining import Former
from simpatico.run.schema import file_problem


def former_tables(
    folder: Path,
    folders: Sequence[str],
    alignment: Mapping[str, Any],
    libraries: Mapping[str, str],
) -> dict[str, Former]:
    """Of each table, the row groups full of the inputs that come first now as before.

    `folders` are those of all inputs in `added/`. Nothing is taken over from a table that was
    damaged, has other columns, or was written by other libraries.
    """
    facts, before = stored_facts(folder), former_folders(folder)
    if facts.get("status") != "done" or facts.get("libraries") != libraries:
        return {}
    if facts["alignment"]["columns"].keys() != alignment["columns"].keys():
        return {}
    pairs = zip(folders, before, strict=False)
    same = [name for name, _ in takewhile(lambda pair: pair[0] == pair[1], pairs)]
    rows = [part["rows"] for name in same for part in stored_parts(folder / ADDED / name)]
    former = {}
    for table in rows[0] if rows else ():
        ends = list(accumulate(part[table] for part in rows))
        groups, own = divmod(ends[-1], row_groups.ROWS_PER_GROUP)
        path = folder / f"{table}.parquet"
        if groups and not file_problem(path, facts):
            at = ends[-1] - own
            first = sum(end <= at for end in ends)
            former[table] = Former(path, groups, first, at - (ends[first - 1] if first else 0))
    return former


def former_folders(folder: Path) -> list[str]:
    """Those of all inputs that the run's tables were joined from, in their order."""
    with suppress(OSError, ValueError, KeyError):
        names: list[str] = json.loads((folder / f"{ADDED}.json").read_bytes())["folders"]
        return names
    return []


def stored_parts(folder: Path) -> list[dict[str, Any]]:
    """What is stored of each part of an input."""
    paths = (part_path(folder, index, "json") for index in range(stored_facts(folder)["parts"]))
    return [json.loads(path.read_bytes()) for path in paths]
