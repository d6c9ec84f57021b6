"""Parts of a run: read and scored by any process, each complete once its `.json` is there.

Workers read their pieces of the input themselves, so that nothing but file names and byte ranges
goes from one process to another.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from simpatico.errors import RecordError
from simpatico.files import fault, make_folder, write_atomically, write_json_atomically
from simpatico.metric import Metric
from simpatico.privacy.pseudonyms import Pseudonyms
from simpatico.readers import Alignment, Conversations
from simpatico.readers.chunk_builder import Piece
from simpatico.readers.conversations import Chunk
from simpatico.readers.extra_columns import replace_values
from simpatico.readers.input.record import Place, Reject
from simpatico.run import TEXT_COLUMNS
from simpatico.run.columns import write_extras
from simpatico.run.engines import RayWorkers
from simpatico.run.folder import announce_run, part_path
from simpatico.run.joining import Joining
from simpatico.scoring import score_chunk
from simpatico.system_metric import is_system_metric, sample_material
from simpatico.table import ScoreTable
from simpatico.turns import Turns
from simpatico.workers import Workers

IN_ORDER = "in-order"
"""Says that the parts are those of an input that was read in order."""


@dataclass(frozen=True)
class PartScorer:
    """Scores parts of a run, in this process or in others."""

    folder: Path
    key: str
    conversations: Conversations
    metrics: tuple[Metric, ...]
    keep_text: bool
    pseudonyms: Pseudonyms | None
    packed: bool = False
    """For parts that stay; those of one run are packed once, when they are joined."""
    is_large: bool = False
    """Whether each process has much to read, and so uses what Numba compiled, where it is there."""

    def score_piece(self, index: int, piece: Piece) -> int:
        """Read a piece of the input and score it as a part; returns its number of turns."""
        return self.score_chunk(index, self.conversations.read_piece(piece))

    def score_chunk(self, index: int, chunk: Chunk) -> int:
        """Score a chunk and write it as a part, its `.json` last; returns its number of turns."""
        if self.is_large:
            os.environ.setdefault("SIMPATICO_WORDS", "fast")
        folder, turns, table = self.folder, chunk.turns, score_chunk(chunk.turns, self.metrics)
        if self.pseudonyms:  # after scoring: user-aware metrics and outside scores need real ids
            turns, table = rename_units(turns, table, self.pseudonyms)
        announce_run(folder, self.key)
        fault("announced")
        frames, nulls = dict[str, pl.DataFrame](), dict[str, dict[str, int]]()
        for level in ("turn", "dialog"):
            frame = frames[level] = table.at(level)
            nulls[level] = {}
            for metric in self.metrics:
                if (column := f"{metric.name}_null") in frame.columns:
                    nulls[level] |= count_reasons(metric.name, frame[column])
        for metric in filter(is_system_metric, self.metrics):
            path = material_path(folder, index, metric)
            write_atomically(path, table.statistics[metric.name].write_parquet)
        if self.keep_text:
            frames["text"] = turns.frame.select(TEXT_COLUMNS)
        for name, frame in frames.items():
            write = partial(frame.write_ipc, compression="zstd" if self.packed else "uncompressed")
            write_atomically(part_path(folder, index, f"{name}.arrow"), write)
        write_extras(folder, index, turns)
        ids = turns.frame.filter(pl.col("turn") == 0)["dialog"].hash()
        write_atomically(part_path(folder, index, "dialogs"), ids.to_numpy().tobytes())
        part = {
            "turns": len(turns),
            "rows": {name: frame.height for name, frame in frames.items()},
            "units": nulls,
            "alignment": chunk.alignment.as_json(),
            "rejects": chunk.rejects,
        }
        # last of all: a part counts as done once this file is there
        write_json_atomically(part_path(folder, index, "json"), part)
        fault("part-scored")
        return len(turns)


def score_parts(
    scorer: PartScorer,
    size: int,
    workers: Workers | RayWorkers,
    progress: Callable[[int], object],
    joining: Joining | None = None,
) -> tuple[Alignment, list[Reject], int]:
    """Score all parts that are not there yet; what was read, what was rejected, how many parts.

    Workers read their pieces of the input themselves. Only where dialogs are not each in one piece,
    or a record is wrong, the input is read in order, by which the first wrong record is found.
    """

    def advance(turns: int) -> None:
        progress(turns)
        if joining:
            joining.look()

    folder, conversations = scorer.folder, scorer.conversations
    in_order = folder / "parts" / IN_ORDER
    pieces = None if in_order.exists() else conversations.pieces(size)
    if pieces is not None:
        limit = conversations.max_errors
        try:
            parts = run_tasks(scorer, scorer.score_piece, pieces, (workers, advance))
            alignment, rejects, _ = collect_parts(folder, parts)
            if limit is not None and len(rejects) > limit:
                raise RecordError(f"more than {limit} bad records")
        except RecordError:
            for _ in conversations.chunks(size):  # raises the first error of all
                pass
            raise
        if dialogs_are_whole(folder, parts):
            return alignment + Alignment(ignored=conversations.inputs[1]), rejects, parts
        if joining:
            joining.cancel()
        shutil.rmtree(folder / "parts")
        make_folder(folder / "parts")
        write_atomically(in_order, b"")
    parts = run_tasks(scorer, scorer.score_chunk, conversations.chunks(size), (workers, advance))
    return collect_parts(folder, parts)


def run_tasks(
    scorer: PartScorer,
    work: Callable[[int, Any], int],
    items: Iterable[Any],
    how: tuple[Workers | RayWorkers, Callable[[int], object]],
) -> int:
    """Score the parts that are not there yet, each from its item; returns how many there are."""
    (workers, progress), count = how, 0

    def tasks() -> Iterator[tuple[int, Any]]:
        nonlocal count
        for item in items:
            index, count = count, count + 1
            path = part_path(scorer.folder, index, "json")
            if path.exists():
                progress(json.loads(path.read_bytes())["turns"])
            else:
                yield index, item

    if isinstance(workers, RayWorkers):  # one that is killed while it does this leaves its file
        announce_run(scorer.folder, scorer.key)
    for n_turns in workers.map(work, tasks()):
        progress(n_turns)
    return count


def collect_parts(folder: Path, parts: int) -> tuple[Alignment, list[Reject], int]:
    """What was read and rejected in all parts, in their order."""
    alignment, rejects = Alignment(), list[Reject]()
    for index in range(parts):
        part = json.loads(part_path(folder, index, "json").read_bytes())
        alignment += Alignment(**part["alignment"])
        rejects += [Reject(Place(*place), *rest) for place, *rest in part["rejects"]]
    return alignment, rejects, parts


def dialogs_are_whole(folder: Path, parts: int) -> bool:
    """Whether no dialog is in two parts; two ids of one hash are taken for one."""
    data = bytearray()
    for index in range(parts):
        data += part_path(folder, index, "dialogs").read_bytes()
    hashes = np.frombuffer(data, np.uint64)
    hashes.sort()  # in place: of many millions of dialogs they are most of what a run holds
    return not (hashes[1:] == hashes[:-1]).any()


def rename_units(
    turns: Turns, table: ScoreTable, pseudonyms: Pseudonyms
) -> tuple[Turns, ScoreTable]:
    """The turns and their scores under the pseudonyms of dialogs and speakers."""
    frame = pseudonyms.rename(turns.frame)
    if pseudonyms.columns:
        values = (replace_values(e, pseudonyms.columns, pseudonyms.of) for e in frame["extras"])
        frame = frame.with_columns(pl.Series("extras", list(values), pl.String))
    statistics = dict(table.statistics)
    for metric in filter(is_system_metric, table.metrics):
        material = pseudonyms.rename(statistics[metric.name])
        statistics[metric.name] = sample_material(metric, material)  # in the order of the new ids
    return Turns(frame), ScoreTable(pseudonyms.rename(table.keys), table.metrics, statistics)


def material_path(folder: Path, index: int, metric: Metric) -> Path:
    """Where a part keeps what a metric of level "system" needs of its turns."""
    return part_path(folder, index, f"{metric.name}.material.parquet")


def count_reasons(name: str, reasons: pl.Series) -> dict[str, int]:
    """How many units were scored and, by reason, how many were not, keyed `metric.reason`."""
    each = reasons.value_counts(name="n")
    # a reason ends at its first space: what follows, such as how many are lacking, is a detail
    reason = pl.col(reasons.name).str.extract("^([^ ]*)").fill_null("scored").alias("reason")
    counts = each.group_by(reason, maintain_order=True).agg(pl.col("n").sum())
    counts = counts.sort("n", "reason", descending=[True, False])
    return {f"{name}.{reason}": n for reason, n in counts.iter_rows()}
