"""Whether memory is bounded by the chunk: peak memory of `simpatico score` on a short and a long
file.

python benchmarks/memory.py [--short 200000] [--long 2000000] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import corpus

METRICS = "emotional_entropy,emotion_matching,emotion_shares,style_matching"
MOST = 1.15


def score_file(source: Path, run: Path) -> dict[str, float]:
    """Peak resident memory in MB and CPU seconds of scoring one file in a process of its own."""
    command = [sys.executable, "-m", "simpatico", "score", source, "--out", run]
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            [*command, "--metrics", METRICS], stdout=subprocess.DEVNULL, stderr=errors
        )
        _, status, usage = os.wait4(process.pid, 0)
        errors.seek(0)
        message = errors.read().decode()
    if status:
        raise SystemExit(message)
    return {"peak_mb": usage.ru_maxrss / 1024, "cpu_seconds": usage.ru_utime + usage.ru_stime}


def measure(size: int, folder: Path) -> dict[str, float]:
    """The same for a corpus of `size` utterances, which is deleted afterwards."""
    source = folder / f"{size}.jsonl"
    corpus.write(size, source)
    costs = {"utterances": size, "file_mb": source.stat().st_size / 2**20}
    costs |= score_file(source, folder / f"run-{size}")
    source.unlink()
    return costs


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--short", type=int, default=200_000)
    parser.add_argument("--long", type=int, default=2_000_000)
    parser.add_argument("--json", type=Path, help="where to write the figures too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        short, long = (measure(size, Path(folder)) for size in (options.short, options.long))
    for costs in (short, long):
        print("  ".join(f"{name} {value:,.0f}" for name, value in costs.items()))
    ratio = long["peak_mb"] / short["peak_mb"]
    on_target = ratio <= MOST
    verdict = "met" if on_target else "MISSED"
    print(f"peak of the long file over the short {ratio:.2f}  <= {MOST}  {verdict}")
    if options.json:
        record = {"short": short, "long": long, "ratio": ratio, "target": MOST, "met": on_target}
        options.json.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return 0 if on_target else 1


if __name__ == "__main__":
    sys.exit(main())
