"""Inspect: a file of scores for its `precomputed_scores`, a line for each sample and epoch.

    from inspect_ai.scorer import mean, precomputed_scores, scorer, stderr

    @scorer(metrics={"*": [mean(), stderr()]})
    def conversation():
        return precomputed_scores("scores.jsonl", metrics={"*": [mean(), stderr()]})

The dialogs of a log are called ID:EPOCH, as our reader calls them. NaN is what Inspect writes for a
score that is null, and what its metrics skip; it is the one thing here that is not JSON.
"""

from __future__ import annotations

import json
from itertools import groupby
from math import nan
from pathlib import Path
from typing import Any

from simpatico.errors import BadValue
from simpatico.integrations.exports import Export, null_words


def write(export: Export, path: Path) -> None:
    """The scores of each dialog, with signatures and the reasons of those that are null."""
    if export.level != "dialog":
        raise BadValue("--to inspect takes the scores of dialogs; leave out --level")
    written: set[str] = set()
    with path.open("w", encoding="utf-8") as file:
        for (dialog, system), group in groupby(
            export.rows(), key=lambda row: (row["dialog"], row["system"])
        ):
            if dialog in written:
                raise BadValue(
                    f"{dialog!r} has scores of {system!r} and of others, and Inspect keeps one for "
                    "a sample; name a system with --system"
                )
            written.add(dialog)
            rows = list(group)
            file.write(json.dumps(score_record(export, dialog, rows)) + "\n")


def score_record(export: Export, dialog: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """One line: the value of each score, or NaN for all where none has one."""
    name, _, epoch = dialog.rpartition(":")
    sample = {"id": name, "epoch": int(epoch)} if name and epoch.isdecimal() else {"id": dialog}
    values = {row["score"]: nan if row["value"] is None else row["value"] for row in rows}
    nulls = [f"{row['score']} is {null_words(row['reason'])}" for row in rows if row["reason"]]
    facts = {
        row["score"]: {
            "signature": export.signatures[row["score"]],
            "null_reason": row["reason"],
        }
        for row in rows
    }
    value = nan if len(nulls) == len(rows) else values
    return {**sample, "value": value, "explanation": "; ".join(nulls) or None, "metadata": facts}
