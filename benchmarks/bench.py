"""One table of ratios: ours and every peer in the same run, rounds interleaved.

    python benchmarks/bench.py [--utterances 200000] [--rounds 5] [--base REV] [--out FILE]
    python benchmarks/bench.py --check        the few ratios of floor.json; exit 1 if one is worse
    python benchmarks/bench.py --floor        measure these and write floor.json

CPU seconds of a whole process and its children, least of the rounds; +% is how far the dearest
round is above it. Peers tell their own CPU without imports. Slow ones read fewer utterances.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Any

from measure import HERE, ROOT, Row, machine, run, save, table, versions

PEERS = ROOT / ".venv-bench"
PACKAGES = (
    *("torch==2.13.0", "wordfreq", "polars", "scikit-learn", "vaderSentiment", "NRCLex", "liwc"),
    *("convokit", "nlpstats==0.0.1", "sentence-transformers", "onnxruntime", "tokenizers"),
)
"""torch comes first, in the release whose CPU build is tested: others would pull its CUDA build."""
PSYCH = "agreeableness,emotion_matching,emotion_shares,emotional_entropy,empathy,style_matching"
SIX = 20
OURS = {
    "files": "score --preset psych",
    "six turns, warm": "lexicon",
    "encoders": "ours",
    "resampling, system-level pearson": "ours, system pearson",
    "resampling, input-level kendall": "ours, input kendall",
}
FLOOR, TOLERANCE = HERE / "floor.json", 1.3


def install_peers() -> None:
    """A Python of the peers; one that cannot be installed becomes a row that says so."""
    python, done = PEERS / "bin/python", PEERS / "peers"
    if done.exists() and done.read_text().split() == list(PACKAGES):
        return
    if not python.exists():
        venv.create(PEERS, with_pip=True)
    for package in PACKAGES:
        subprocess.call([python, "-m", "pip", "install", "--quiet", package])
    done.write_text("\n".join(PACKAGES))


def make_inputs(folder: Path, sizes: dict[str, int], *others: str) -> None:
    """Corpora by name and size, and the lexica as the peers read them."""
    for name, size in sizes.items():
        paths = [folder / f"{name}{ending}" for ending in (".jsonl", *others)]
        others = ()
        subprocess.run([PEERS / "bin/python", HERE / "corpus.py", str(size), *paths], check=True)
    subprocess.run([sys.executable, HERE / "ours.py", "lexica", folder], check=True)


def score_row(name: str, source: Path, units: int, *options: str, **env: str) -> Row:
    """`simpatico score` into a folder that each round makes anew."""
    target = source.parent / ("run-" + "".join(c if c.isalnum() else "-" for c in name))
    # -P: not the package of the current folder but that of PYTHONPATH, where --base puts another
    command = [sys.executable, "-P", "-m", "simpatico", "score", source, "--out", target]
    if "--preset" not in options:
        options = ("--preset", "psych", *options)
    return Row(name, [*command, "--no-cache", *options], units, env=env, target=target)


def hide_numba(folder: Path) -> str:
    """A folder for PYTHONPATH that makes numba look absent, in worker processes as well."""
    place = folder / "no-numba"
    place.mkdir(exist_ok=True)
    (place / "sitecustomize.py").write_text("import sys\nsys.modules['numba'] = None\n")
    return str(place)


def key_rows(folder: Path, n: int) -> list[Row]:
    """What `--check` needs, too."""
    data, small = folder / "all.jsonl", folder / "small.jsonl"
    fewer = min(n, 20_000)
    ours = [sys.executable, HERE / "ours.py", "six-turns"]
    return [
        Row("wc -w", ["wc", "-w", data], n),
        Row(
            "regex and dict loop",
            [sys.executable, HERE / "loop.py", small, folder / "entries.json", folder / "loop.csv"],
            fewer,
        ),
        score_row("score --preset psych", data, n),
        score_row("same, --jobs 2", data, n, "--jobs", "2"),
        Row("lexicon", [*ours, PSYCH, SIX], SIX, "six turns, warm", inside=True),
        Row("simpatico --help", [sys.executable, "-m", "simpatico", "--help"], 1, "start"),
    ]


def our_rows(folder: Path, n: int, neural: int) -> list[Row]:
    """Other inputs, options and presets."""
    data, few = folder / "all.jsonl", folder / "few.jsonl"
    tiny = folder / "tiny.jsonl"
    ours = [sys.executable, HERE / "ours.py", "six-turns"]
    code = "import sys, polars as pl; pl.read_ndjson(sys.argv[1]).write_parquet(sys.argv[2])"
    copy = [sys.executable, "-c", code, data, folder / "copy.parquet"]
    rows = [
        Row("polars read and write", copy, n),
        score_row("same, numba hidden", data, n, PYTHONPATH=hide_numba(folder)),
        score_row("same, SIMPATICO_WORDS=numba", data, n, SIMPATICO_WORDS="numba"),
        score_row("same, --no-text", data, n, "--no-text"),
        score_row("same, OpenAI messages", folder / "all.openai.jsonl", n),
        score_row("same, CSV", folder / "all.csv", n),
        score_row("same, Parquet", folder / "all.parquet", n),
        score_row("same, first 200 turns", tiny, 200),
    ]
    for preset in ("default", "neural"):
        of = ("--preset", preset)
        rows.append(score_row(f"score --preset {preset}", few, neural, *of))
        rows.append(score_row(f"{preset}, first 200 turns", tiny, 200, *of))
    rows.append(score_row("neural, --jobs 2", few, neural, "--preset", "neural", "--jobs", "2"))
    live = [*ours, f"{PSYCH},coherence,engagement", SIX]
    return [
        *rows,
        Row("and coherence, engagement", live, SIX, "six turns, warm", inside=True),
    ]


def model_folder(name: str) -> str:
    code = f"from simpatico.models.names import find_model; print(find_model({name!r}).folder)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    return done.stdout.strip()


def peer_rows(folder: Path, n: int) -> list[Row]:
    """Each peer on as many utterances as it gets through in seconds."""
    few, entries = folder / "small.jsonl", folder / "entries.json"
    script, texts, fewer = [PEERS / "bin/python", HERE / "peers.py"], 320, min(n, 5_000)
    many = min(n, 20_000)

    def peer(name: str, units: int, group: str, *command: Any) -> Row:
        return Row(name, [*script, *command], units, group, inside=True)

    onnx, torch = model_folder("package:minilm"), model_folder("package:minilm-torch")
    rows = [
        peer("CountVectorizer", many, "files", "count_vectorizer", few, many, entries),
        peer("liwc recipe", many, "files", "liwc", few, many, folder / "function_words.dic"),
        peer("NRCLex", fewer, "files", "nrclex", few, fewer),
        peer("VADER", fewer, "files", "vader", few, fewer),
        peer("ConvoKit", fewer, "files", "convokit", few, fewer, entries),
    ]
    ours = [sys.executable, HERE / "ours.py"]
    rows.append(Row("ours", [*ours, "embeddings", few, texts], texts, "encoders", inside=True))
    for kind, place in (("onnxruntime", onnx), ("sentence_transformers", torch)):
        for size, words in ((1, "one by one"), (64, "64 at a time")):
            name = f"{kind.replace('_', '-')[:18]} {words}"
            rows.append(peer(name, texts, "encoders", kind, few, texts, place, size))
    for level, coefficient, draws in (("system", "pearson", 999), ("input", "kendall", 29)):
        group = f"resampling, {level}-level {coefficient}"
        work = [*ours, "resampling", level, coefficient, 9_999]
        rows.append(Row(f"ours, {level} {coefficient}", work, 9_999, group, inside=True))
        of = ("nlpstats", level, coefficient, draws)
        rows.append(peer(f"nlpstats, {level} {coefficient}", draws, group, *of))
    return rows


def base_rows(folder: Path, n: int, revision: str) -> list[Row]:
    """An earlier commit on the same file, from a worktree that is removed afterwards."""
    place = folder / "base"
    git = ["git", "-C", ROOT, "worktree", "add", "--quiet", "--detach", place, revision]
    subprocess.run(git, check=True)
    row = score_row(f"commit {revision}", folder / "all.jsonl", n, PYTHONPATH=str(place))
    return [row]


def digest(row: Row) -> dict[str, str]:
    """Names and hashes of a run's tables."""
    tables = row.target.glob("*.parquet") if row.target else ()
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in tables}


def ratios(rows: list[Row]) -> dict[str, float]:
    """What is judged; a ratio whose rows were not measured is left out."""
    of = {row.name: row for row in rows if row.cpu and not row.problem}
    each = {name: row.each for name, row in of.items()}
    base = next((name for name in of if name.startswith("commit ")), "")
    psych, loop = "score --preset psych", "regex and dict loop"
    pairs = {
        "end to end / wc -w": (psych, "wc -w"),
        "regex loop / end to end": (loop, psych),
        "ConvoKit / end to end": ("ConvoKit", psych),
        "base / end to end": (base, psych),
        "base / numba hidden": (base, "same, numba hidden"),
        "six turns / 1,000 turns of the loop": ("lexicon", loop),
        "--help / 1,000 turns of the loop": ("simpatico --help", loop),
    }
    found = {k: each[a] / each[b] for k, (a, b) in pairs.items() if a in each and b in each}
    for name in found:
        found[name] /= 1000 if "1,000" in name else 1
    for name, (a, b) in {
        "wall of --jobs 2 / --jobs 1": ("same, --jobs 2", psych),
        "the same, neural": ("neural, --jobs 2", "score --preset neural"),
    }.items():
        if a in of and b in of:
            found[name] = min(of[a].wall) / min(of[b].wall)
    for name, row in (
        ("ms of six turns", "lexicon"),
        ("ms with encoder", "and coherence, engagement"),
    ):
        if row in each:
            found[name] = 1000 * each[row]
    if "simpatico --help" in each:
        found["CPU s of --help"] = each["simpatico --help"]
    return found


TARGETS = {
    "end to end / wc -w": ("<=", 12),
    "regex loop / end to end": (">=", 6),
    "ConvoKit / end to end": (">=", 150),
    "base / end to end": (">=", 3),
    "base / numba hidden": (">=", 2),
    "wall of --jobs 2 / --jobs 1": ("<=", 0.62),
    "the same, neural": ("<=", 0.62),
    "ms of six turns": ("<=", 15),
    "ms with encoder": ("<=", 40),
    "CPU s of --help": ("<=", 0.2),
}
GUARDED = {
    "end to end / wc -w": "most",
    "regex loop / end to end": "least",
    "wall of --jobs 2 / --jobs 1": "most",
    "six turns / 1,000 turns of the loop": "most",
    "--help / 1,000 turns of the loop": "most",
}


def verdicts(found: dict[str, float]) -> list[str]:
    lines = []
    for name, value in found.items():
        sign, bound = TARGETS.get(name, ("", 0))
        met = value <= bound if sign == "<=" else value >= bound
        target = f"{sign} {bound:<6g} {'met' if met else 'MISSED'}" if sign else ""
        lines.append(f"{name:40}{value:10.2f}  {target}".rstrip())
    return lines


def regressions(found: dict[str, float], floor: dict[str, float], tolerance: float) -> list[str]:
    """One line for each ratio that is worse than its floor by more than the tolerance."""
    lines = []
    for name, known in floor.items():
        if name not in found:
            lines.append(f"{name}: not measured; the floor is {known:.2f}")
            continue
        is_most = GUARDED[name] == "most"
        worse = found[name] / known if is_most else known / found[name]
        if worse > tolerance:
            lines.append(
                f"{name}: {found[name]:.2f}, {worse:.2f} times as bad as the floor of {known:.2f}; "
                f"{tolerance:g} is tolerated"
            )
    return lines


def guard(found: dict[str, float], write: bool, facts: dict[str, Any]) -> int:
    """Compare with floor.json, or write it."""
    if write:
        kept = {name: round(found[name], 3) for name in GUARDED}
        about = {key: facts[key] for key in ("commit", "date", "cpu", "cores", "load_before")}
        save(FLOOR, {"tolerance": TOLERANCE, "ratios": kept, "measured": about})
        return 0
    floor = json.loads(FLOOR.read_text(encoding="utf-8"))
    lines = regressions(found, floor["ratios"], floor["tolerance"])
    print("\n".join(lines) or f"no ratio is {floor['tolerance']:g} times as bad as its floor")
    return 1 if lines else 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--utterances", type=int, default=200_000)
    parser.add_argument("--neural", type=int, default=2_000, help="utterances for neural presets")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--base", help="a commit to measure beside this one")
    parser.add_argument("--only", nargs="+", help="rows whose names have one of these in them")
    parser.add_argument("--out", type=Path, default=HERE / "results" / "bench.json")
    parser.add_argument("--check", action="store_true", help="compare with floor.json")
    parser.add_argument("--floor", action="store_true", help="write floor.json")
    return parser.parse_args()


def collect(folder: Path, options: argparse.Namespace) -> list[Row]:
    n = options.utterances
    if options.check or options.floor:
        make_inputs(folder, {"all": n, "small": min(n, 20_000)})
        return key_rows(folder, n)
    sizes = {"all": n, "small": min(n, 20_000), "few": options.neural, "tiny": 200}
    make_inputs(folder, sizes, ".csv", ".parquet", ".openai.jsonl")
    rows = [*key_rows(folder, n), *our_rows(folder, n, options.neural), *peer_rows(folder, n)]
    rows += base_rows(folder, n, options.base) if options.base else []
    order = ["files", "six turns, warm", "start", *OURS]
    rows.sort(key=lambda row: order.index(row.group))
    only = options.only or [""]
    return [row for row in rows if any(part in row.name for part in only)]


def main() -> int:
    options = arguments()
    install_peers()
    facts = machine()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        try:
            rows = collect(folder, options)
            for number in range(options.rounds):
                for row in rows:
                    print(f"round {number + 1}: {row.name}", file=sys.stderr, flush=True)
                    run(row)
            same = {
                r.name: digest(r) for r in rows if r.name.startswith(("commit", "score --preset p"))
            }
        finally:
            if options.base:
                shutil.rmtree(folder / "base", ignore_errors=True)
                subprocess.run(["git", "-C", ROOT, "worktree", "prune"], check=False)
    found = ratios(rows)
    print(table(rows, OURS))
    print("\n".join(["", *verdicts(found)]))
    if len(same) == 2:
        one, other = same.values()
        differ = sorted(n for n in one.keys() | other.keys() if one.get(n) != other.get(n))
        verdict = f"other bytes in {', '.join(differ)}" if differ else "same bytes"
        print(f"tables of both commits: {verdict}")
    facts |= {"load_after": os.getloadavg(), "utterances": options.utterances}
    facts |= {"ours": versions(Path(sys.executable)), "peers": versions(PEERS / "bin/python")}
    if options.check or options.floor:
        return guard(found, options.floor, facts)
    save(options.out, {"machine": facts, "ratios": found, "rows": [r.record() for r in rows]})
    return 0


if __name__ == "__main__":
    sys.exit(main())
