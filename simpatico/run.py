"""A run folder: scores written in parts, each all or nothing, so that any run can be resumed.

While a run is under way its folder holds `parts/`; each part appears by a rename after its bytes
are on disk, its `.json` last. The finished folder holds `turn.parquet`, `dialog.parquet`,
`system.parquet` and `run.json`, none of which depends on when, where or how often it was resumed.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import polars as pl

from simpatico.engines import local
from simpatico.errors import DataError, RecordError, RunError, UnknownName
from simpatico.metric import Metric, bounds, package_version, signature
from simpatico.parts import locked, publish, publish_json, sign
from simpatico.read import Alignment, Conversations, Source
from simpatico.read.record import Reject
from simpatico.score import CHUNK, consistent, score_chunk
from simpatico.table import system_table
from simpatico.turns import LEVELS, Level, Turns

ROWS_PER_GROUP = 65_536
Nulls = dict[str, dict[str, int]]


@dataclass(frozen=True)
class Run:
    """A finished run folder, for reading."""

    folder: Path

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
        if facts.get("status") != "done":
            raise DataError(f"{self.folder}: the run is not finished; repeat its command")
        return facts

    def at(self, level: Level) -> pl.DataFrame:
        """One row per unit, one column per score."""
        if level not in LEVELS:
            raise UnknownName(f"no level {level!r}; there are {', '.join(LEVELS)}")
        self.facts  # noqa: B018 - refuses an unfinished run
        return pl.read_parquet(self.folder / f"{level}.parquet", glob=False)


def begin(folder: Path, key: str) -> bool:
    """Make the folder ready; false when this very run is already finished in it."""
    path = folder / "run.json"
    if path.exists():
        try:
            held = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            held = {}
        if held.get("key") != key:
            raise RunError(
                f"{folder} holds a run of other input, metrics, options or version; "
                "choose another folder or delete this one"
            )
        if held.get("status") == "done":
            shutil.rmtree(folder / "parts", ignore_errors=True)
            return False
    elif any(not p.name.endswith(".tmp") for p in folder.iterdir()):
        raise RunError(f"{folder} holds files that are not of a run; choose an empty folder")
    else:
        publish_json(path, {"status": "running", "key": key})
    (folder / "parts").mkdir(exist_ok=True)
    for leftover in [*folder.glob(".*.tmp"), *folder.glob("parts/.*.tmp")]:
        leftover.unlink()
    sign(folder)
    return True


def discard(folder: Path) -> None:
    """Take back an unfinished run, so that the folder can be used again."""
    shutil.rmtree(folder / "parts")
    (folder / "run.json").unlink()


def part_done(folder: Path, index: int) -> bool:
    return (folder / "parts" / f"{index:06d}.json").exists()


def score_part(folder: Path, index: int, turns: Turns, metrics: Sequence[Metric]) -> int:
    """Score one chunk and publish it as a part; returns its number of turns."""
    table = score_chunk(turns, metrics)
    stem = folder / "parts" / f"{index:06d}"
    nulls: Nulls = {}
    for level in ("turn", "dialog"):
        frame = table.at(level)
        publish(Path(f"{stem}.{level}.parquet"), frame.write_parquet)
        nulls[level] = {}
        for metric in metrics:
            if (column := f"{metric.name}_null") in frame.columns:
                nulls[level] |= counted(metric.name, frame[column])
    publish_json(Path(f"{stem}.json"), nulls)
    return len(turns)


def counted(name: str, reasons: pl.Series) -> dict[str, int]:
    """How many units were scored and, by reason, how many were not, keyed `metric.reason`."""
    counts = reasons.fill_null("scored").value_counts(sort=True)
    return {f"{name}.{reason}": n for reason, n in counts.iter_rows()}


def finish(folder: Path, metrics: Sequence[Metric], parts: int, facts: Mapping[str, Any]) -> None:
    """Join the parts into the three tables and say in `run.json` that the run is done."""
    for level in ("turn", "dialog"):
        files = [folder / "parts" / f"{i:06d}.{level}.parquet" for i in range(parts)]
        publish(folder / f"{level}.parquet", lambda path, files=files: joined(files, path))  # type: ignore[misc]
    dialogs = pl.scan_parquet(folder / "dialog.parquet", glob=False)
    scores = [s for m in metrics for s in m.scores]
    systems = system_table(lambda c: dialogs.select(c).collect().to_series(), scores)
    publish(folder / "system.parquet", systems.write_parquet)
    nulls: dict[str, dict[str, int]] = {"turn": {}, "dialog": {}}
    for index in range(parts):
        told = json.loads((folder / "parts" / f"{index:06d}.json").read_text(encoding="utf-8"))
        for level, counts in told.items():
            for name, n in counts.items():
                nulls[level][name] = nulls[level].get(name, 0) + n
    publish_json(folder / "run.json", {**facts, "units": nulls, "status": "done"})
    shutil.rmtree(folder / "parts")


def joined(files: Sequence[Path], out: Path) -> None:
    """All parts as one file, read and written piece by piece."""
    pl.scan_parquet(list(files), glob=False).sink_parquet(
        out, row_group_size=ROWS_PER_GROUP, maintain_order=True
    )


@dataclass
class Scoring:
    """One call of `score_run`: what is read, with which metrics, into which folder."""

    conversations: Conversations
    metrics: Sequence[Metric]
    folder: Path
    chunk: int
    jobs: int
    progress: Callable[[int], object]
    alignment: Alignment = field(default_factory=Alignment)
    rejects: list[Reject] = field(default_factory=list)
    parts: int = 0

    def tasks(self) -> Iterator[tuple[Path, int, Turns, Sequence[Metric]]]:
        """The chunks that are still to be scored; those already done are only counted."""
        for chunk in self.conversations.chunks(self.chunk):
            self.alignment = self.alignment + chunk.alignment
            self.rejects += chunk.rejects
            index, self.parts = self.parts, self.parts + 1
            if part_done(self.folder, index):
                self.progress(len(chunk.turns))
            else:
                yield self.folder, index, chunk.turns, self.metrics

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
    chunk: int = CHUNK,
    jobs: int = 1,
    progress: Callable[[int], object] = lambda turns: None,
) -> Run:
    """Score conversations into a folder, going on where an earlier call of the same run stopped."""
    consistent(metrics)
    folder, known = Path(folder), basis(conversations, metrics, chunk)
    with locked(folder):
        if begin(folder, key_of(known)):
            job = Scoring(conversations, metrics, folder, chunk, jobs, progress)
            try:
                job.score()
                if basis(conversations, metrics, chunk) != known:
                    raise RecordError("an input, lexicon or model changed meanwhile; score again")
            except RecordError:  # what was read must change or has changed: no part is of use
                discard(folder)
                raise
            publish_rejects(folder, job.rejects)
            facts = {**known, "key": key_of(known), "alignment": job.alignment.as_json()}
            finish(folder, metrics, job.parts, facts)
    return Run(folder)


def basis(conversations: Conversations, metrics: Sequence[Metric], chunk: int) -> dict[str, Any]:
    """All that a run's numbers depend on."""
    given = {f.name: getattr(conversations, f.name) for f in fields(conversations)}
    return {
        "version": package_version(),
        "inputs": [input_facts(source) for source in conversations.sources],
        "options": {**given, "paths": None, "chunk": chunk},
        "metrics": {m.name: described(m) for m in metrics},
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


def described(metric: Metric) -> dict[str, Any]:
    """What a reader of the scores must know about a metric."""
    scores = [
        {"name": s.name, "range": bounds(s.range), "better": s.better, "meaning": s.meaning}
        for s in metric.scores
    ]
    facts = {"signature": signature(metric), "level": metric.level, "kind": metric.card.kind}
    return {**facts, "scores": scores}


def publish_rejects(folder: Path, rejects: Sequence[Reject]) -> None:
    """What could not be read, one JSON object a line: file, line, byte, code, reason."""
    if rejects:
        rows = [{**r.place._asdict(), "code": r.code, "reason": r.reason} for r in rejects]
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        publish(folder / "rejects.jsonl", lambda p: p.write_text(text, encoding="utf-8"))
