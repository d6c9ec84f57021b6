"""Score conversations into a run folder, in parts that are all or nothing, so that any run resumes.

None of the finished files depends on when, where or how often the run was resumed.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from pathlib import Path
from typing import Any

import polars as pl

from simpatico.errors import RecordError, suggest_names
from simpatico.files import fault, write_atomically, write_json_atomically
from simpatico.metric import Metric, package_version
from simpatico.privacy.pseudonyms import Pseudonyms
from simpatico.readers import Conversations, Source
from simpatico.run import Run
from simpatico.run.columns import add_columns, stored_names
from simpatico.run.description import describe_metric, library_versions, metric_parameters
from simpatico.run.engines import Ray, RayWorkers
from simpatico.run.folder import REJECTS, open_run, part_path, write_rejects
from simpatico.run.joining import Joining
from simpatico.run.parts import PartScorer, count_reasons, material_path, score_parts
from simpatico.run.schema import FORMAT, describe_file, facts_hash
from simpatico.scoring import check_metrics, chunk_size
from simpatico.system_means import Means, Sums, means_table, scan_dialogs, sum_dialogs
from simpatico.system_metric import (
    is_system_metric,
    join_summaries,
    merge_material,
    summarise_systems,
)
from simpatico.turns import KEYS
from simpatico.workers import Workers

LARGE = 150_000_000
"""Bytes a process, from which what Numba compiled saves more time than it takes to load."""
TASKS = 2
"""Tasks a worker, among which the parts are shared out where each takes about as long."""


def score_run(
    conversations: Conversations,
    metrics: Sequence[Metric],
    folder: Path | str,
    *,
    chunk: int | None = None,
    jobs: int | Workers | Ray | None = None,
    progress: Callable[[int], object] = lambda turns: None,
    keep_text: bool = True,
    pseudonyms: Pseudonyms | None = None,
) -> Run:
    """Score conversations into a folder, going on where an earlier call of the same run stopped.

    `jobs` is a number of processes, these processes themselves, or a Ray cluster. With `keep_text`
    the folder also holds the conversations, for the report to quote from. With `pseudonyms` nothing
    is written under the ids and names of the input.
    """
    check_metrics(metrics)
    folder, size = Path(folder), chunk or chunk_size(metrics)
    local = jobs if isinstance(jobs, Workers) else Workers(None if isinstance(jobs, Ray) else jobs)
    workers = RayWorkers(jobs, folder, tuple(metrics)) if isinstance(jobs, Ray) else local
    with open_run(folder) as begin, local, workers:
        if not (folder / "run.json").exists():
            workers.start()
        identity = run_identity(conversations, metrics, size, keep_text, pseudonyms)
        key = run_key(identity)
        if not begin(key):
            return Run(folder)
        is_large = is_large_input(conversations, workers.jobs)
        scorer = PartScorer(
            folder, key, conversations, tuple(metrics), keep_text, pseudonyms, is_large=is_large
        )
        with Joining(folder, keep_text=keep_text) as joining:
            if workers is not local or local.jobs > 1:  # else this process has to score
                joining.start(len(joining.tables))
            alignment, rejects, parts = score_parts(scorer, size, workers, progress, joining)
            if not alignment.dialogs:
                raise RecordError(f"no dialog in {', '.join(map(str, conversations.paths))}")
            if pseudonyms:
                check_columns(pseudonyms.columns, alignment.columns)
            write_rejects(folder, rejects)
            facts = {**identity, "key": key, "alignment": alignment.as_json()}
            # hashed once more: parts of two versions of a file would make a run of neither
            with ThreadPoolExecutor(1) as thread:
                again = thread.submit(
                    run_identity, conversations, metrics, size, keep_text, pseudonyms
                )
                if local.on_one_core:  # so one after the other
                    again.result()
                done = join_parts(metrics, parts, facts, joining, local)
            if again.result() != identity:
                for name in done["files"]:
                    (folder / name).unlink()
                raise RecordError("an input, lexicon or model changed meanwhile; score again")
            finish_run(folder, done)
    return Run.trusted(folder)


def is_large_input(conversations: Conversations, jobs: int) -> bool:
    """Whether each process has so much to read that loading compiled passes saves time."""
    return sum(source.size for source in conversations.sources) > LARGE * jobs


def check_columns(columns: Iterable[str], existing: Iterable[str]) -> None:
    """Refuse a column to be hidden that no record has: another would stay in the clear."""
    if name := min({*columns} - {*existing}, default=None):
        raise RecordError(
            f"no record has a column {name!r} for --pseudonymise-columns; "
            f"{suggest_names(name, existing)}"
        )


def run_identity(
    conversations: Conversations,
    metrics: Sequence[Metric],
    chunk: int,
    keep_text: bool,
    pseudonyms: Pseudonyms | None = None,
) -> dict[str, Any]:
    """Everything that a run's files depend on.

    Metrics come first: a missing lexicon or model is noticed before large inputs are hashed.
    """
    settings = run_settings(conversations, metrics, chunk, keep_text, pseudonyms)
    return {**settings, "inputs": [describe_input(source) for source in conversations.sources]}


def run_settings(
    conversations: Conversations,
    metrics: Sequence[Metric],
    chunk: int,
    keep_text: bool,
    pseudonyms: Pseudonyms | None = None,
) -> dict[str, Any]:
    """Everything that a run's files depend on besides its inputs."""
    options = {f.name: getattr(conversations, f.name) for f in fields(conversations)}
    # not the paths: the same bytes in another place are the same run
    return {
        "version": package_version(),
        "metrics": {m.name: describe_metric(m) for m in metrics},
        "options": {**options, "paths": None, "chunk": chunk},
        "text": keep_text,
        "pseudonyms": pseudonyms.as_json() if pseudonyms else None,
    }


def run_key(identity: Mapping[str, Any]) -> str:
    """The identity as a hash; nothing is ever added to a folder with another key."""
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()


def describe_input(source: Source) -> dict[str, str]:
    """Name and hash of an input; of a folder, over the names and bytes of its files."""
    name = Path(source.name).name
    if source.folder is None:
        return {"name": name, "sha256": source.sha256()}
    digest = hashlib.sha256()
    for path in sorted(p for p in source.folder.rglob("*") if p.is_file()):
        digest.update(f"{path.relative_to(source.folder)}\0".encode())
        digest.update(Source.of(path).sha256().encode())
    return {"name": name, "sha256": digest.hexdigest()}


def store_columns(
    folder: Path, metrics: Sequence[Metric], parts: range, columns: Mapping[str, int]
) -> list[str]:
    """Add the other columns of the input to these parts; their names in the tables."""
    taken = {*KEYS["turn"], "prompt", "dialogs", "text", "answers"}
    taken |= {name for m in metrics for s in m.scores for name in (s.name, f"{m.name}_null")}
    names = stored_names(columns, taken)
    for index in parts:
        add_columns(folder, index, names)
        fault("columns-added")
    return [*names.values(), *(["time"] if "time" in columns else [])]


def add_unit_counts(folder: Path, parts: int, nulls: Mapping[str, Counter[str]]) -> None:
    """Count how many units of each level every part scored, and why others have no score."""
    for index in range(parts):
        text = part_path(folder, index, "json").read_text(encoding="utf-8")
        for level, counts in json.loads(text)["units"].items():
            nulls[level].update(counts)


def means_of_systems(
    metrics: Sequence[Metric], folder: Path, parts: int, workers: Workers
) -> pl.DataFrame:
    """The table of systems, off the parts: that of all dialogs may be larger than the memory."""
    scores = [s for m in metrics if not is_system_metric(m) for s in m.scores]
    names = [score.name for score in scores]
    dialogs = [part_path(folder, index, "dialog.arrow") for index in range(parts)]
    each = -(-parts // (TASKS * workers.jobs)) if workers.jobs > 1 else parts

    def sums(means: Means | None) -> Iterator[tuple[Counter[str], Sums]]:
        starts = range(0, parts, each)
        return workers.map(sum_parts, ((dialogs[n : n + each], names, means) for n in starts))

    return means_table(sums, scores)


def sum_parts(
    dialogs: Sequence[Path], scores: Sequence[str], means: Means | None
) -> tuple[Counter[str], Sums]:
    """What some parts add to the means of systems."""
    tables = (pl.scan_ipc(path, glob=False) for path in dialogs)
    return sum_dialogs(scan_dialogs(tables, scores), scores, means)


def join_parts(
    metrics: Sequence[Metric],
    parts: int,
    facts: Mapping[str, Any],
    joining: Joining,
    workers: Workers,
) -> dict[str, Any]:
    """Join the parts into whole tables; what `run.json` says of them."""
    folder = joining.folder
    columns = facts["alignment"]["columns"]
    if columns and "columns" not in facts:  # those of a purged run stand in its tables already
        stored = store_columns(folder, metrics, range(joining.first_part, parts), columns)
        facts = {**facts, "columns": stored}
    joining.finish(parts, renew=bool(columns))
    systems = means_of_systems(metrics, folder, parts, workers)
    nulls: dict[str, Counter[str]] = {"turn": Counter(), "dialog": Counter()}
    summaries = []
    for metric in filter(is_system_metric, metrics):
        materials = (material_path(folder, index, metric) for index in range(parts))
        frames = (pl.read_parquet(path, glob=False) for path in materials)
        summaries.append(summarise_systems(metric, merge_material(metric, frames)))
        reasons = summaries[-1][f"{metric.name}_null"]
        nulls.setdefault("system", Counter()).update(count_reasons(metric.name, reasons))
    write_atomically(folder / "system.parquet", join_summaries(systems, summaries).write_parquet)
    add_unit_counts(folder, parts, nulls)
    parameters = {m.name: {"parameters": metric_parameters(m)} for m in metrics}
    descriptions = {name: facts["metrics"][name] | more for name, more in parameters.items()}
    others = [folder / "system.parquet", folder / REJECTS]
    files = joining.wait() | {p.name: describe_file(p) for p in others if p.exists()}
    return {
        **facts,
        "metrics": descriptions,
        "units": nulls,
        "files": files,
        "libraries": facts.get("libraries") or library_versions(metrics),
        "format": FORMAT,
        "status": "done",
    }


def finish_run(folder: Path, facts: Mapping[str, Any]) -> None:
    """Say in `run.json` that the run is done, and drop its parts."""
    # before the parts go: until this file says "done", they are what the run resumes from
    write_json_atomically(folder / "run.json", {**facts, "sha256": facts_hash(facts)})
    fault("done")
    with ThreadPoolExecutor() as threads:  # large files take the system a while
        list(threads.map(Path.unlink, (folder / "parts").iterdir()))
    (folder / "parts").rmdir()
    fault("parts-gone")
