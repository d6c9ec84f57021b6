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
    path = folder / f"{dialogs}.csv"
    judgements(run).write_csv(path)
    return run.folder, path


def judgements(run: Run) -> pl.DataFrame:
    """What made-up judges say of dialogs spread over the whole run; it follows the scores a bit."""
    rng = np.random.default_rng(7)
    rows = run.at("dialog", ["dialog", "speaker", "system", "style_matching"])
    rows = rows.filter(pl.col("system") != "human")
    sample = rows.gather_every(max(1, rows.height // JUDGED)).head(JUDGED)
    place = sample["style_matching"].fill_null(0.8).rank().to_numpy() / sample.height
    parts = []
    for quality in QUALITIES:
        for judge in range(JUDGES):
            ratings = np.clip(np.rint(1.5 + 2 * place + rng.normal(0, 1, len(place)) + 0.5), 1, 5)
            parts.append(
                sample.select("dialog", "speaker").with_columns(
                    quality=pl.lit(quality),
                    judge=pl.lit(f"judge-{judge}"),
                    judge_kind=pl.lit("outsider"),
                    value=pl.Series(ratings),
                )
            )
    return pl.concat(parts)


def run_imports(run: Run, judgements: Judgements) -> str:
    return ""


def run_report(run: Run, judgements: Judgements) -> str:
    from simpatico.reporting.page import report

    return report(run, judgements)


def run_compare(run: Run, judgements: Judgements) -> str:
    return str(compare([run]))


def run_validate(run: Run, judgements: Judgements) -> str:
    return str(validate(run, judgements))


def run_structure(run: Run, judgements: Judgements) -> str:
    return str(correlation_structure(run.at("dialog", list(METRICS))))


def whole_table(run: Run, judgements: Judgements) -> str:
    return str(run.at("dialog").shape)


def few_columns(run: Run, judgements: Judgements) -> str:
    return str(run.at("dialog", ["dialog", "system", *METRICS]).shape)


def run_quotes(run: Run, judgements: Judgements) -> str:
    names = judgements.frame["dialog"].unique(maintain_order=True)
    return str(run.turns(names.gather_every(len(names) // QUOTED).head(QUOTED)))


PIECES: dict[str, Callable[[Run, Judgements], str]] = {
    "imports and judgements only": run_imports,
    'Run.at("dialog")': whole_table,
    'Run.at("dialog", columns)': few_columns,
    "Run.turns of 24 dialogs": run_quotes,
    "structure": run_structure,
    "compare": run_compare,
    "validate": run_validate,
    **({"report": run_report} if HAS_REPORT else {}),
}
"""What is measured, in order; a new measurement is one more here."""


def measure(piece: str, dialogs: int, run: Path, judgements: Path) -> Cost:
    """The cost of one piece in a process of its own."""
    command = [sys.executable, __file__, "--piece", piece, "--run", run, "--judgements", judgements]
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        output.seek(0)
        text = output.read().decode()
    if status:
        raise SystemExit(text)
    size, peak = map(int, text.split())
    return Cost(piece, dialogs, usage.ru_utime + usage.ru_stime, peak / 1024, size)


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
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--short", type=int, default=1_000)
    parser.add_argument("--long", type=int, default=100_000)
    parser.add_argument("--keep", type=Path, help="make the runs here, or use those made before")
    parser.add_argument("--json", type=Path, help="where to write the figures too")
    for own in ("--piece", "--run", "--judgements"):
        parser.add_argument(own, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> int:
    options = arguments()
    if options.piece:
        text = PIECES[options.piece](Run(Path(options.run)), read_judgements(options.judgements))
        print(len(text.encode()), peak())
        return 0
    costs = []
    with tempfile.TemporaryDirectory() as folder:
        place = options.keep or Path(folder)
        for dialogs in (options.short, options.long):
            run, ratings = place / f"run-{dialogs}", place / f"{dialogs}.csv"
            if not ratings.exists():
                make(dialogs, place)
            for piece in PIECES:
                costs.append(measure(piece, dialogs, run, ratings))
                print(costs[-1], flush=True)
    results = targets(costs) if HAS_REPORT else []
    for what, value, most in results:
        print(f"{what} {value:,.2f}  <= {most:,g}  {'met' if value <= most else 'MISSED'}")
    if options.json:
        options.json.write_text(json.dumps([asdict(c) for c in costs], indent=1) + "\n")
    return 0 if all(value <= most for _, value, most in results) else 1


if __name__ == "__main__":
    sys.exit(main())
