"""Ours within one process, warm; run by the Python that has simpatico. Prints CPU seconds as JSON.

python benchmarks/ours.py lexica FOLDER
python benchmarks/ours.py six-turns METRIC,... REPEATS
python benchmarks/ours.py embeddings UTTERANCES.jsonl N
python benchmarks/ours.py resampling LEVEL COEFFICIENT DRAWS
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from peers import first_texts, matrices, timed

CHAT = (
    "Hi, I lost my job this week and I am worried.",
    "I'm sorry to hear that, it must be hard. What happened?",
    "They closed the whole team. I loved that work.",
    "That sounds painful. You can be proud of what you did there.",
    "Thank you, that helps a little. What should I do now?",
    "Rest first, then let us look at what you would like to do next.",
)


def lexica(folder: str) -> None:
    """Both lexica as the peers read them: JSON for the loop, a LIWC dictionary, a plain CSV."""
    from simpatico.features.emotions import EMOTIONS
    from simpatico.features.lexicon import load_lexicon
    from simpatico.features.words import APOSTROPHES, INVISIBLE
    from simpatico.metrics.style_matching import CATEGORIES

    columns, entries = [*EMOTIONS, *CATEGORIES], dict[str, list[tuple[int, float]]]()
    for source in ("emotions", "function_words"):
        lexicon = load_lexicon(source)
        for term, place in lexicon.rows.items():
            for category, weight in zip(lexicon.categories, lexicon.weights[place], strict=True):
                if weight:
                    entries.setdefault(term, []).append((columns.index(category), float(weight)))
    patterns = {"apostrophes": APOSTROPHES, "invisible": INVISIBLE}
    record = {"columns": columns, "patterns": patterns, "entries": entries}
    Path(folder, "entries.json").write_text(json.dumps(record), encoding="utf-8")
    first = len(EMOTIONS)
    names = [f"{n}\t{name}" for n, name in enumerate(columns) if n >= first]
    words = {t: [c for c, _ in pairs if c >= first] for t, pairs in entries.items()}
    lines = ["\t".join([t, *map(str, places)]) for t, places in words.items() if places]
    text = "\n".join(["%", *names, "%", *lines]) + "\n"
    Path(folder, "function_words.dic").write_text(text, encoding="utf-8")


def six_turns(names: str, repeats: str) -> None:
    """A live conversation: all three levels of six turns, whose texts are new each time."""
    from simpatico import load, score

    os.environ["SIMPATICO_CACHE"] = "off"  # an earlier run of the benchmark had the same texts
    metrics = [load(name) for name in names.split(",")]

    def once(number: int) -> None:
        messages = [
            {"role": ("user", "assistant")[n % 2], "content": f"{text} {number}"}
            for n, text in enumerate(CHAT)
        ]
        scores = score(messages, metrics)
        for level in ("turn", "dialog", "system"):
            scores.at(level)

    for number in range(3):
        once(number)
    timed(lambda: [once(100 + n) for n in range(int(repeats))])


def embeddings(source: str, n: str) -> None:
    from simpatico.features.embeddings import Embeddings

    texts, encoder = first_texts(source, int(n)), Embeddings().compute(None, None)
    encoder.of(["warm"])
    timed(lambda: encoder.of(texts))


def resampling(level: str, coefficient: str, draws: str) -> None:
    from simpatico.stats.systems.resampling import ResamplingPlan, compare_metrics

    plan = ResamplingPlan(level, coefficient, "both", int(draws))  # type: ignore[arg-type]
    timed(lambda: compare_metrics(*matrices(), plan))


WORK = {
    "lexica": lexica,
    "six-turns": six_turns,
    "embeddings": embeddings,
    "resampling": resampling,
}

if __name__ == "__main__":
    WORK[sys.argv[1]](*sys.argv[2:])
