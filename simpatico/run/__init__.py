"""A run folder: scores written in parts, each all or nothing, so that any run can be resumed.

While a run is under way its folder holds `parts/`; each part appears by a rename after its bytes
are on disk, its `.json` last. The finished folder holds `turn.parquet`, `dialog.parquet`,
`system.parquet`, unless it was asked not to `text.parquet`, and `run.json`, none of which depends
on when, where or how often it was resumed.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from simpatico.errors import BadValue, DataError, RecordError, UnknownName
from simpatico.files import (
    LEVEL,
    begin,
    discard,
    joined,
    locked,
    part_done,
    publish,
    publish_json,
    publish_rejects,
)
from simpatico.metric import Metric, package_version
from simpatico.readers import Alignment, Conversations, Source
from simpatico.readers.input.record import Reject
from simpatico.registry import suggestion
from simpatico.run import workers as local
from simpatico.run.description import described, parameters, rebuilt
from simpatico.scoring import chunk_of, consistent, score_chunk
from simpatico.system_metric import beside, gathered, is_whole, summarised
from simpatico.table import system_table
from simpatico.turns import CARRIED, LEVELS, SCHEMA, Level, Turn, Turns

KEPT = [*Turn._fields, "prompt"]
"""What `text.parquet` holds of every turn."""


@dataclass(frozen=True)
class Run:
    """A finished run folder, for reading."""

    folder: Path

    def __post_init__(self) -> None:
        object.__setattr__(self, "folder", Path(self.folder))

    @property
    def facts(self) -> dict[str, Any]:
        """What `run.json` says: signatures, inputs, counts."""
        path = self.folder / "run.json"
        if not path.is_file():
            raise DataError(f"{self.folder} is not a run folder: it has no run.json")
        try:
            facts: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            raise DataError(f"{path}: not valid JSON; score again into a new folder") from None
        if not isinstance(facts, dict) or ("metrics" not in facts and "status" not in facts):
            raise DataError(f"{path}: not the facts of a run; score again into a new folder")
        if facts.get("status") != "done":
            raise DataError(f"{self.folder}: the run is not finished; repeat its command")
        return facts

    def at(self, level: Level, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """One row per unit, one column per score; only these columns, if they are named."""
        if level not in LEVELS:
            raise UnknownName(f"no level {level!r}; there are {', '.join(LEVELS)}")
        self.facts  # noqa: B018 - refuses an unfinished run
        path = self.folder / f"{level}.parquet"
        known = list(pl.scan_parquet(path, glob=False).collect_schema())
        if unknown := [c for c in columns or () if c not in known]:
            self.refuse_whole(unknown)
            raise UnknownName(
                f"no column {unknown[0]!r} in {path}; {suggestion(unknown[0], known)}"
            )
        table = pl.scan_parquet(path, glob=False)
        return table.select(known if columns is None else columns).collect()

    def refuse_whole(self, scores: Iterable[str]) -> None:
        """Refuse scores that describe a system as a whole, where those of units are asked for."""
        told = self.facts["metrics"].values()
        whole = {s["name"] for m in told if m.get("level") == "system" for s in m["scores"]}
        if asked := [name for name in scores if name in whole]:
            raise BadValue(
                f"{asked[0]!r} describes a system as a whole, so that no turn and no dialog has a "
                f"value of it; simpatico show {self.folder} prints it"
            )

    def turns(self, dialogs: Iterable[str]) -> Turns | None:
        """All turns of these dialogs, in the order of the run; null where no text was kept."""
        self.facts  # noqa: B018 - refuses an unfinished run
        path = self.folder / "text.parquet"
        if not path.is_file():
            return None
        wanted = pl.col("dialog").is_in(list(dialogs))
        kept = pl.scan_parquet(path, glob=False).filter(wanted).collect()
        lack = [pl.lit(None, SCHEMA[c]).alias(c) for c in CARRIED if c not in KEPT]
        return Turns(kept.with_columns(lack).select(*Turn._fields, *CARRIED).rechunk())

    def metric(self, name: str) -> Metric | str:
        """The metric that gave these scores, or a sentence why it cannot be had."""
        known = self.facts["metrics"]
        if name not in known:
            raise UnknownName(f"no metric {name!r} in {self.folder}; {suggestion(name, known)}")
        return rebuilt(name, known[name])


def score_part(
    folder: Path, index: int, turns: Turns, metrics: Sequence[Metric], keep_text: bool
) -> int:
    """Score one chunk and publish it as a part; returns its number of turns."""
    table = score_chunk(turns, metrics)
    stem = folder / "parts" / f"{index:06d}"
    nulls: dict[str, dict[str, int]] = {}
    for level in ("turn", "dialog"):
        frame = table.at(level)
        publish(Path(f"{stem}.{level}.parquet"), frame.write_parquet)
        nulls[level] = {}
        for metric in metrics:
            if (column := f"{metric.name}_null") in frame.columns:
                nulls[level] |= counted(metric.name, frame[column])
    for metric in filter(is_whole, metrics):
        kept = table.statistics[metric.name]
        publish(material(folder, index, metric), kept.write_parquet, private=True)
    if keep_text:
        write = partial(turns.frame.select(KEPT).write_parquet, compression_level=LEVEL)
        publish(Path(f"{stem}.text.parquet"), write, private=True)
    publish_json(Path(f"{stem}.json"), nulls)
    return len(turns)


def material(folder: Path, index: int, metric: Metric) -> Path:
    """Where a part keeps what a metric of level "system" needs of its turns."""
    return folder / "parts" / f"{index:06d}.{metric.name}.material.parquet"


def counted(name: str, reasons: pl.Series) -> dict[str, int]:
    """How many units were scored and, by reason, how many were not, keyed `metric.reason`."""
    counts = reasons.str.extract("^([^ ]*)").fill_null("scored").value_counts(sort=True)
    return {f"{name}.{reason}": n for reason, n in counts.iter_rows()}


def finish(folder: Path, metrics: Sequence[Metric], parts: int, facts: Mapping[str, Any]) -> None:
    """Join the parts into whole tables and say in `run.json` that the run is done."""
    for table in ("turn", "dialog", *(["text"] if facts["text"] else [])):
        files = [folder / "parts" / f"{i:06d}.{table}.parquet" for i in range(parts)]
        publish(folder / f"{table}.parquet", partial(joined, files), private=table == "text")
    dialogs = pl.scan_parquet(folder / "dialog.parquet", glob=False)
    scores = [s for m in metrics if not is_whole(m) for s in m.scores]
    systems = system_table(lambda c: dialogs.select(c).collect().to_series(), scores)
    told_of, whole = whole_systems(folder, metrics, parts)
    publish(folder / "system.parquet", beside(systems, told_of).write_parquet)
    nulls: dict[str, Counter[str]] = {"turn": Counter(), "dialog": Counter(), **whole}
    for index in range(parts):
        told = json.loads((folder / "parts" / f"{index:06d}.json").read_text(encoding="utf-8"))
        for level, counts in told.items():
            nulls[level].update(counts)
    told = {m.name: {**facts["metrics"][m.name], "parameters": parameters(m)} for m in metrics}
    done = {"metrics": told, "units": nulls, "status": "done"}
    publish_json(folder / "run.json", {**facts, **done})
    shutil.rmtree(folder / "parts")


def whole_systems(
    folder: Path, metrics: Sequence[Metric], parts: int
) -> tuple[list[pl.DataFrame], dict[str, Counter[str]]]:
    """What metrics of level "system" say of the systems, and how many of them they could score."""
    told, counts = [], Counter[str]()
    for metric in filter(is_whole, metrics):
        files = [material(folder, index, metric) for index in range(parts)]
        kept = gathered(metric, (pl.read_parquet(file, glob=False) for file in files))
        told.append(summarised(metric, kept))
        counts.update(counted(metric.name, told[-1][f"{metric.name}_null"]))
    return told, {"system": counts} if told else {}


@dataclass
class Scoring:
    """One call of `score_run`: what is read, with which metrics, into which folder."""

    conversations: Conversations
    metrics: Sequence[Metric]
    folder: Path
    chunk: int
    jobs: int
    progress: Callable[[int], object]
    keep_text: bool
    alignment: Alignment = field(default_factory=Alignment)
    rejects: list[Reject] = field(default_factory=list)
    parts: int = 0

    def tasks(self) -> Iterator[tuple[Path, int, Turns, Sequence[Metric], bool]]:
        """The chunks that are still to be scored; those already done are only counted."""
        for chunk in self.conversations.chunks(self.chunk):
            self.alignment = self.alignment + chunk.alignment
            self.rejects += chunk.rejects
            index, self.parts = self.parts, self.parts + 1
            if part_done(self.folder, index):
                self.progress(len(chunk.turns))
            else:
                yield self.folder, index, chunk.turns, self.metrics, self.keep_text

    def score(self) -> None:
        """Score what is to be scored and wait until every part is on disk."""
        for turns in local.run(score_part, self.tasks(), jobs=self.jobs):
            self.progress(turns)
        if not self.alignment.dialogs:
            raise RecordError(f"no dialog in {', '.join(map(str, self.conversations.paths))}")


def score_run(
    conversations: Conversations,
    metrics: Sequence[Metric],
    folder: Path | str,
    *,
    chunk: int | None = None,
    jobs: int = 1,
    progress: Callable[[int], object] = lambda turns: None,
    keep_text: bool = True,
) -> Run:
    """Score conversations into a folder, going on where an earlier call of the same run stopped.

    With `keep_text` the folder also holds the conversations, for the report to quote from.
    """
    consistent(metrics)
    chunk = chunk or chunk_of(metrics)
    folder, known = Path(folder), basis(conversations, metrics, chunk, keep_text)
    with locked(folder):
        if begin(folder, key_of(known)):
            job = Scoring(conversations, metrics, folder, chunk, jobs, progress, keep_text)
            try:
                job.score()
                if basis(conversations, metrics, chunk, keep_text) != known:
                    raise RecordError("an input, lexicon or model changed meanwhile; score again")
            except RecordError:  # what was read must change or has changed: no part is of use
                discard(folder)
                raise
            publish_rejects(folder, job.rejects)
            facts = {**known, "key": key_of(known), "alignment": job.alignment.as_json()}
            finish(folder, metrics, job.parts, facts)
    return Run(folder)


def basis(
    conversations: Conversations, metrics: Sequence[Metric], chunk: int, keep_text: bool
) -> dict[str, Any]:
    """All that a run's files depend on."""
    given = {f.name: getattr(conversations, f.name) for f in fields(conversations)}
    return {
        "version": package_version(),
        "inputs": [input_facts(source) for source in conversations.sources],
        "options": {**given, "paths": None, "chunk": chunk},
        "metrics": {m.name: described(m) for m in metrics},
        "text": keep_text,
    }


def key_of(known: Mapping[str, Any]) -> str:
    """The basis as a hash; a folder with another key is never added to."""
    return hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()


def input_facts(source: Source) -> dict[str, str]:
    """Name and hash of an input; of a folder, over the names and bytes of its files."""
    name = Path(source.name).name
    if source.folder is None:
        return {"name": name, "sha256": source.sha256()}
    digest = hashlib.sha256()
    for path in sorted(p for p in source.folder.rglob("*") if p.is_file()):
        digest.update(f"{path.relative_to(source.folder)}\0".encode())
        digest.update(Source.of(path).sha256().encode())
    return {"name": name, "sha256": digest.hexdigest()}
