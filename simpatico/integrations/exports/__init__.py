"""Scores of a run for other tools: a file per format with `write`, per server with `push`."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, Protocol
from urllib.parse import urlsplit

import polars as pl

from simpatico.addresses import is_loopback
from simpatico.comparison.gate import select_systems
from simpatico.comparison.samples import UnitLevel
from simpatico.errors import BadValue, RunError
from simpatico.files import write_atomically
from simpatico.readers.extra_columns import SOURCE_ID
from simpatico.run import Run
from simpatico.run.long import long_table

Format = Literal["inspect", "otlp", "sav"]
Server = Literal["langfuse", "mlflow", "phoenix"]
Target = Literal["session", "trace"]
"""What a dialog is on a server: a trace where its messages are those of one."""
Refused = Callable[[str], object]
ID_DIGITS = 32
CHECK = "check address and keys, and "


@dataclass(frozen=True)
class Export:
    """What is exported of a run: the units of a level, of some systems, and their scores."""

    run: Run
    level: UnitLevel
    systems: tuple[str, ...]
    scores: tuple[str, ...] = ()
    every: bool = False
    target: Target = "session"

    def __post_init__(self) -> None:
        self.run.refuse_system_scores(self.scores)

    @cached_property
    def signatures(self) -> dict[str, str]:
        """The signature of the metric that each score belongs to."""
        metrics = self.run.facts["metrics"]
        return {s: metrics[m]["signature"] for s, m in self.run.metric_by_score.items()}

    def frame(self) -> pl.DataFrame:
        """The units, a row each with all of their columns."""
        return self.run.at(self.level).filter(pl.col("system").is_in(self.systems))

    def table(self) -> pl.DataFrame:
        """A row per unit and score, with signature, and the reason where it is null."""
        frame = self.frame()
        table = long_table(self.run, frame, self.level, self.scores, every=self.every)
        unit = pl.int_range(pl.len()) % frame.height
        signature = pl.col("score").replace_strict(self.signatures).alias("signature")
        return table.sort(unit, maintain_order=True).with_columns(signature)

    def rows(self) -> Iterator[dict[str, Any]]:
        """The rows of the table, unit by unit."""
        return self.table().iter_rows(named=True)

    def placed_rows(self, unit: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """The rows with the place of each on a server: the dialog, or the `unit` that a turn was.

        A turn of the user is no unit of its own: it is part of what answers it.
        """
        if self.level == "turn" and SOURCE_ID not in self.run.facts.get("columns", []):
            raise BadValue(
                f"{self.run.folder} does not say which {unit} a turn was; score what the tool "
                "itself exported, or send the scores of dialogs (leave out --level)"
            )
        for row in self.rows():
            place = row["dialog" if self.level == "dialog" else SOURCE_ID]
            if place is not None:
                yield place, row

    def facts(self, row: dict[str, Any]) -> dict[str, str]:
        """What a tool keeps beside the value of a row: whose score it is, and how it was made."""
        whose = {"speaker": row["speaker"], "system": row["system"]}
        return {**whose, "signature": self.signatures[row["score"]]}

    def own_id(self, kind: str, place: str, row: dict[str, Any]) -> str:
        """An id that the same score of the same unit always has, so that a second push is none."""
        facts = self.facts(row)
        unit = (kind, place, facts["speaker"], row["score"], facts["signature"])
        return hashlib.sha256("\0".join(unit).encode()).hexdigest()[:ID_DIGITS]


class ServerExport(Protocol):
    """A module that sends scores; `refused` is called with each refusal."""

    def score_bodies(self, export: Export) -> Iterator[dict[str, Any]]: ...

    def push(self, export: Export, refused: Refused) -> tuple[int, int]: ...


def server_export(server: Server) -> ServerExport:
    """The module of a server."""
    module: Any = import_module(f"simpatico.integrations.exports.{server}")
    return module  # type: ignore[no-any-return]


def null_words(reason: str | None) -> str:
    """Why there is no score, in words."""
    return f"not scored: {(reason or 'undefined').replace('_', ' ')}"


def push_error(what: str, n_accepted: int, advice: str = "") -> RunError:
    """A push that broke off, which the same command takes up."""
    return RunError(
        f"{what} after {n_accepted:,} scores; {advice}run the same command again", resumable=True
    )


def check_address(url: str, name: str) -> None:
    """Refuse to send keys in the clear, unless to this machine."""
    address = urlsplit(url)
    if address.scheme != "https" and not is_loopback(address.hostname or ""):
        raise BadValue(f"{name} is not https, and the keys would be sent in the clear")


def write_export(export: Export, format: Format, path: Path) -> None:
    """Write the file of a format; it appears whole or not at all, for its owner only."""
    writer = import_module(f"simpatico.integrations.exports.{format}")
    write_atomically(path, lambda temporary: writer.write(export, temporary))


def systems_of(run: Run, system: str | None, *, with_human: bool) -> tuple[str, ...]:
    """The systems to export: the one named, else all, with or without the users."""
    if with_human and system is None:
        return tuple(run.at("system", ["system"])["system"])
    return tuple(select_systems(run, system))
