"""The Python interface: conversations in any form, metrics by name, results as tables.

The functions below accept what people have at hand (a path, messages, a table) and pass it to the
stage that does the work; the command line calls the same stages.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from simpatico.comparison.difference import ComparisonSettings, Differences
from simpatico.comparison.difference import compare as compare_runs
from simpatico.comparison.samples import Selection
from simpatico.errors import BadValue, DataError, UnknownName, suggest_names
from simpatico.metric import Metric
from simpatico.readers.conversations import read as read_input
from simpatico.readers.input.source import Source
from simpatico.registry import load, preset
from simpatico.run import Run
from simpatico.scoring import CHUNK, evidence_words
from simpatico.scoring import score as score_turns
from simpatico.table import ScoreTable
from simpatico.turns import Turns

FORMS = (
    "a path, a list of messages with role and content, a list of such lists, a table (polars or "
    "pandas) with dialog, speaker and text, or Turns"
)
"""What conversations may be given as."""

Conversation = Any
"""Anything of `FORMS`; what is none of them gets a sentence, not a traceback from within."""


def read(source: Conversation, **options: Any) -> Turns:
    """Conversations as turns; options as of the command line: format, system, merge, gather."""
    if isinstance(source, Turns):
        return source
    if isinstance(source, str | Path):
        return read_input(source, **options)
    records = table_records(source) if is_table(source) else message_records(source)
    if not records:
        raise DataError("there are no conversations: the list or table is empty")
    if "role" in records[0] and "messages" not in records[0]:
        example = {"role": "user", "content": "Hi"}
        raise BadValue(f"messages need a role and a content, as in {example}")
    lines = b"".join(json.dumps(r, default=str).encode() + b"\n" for r in records)
    return read_input(Source.from_stream("<messages>", None, io.BytesIO(lines)), **options)


def is_table(source: object) -> bool:
    """Whether it is a table of polars or pandas; pandas is not imported to find out."""
    return isinstance(source, pl.DataFrame) or (
        type(source).__module__.partition(".")[0] == "pandas" and hasattr(source, "columns")
    )


def table_records(table: Any) -> list[dict[str, Any]]:
    """The rows of a table as JSON objects; what pandas calls missing is null."""
    if isinstance(table, pl.DataFrame):
        return table.to_dicts()
    rows = table.astype(object).where(table.notna(), None).to_dict("records")
    return [{str(name): value for name, value in row.items()} for row in rows]


def message_records(source: object) -> list[dict[str, Any]]:
    """Messages as one chat a record; rows that name their speaker stay rows of a table."""
    if isinstance(source, Mapping):
        source = [source]
    if not isinstance(source, Sequence) or isinstance(source, bytes):
        raise BadValue(f"cannot read conversations from {type(source).__name__}; give {FORMS}")
    items = list(source)
    if all(isinstance(item, Mapping) for item in items):
        if all({"role", "content"} <= set(item) for item in items):
            return [{"messages": items}] if items else []
        return [dict(item) for item in items]
    if all(isinstance(item, Sequence) and not isinstance(item, str | bytes) for item in items):
        return [record for item in items for record in message_records(item)]
    wrong = next(item for item in items if not isinstance(item, Mapping))
    raise BadValue(
        f"a list of {type(wrong).__name__} is not a conversation, as it names no speakers; "
        f"give {FORMS}"
    )


def score(
    conversations: Conversation,
    metrics: str | Metric | Iterable[str | Metric] | None = None,
    *,
    chunk: int = CHUNK,
    **options: Any,
) -> ScoreTable:
    """Score conversations in memory; metrics by name or as objects, else the preset `default`.

    Options are those of `read`. For more than fits into memory: `score_run`.
    """
    return score_turns(read(conversations, **options), load_metrics(metrics), chunk=chunk)


def load_metrics(metrics: str | Metric | Iterable[str | Metric] | None) -> list[Metric]:
    """Metrics by name or as they are; those of the default set where none is named."""
    if metrics is None:
        return [load(name) for name in preset("default")]
    if isinstance(metrics, str) or callable(metrics):
        metrics = [metrics]
    if not isinstance(metrics, Iterable):
        kind = type(metrics).__name__
        raise BadValue(f"metrics is of type {kind}; give names, as in ['length'], or metrics")
    loaded: list[Metric] = []
    for metric in metrics:
        # of the class first: reading the scores themselves takes its time
        is_metric = hasattr(type(metric), "scores") or hasattr(metric, "scores")
        if not isinstance(metric, str) and not is_metric:
            kind = type(metric).__name__
            raise BadValue(f"a metric is a name or what load(name) returns, not of type {kind}")
        loaded.append(load(metric) if isinstance(metric, str) else metric)
    return loaded


def compare(
    runs: Run | str | Path | Sequence[Run | str | Path],
    choice: Selection | None = None,
    settings: ComparisonSettings | None = None,
) -> Differences:
    """The differences between the systems of one run or of several, given as runs or folders."""
    several = [runs] if isinstance(runs, Run | str | Path) else runs
    if isinstance(several, ScoreTable) or not isinstance(several, Sequence):
        raise BadValue(
            f"compare needs a run, not {type(runs).__name__}; `simpatico score PATH --out RUN` and "
            "score_run write one"
        )
    return compare_runs([as_run(run) for run in several], choice, settings)


def as_run(run: object) -> Run:
    """A run, given as such or as its folder."""
    if isinstance(run, str | Path):
        return Run(Path(run))
    if not isinstance(run, Run):
        raise BadValue(f"a run is a Run or its folder, not of type {type(run).__name__}")
    return run


def explain(
    conversations: Conversation,
    metrics: str | Metric | Iterable[str | Metric] | None = None,
    *,
    dialog: str | None = None,
    **options: Any,
) -> pl.DataFrame:
    """Which words moved which score: a row per turn, metric and word, strongest first.

    Takes a Run too, whose own metrics are the default; `dialog` restricts it to one dialog.
    """
    if not isinstance(conversations, Run):
        turns = read(conversations, **options)
        frame = turns.frame if dialog is None else turns.frame.filter(dialog=dialog)
        if dialog is not None and frame.is_empty():
            raise unknown_dialog(dialog, turns.frame["dialog"].unique().to_list())
        return evidence_words(Turns(frame), load_metrics(metrics))
    run = conversations
    turns = dialog_turns(run, dialog)
    if metrics is not None:
        return evidence_words(turns, load_metrics(metrics))
    found = (run.metric(name) for name in run.facts["metrics"])
    return evidence_words(turns, [m for m in found if not isinstance(m, str)])


def dialog_turns(run: Run, dialog: str | None = None) -> Turns:
    """The turns of a run's dialog, or of all its dialogs; refused where no text was kept."""
    ids = run.at("dialog", ["dialog"])["dialog"].unique(maintain_order=True).to_list()
    if dialog is not None and dialog not in ids:
        raise unknown_dialog(dialog, ids)
    turns = run.turns(ids if dialog is None else [dialog])
    if turns is None:
        raise DataError(f"{run.folder} was scored with --no-text; score again without it")
    if not len(turns):
        raise DataError(f"{run.folder} has a text of other dialogs; score again into a new folder")
    return turns


def unknown_dialog(dialog: str, ids: list[str]) -> UnknownName:
    """The error for a dialog that is not there, with the nearest ids or the first few."""
    hint = suggest_names(dialog, ids)
    if hint.startswith("there are") and len(ids) > 3:
        hint = f"there are {len(ids):,}, such as {', '.join(map(repr, ids[:3]))}"
    return UnknownName(f"no dialog {dialog!r}; {hint}")
