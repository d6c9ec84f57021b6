"""What a report costs on a short and on a long run: CPU seconds, peak memory, bytes.

    python benchmarks/report.py [--short 1000] [--long 100000] [--json FILE]

Conversations of twelve turns with three systems are made up and scored, 300 of them judged; then
the report, and before it each piece it is made of, is made in a process of its own. The memory of a
process that only imports is told too, since it is part of every other.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path

import corpus
import numpy as np
import polars as pl

from simpatico.comparison.difference import compare
from simpatico.judgements import Judgements
from simpatico.readers import Conversations
from simpatico.readers.judgement_files import read_judgements
from simpatico.registry import load
from simpatico.run import Run
from simpatico.run.writer import score_run
from simpatico.validation.evidence import validate
from simpatico.validation.overlap import correlation_structure

METRICS = ("agreeableness", "emotion_matching", "emotional_entropy", "empathy", "style_matching")
SYSTEMS = ("harbor", "brisk", "carousel")
QUALITIES = ("overall", "empathetic", "interesting", "fluent")
TURNS, JUDGED, JUDGES, QUOTED = 12, 300, 3, 24
MOST_SECONDS, MOST_BYTES, MOST_MEMORY = 20.0, (1_000_000, 2_000_000), 1.5
HAS_REPORT = find_spec("simpatico.reporting") and find_spec("simpatico.reporting.page")


@dataclass(frozen=True)
class Cost:
    """What one piece took on a run of so many dialogs."""

    piece: str
    dialogs: int
    cpu_seconds: float
    peak_mb: float
    bytes: int

    def __str__(self) -> str:
        figures = f"{self.cpu_seconds:8.2f} CPU-s {self.peak_mb:8.0f} MB {self.bytes:12,} bytes"
        return f"{self.piece:28} {self.dialogs:9,} dialogs {figures}"


def utterances(lines: list[str], first: int) -> pl.DataFrame:
    """Texts as dialogs, each system in turn; three dialogs in a row have the same prompt."""
    number = pl.int_range(first, first + pl.len(), dtype=pl.Int64)
    dialog = number // TURNS
    bot = (dialog % len(SYSTEMS)).replace_strict(
        range(len(SYSTEMS)), SYSTEMS, return_dtype=pl.String
    )
    who = pl.when(number % 2 == 1).then(bot).otherwise(pl.lit("guest"))
    return pl.DataFrame({"text": lines}, schema={"text": pl.String}).select(
        dialog=pl.format("dialog-{}", dialog),
        speaker=who,
        system=pl.when(number % 2 == 1).then(bot).otherwise(pl.lit("human")),
        prompt=pl.format("prompt-{}", dialog // len(SYSTEMS)),
        text="text",
    )


def make(dialogs: int, folder: Path) -> tuple[Path, Path]:
    """A run folder of so many dialogs and the judgements of some of them."""
    source, first = folder / f"{dialogs}.jsonl", 0
    with source.open("wb") as file:
        for part in corpus.texts(dialogs * TURNS):
            utterances(part, first).write_ndjson(file)
            first += len(part)
    run = score_run(
        Conversations((source,)), [load(name) for name in METRICS], folder / f"run-{dialogs}"
    )
    source.unlink()
    judged = folder / f"{dialogs}.csv"
    judgements(run).write_csv(judged)
    return run.folder, judged


def judgements(run: Run) -> pl.DataFrame:
    """What made-up judges say of dialogs spread over the whole run; it follows the scores a bit."""
    rng = np.random.default_rng(7)
    rows = run.at("dialog", ["dialog", "speaker", "system", "style_matching"])
    rows = rows.filter(pl.col("system") != "human")
    chosen = rows.gather_every(max(1, rows.height // JUDGED)).head(JUDGED)
    place = chosen["style_matching"].fill_null(0.8).rank().to_numpy() / chosen.height
    parts = []
    for quality in QUALITIES:
        for judge in range(JUDGES):
            said = np.clip(np.rint(1.5 + 2 * place + rng.normal(0, 1, len(place)) + 0.5), 1, 5)
            parts.append(
                chosen.select("dialog", "speaker").with_columns(
                    quality=pl.lit(quality),
                    judge=pl.lit(f"judge-{judge}"),
                    judge_kind=pl.lit("outsider"),
                    value=pl.Series(said),
                )
            )
    return pl.concat(parts)


def imported(run: Run, judged: Judgements) -> str:
    return ""


def reported(run: Run, judged: Judgements) -> str:
    from simpatico.reporting.page import report

    return report(run, judged)


def compared(run: Run, judged: Judgements) -> str:
    return str(compare([run]))


def validated(run: Run, judged: Judgements) -> str:
    return str(validate(run, judged))


def structured(run: Run, judged: Judgements) -> str:
    return str(correlation_structure(run.at("dialog", list(METRICS))))


def whole_table(run: Run, judged: Judgements) -> str:
    return str(run.at("dialog").shape)


def few_columns(run: Run, judged: Judgements) -> str:
    return str(run.at("dialog", ["dialog", "system", *METRICS]).shape)


def quoted(run: Run, judged: Judgements) -> str:
    names = judged.frame["dialog"].unique(maintain_order=True)
    return str(run.turns(names.gather_every(len(names) // QUOTED).head(QUOTED)))


PIECES: dict[str, Callable[[Run, Judgements], str]] = {
    "imports and judgements only": imported,
    'Run.at("dialog")': whole_table,
    'Run.at("dialog", columns)': few_columns,
    "Run.turns of 24 dialogs": quoted,
    "structure": structured,
    "compare": compared,
    "validate": validated,
    **({"report": reported} if HAS_REPORT else {}),
}
"""What is measured, in order; a new measurement is one more here."""


def measured(piece: str, dialogs: int, run: Path, judged: Path) -> Cost:
    """The cost of one piece in a process of its own."""
    command = [sys.executable, __file__, "--piece", piece, "--run", run, "--judgements", judged]
    with tempfile.TemporaryFile() as told:
        process = subprocess.Popen(command, stdout=told, stderr=subprocess.STDOUT)
        _, status, used = os.wait4(process.pid, 0)
        told.seek(0)
        said = told.read().decode()
    if status:
        raise SystemExit(said)
    size, peak = map(int, said.split())
    return Cost(piece, dialogs, used.ru_utime + used.ru_stime, peak / 1024, size)


def peak() -> int:
    """The most memory this process held, in kB; what wait4 tells counts its parent's too."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0])


def targets(costs: list[Cost]) -> list[tuple[str, float, float]]:
    """What was reached by the report, and the most it may be."""
    short, long = [c for c in costs if c.piece == "report"]
    return [
        ("bytes, short run", short.bytes, MOST_BYTES[0]),
        ("bytes, long run", long.bytes, MOST_BYTES[1]),
        ("CPU seconds, long run", long.cpu_seconds, MOST_SECONDS),
        ("peak memory, long run over short", long.peak_mb / short.peak_mb, MOST_MEMORY),
    ]


def arguments() -> argparse.Namespace:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--short", type=int, default=1_000)
    options.add_argument("--long", type=int, default=100_000)
    options.add_argument("--keep", type=Path, help="make the runs here, or use those made before")
    options.add_argument("--json", type=Path, help="where to write the figures too")
    for own in ("--piece", "--run", "--judgements"):
        options.add_argument(own, help=argparse.SUPPRESS)
    return options.parse_args()


def main() -> int:
    given = arguments()
    if given.piece:
        told = PIECES[given.piece](Run(Path(given.run)), read_judgements(given.judgements))
        print(len(told.encode()), peak())
        return 0
    costs = []
    with tempfile.TemporaryDirectory() as folder:
        place = given.keep or Path(folder)
        for dialogs in (given.short, given.long):
            run, judged = place / f"run-{dialogs}", place / f"{dialogs}.csv"
            if not judged.exists():
                make(dialogs, place)
            for piece in PIECES:
                costs.append(measured(piece, dialogs, run, judged))
                print(costs[-1], flush=True)
    reached = targets(costs) if HAS_REPORT else []
    for what, value, most in reached:
        print(f"{what} {value:,.2f}  <= {most:,g}  {'met' if value <= most else 'MISSED'}")
    if given.json:
        given.json.write_text(json.dumps([asdict(c) for c in costs], indent=1) + "\n")
    return 0 if all(value <= most for _, value, most in reached) else 1


if __name__ == "__main__":
    sys.exit(main())
