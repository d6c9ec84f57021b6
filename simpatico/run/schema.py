"""What a run folder must hold: the fields of `run.json`, and the columns of its tables.

Both are checked once, when a run is opened, so that nothing that reads a run has to doubt it.
`run.json` has the size, rows and hash of every table and a hash of itself. Hashing costs 0.6 s a
gigabyte: a table up to `HASHED_BYTES` is hashed each time, of a larger one only its size and number
of rows are compared, and `simpatico verify` hashes it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import polars as pl
from msgspec import UNSET, Meta, Struct, UnsetType, field
from polars.exceptions import PanicException, PolarsError

from simpatico.errors import DataError
from simpatico.parquet import DAMAGED, unpacked_size
from simpatico.readers import Alignment
from simpatico.system_metric import mean_schema
from simpatico.turns import KEYS, LEVELS, Level

FORMAT = 1
"""Raised when older versions cannot read a new run any more; runs without one have no hashes."""
HASHED_BYTES = 256 * 2**20
RESTORE = "run the command that made this run again, which restores it"
SCORE_AGAIN = "score again into a new folder"

Count = Annotated[int, Meta(ge=0)]
Kind = Literal["text", "integer", "number", "time"]
Table = Level | Literal["text"]
TABLES: tuple[Table, ...] = (*LEVELS, "text")
Name = Annotated[str, Meta(min_length=1)]


class ScoreFacts(Struct, kw_only=True):
    name: Name
    range: Annotated[list[float | None], Meta(min_length=2, max_length=2)] = field(
        default_factory=lambda: [None, None]
    )
    better: Literal["higher", "lower"] | None = None
    meaning: str = ""
    title: str = ""
    more: str = ""
    less: str = ""
    unit: str = ""


class CardFacts(Struct, kw_only=True):
    about: str = ""
    careful: str = ""
    undefined: str = ""
    citation: str = ""
    validity: str = ""


class MetricFacts(Struct, kw_only=True):
    scores: Annotated[list[ScoreFacts], Meta(min_length=1)]
    signature: str = ""
    level: Level = "dialog"
    kind: str = "other"
    card: CardFacts = field(default_factory=CardFacts)
    parameters: dict[str, Any] | UnsetType = UNSET


class InputFacts(Struct, kw_only=True):
    name: str
    sha256: str


class FileFacts(Struct, kw_only=True):
    bytes: Count
    rows: Count
    sha256: str


class RunFacts(Struct, kw_only=True):
    """`run.json` of a finished run."""

    metrics: dict[Name, MetricFacts]
    status: str
    alignment: Alignment = field(default_factory=Alignment)
    columns: list[str] = field(default_factory=list)
    files: dict[str, FileFacts] = field(default_factory=dict)
    format: int = 0
    inputs: list[InputFacts] = field(default_factory=list)
    key: str = ""
    left_out: list[str] = field(default_factory=list)
    libraries: dict[str, str] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    pseudonyms: dict[str, Any] | None = None
    purged: Count | UnsetType = UNSET
    runs: list[str] | UnsetType = UNSET
    text: bool = False
    units: dict[Level, dict[str, Count]] = field(default_factory=dict)
    version: str = ""


def read_facts(folder: Path) -> dict[str, Any]:
    """What `run.json` of a finished run says, every field of it there and of its type."""
    path = folder / "run.json"
    if not path.is_file():
        raise DataError(
            f"{folder} is not a run folder: it has no run.json; "
            "`simpatico score FILE --out RUN` makes one"
        )
    try:
        stored = msgspec.json.decode(path.read_bytes())
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise DataError(f"{path}: not valid JSON; {SCORE_AGAIN}") from None
    if not isinstance(stored, dict) or ("metrics" not in stored and "status" not in stored):
        raise DataError(f"{path}: not the facts of a run; {SCORE_AGAIN}")
    if isinstance(number := stored.get("format"), int) and number > FORMAT:
        raise DataError(
            f"{folder} was written by a newer version of simpatico (format {number}, and this one "
            f"reads up to {FORMAT}); update simpatico to read it"
        )
    if stored.get("status") != "done":
        raise DataError(f"{folder}: the run is not finished; run its command again")
    if stored.pop("sha256", seal := facts_hash(stored)) != seal:
        raise DataError(f"{path} has changed since it was written; {SCORE_AGAIN}")
    try:
        facts = msgspec.convert(stored, RunFacts)
    except msgspec.ValidationError as error:
        raise DataError(f"{path}: {describe_violation(error)}; {SCORE_AGAIN}") from None
    return {**msgspec.to_builtins(facts), "alignment": facts.alignment.as_json()}


def describe_violation(error: msgspec.ValidationError) -> str:
    """What is wrong with a field and where, as msgspec says it: "expected `str`, got …"."""
    text = str(error)
    return text[0].lower() + text[1:]


def facts_hash(facts: Mapping[str, Any]) -> str:
    """The hash of what `run.json` says, whatever its line breaks and the order of its fields."""
    rest = {name: value for name, value in facts.items() if name != "sha256"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def describe_file(path: Path) -> dict[str, Any]:
    """Size, rows and hash of a file of the run."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if path.suffix == ".parquet":
        rows = pl.scan_parquet(path, glob=False).select(pl.len()).collect().item()
    else:
        rows = path.read_bytes().count(b"\n")
    return {"bytes": path.stat().st_size, "rows": rows, "sha256": digest}


def file_problem(path: Path, facts: Mapping[str, Any], *, hashed: bool = True) -> str | None:
    """Why a file is not the one that the run wrote, as far as `run.json` tells; else None."""
    if not path.is_file():
        return f"{path} is missing"
    if (file := facts["files"].get(path.name)) is None:
        return None
    if (size := path.stat().st_size) != file["bytes"]:
        return f"{path} has {size:,} bytes instead of {file['bytes']:,}"
    if not hashed:
        return None
    with path.open("rb") as stream:
        if hashlib.file_digest(stream, "sha256").hexdigest() != file["sha256"]:
            return f"{path} has changed since it was written"
    return None


def open_table(folder: Path, table: Table, facts: Mapping[str, Any]) -> pl.LazyFrame:
    """A table of the run, to be read in parts, after its bytes, columns and values were checked."""
    path = folder / f"{table}.parquet"
    is_small = path.is_file() and path.stat().st_size <= HASHED_BYTES
    if problem := file_problem(path, facts, hashed=is_small):
        raise DataError(f"{problem}; {RESTORE if facts['files'] else SCORE_AGAIN}")
    with path.open("rb") as file:  # hashes tell of accidents, not of whoever wrote both
        if unpacked_size(file) is None:
            raise DataError(f"{path}: {DAMAGED}; {SCORE_AGAIN}")
    frame = pl.scan_parquet(path, glob=False)  # the folder's name may have a star in it
    try:
        problem = table_problem(frame, table, facts, values=is_small)
        if not problem and table == "system" and is_small:
            problem = systems_problem(frame, open_table(folder, "dialog", facts))
    except (PolarsError, PanicException) as error:
        problem = f"cannot be read as a table ({type(error).__name__})"
    if problem:
        raise DataError(f"{path}: {problem}; {SCORE_AGAIN}")
    return frame


def systems_problem(systems: pl.LazyFrame, dialogs: pl.LazyFrame) -> str | None:
    """Whether the systems are those of the dialogs, each once."""
    names, wanted = (
        frame.select(pl.col("system").unique().sort()).collect(engine="streaming")
        for frame in (systems, dialogs)
    )
    is_once = systems.select(pl.len()).collect().item() == names.height
    return (
        None if is_once and names.equals(wanted) else "the systems are not those of dialog.parquet"
    )


def table_problem(
    frame: pl.LazyFrame, table: Table, facts: Mapping[str, Any], *, values: bool = True
) -> str | None:
    """What a reader would stumble over: a column that lacks or is of another type, NaN, null."""
    schema = frame.collect_schema()
    keys = KEYS["turn" if table == "text" else table]
    scores = score_columns(table, facts["metrics"])
    kinds: dict[str, Kind] = {name: "integer" if name == "turn" else "text" for name in keys}
    if table == "text":
        kinds |= {"text": "text", "answers": "integer", "prompt": "text"}
    reasons = [f"{metric}_null" for metric in facts["metrics"]]
    for name in {"prompt", "dialogs", *facts["columns"], *reasons} & set(schema) - set(kinds):
        kinds[name] = "integer" if name == "dialogs" else "time" if name == "time" else "text"
    for name, kind in {**kinds, **scores}.items():
        if name not in schema:
            return f"has no column {name!r}"
        if not is_of_kind(schema[name], kind):
            return f"column {name!r} holds {schema[name]} instead of {kind}s"
    stored = facts["files"].get(f"{table}.parquet")
    if stored and (n := frame.select(pl.len()).collect().item()) != stored["rows"]:
        return f"has {n:,} rows instead of {stored['rows']:,}"
    return value_problem(frame, table, scores) if values else None


def value_problem(frame: pl.LazyFrame, table: Table, scores: Mapping[str, Kind]) -> str | None:
    """What no table of a run has: empty keys, numbers that are none, turns out of order."""
    keys = KEYS["turn" if table == "text" else table]
    if table == "text":  # context has no system, but all turns have a text
        keys = [*(name for name in keys if name != "system"), "text"]
    numbers = [name for name, kind in scores.items() if kind == "number"]
    empty, odd = pl.col(keys).is_null().any(), (~pl.col(numbers).is_finite()).any()
    for name, is_wrong in frame.select(empty, odd).collect().row(0, named=True).items():
        if is_wrong:
            what = "an empty cell" if name in keys else "a value that is infinite or no number"
            return f"column {name!r} has {what}"
    if table == "text":
        dialog, turn, answers = pl.col("dialog"), pl.col("turn"), pl.col("answers")
        follows = (dialog == dialog.shift(1)) & (turn == turn.shift(1) + 1)
        is_whole = ((turn == 0) | follows).all() & ((turn == 0).sum() == dialog.n_unique())
        in_order = is_whole & ((answers >= 0) & (answers < turn)).all()
        if not frame.select(in_order).collect().item():
            return "the turns are not in order"
    return None


def score_columns(table: Table, metrics: Mapping[str, Any]) -> dict[str, Kind]:
    """The columns that a table has of the metrics, and what they hold.

    A metric has scores at its own level and those above it.
    """
    if table == "text":
        return {}
    depth = LEVELS.index(table)
    names = [
        score["name"]
        for metric in metrics.values()
        for score in metric["scores"]
        if LEVELS.index(metric["level"]) <= depth
    ]
    if table != "system":
        return dict.fromkeys(names, "number")
    return {
        column: "integer" if kind.is_integer() else "number"
        for name in names
        for column, kind in mean_schema(name).items()
    }


def is_of_kind(type: pl.DataType, kind: Kind) -> bool:
    """Whether a column of this type holds what is wanted."""
    if kind == "integer":
        return type.is_integer()
    if kind == "time":
        return isinstance(type, pl.Datetime)
    return type == (pl.Float64 if kind == "number" else pl.String)
