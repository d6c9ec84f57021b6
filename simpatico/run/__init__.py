"""A finished run folder, read: its scores, its conversations and the facts about them.

The folder holds `turn.parquet`, `dialog.parquet`, `system.parquet`, `text.parquet` unless the text
was not to be kept, and `run.json`. `writer.py` makes it, `folder.py` knows its layout.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from simpatico.errors import BadValue, UnknownName, suggest_names
from simpatico.frames import TabularByLevel
from simpatico.metric import Metric
from simpatico.run.description import rebuild_metric
from simpatico.run.schema import Table, open_table, read_facts
from simpatico.turns import FIRST_UTTERANCE_COLUMNS, LEVELS, SCHEMA, Level, Turn, Turns

TEXT_COLUMNS = [*Turn._fields, "prompt"]
"""What `text.parquet` holds of every turn."""


@dataclass(frozen=True)
class Run(TabularByLevel):
    """A finished run folder, for reading."""

    folder: Path
    default_level: ClassVar[Level] = "system"

    def __post_init__(self) -> None:
        object.__setattr__(self, "folder", Path(self.folder))

    @cached_property
    def facts(self) -> dict[str, Any]:
        """What `run.json` says: signatures, inputs, counts. A finished run never changes."""
        return read_facts(self.folder)

    @cached_property
    def _tables(self) -> dict[Table, tuple[int, pl.LazyFrame]]:
        return {}

    @classmethod
    def trusted(cls, folder: Path) -> Run:
        """A run whose tables need no check, as this process has just written them."""
        run = cls(folder)
        tables: tuple[Table, ...] = (*LEVELS, "text")
        for table in tables:
            path = folder / f"{table}.parquet"
            if path.is_file():
                run._tables[table] = (path.stat().st_mtime_ns, pl.scan_parquet(path, glob=False))
        return run

    def scan(self, table: Table) -> pl.LazyFrame:
        """A table of the run, not in memory yet; checked when it is first asked for or changed."""
        path = self.folder / f"{table}.parquet"
        changed = path.stat().st_mtime_ns if path.is_file() else 0
        if not changed or self._tables.get(table, (0,))[0] != changed:
            self._tables[table] = (changed, open_table(self.folder, table, self.facts))
        return self._tables[table][1]

    @property
    def sources(self) -> list[str]:
        """The folder, or those of the runs that were merged into it."""
        return [str(folder) for folder in self.facts.get("runs", [self.folder])]

    @cached_property
    def metric_by_score(self) -> dict[str, str]:
        """The metric that each score belongs to."""
        metrics = self.facts["metrics"].items()
        return {s["name"]: name for name, facts in metrics for s in facts["scores"]}

    def at(self, level: Level, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """One row per unit, one column per score; only these columns, if they are named."""
        if level not in LEVELS:
            raise UnknownName(f"no level {level!r}; there are {', '.join(LEVELS)}")
        table = self.scan(level)
        names = list(table.collect_schema())
        if unknown := [c for c in columns or () if c not in names]:
            self.refuse_system_scores(unknown)
            path, advice = self.folder / f"{level}.parquet", suggest_names(unknown[0], names)
            raise UnknownName(f"no column {unknown[0]!r} in {path}; {advice}")
        return table.select(names if columns is None else columns).collect()

    def refuse_system_scores(self, scores: Iterable[str]) -> None:
        """Refuse scores that describe a system as a whole, where those of units are asked for."""
        metrics = self.facts["metrics"].values()
        of_systems = {s["name"] for m in metrics if m.get("level") == "system" for s in m["scores"]}
        if score := next((name for name in scores if name in of_systems), None):
            raise BadValue(
                f"{score!r} is computed per system and has no value for a turn or dialog; "
                f"simpatico show {self.folder} prints it"
            )

    def turns(self, dialogs: Iterable[str]) -> Turns | None:
        """All turns of these dialogs, in the order of the run; null where no text was kept."""
        self.facts  # noqa: B018 - refuses an unfinished run
        if not (self.folder / "text.parquet").is_file():  # may be deleted before a run is shared
            return None
        rows = self.scan("text").filter(pl.col("dialog").is_in(list(dialogs)))
        # features of metrics read all columns of a turn, of which the run keeps those for people
        columns = [*Turn._fields, *FIRST_UTTERANCE_COLUMNS]
        absent = [pl.lit(None, SCHEMA[c]).alias(c) for c in columns if c not in TEXT_COLUMNS]
        return Turns(rows.collect().with_columns(absent).select(columns).rechunk())

    def metric(self, name: str) -> Metric | str:
        """The metric that gave these scores, or a sentence why it cannot be had."""
        metrics = self.facts["metrics"]
        if name not in metrics:
            advice = suggest_names(name, metrics)
            raise UnknownName(f"no metric {name!r} in {self.folder}; {advice}")
        return rebuild_metric(name, metrics[name])
