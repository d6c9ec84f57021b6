"""CPU seconds of the neural features, beside what people write today, in one run.

    python benchmarks/neural.py [--data DIR] [--utterances 5000] [--contexts 8] [--exchanges 10000]

Embeddings: 5,000 utterances of ConvAI in file order, anew and from the cache.
Follow-ups: `fed` of the first contexts with SmolLM2, ours all follow-ups at once; the peer reads
context and follow-up anew for each, as FED's own code does. Exchanges: `engagement` of the first
turns of ConvAI that answer another, and how much of that time its head takes. Everybody has one
thread.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import polars as pl
from peers import cpu

from simpatico import Turns, load, score
from simpatico.features.embeddings import MINILM, Embeddings
from simpatico.features.heads.folder import SCHEMA, HeadEvaluation, HeadRecipe, HeadsRecipe
from simpatico.features.heads.head import Head, Part
from simpatico.features.likelihood import Likelihood
from simpatico.metric import Metric, missing_resource
from simpatico.models.names import find_model, why_missing
from simpatico.table import ScoreTable
from simpatico.training.card import About
from simpatico.training.heads.folder import save_heads

DATA = Path(__file__).parent.parent.parent / "shared" / "data"
TURNS = 10
TIMES_FED, TIMES_CACHE = 10.0, 50.0
TIMES_HEAD = 20.0
HIDDEN = (64, 32, 8)
"""The engagement paper's head, taken with random weights where none is shipped."""
CAUSAL = "package:smollm2"


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


def show(rows: list[Row]) -> None:
    for row in rows:
        verdict = "met" if row.meets_target else "MISSED"
        target = "" if row.target is None else f">= {row.target:,g}  {verdict}"
        print(f"{row.what:40} {row.value:>12,.2f}  {target:20} {row.note}")


def cpu_time(work: Callable[[], object]) -> float:
    begin = cpu()
    work()
    return cpu() - begin


def utterances(data: Path, n: int) -> list[str]:
    """The first utterances of ConvAI 2017 that are not empty."""
    dialogs = json.loads((data / "convai2017" / "train_full.json").read_text(encoding="utf-8"))
    lines = (line["text"] for dialog in dialogs for line in dialog["thread"])
    return [text for text in lines if text.strip()][:n]


def ours(texts: list[str], cache: str = "off") -> np.ndarray:
    """Rows of a fresh handle."""
    os.environ["SIMPATICO_CACHE"] = cache
    return Embeddings().compute(None, None).of(texts)  # type: ignore[arg-type]


def cached(texts: list[str], folder: Path) -> list[Row]:
    """Embeddings against themselves when everything is known."""
    ours(texts[:1])
    rows: list[np.ndarray] = []
    took = cpu_time(lambda: rows.append(ours(texts)))
    ours(texts, str(folder))
    again = cpu_time(lambda: rows.append(ours(texts, str(folder))))
    if not np.array_equal(rows[0], rows[1]):
        raise SystemExit("the cache gave other numbers")
    return [
        Row("embeddings, texts per CPU second", len(texts) / took),
        Row("times as fast when cached", took / again, TIMES_CACHE, "the same bytes"),
    ]


def published_losses(contexts: list[tuple[str, ...]], follow: tuple[str, ...]) -> np.ndarray:
    """The mean loss of context and follow-up, every pair read anew."""
    import torch

    from simpatico.models.runtime.torch_backend import load_causal, load_hf_tokenizer

    net, tokenizer = load_causal(find_model(CAUSAL)), load_hf_tokenizer(find_model(CAUSAL))
    mark, losses = tokenizer.convert_tokens_to_ids("<|endoftext|>"), []
    for context in contexts:
        head = [t for turn in context for t in (mark, *text_ids(tokenizer, f" {turn} "))] + [mark]
        for text in follow:
            ids = torch.tensor([[*head, *text_ids(tokenizer, f" {text}")]])
            with torch.inference_mode():
                losses.append(float(net(input_ids=ids, labels=ids).loss))
    return np.array(losses).reshape(len(contexts), len(follow))


def collect(losses: list[np.ndarray], *arguments: Any) -> None:
    losses.append(published_losses(*arguments))


def text_ids(tokenizer: object, text: str) -> list[int]:
    return tokenizer(text, add_special_tokens=False)["input_ids"]  # type: ignore[operator,no-any-return]


def follow_ups(texts: list[str], contexts: int) -> list[Row]:
    """FED of a turn and of the dialog so far, after contexts of ten utterances."""
    from simpatico.metrics.fed import follow_ups as level_of

    levels = [level_of("turn"), level_of("dialog")]
    contexts_of_turns = [tuple(texts[TURNS * n : TURNS * (n + 1)]) for n in range(contexts)]
    os.environ["SIMPATICO_CACHE"] = "off"
    handle = Likelihood(CAUSAL).compute(None, None)  # type: ignore[arg-type]
    handle.follow_ups(contexts_of_turns[:1], ("yes",))
    scores: list[np.ndarray] = []

    def work() -> None:
        for level in levels:
            losses = handle.follow_ups(contexts_of_turns, level.texts)
            values = [level.values(one, "whole") for one in losses]
            scores.append(np.array(values))

    took, theirs = cpu_time(work), 0.0
    difference = 0.0
    for level, ours in zip(levels, scores, strict=True):
        losses: list[np.ndarray] = []
        weights = np.stack(list(level.weights.values()))
        # the published loop reads a follow-up once for every quality that has it
        calls = np.flatnonzero(weights.any(0)).repeat((weights != 0).sum(0)).tolist()
        texts_of_calls = tuple(level.texts[n] for n in calls)
        theirs += cpu_time(partial(collect, losses, contexts_of_turns, texts_of_calls))
        first = [calls.index(n) for n in range(len(level.texts))]
        difference = max(difference, float(np.abs(losses[0][:, first] @ weights.T - ours).max()))
    note = f"{contexts} contexts of {TURNS} utterances; scores differ by {difference:.0e}"
    return [
        Row("fed, ours, CPU seconds a context", took / contexts),
        Row("times as fast as the published loop", theirs / took, TIMES_FED, note),
    ]


def exchanges(data: Path, n: int) -> Turns:
    """Whole dialogs of ConvAI 2017, in file order, with some `n` turns that answer another."""
    dialogs = json.loads((data / "convai2017" / "train_full.json").read_text(encoding="utf-8"))
    rows, n_exchanges = list[tuple[str, str, str]](), 0
    for number, dialog in enumerate(dialogs):
        turns = [(str(number), line["userId"], line["text"]) for line in dialog["thread"]]
        rows += turns
        n_exchanges += sum(
            a[1] != b[1] and bool(a[2].strip() and b[2].strip()) for a, b in pairwise(turns)
        )
        if n_exchanges >= n:
            break
    return Turns.from_utterances(pl.DataFrame(rows, ["dialog", "speaker", "text"], orient="row"))


def evaluator(folder: Path) -> Metric:
    """The metric `engagement`, with a head of random weights where none is shipped."""
    if missing_resource(load("engagement")) is None:
        return load("engagement")
    rng, encoder = np.random.default_rng(0), find_model(MINILM)
    sizes = pairwise((2 * 384, *HIDDEN, 1))
    layers = tuple((rng.standard_normal(s) / s[0] ** 0.5, np.zeros(s[1])) for s in sizes)
    parts: list[Part] = ["first", "second"]
    figures = HeadEvaluation(0.5, 0.5, "length", 0.5, 0, 0)
    head_recipe = HeadRecipe(encoder.name, encoder.sha256, "mean", parts, "tanh", figures)
    recipe = HeadsRecipe("engagement", SCHEMA, 0, {"engaging": head_recipe})
    heads = {"engaging": Head(tuple(parts), layers)}
    save_heads(folder / "random", recipe, heads, costs={}, about=About("nothing"))
    return load("engagement", model=f"path:{folder / 'random'}")


def head_of_scoring(turns: Turns, folder: Path) -> list[Row]:
    """Scoring, and the part of it that the head takes."""
    os.environ["SIMPATICO_CACHE"] = "off"
    metric, real, spent = evaluator(folder), Head.probability, list[float]()

    def timed_probability(head: Head, *sides: Any) -> Any:
        results = list[Any]()
        spent.append(cpu_time(lambda: results.append(real(head, *sides))))
        return results[0]

    score(next(turns.chunks(1)), [metric])
    with patch.object(Head, "probability", timed_probability):
        tables: list[ScoreTable] = []
        total = cpu_time(lambda: tables.append(score(turns, [metric])))
    n = tables[0].at("turn")[metric.name].count()
    note = f"{metric.name}: {sum(spent) / total:.1%} of {total:.1f} CPU seconds"
    return [
        Row("exchanges scored per CPU second", n / total, note=f"{n:,} exchanges"),
        Row("times as long as the head alone", total / sum(spent), TIMES_HEAD, note),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("SIMPATICO_DATA", DATA)))
    parser.add_argument("--utterances", type=int, default=5_000)
    parser.add_argument("--contexts", type=int, default=8)
    parser.add_argument("--exchanges", type=int, default=10_000)
    options = parser.parse_args()
    os.environ["SIMPATICO_THREADS"] = "1"
    why = why_missing(CAUSAL)
    if not (options.data / "convai2017").is_dir():
        why = f"no convai2017 in {options.data}"
    if why:
        show([Row("neural, not measured", 0.0, note=why)])
        return 0
    texts = utterances(options.data, options.utterances)
    with tempfile.TemporaryDirectory() as folder:
        rows = cached(texts, Path(folder))
        rows += head_of_scoring(exchanges(options.data, options.exchanges), Path(folder))
    rows += follow_ups(texts, options.contexts)
    show(rows)
    return 0 if all(row.meets_target for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
