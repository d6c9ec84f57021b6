"""Remove dialogs from a finished run, so that it is as if they had never been scored.

The tables without them are written into `.purge` in the run folder as a part of a run is, finished
by the same function, and moved to their places, `run.json` last. Until `.purge/run.json` is there
the run is as it was; from then on the same call, or any other, completes the move. So a purge that
was killed can be repeated. What a run does not store cannot be counted anew: messages that were
merged, placeholders and rejected records are those of the input as it was read.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from simpatico.errors import BadValue, UnknownName
from simpatico.files import write_atomically, write_json_atomically
from simpatico.metric import Metric
from simpatico.models.cache import clear_cache
from simpatico.readers.alignment import Alignment
from simpatico.run import Run
from simpatico.run.description import StoredMetric, stored_scores
from simpatico.run.folder import ADDED, lock_run, move_tables, part_path
from simpatico.run.joining import Joining
from simpatico.run.original_ids import pseudonyms_of
from simpatico.run.parts import count_reasons, material_path
from simpatico.run.writer import finish_run, join_parts, run_key
from simpatico.scoring import score_chunk
from simpatico.system_metric import is_system_metric, merge_material, summarise_systems
from simpatico.turns import Turns
from simpatico.workers import Workers

WORK = ".purge"
CONTROLS = "controls.json"
OWN = ("run.json", "rejects.jsonl", *(f"{t}.parquet" for t in ("turn", "dialog", "system", "text")))
USES_MODEL = re.compile(r"_sha256:[0-9a-f]+\.(?:onnx|torch|numpy)")
"""In the signature of a metric whose outputs the cache may hold."""
DIALOGS_AT_ONCE = 20_000
GONE = "purged"
"""Why a system has no score that could not be computed again."""


@dataclass(frozen=True)
class Purge:
    """What was removed, and what else lies in the run folder and may still quote it."""

    dialogs: int
    removed: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    without_score: tuple[str, ...] = ()
    cache_bytes: int = 0


@dataclass(frozen=True)
class NoSummary(StoredMetric):
    """A metric of systems whose material is not stored, and so without a score from now on."""

    seed: int = 0

    def summary(self, material: pl.DataFrame, *, seed: int) -> pl.DataFrame:
        systems = material.select("system").unique(maintain_order=True)
        scores = [pl.lit(None, pl.Float64).alias(s.name) for s in self.scores]
        more = [
            pl.lit(None, pl.Float64).alias(f"{s.name}{end}")
            for s in self.scores
            for end in ("_n", "_low", "_high")
        ]
        return systems.with_columns(*scores, *more, reason=pl.lit(GONE))


def purge_run(
    folder: Path, names: Sequence[str], *, force: bool = False, keep_cache: bool = False
) -> Purge:
    """Remove the dialogs of these ids, and all in which speakers of these names take part.

    With `force` pages in the run folder go too; they may quote what was removed.
    """
    if not (folder / "run.json").is_file():
        Run(folder).facts  # noqa: B018 - says that it is no run
    with lock_run(folder):
        resumed = complete_purge(folder)
        run = Run(folder)
        dialogs = find_dialogs(run, names, allow_none=resumed)
        if not dialogs:
            return Purge(0)
        work = folder / WORK
        work.mkdir(mode=0o700)
        (work / "parts").mkdir()
        if (folder / "rejects.jsonl").exists():
            shutil.copy(folder / "rejects.jsonl", work)
        facts = write_part(run, work, dialogs)
        columns = run.at("system").columns  # in the order of the metrics, which JSON has sorted
        order = sorted(facts["metrics"], key=lambda m: columns.index(first_score(facts, m)))
        metrics = [write_material(run, work, dialogs, name) for name in order]
        removed, others = remove_others(folder, force=force)
        models = any(USES_MODEL.search(m["signature"]) for m in facts["metrics"].values())
        cache_bytes = clear_cache() if models and not keep_cache else 0
        with Joining(work, keep_text=facts["text"]) as joining:
            finish_run(work, join_parts(metrics, 1, facts, joining, Workers(None)))
        complete_purge(folder)
    without = tuple(m.name for m in metrics if isinstance(m, NoSummary))
    return Purge(len(dialogs), removed, others, without, cache_bytes)


def first_score(facts: dict[str, Any], metric: str) -> str:
    """The name of a metric's first score."""
    return str(facts["metrics"][metric]["scores"][0]["name"])


def complete_purge(folder: Path) -> bool:
    """Move the tables of a purge that was written to the end; what is unfinished is dropped."""
    work = folder / WORK
    for leftover in folder.glob(".*.tmp"):  # of processes that were killed
        leftover.unlink()
    return move_tables(folder, work)


def find_dialogs(run: Run, names: Sequence[str], *, allow_none: bool) -> set[str]:
    """The dialogs that are meant by their own ids or by those who speak in them."""
    units = run.at("dialog", ["dialog", "speaker"])
    if (run.folder / "text.parquet").is_file():  # also those whose turns are context only
        text = pl.scan_parquet(run.folder / "text.parquet", glob=False)
        units = pl.concat([units, text.select("dialog", "speaker").unique().collect()])
    existing = {*units["dialog"], *units["speaker"]}
    dialogs: set[str] = set()
    for name in names:
        stored = pseudonyms_of(run, [name], existing).get(name, name)
        own = units.filter((pl.col("dialog") == stored) | (pl.col("speaker") == stored))["dialog"]
        if not len(own) and not allow_none:
            raise UnknownName(f"no dialog and no speaker {name!r} in {run.folder}; nothing removed")
        dialogs.update(own)
    if dialogs.issuperset(run.at("dialog", ["dialog"])["dialog"]):
        raise BadValue(
            f"these are all dialogs of {run.folder}; nothing removed: delete the folder instead"
        )
    return dialogs


def write_part(run: Run, work: Path, dialogs: Iterable[str]) -> dict[str, Any]:
    """Write the tables without these dialogs as the one part; returns what `run.json` will say."""
    facts: dict[str, Any] = json.loads((run.folder / "run.json").read_text(encoding="utf-8"))
    rest = ~pl.col("dialog").is_in(list(dialogs))
    names = ["turn", "dialog", *(["text"] if facts["text"] else [])]
    frames = {
        name: pl.scan_parquet(run.folder / f"{name}.parquet", glob=False).filter(rest)
        for name in names
    }
    counts = count_columns(facts, frames.get("text", frames["turn"]))
    stored = [stored_column(name, facts["columns"]) for name in counts if name != "time"]
    gone = {*facts.get("columns", ())} - {*stored, "time"} | ({"time"} if not counts else set())
    nulls: dict[str, dict[str, int]] = {}
    for name, frame in frames.items():
        frame = frame.drop(gone, strict=False)
        write_atomically(part_path(work, 0, f"{name}.arrow"), frame.sink_ipc)
        columns = [c for c in frame.collect_schema() if c.removesuffix("_null") in facts["metrics"]]
        for column in [c for c in columns if c.endswith("_null") and name != "text"]:
            reasons = frame.select(column).collect().to_series()
            nulls.setdefault(name, {}).update(count_reasons(column.removesuffix("_null"), reasons))
    write_json_atomically(part_path(work, 0, "json"), {"units": nulls})
    facts["alignment"] = recount(facts["alignment"], frames) | {"columns": counts}
    facts["purged"] = facts.get("purged", 0) + len(set(dialogs))
    # another key: scoring the same input into the folder must not bring the dialogs back
    facts["key"] = run_key({"key": facts["key"], "purged": facts["purged"]})
    if counts:
        facts["columns"] = [*stored, *(["time"] if "time" in counts else [])]
    else:
        facts.pop("columns", None)
    return facts


def stored_column(name: str, columns: Iterable[str]) -> str:
    """What a column of the input is called in the run."""
    return name if name in columns else f"{name} (input)"


def count_columns(facts: dict[str, Any], turns: pl.LazyFrame) -> dict[str, int]:
    """How many turns have a value in each column of the input that still has one."""
    names = {n: stored_column(n, facts["columns"]) for n in facts["alignment"]["columns"]}
    if not names:
        return {}
    counts = turns.select(pl.col(column).count() for column in names.values()).collect()
    return {name: n for name, column in names.items() if (n := counts[column].item())}


def recount(alignment: dict[str, Any], frames: dict[str, pl.LazyFrame]) -> dict[str, Any]:
    """The counts of what was read, as far as the tables tell."""
    if "text" not in frames:
        keys = frames["turn"].select("dialog", "speaker", "system").collect()
        counts = keys["system"].value_counts().sort("system")
        turns = keys.height + alignment["context"]
        return alignment | {
            "dialogs": keys["dialog"].n_unique(),
            "scored": keys.height,
            "turns": turns,
            "utterances": turns + alignment["merged"],
            "speakers": keys.select(pl.struct("dialog", "speaker").n_unique()).item(),
            "systems": dict(counts.iter_rows()),
        }
    frame = frames["text"].select("dialog", "turn", "speaker", "system", "answers").collect()
    own = Alignment.of(Turns(frame), utterances=frame.height + alignment["merged"])
    rest = ("aside", "rejected", "formats", "ignored", "redacted")
    return replace(own, **{name: alignment.get(name, {}) for name in rest}).as_json()


def write_material(run: Run, work: Path, dialogs: Iterable[str], name: str) -> Metric:
    """The metric; one of systems with its material, if that can be made from the stored text."""
    about = run.facts["metrics"][name]
    scores = tuple(stored_scores({name: about}).values())
    stored = name, about["level"], scores, about.get("parameters", {})
    if about["level"] != "system":
        return StoredMetric(*stored)  # type: ignore[return-value]
    everyone = run.at("dialog", ["dialog"])["dialog"].unique(maintain_order=True)
    metric = run.metric(name)
    if isinstance(metric, str) or not can_be_repeated(run, metric, everyone):
        path = part_path(work, 0, f"{name}.material.parquet")
        write_atomically(path, run.at("system", ["system"]).write_parquet)
        return NoSummary(*stored)  # type: ignore[return-value]
    rest = text_material(run, metric, everyone.filter(~everyone.is_in(list(dialogs))))
    write_atomically(material_path(work, 0, metric), rest.write_parquet)
    return metric


def can_be_repeated(run: Run, metric: Metric, dialogs: pl.Series) -> bool:
    """Whether the stored text gives the run's scores again; references, say, are not stored."""
    if not (run.folder / "text.parquet").is_file() or not is_system_metric(metric):
        return False
    again = summarise_systems(metric, text_material(run, metric, dialogs)).sort("system")
    return again.equals(run.at("system", again.columns).sort("system"))


def text_material(run: Run, metric: Metric, dialogs: pl.Series) -> pl.DataFrame:
    """What a metric of systems keeps of these dialogs, from the stored text."""
    parts = (
        score_chunk(turns, [metric]).statistics[metric.name]
        for part in dialogs.to_frame().iter_slices(DIALOGS_AT_ONCE)
        if (turns := run.turns(part["dialog"])) is not None
    )
    return merge_material(metric, parts)


def remove_others(folder: Path, *, force: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Remove what came of all dialogs together; the names of it, and of files that stay."""
    for name in ("parts", ADDED):
        shutil.rmtree(folder / name, ignore_errors=True)
    (folder / f"{ADDED}.json").unlink(missing_ok=True)
    others = sorted(p for p in folder.iterdir() if p.name not in (*OWN, WORK))
    gone = [p for p in others if p.name == CONTROLS or (force and p.suffix.lower() == ".html")]
    for path in gone:
        path.unlink()
    return tuple(p.name for p in gone), tuple(p.name for p in others if p not in gone)
