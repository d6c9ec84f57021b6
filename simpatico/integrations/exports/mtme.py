"""mt-metrics-eval: score files of systems and segments, for the statistics of WMT.

    OUT/style_matching-src.sys.score      acme<TAB>0.41            a line for each system
    OUT/style_matching-src.seg.score      acme<TAB>0.38            a block of lines for each system
    OUT/segments.tsv                      which prompt or dialog each line of a block is

The form is that of "File organization and naming convention" in the README of
https://github.com/google-research/mt-metrics-eval: NAME-REF.LEVEL.score, where the reference `src`
is none; fields are separated by white space, every system has the same segments in the same order,
and metrics have no missing values. A segment is a prompt that all systems replied to, else a dialog
that all of them took part in, and its value the mean of the system's scores there. Segments that
lack any of the scores are in no file. The score of a system is that of the run.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

import polars as pl

from simpatico.comparison.samples import (
    ComparedSystem,
    Selection,
    Unit,
    load_run_systems,
    mean_by_unit,
)
from simpatico.errors import BadValue
from simpatico.files import make_folder, write_atomically
from simpatico.integrations.exports import Export
from simpatico.run.long import select_scores
from simpatico.wording import format_count

SEGMENTS = "segments.tsv"
"""By which we know our own folder."""
WHITE = re.compile(r"\s+")
UNITS: tuple[Unit, ...] = ("prompt", "dialog")


@dataclass(frozen=True)
class Segments:
    """The units that all systems share, in one order, and the values of each system."""

    unit: Unit
    values: dict[str, pl.DataFrame]
    n_left_out: int

    @classmethod
    def of(cls, systems: Sequence[ComparedSystem], scores: Sequence[str]) -> Segments:
        """The prompts, or the dialogs where these are more, with all scores of all systems."""
        best, unit = pl.DataFrame(), UNITS[0]
        for candidate in UNITS:
            keys = [s.units.select(candidate).drop_nulls().unique() for s in systems]
            common = reduce(lambda a, b: a.join(b, on=candidate), keys)
            if common.height > best.height:
                best, unit = common, candidate
        if not best.height:
            raise BadValue(
                "the systems share no prompts or dialogs, and segments are what all have replied "
                "to; name one system with --system"
            )
        tables = {s.name: mean_by_unit(s, unit, scores) for s in systems}
        whole = best.sort(unit)
        for table in tables.values():
            whole = whole.join(table.drop_nulls(), on=unit, how="semi", maintain_order="left")
        if not whole.height:
            raise BadValue(
                f"no {unit} has all of {', '.join(scores)} for every system; choose scores with "
                "--scores"
            )
        order = {name: whole.join(table, on=unit, how="left") for name, table in tables.items()}
        return cls(unit, order, best.height - whole.height)


def write(export: Export, folder: Path, *, force: bool = False) -> str:
    """Write the files; a sentence of what is in them."""
    scores = select_scores(export.run, export.frame(), export.scores, every=export.every)
    chosen = Selection(export.level, tuple(scores))
    systems = [s for s in load_run_systems(export.run, chosen) if s.name in export.systems]
    segments = Segments.of(systems, scores)
    names = {s.name: WHITE.sub("_", s.name) for s in systems}
    if len(set(names.values())) < len(names):
        raise BadValue(f"the systems {', '.join(names)} differ only in white space")
    open_folder(folder, force=force)
    means = export.run.at("system").filter(pl.col("system").is_in(list(names)))
    for score in scores:
        lines = [
            f"{names[system]}\t{value!r}"
            for system, table in segments.values.items()
            for value in table[score]
        ]
        write_lines(folder, score, "seg", lines)
    for score in select_scores(export.run, means, export.scores, every=export.every):
        rows = means.select("system", score).drop_nulls().rows()
        write_lines(folder, score, "sys", [f"{names[system]}\t{value!r}" for system, value in rows])
    first = next(iter(segments.values.values()))
    keys = [f"{n}\t{WHITE.sub(' ', key)}\n" for n, key in enumerate(first[segments.unit], 1)]
    write_atomically(folder / SEGMENTS, f"segment\t{segments.unit}\n{''.join(keys)}".encode())
    left_out = f"; left out without all scores: {segments.n_left_out:,}"
    return (
        f"{folder} has the scores of {', '.join(names.values())}: "
        f"{format_count(first.height, 'segment')}, each a {segments.unit}"
        f"{left_out if segments.n_left_out else ''}."
    )


def open_folder(folder: Path, *, force: bool) -> None:
    """Make the folder, or empty an earlier one of ours; any other is refused."""
    names = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    others = [name for name in names if name != SEGMENTS and not name.endswith(".score")]
    if not force and (others or (names and SEGMENTS not in names)):
        raise BadValue(
            f"--out {folder} holds {(others or names)[0]!r}, which `simpatico export` did not "
            "write; name another folder, or add --force to write into this one"
        )
    make_folder(folder)
    for name in set(names) - set(others):
        (folder / name).unlink()


def write_lines(folder: Path, score: str, level: str, lines: Sequence[str]) -> None:
    """The file of a score at a level, for its owner only; none where nothing is scored."""
    if lines:
        text = "".join(f"{line}\n" for line in lines)
        write_atomically(folder / f"{score.replace('/', '_')}-src.{level}.score", text.encode())
