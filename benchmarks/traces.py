"""Reading traces of other tools beside our own JSON lines: messages a CPU second, and peak memory.

Ten turns are five calls, each of which repeats the history of its conversation, as tools write it:
in their files there are three messages for each turn.

python benchmarks/traces.py [--short 100000] [--long 1000000] [--formats jsonl,otlp,langfuse]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import corpus
import msgspec
import polars as pl

FORMATS = ("jsonl", "otlp", "langfuse")
WINDOW = 20_000
"""Observations of a Parquet file of Langfuse, as an export has a file for each window."""
MOST_PEAK, MOST_TIMES = 1.5, 6
READ = (
    "import sys; from simpatico.readers import Conversations as C; "
    "print(sum(len(chunk.turns) for chunk in C((sys.argv[1],)).chunks()))"
)


def calls(size: int) -> Iterator[tuple[int, int, list[str]]]:
    """Number of the dialog, number of the call, and what was said up to the call's answer."""
    texts, n = chain.from_iterable(corpus.texts(size)), size // corpus.DIALOG
    for dialog in range(n):
        said = [next(texts) or "." for _ in range(corpus.DIALOG)]
        for call in range(corpus.DIALOG // 2):
            yield dialog, call, said[: 2 * call + 2]


def otlp_lines(size: int) -> Iterator[bytes]:
    """A span a line."""
    for dialog, call, said in calls(size):
        *sent, answer = (
            {"role": role(n), "parts": [{"type": "text", "content": text}]}
            for n, text in enumerate(said)
        )
        own = {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "bot",
            "gen_ai.conversation.id": f"dialog-{dialog}",
            "gen_ai.input.messages": msgspec.json.encode(sent).decode(),
            "gen_ai.output.messages": msgspec.json.encode([answer]).decode(),
        }
        start = 1_750_000_000_000_000_000 + (dialog * 60 + call) * 10**9
        span = {
            "traceId": f"{5 * dialog + call:032x}",
            "spanId": f"{5 * dialog + call:016x}",
            "name": "chat bot",
            "startTimeUnixNano": str(start),
            "endTimeUnixNano": str(start + 10**8),
            "attributes": [{"key": k, "value": {"stringValue": v}} for k, v in own.items()],
        }
        scopes = [{"scope": {"name": "bench"}, "spans": [span]}]
        yield msgspec.json.encode({"resourceSpans": [{"scopeSpans": scopes}]}) + b"\n"


def observations(size: int) -> Iterator[dict[str, Any]]:
    """A generation a row."""
    for dialog, call, said in calls(size):
        *sent, answer = ({"role": role(n), "content": text} for n, text in enumerate(said))
        yield {
            "id": f"o{5 * dialog + call}",
            "trace_id": f"t{5 * dialog + call}",
            "parent_observation_id": None,
            "type": "GENERATION",
            "session_id": f"dialog-{dialog}",
            "user_id": f"u{dialog}",
            "start_time": f"2026-08-20 {dialog // 3600 % 24:02}:{dialog // 60 % 60:02}:{call:02}.0",
            "input": msgspec.json.encode(sent).decode(),
            "output": msgspec.json.encode(answer).decode(),
            "provided_model_name": "bot",
        }


def role(number: int) -> str:
    return ("user", "assistant")[number % 2]


def write(kind: str, size: int, folder: Path) -> Path:
    """Conversations of so many turns in this format."""
    path = folder / f"{kind}-{size}"
    if kind == "langfuse":
        path.mkdir()
        rows = list[dict[str, Any]]()
        for number, row in enumerate(observations(size), start=1):
            rows.append(row)
            if number % WINDOW == 0 or number == size // 2:
                pl.DataFrame(rows, infer_schema_length=None).write_parquet(
                    path / f"{number:09}.parquet"
                )
                rows = []
        return path
    path = path.with_suffix(".jsonl")
    if kind == "jsonl":
        corpus.write(size, path)
    else:
        with path.open("wb") as file:
            file.writelines(otlp_lines(size))
    return path


def read(path: Path, size: int, messages: int) -> dict[str, float]:
    """What reading costs in a process of its own, which has to find every turn."""
    with tempfile.TemporaryFile() as output:
        command = [sys.executable, "-c", READ, str(path)]
        process = subprocess.Popen(command, stdout=output)
        _, status, usage = os.wait4(process.pid, 0)
        output.seek(0)
        n = int(output.read() or 0)
    if status or abs(n - size) > size / 1000:  # two empty texts in a row are one turn
        raise SystemExit(f"{path}: {n} turns of {size}, status {status}")
    files = path.iterdir() if path.is_dir() else [path]
    seconds = usage.ru_utime + usage.ru_stime
    return {
        "turns_per_s": n / seconds,
        "messages_per_s": messages * n / seconds,
        "mb_per_s": sum(file.stat().st_size for file in files) / 2**20 / seconds,
        "peak_mb": usage.ru_maxrss / 1024,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--short", type=int, default=100_000)
    parser.add_argument("--long", type=int, default=1_000_000)
    parser.add_argument("--formats", default=",".join(FORMATS))
    options = parser.parse_args()
    failed, ours = False, 0.0
    for kind in options.formats.split(","):
        with tempfile.TemporaryDirectory() as folder:
            sizes = (options.short, options.long)
            messages = 1 if kind == "jsonl" else (corpus.DIALOG // 2 + 1) // 2
            short, long = (read(write(kind, n, Path(folder)), n, messages) for n in sizes)
        ours = ours or long["messages_per_s"]
        times, peaks = ours / long["messages_per_s"], long["peak_mb"] / short["peak_mb"]
        failed |= times > MOST_TIMES or peaks > MOST_PEAK
        print(
            f"{kind:9} {long['messages_per_s']:9,.0f} messages, {long['turns_per_s']:9,.0f} turns, "
            f"{long['mb_per_s']:5.1f} MB a CPU-s  {times:4.1f} times ours  "
            f"peak {long['peak_mb']:,.0f} MB, {peaks:.2f} of the short"
        )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
