"""Small things for metrics of two texts: turns with references, word vectors, trained heads."""

import atexit
from functools import cache
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

import numpy as np
import polars as pl

from simpatico import Turns, score
from simpatico.features.head_folder import SCHEMA, Costs, Figures, HeadRecipe, Recipe
from simpatico.features.models import find
from simpatico.features.pair_head import Head
from simpatico.train.pair_folder import About, save
from tests.neural.tiny import tiny

FIGURES = Figures(0.75, 0.8, "cosine", 0.7, 40, 4)
WORDS = {"tea": (1.0, 5.0), "rain": (3.0, 2.0), "dog": (-1.0, 0.0), "do": (2.0, 2.0)}


def answers(*rows: tuple[str, list[str] | None], heard: str = "What do you like?") -> Turns:
    """A dialog for each text with its references: somebody asks, and the system says the text."""
    lines = []
    for number, (text, references) in enumerate(rows):
        lines.append((f"d{number}", "person", heard, None, None))
        lines.append((f"d{number}", "system", text, "system", references))
    kinds = dict.fromkeys(["dialog", "speaker", "text", "system"], pl.String)
    schema = {**kinds, "references": pl.List(pl.String)}
    return Turns.from_utterances(pl.DataFrame(lines, schema=schema, orient="row"))


def scores(metric, turns: Turns) -> list[float | None]:
    """The metric's first score of every scored turn."""
    return score(turns, [metric]).at("turn")[metric.scores[0].name].to_list()


def nulls(metric, turns: Turns) -> list[str | None]:
    return score(turns, [metric]).at("turn")[f"{metric.name}_null"].to_list()


def made(prefix: str) -> Path:
    """A folder that is gone when the session ends."""
    folder = Path(mkdtemp(prefix=f"simpatico-{prefix}-"))
    atexit.register(rmtree, folder, ignore_errors=True)
    return folder


@cache
def vectors_folder() -> Path:
    """Four words with two numbers each."""
    folder = made("vectors")
    np.save(folder / "v.npy", np.array(list(WORDS.values()), np.float32))
    pl.DataFrame({"index": list(WORDS)}).write_parquet(folder / "v.parquet")
    return folder


@cache
def heads_folder(kind: str) -> Path:
    """Heads of this kind: next and unreferenced see the inner product, times 2, less 1."""
    encoder = f"path:{vectors_folder()}" if kind == "ruber" else f"path:{tiny('bert')}"
    pooling = "extremes" if kind == "ruber" else "mean"
    model, width = find(encoder), 4 if kind == "ruber" else 32
    head = Head(("bilinear",), ((np.array([[2.0]]), np.array([-1.0])),), "tanh", np.eye(width))
    told = HeadRecipe(model.name, model.sha256, pooling, ["bilinear"], "tanh", FIGURES)
    heads, recipes = {"unreferenced": head}, {"unreferenced": told}
    likelihood, costs = None, {}
    if kind in ("nsp", "usl-h"):
        heads, recipes = {"next": head}, {"next": told}
    if kind == "usl-h":
        heads["valid"], recipes["valid"] = head, told
        likelihood, costs = Costs("", 2.0, 6.0), {"": 5.0, "tea": 1.0, "good": 3.0}
    folder = made(kind)
    recipe = Recipe(kind, SCHEMA, 40, recipes, 0.6, likelihood)
    save(folder, recipe, heads, costs=costs, about=About("made up"))
    return folder


def ready_model(name: str) -> str:
    """A model for the metric of this name that is small and always here."""
    trained = {"nsp": "nsp", "ruber": "ruber", "ctx_ruber": "ctx-ruber", "usl_h": "usl-h"}
    if name in trained:
        return f"path:{heads_folder(trained[name])}"
    plain = {"bleurt": "bert-classes-1", "nli_contradiction": "bert-classes-3"}
    return f"path:{tiny(plain.get(name, 'bert'))}"
