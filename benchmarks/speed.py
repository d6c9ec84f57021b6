"""How fast turns are scored, in CPU seconds of all threads, beside what one would use instead.

    python benchmarks/speed.py [--utterances 500000] [--rounds 3] [--json FILE]

Only ratios within one run are evidence: absolute figures move with the machine and its load.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import corpus
import loop
import numpy as np

from simpatico.features import Features, closure
from simpatico.features.emotions import EMOTIONS
from simpatico.features.lexicon import SHIPPED, LexiconSums, load_lexicon
from simpatico.features.words import Words
from simpatico.metrics.style_matching import CATEGORIES
from simpatico.registry import load
from simpatico.scoring import CHUNK, score
from simpatico.turns import Turns

HERE = Path(__file__).parent
METRICS = ("emotional_entropy", "emotion_matching", "emotion_shares", "style_matching")
TRAITS = ("empathy", "agreeableness")
PER_SECOND, TIMES_LOOP, TIMES_CONVOKIT = 150_000, 2.5, 50


@dataclass(frozen=True)
class Row:
    """One line of the result; `value` is to be at least `target`."""

    what: str
    value: float
    target: float | None = None
    note: str = ""

    @property
    def meets_target(self) -> bool:
        return self.target is None or self.value >= self.target


@dataclass(frozen=True)
class Job:
    """What every measurement starts from."""

    turns: Turns
    rounds: int
    convokit: Path
    sample: int


def cpu() -> float:
    """CPU seconds of this process so far, all threads, user and system."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def cpu_time(work: Callable[[], object]) -> float:
    begin = cpu()
    work()
    return cpu() - begin


def texts(job: Job) -> list[str]:
    return job.turns.frame["text"].to_list()


def lexicon_entries() -> loop.Entries:
    """Both lexica as the loop reads them: word, column, weight."""
    rows = []
    for source in ("emotions", "function_words"):
        lexicon = load_lexicon(source)
        for term, place in lexicon.rows.items():
            weights = zip(lexicon.categories, lexicon.weights[place].tolist(), strict=True)
            rows += [(term, category, weight) for category, weight in weights]
    return loop.entries(rows, [*EMOTIONS, *CATEGORIES])


def difference(turns: Turns, theirs: list[list[float]]) -> float:
    """The greatest difference between our sums and word counts and those of the loop."""
    needs = (LexiconSums("emotions", EMOTIONS), LexiconSums("function_words", tuple(CATEGORIES)))
    greatest, done = 0.0, 0
    for part in turns.chunks(CHUNK):
        features = Features(part, closure(needs))
        ours = np.column_stack([*(features[f] for f in needs), features[Words()].counts])
        rows = np.array(theirs[done : done + len(part)])
        greatest, done = max(greatest, float(np.abs(ours - rows).max())), done + len(part)
    return greatest


def against_loop(job: Job) -> list[Row]:
    """Ours from turns to turn scores, against a hand-written loop that only makes the sums."""
    metrics = [load(name) for name in METRICS]
    size, lines, entries = len(job.turns), texts(job), lexicon_entries()
    width = len(EMOTIONS) + len(CATEGORIES)
    score(next(job.turns.chunks(1_000)), metrics).at("turn")
    ours, theirs = [], []
    sums: list[list[float]] = []
    for _ in range(job.rounds):
        ours.append(cpu_time(lambda: score(job.turns, metrics).at("turn")))
        begin = cpu()
        sums = loop.sums(lines, entries, width)
        theirs.append(cpu() - begin)
    gap = difference(job.turns, sums)
    if gap > 1e-9:
        raise SystemExit(f"the loop's sums differ from ours by up to {gap}")
    best, other = min(ours), min(theirs)
    return [
        Row("ours, CPU seconds", best, note=f"least of {[round(s, 2) for s in ours]}"),
        Row("ours, utterances per CPU second", size / best, PER_SECOND),
        Row("loop, CPU seconds", other, note=f"least of {[round(s, 2) for s in theirs]}"),
        Row("loop, utterances per CPU second", size / other),
        Row("times as fast as the loop", other / best, TIMES_LOOP, f"sums differ by {gap:.0e}"),
        Row("the same in the worst pairing", min(theirs) / max(ours), note="least over greatest"),
    ]


def against_convokit(job: Job) -> list[Row]:
    """Ours against ConvoKit's corpus, tokeniser and category counts, on the first utterances."""
    if not job.convokit.exists():
        return [Row("convokit, not measured", 0.0, note=f"no {job.convokit}; see README.md")]
    metrics = [load(name) for name in METRICS]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "sample.jsonl")
        corpus.write(job.sample, source)
        command = [job.convokit, HERE / "convokit_count.py", source, SHIPPED / "function_words.csv"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    record = json.loads(done.stdout.splitlines()[-1])
    ours = len(job.turns) / min(
        cpu_time(lambda: score(job.turns, metrics).at("turn")) for _ in range(job.rounds)
    )
    theirs = record["utterances"] / record["cpu_seconds"]
    return [
        Row("convokit, utterances per CPU second", theirs, note=f"on {record['utterances']:,}"),
        Row("times as fast as convokit", ours / theirs, TIMES_CONVOKIT),
    ]


def traits(job: Job) -> list[Row]:
    """The shipped trait models apart, from turns to dialog scores."""
    metrics = [load(name) for name in TRAITS]
    took = min(cpu_time(lambda: score(job.turns, metrics).at("dialog")) for _ in range(job.rounds))
    return [Row(f"{' and '.join(TRAITS)}, utterances per CPU second", len(job.turns) / took)]


MEASURES: tuple[Callable[[Job], list[Row]], ...] = (against_loop, against_convokit, traits)
"""What is measured, in order; a new measurement is one more here."""


def show(rows: list[Row]) -> None:
    for row in rows:
        verdict = "met" if row.meets_target else "MISSED"
        target = "" if row.target is None else f">= {row.target:,g}  {verdict}"
        value = f"{row.value:,.0f}" if row.value >= 1000 else f"{row.value:.2f}"
        print(f"{row.what:56} {value:>12}  {target:20} {row.note}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--utterances", type=int, default=500_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--convokit", type=Path, default=HERE.parent / ".venv-bench/bin/python")
    parser.add_argument("--sample", type=int, default=5_000, help="utterances for convokit")
    parser.add_argument("--json", type=Path, help="where to write the figures too")
    options = parser.parse_args()
    turns = Turns.from_utterances(corpus.utterances(options.utterances))
    job = Job(turns, options.rounds, options.convokit, options.sample)
    rows = [row for measure in MEASURES for row in measure(job)]
    show(rows)
    if options.json:
        record = [{**asdict(row), "met": row.meets_target} for row in rows]
        options.json.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return 0 if all(row.meets_target for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
