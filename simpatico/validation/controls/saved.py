"""Negative controls that were run, kept in the run folder: claims of a score stand beside them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from simpatico.files import write_json_atomically
from simpatico.run import Run
from simpatico.validation.controls.rows import ControlRow
from simpatico.wording import join_with_and

FILE = "controls.json"
MISSED = ("does not", "rises")


class SavedRow(msgspec.Struct):
    """What is kept of the control of one score with one kind of wrong replies."""

    score: str
    kind: str
    verdict: str
    n: int


def save_controls(run: Run, rows: Sequence[ControlRow]) -> Path:
    """Keep these rows in the run folder, beside earlier ones of other scores and kinds."""
    path = run.folder / FILE
    own = [{k: row.as_json()[k] for k in ("score", "kind", "verdict", "n")} for row in rows]
    merged = {(row["score"], row["kind"]): row for row in [*saved_rows(run.folder), *own]}
    write_json_atomically(path, list(merged.values()))
    return path


def saved_rows(folder: Path) -> list[dict[str, Any]]:
    """The rows that a run folder keeps; none where the file is absent or no such list."""
    try:
        rows = msgspec.json.decode((folder / FILE).read_bytes(), type=list[SavedRow])
    except (OSError, msgspec.DecodeError, RecursionError):
        return []
    return [msgspec.to_builtins(row) for row in rows]


def control_sentences(run: Run) -> dict[str, str]:
    """What the controls say of each score with a better direction; of merged runs, of all of them.

    A kind of wrong replies counts as detected where every run that tried it says so.
    """
    folders = [Path(folder) for folder in run.sources]
    verdicts: dict[str, dict[str, bool]] = {}
    counts: dict[str, int] = {}
    for row in (row for folder in folders for row in saved_rows(folder)):
        if row["verdict"] in ("notices", *MISSED):
            own, kind = verdicts.setdefault(row["score"], {}), row["kind"]
            own[kind] = own.get(kind, True) and row["verdict"] == "notices"
            counts[row["score"]] = max(counts.get(row["score"], 0), row["n"])
    return {
        score: f"Negative controls (n = {counts[score]:,}): {describe_controls(own)}"
        for score, own in verdicts.items()
    }


def describe_controls(verdicts: dict[str, bool]) -> str:
    """Which wrong replies a score detects, and which not."""
    yes, no = ([kind for kind, seen in verdicts.items() if seen is want] for want in (True, False))
    parts = [f"detects {join_with_and(yes)} replies"] if yes else []
    parts += [f"does not detect {join_with_and(no)} replies"] if no else []
    return "; ".join(parts)
