"""Results of other tools as a run, so that whatever reads a run compares and checks them too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl

from simpatico.files import write_json_atomically
from simpatico.metric import package_version
from simpatico.readers.alignment import Alignment
from simpatico.readers.input.source import Source
from simpatico.readers.result_files import Results, read_results
from simpatico.run import Run
from simpatico.run.description import stored_scores
from simpatico.run.schema import facts_hash
from simpatico.system_means import system_table
from simpatico.turns import KEYS, SCHEMA


@contextmanager
def runs_or_results(paths: Sequence[Path]) -> Iterator[list[Run]]:
    """The runs in these folders; a file of results becomes one that lasts as long as the block."""
    with ExitStack() as stack:
        yield [
            results_run(path, stack.enter_context(TemporaryDirectory(prefix="simpatico-")))
            if path.is_file()
            else Run(path)
            for path in paths
        ]


def results_run(path: Path, folder: str) -> Run:
    """The results of a file as a run, in a folder that is named as the file is."""
    results, place = read_results(path), Path(folder) / path.stem
    place.mkdir()
    facts = results_facts(results, Source.of(path))
    dialogs = results.frame.with_columns(
        pl.when(pl.col(name).is_null()).then(pl.lit("no_score")).alias(f"{name}_null")
        for name in results.scores
    )
    dialogs.write_parquet(place / "dialog.parquet")
    turn = {**dict.fromkeys(KEYS["turn"], pl.String()), "turn": SCHEMA.get("turn", pl.Int32())}
    pl.DataFrame(schema=turn).write_parquet(place / "turn.parquet")
    scores = list(stored_scores(facts["metrics"]).values())
    system_table(lambda: [dialogs], scores).write_parquet(place / "system.parquet")
    write_json_atomically(place / "run.json", facts)
    return Run(place)


def results_facts(results: Results, source: Source) -> dict[str, Any]:
    """What `run.json` says of them: each score is a metric, signed by the tool that gave it."""
    metrics = {
        name: {
            "level": "dialog",
            "signature": f"{name}|tool:{results.format}",
            "scores": [{"name": name, "range": [None, None], "better": better}],
        }
        for name, better in results.scores.items()
    }
    systems = results.frame["system"].value_counts().rows()
    n = results.frame["dialog"].n_unique()
    facts = {
        "alignment": Alignment(dialogs=n, systems=dict(systems)).as_json(),
        "inputs": [{"name": Path(source.name).name, "sha256": source.sha256()}],
        "metrics": metrics,
        "status": "done",
        "version": package_version(),
    }
    return {**facts, "key": facts_hash(facts)}
