"""Several runs as one, so that whatever reads a run reads them together.

Systems of one name get the name of their run, as two versions of one bot are the usual case; people
stay one system, unless there is nobody else. Dialogs whose id is in several runs become RUN/ID, so
that nobody takes them for the same dialog. Metrics that not every run has are left out.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from operator import add
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl

from simpatico.errors import DataError
from simpatico.files import write_json_atomically
from simpatico.readers.alignment import HUMAN, Alignment
from simpatico.run import Run
from simpatico.run.description import stored_scores
from simpatico.run.results import runs_or_results
from simpatico.run.schema import Table
from simpatico.system_means import scan_dialogs, system_table


@contextmanager
def open_runs(folders: Sequence[Path], scores: Sequence[str] = ()) -> Iterator[Run]:
    """The run, or several merged into one that lasts as long as the block.

    A file of results of another tool counts as a run.
    """
    with runs_or_results(folders) as runs, TemporaryDirectory(prefix="simpatico-") as folder:
        yield runs[0] if len(runs) == 1 else merge_runs(runs, Path(folder), scores)


def merge_runs(runs: Sequence[Run], folder: Path, scores: Sequence[str] = ()) -> Run:
    """All runs in one folder; with `scores`, only the metrics that these belong to."""
    if len({run.folder.resolve() for run in runs}) < len(runs):
        raise DataError("the same run is given twice; a comparison needs different ones")
    runs = sorted(runs, key=lambda run: str(run.folder))  # nothing depends on the order of runs
    metrics = shared_metrics(runs, scores)
    labels = run_labels([run.folder for run in runs])
    keys = [run.at("dialog", ["dialog", "system"]) for run in runs]
    ids = Counter(id for table in keys for id in table["dialog"].unique())
    shared = pl.Series([id for id, n in ids.items() if n > 1], dtype=pl.String).implode()
    names = rename_systems(labels, [table["system"].unique().drop_nulls() for table in keys])
    has_text = all(run.facts.get("text") for run in runs)
    tables: tuple[Table, ...] = ("turn", "dialog", "text")
    for table in tables[: 3 if has_text else 2]:
        frames = []
        for run, label, own in zip(runs, labels, names, strict=True):
            frame = run.scan(table)
            dialog, prefix = pl.col("dialog"), pl.lit(f"{label}/")
            renamed = pl.when(dialog.is_in(shared)).then(prefix + dialog).otherwise(dialog)
            frames.append(
                frame.with_columns(renamed.alias("dialog"), pl.col("system").replace(own))
            )
        pl.concat(frames, how="diagonal").sink_parquet(folder / f"{table}.parquet")
    system_rows(runs, names, metrics, folder).write_parquet(folder / "system.parquet")
    facts = merge_facts([run.facts for run in runs], names)
    every = {name for run in runs for name in run.facts["metrics"]}
    more = {"metrics": metrics, "text": has_text, "runs": [str(run.folder) for run in runs]}
    if columns := sorted({c for run in runs for c in run.facts.get("columns", [])}):
        more["columns"] = columns
    more["left_out"] = [] if scores else sorted(every - set(metrics))
    write_json_atomically(folder / "run.json", {**facts, **more})
    return Run(folder)


def shared_metrics(runs: Sequence[Run], scores: Sequence[str] = ()) -> dict[str, Any]:
    """The metrics that every run has; refused where one was computed in different ways."""
    first, *others = runs
    metrics = {}
    for name, facts in first.facts["metrics"].items():
        chosen = not scores or any(s["name"] in scores for s in facts["scores"])
        if not chosen or any(name not in run.facts["metrics"] for run in others):
            continue
        for run in others:
            if run.facts["metrics"][name]["signature"] != facts["signature"]:
                raise DataError(
                    f"{name} was computed with different settings in {first.folder} and "
                    f"{run.folder} (see run.json); score both runs the same way, or choose other "
                    "scores with --scores"
                )
        metrics[name] = facts
    return metrics


def run_labels(folders: Sequence[Path]) -> list[str]:
    """What runs are called: by the names of their folders, or by the paths if names repeat."""
    names = {folder.resolve(): folder.resolve().name for folder in folders}
    short = len(set(names.values())) == len(names)
    return [names[folder.resolve()] if short else str(folder) for folder in folders]


def rename_systems(labels: Sequence[str], systems: Sequence[pl.Series]) -> list[dict[str, str]]:
    """For each run, the names of its systems that other runs have too, and their new names."""
    counts = Counter(name for own in systems for name in own)
    people = {HUMAN} if set(counts) > {HUMAN} else set()
    return [
        {name: f"{name} ({label})" for name in own if counts[name] > 1 and name not in people}
        for label, own in zip(labels, systems, strict=True)
    ]


def system_rows(
    runs: Sequence[Run],
    names: Sequence[Mapping[str, str]],
    metrics: Mapping[str, Any],
    folder: Path,
) -> pl.DataFrame:
    """The table of systems: means over the merged dialogs, and scores of systems as a whole."""
    dialogs = pl.scan_parquet(folder / "dialog.parquet", glob=False)
    columns = dialogs.collect_schema()
    scores = [score for name, score in stored_scores(metrics).items() if name in columns]
    table = system_table(lambda: scan_dialogs([dialogs], [s.name for s in scores]), scores)
    own = [
        run.at("system").with_columns(pl.col("system").replace(new))
        for run, new in zip(runs, names, strict=True)
    ]
    rest = [c for c in own[0].columns if c not in table.columns and all(c in t for t in own)]
    whole = pl.concat([t.select("system", *rest) for t in own], how="diagonal_relaxed")
    # people of several runs are one system, which no metric of systems has described as a whole
    once = whole.filter(pl.len().over("system") == 1)
    return table.join(once, on="system", how="left", maintain_order="left")


def merge_facts(
    runs: Sequence[Mapping[str, Any]], names: Sequence[Mapping[str, str]]
) -> dict[str, Any]:
    """What `run.json` says of all runs together; options that differ are left out."""
    first = runs[0]
    alignments = [
        Alignment(**rename_keys(f["alignment"], new)) for f, new in zip(runs, names, strict=True)
    ]
    keys = "".join(sorted(facts["key"] for facts in runs))
    units: dict[str, Counter[str]] = {}
    for facts in runs:
        for level, counts in facts["units"].items():
            units.setdefault(level, Counter()).update(counts)
    options = first["options"]
    return {
        "alignment": reduce(add, alignments).as_json(),
        "inputs": [one for facts in runs for one in facts["inputs"]],
        "key": hashlib.sha256(keys.encode()).hexdigest(),
        "pseudonyms": first.get("pseudonyms") if same_pseudonyms(runs) else None,
        "options": {
            k: v for k, v in options.items() if all(f["options"].get(k) == v for f in runs)
        },
        "status": "done",
        "units": units,
        "version": " and ".join(sorted({facts["version"] for facts in runs})),
    }


def same_pseudonyms(runs: Sequence[Mapping[str, Any]]) -> bool:
    """Whether all runs hold pseudonyms of one key, or all none."""
    return len({(facts.get("pseudonyms") or {}).get("key") for facts in runs}) == 1


def rename_keys(alignment: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """The counts of an alignment under the new names of systems."""
    systems = {names.get(name, name): n for name, n in alignment["systems"].items()}
    answers = {}
    for key, n in alignment["answers"].items():
        who = max((name for name in names if key.startswith(f"{name} ")), key=len, default="")
        rest, verb, whom = key[len(who) :].partition(" answers ")
        answers[f"{names.get(who, '')}{rest}{verb}{names.get(whom, whom)}"] = n
    return {**alignment, "systems": systems, "answers": answers}
