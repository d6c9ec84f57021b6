"""What processes cost: CPU, wall and memory, round by round, as one table of 80 columns.

Imports the standard library only: the memory that the system tells of a process counts that of its
parent before it, so the parent stays small.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parent
ALONE = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "SIMPATICO_THREADS": "1"}
"""Threads of a linear algebra library that wait for each other burn CPU: one for everybody."""


@dataclass
class Row:
    """One line of the table: a command, and how many units it works through.

    With `inside` the process prints its own CPU seconds, so that imports do not count. `target` is
    removed before each round.
    """

    name: str
    command: list[Any]
    units: int
    group: str = "files"
    env: dict[str, str] = field(default_factory=dict)
    inside: bool = False
    target: Path | None = None
    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    peak_mb: float = 0.0
    problem: str = ""

    @property
    def each(self) -> float:
        """Least CPU seconds a unit."""
        return min(self.cpu) / self.units

    @property
    def spread(self) -> float:
        """How far the dearest round is above the cheapest."""
        return max(self.cpu) / min(self.cpu) - 1 if min(self.cpu) else 0.0

    def record(self) -> dict[str, Any]:
        figures = {"name": self.name, "group": self.group, "units": self.units}
        return (
            figures
            | {"cpu": self.cpu, "wall": self.wall, "peak_mb": self.peak_mb}
            | ({"problem": self.problem} if self.problem else {})
        )


def run(row: Row) -> None:
    """One round of a row; what fails is told in the row and not tried again."""
    if row.problem:
        return
    if row.target:
        shutil.rmtree(row.target, ignore_errors=True)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        begin = time.perf_counter()
        environment = {**os.environ, **ALONE, "SIMPATICO_CACHE": "off", **row.env}
        process = subprocess.Popen(
            [str(part) for part in row.command], stdout=out, stderr=errors, env=environment
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        wall, cpu = time.perf_counter() - begin, usage.ru_utime + usage.ru_stime
        texts = []
        for stream in (out, errors):
            stream.seek(0)
            texts.append(stream.read().decode(errors="replace").strip().splitlines() or [""])
    if status:
        row.problem = texts[1][-1][:200] or f"exit status {status}"
        return
    if row.inside:
        told = json.loads(texts[0][-1])
        row.problem = told.get("problem", "")
        cpu, wall = told.get("cpu", 0.0), told.get("wall", 0.0)
    row.cpu.append(cpu)
    row.wall.append(wall)
    row.peak_mb = max(row.peak_mb, usage.ru_maxrss / 1024)


def table(rows: list[Row], references: dict[str, str]) -> str:
    """All rows; `wc` and `ours` are CPU a unit over that of `wc -w` and of our row of the group."""
    by_name = {row.name: row for row in rows if not row.problem}
    head = f"{'':33}{'n':>10}{'CPU s':>8}{'+%':>4}{'us each':>9}{'wc':>8}{'ours':>8}"
    lines, group = [head], ""
    for row in rows:
        if row.group != group:
            group = row.group
            lines.append(group)
        if row.problem:
            lines.append(f"  {row.name:31} not measured: {row.problem}"[:80])
            continue
        ours, wc = by_name.get(references.get(group, "")), by_name.get("wc -w")
        times = f"{row.each / ours.each:8.2f}" if ours and ours.each else " " * 8
        words = f"{row.each / wc.each:8.1f}" if group == "files" and wc and wc.each else " " * 8
        lines.append(
            f"  {row.name:31}{row.units:10,}{min(row.cpu):8.2f}{min(100 * row.spread, 999):4.0f}"
            f"{1e6 * row.each:9.{1 if row.each < 1 / 100 else 0}f}{words}{times}"
        )
    return "\n".join(lines)


def machine() -> dict[str, Any]:
    """Facts without which a figure means little."""
    model = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    git = ["git", "-C", ROOT, "describe", "--always", "--dirty"]
    commit = subprocess.run(git, capture_output=True, text=True).stdout.strip()
    return {
        "commit": commit,
        "date": time.strftime("%Y-%m-%d %H:%M", time.gmtime()),
        "cores": os.cpu_count(),
        "cpu": model[0] if model else platform.processor(),
        "python": platform.python_version(),
        "load_before": os.getloadavg(),
    }


def versions(python: Path) -> dict[str, str]:
    """Names and versions of what a Python has installed."""
    listing = subprocess.run(
        [python, "-m", "pip", "list", "--format=json", "--disable-pip-version-check"],
        capture_output=True,
        text=True,
    ).stdout
    return {item["name"]: item["version"] for item in json.loads(listing or "[]")}


def save(path: Path, record: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
