"""Run folders changed on purpose, with hashes that fit again where only the content is to be wrong."""

import json
import shutil
from pathlib import Path

import polars as pl

from simpatico.run.schema import describe_file, facts_hash


def copy_run(source: Path, target: Path) -> Path:
    shutil.rmtree(target, ignore_errors=True)
    return Path(shutil.copytree(source, target))


def stored(folder: Path) -> dict:
    return json.loads((folder / "run.json").read_text(encoding="utf-8"))


def store(folder: Path, facts: dict, *, sealed: bool = True) -> None:
    """Write `run.json`; sealed, its own hash fits."""
    if sealed:
        facts = {**facts, "sha256": facts_hash(facts)}
    (folder / "run.json").write_text(json.dumps(facts), encoding="utf-8")


def rehash(folder: Path, table: str) -> None:
    """Let `run.json` name the file as it is now."""
    facts = stored(folder)
    facts["files"][f"{table}.parquet"] = describe_file(folder / f"{table}.parquet")
    store(folder, facts)


def as_of_an_older_version(folder: Path) -> None:
    """Without the hashes, which runs once did not have."""
    facts = stored(folder)
    store(
        folder,
        {k: v for k, v in facts.items() if k not in ("files", "format", "sha256")},
        sealed=False,
    )


def rewrite(folder: Path, table: str, change, *, fitting: bool = True) -> Path:
    """Change a table; `fitting`, the hashes fit again."""
    path = folder / f"{table}.parquet"
    change(pl.read_parquet(path)).write_parquet(path)
    if fitting:
        rehash(folder, table)
    return path
