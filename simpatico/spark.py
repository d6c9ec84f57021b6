"""Turn scores within an engine that hands out Arrow batches, such as Spark's `mapInArrow`.

The engine brings the rows of each dialog together, in order; see docs/engines.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, cast

import polars as pl

from simpatico.api import load_metrics, score
from simpatico.errors import DataError
from simpatico.metric import Metric
from simpatico.system_means import whole_dialogs

if TYPE_CHECKING:
    import pyarrow as pa

Names = str | Metric | Iterable[str | Metric] | None
TYPES = {pl.Float64: "double", pl.String: "string", pl.Boolean: "boolean"}
"""Spark's names; whatever else is in the table is a whole number."""


def score_batches(
    metrics: Names = None, **options: Any
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """A function from batches of utterances to batches of turn scores, as `mapInArrow` takes it.

    Options are those of `simpatico.read`. A dialog that a batch cuts is held until it is whole.
    """
    chosen = load_metrics(metrics)

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        frames = (cast(pl.DataFrame, pl.from_arrow(batch)) for batch in batches)
        seen = set[str]()
        for frame in whole_dialogs(map(check_column, frames)):
            refuse_return(frame, seen)
            # a large string is another type to Spark than a string
            table = score(frame, chosen, **options).at("turn").to_arrow(compat_level=None)
            yield from table.cast(arrow_schema(table.schema)).to_batches()

    return run


def arrow_schema(schema: pa.Schema) -> pa.Schema:
    """The same columns as the types of `spark_schema`."""
    import pyarrow as pa

    def plain(kind: pa.DataType) -> pa.DataType:
        if pa.types.is_floating(kind):
            return pa.float64()
        return pa.int64() if pa.types.is_integer(kind) else pa.string()

    return pa.schema([(field.name, plain(field.type)) for field in schema])


def spark_schema(metrics: Names = None) -> str:
    """The columns of the result, as Spark writes a schema: `dialog string, turn bigint, …`."""
    rows = [{"dialog": "d", "speaker": who, "system": who, "text": "Hi"} for who in "ab"]
    columns = score(pl.DataFrame(rows), load_metrics(metrics)).at("turn").schema
    return ", ".join(f"`{n}` {TYPES.get(type(t), 'bigint')}" for n, t in columns.items())


def check_column(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame, if it says which dialog a row belongs to."""
    if "dialog" not in frame.columns:
        raise DataError(f"no column 'dialog' among {', '.join(frame.columns)}; rename yours")
    return frame


def refuse_return(frame: pl.DataFrame, seen: set[str]) -> None:
    """Refuse dialogs that ended in an earlier frame; notes those of this one."""
    dialogs = set(frame["dialog"].unique())
    if dialogs & seen:
        raise DataError(
            "a dialog goes on after others in the same partition; sort within partitions by dialog"
        )
    seen |= dialogs
