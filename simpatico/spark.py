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
        for frame in whole_dialogs(frame for frame in frames if frame.height):
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


def whole_dialogs(frames: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """The same rows in frames that end where a dialog does."""
    held, seen = list[pl.DataFrame](), set[str]()
    for frame in frames:
        if "dialog" not in frame.columns:
            raise DataError(f"no column 'dialog' among {', '.join(frame.columns)}; rename yours")
        dialog = frame["dialog"]
        earlier = dialog.ne_missing(dialog[-1]).arg_true()
        start = int(earlier[-1]) + 1 if len(earlier) else 0
        if held and (start or held[0]["dialog"][0] != dialog[0]):
            yield refuse_return(pl.concat([*held, frame[:start]]), seen)
            held = []
        elif start:
            yield refuse_return(frame[:start], seen)
        held.append(frame[start:])
    if held:
        yield refuse_return(pl.concat(held), seen)


def refuse_return(frame: pl.DataFrame, seen: set[str]) -> pl.DataFrame:
    """The frame, unless one of its dialogs ended in an earlier one; notes its dialogs."""
    dialogs = set(frame["dialog"].unique())
    if dialogs & seen:
        raise DataError(
            "a dialog goes on after others in the same partition; sort within partitions by dialog"
        )
    seen |= dialogs
    return frame
