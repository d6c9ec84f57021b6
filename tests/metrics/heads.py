"""Small things for metrics of two texts: turns with references, word vectors, trained heads."""

import atexit
from functools import cache
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

import numpy as np
import polars as pl

from simpatico import Turns, score
from simpatico.features.heads.folder import (
    REQUIRED_HEADS,
    SCHEMA,
    HeadEvaluation,
    HeadRecipe,
    HeadsRecipe,
    WordCosts,
)
from simpatico.features.heads.head import Head, Part
from simpatico.models.names import find_model
from simpatico.training.card import About
from simpatico.training.heads.folder import save_heads
from tests.models.tiny import tiny

FIGURES = HeadEvaluation(0.75, 0.8, "cosine", 0.7, 40, 4)
WORDS = {"tea": (1.0, 5.0), "rain": (3.0, 2.0), "dog": (-1.0, 0.0), "do": (2.0, 2.0)}


def answers(*rows: tuple[str, list[str] | None], query: str = "What do you like?") -> Turns:
    """A dialog for each text with its references: somebody asks, and the system says the text."""
    lines = []
    for number, (text, references) in enumerate(rows):
        lines.append((f"d{number}", "person", query, None, None))
        lines.append((f"d{number}", "system", text, "system", references))
    kinds = dict.fromkeys(["dialog", "speaker", "text", "system"], pl.String)
    schema = {**kinds, "references": pl.List(pl.String)}
    return Turns.from_utterances(pl.DataFrame(lines, schema=schema, orient="row"))


def scores(metric, turns: Turns) -> list[float | None]:
    """The metric's first score of every scored turn."""
    return score(turns, [metric]).at("turn")[metric.scores[0].name].to_list()


def nulls(metric, turns: Turns) -> list[str | None]:
    return score(turns, [metric]).at("turn")[f"{metric.name}_null"].to_list()


def temporary_folder(prefix: str) -> Path:
    """A folder that is gone when the session ends."""
    folder = Path(mkdtemp(prefix=f"simpatico-{prefix}-"))
    atexit.register(rmtree, folder, ignore_errors=True)
    return folder


@cache
def vectors_folder() -> Path:
    """Four words with two numbers each."""
    folder = temporary_folder("vectors")
    np.save(folder / "v.npy", np.array(list(WORDS.values()), np.float32))
    pl.DataFrame({"index": list(WORDS)}).write_parquet(folder / "v.parquet")
    return folder


@cache
def heads_folder(kind: str) -> Path:
    """Heads of this kind, each of which sees the inner product, times 2, less 1."""
    encoder = f"path:{vectors_folder()}" if kind == "ruber" else f"path:{tiny('bert')}"
    pooling = "extremes" if kind == "ruber" else "mean"
    model, width = find_model(encoder), 4 if kind == "ruber" else 32
    head = Head(("bilinear",), ((np.array([[2.0]]), np.array([-1.0])),), "tanh", np.eye(width))
    head_recipe = HeadRecipe(model.name, model.sha256, pooling, ["bilinear"], "tanh", FIGURES)
    heads, recipes = (dict.fromkeys(REQUIRED_HEADS[kind], value) for value in (head, head_recipe))
    likelihood, costs = None, {}
    if kind == "usl-h":
        likelihood, costs = WordCosts("", 2.0, 6.0), {"": 5.0, "tea": 1.0, "good": 3.0}
    folder = temporary_folder(kind)
    recipe = HeadsRecipe(kind, SCHEMA, 40, recipes, 0.6, likelihood)
    save_heads(folder, recipe, heads, costs=costs, about=About("made up"))
    return folder


def word_head(
    kind: str,
    weights: dict[Part, list[float]],
    offset: float = 0.0,
    folder: Path | None = None,
    figures: HeadEvaluation = FIGURES,
    **entries: object,
) -> str:
    """One head over the extremes of `WORDS`: four weights for each part that it sees."""
    (name,) = REQUIRED_HEADS[kind]
    return word_heads(kind, {name: (weights, offset)}, folder, figures, **entries)


def word_heads(
    kind: str,
    specification: dict[str, tuple[dict[Part, list[float]], float]],
    folder: Path | None = None,
    figures: HeadEvaluation = FIGURES,
    **entries: object,
) -> str:
    """Heads over the extremes of `WORDS`, each with what it sees and an offset."""
    model, heads, recipes = find_model(f"path:{vectors_folder()}"), {}, {}
    for name, (weights, offset) in specification.items():
        matrix = np.concatenate([np.array(own)[:, None] for own in weights.values()])
        heads[name] = Head(tuple(weights), ((matrix, np.array([offset])),))
        parts = list(weights)
        recipes[name] = HeadRecipe(model.name, model.sha256, "extremes", parts, "tanh", figures)
    folder = folder or temporary_folder(kind)
    recipe = HeadsRecipe(kind, SCHEMA, 40, recipes, **entries)
    save_heads(folder, recipe, heads, costs={}, about=About("chats", "MIT"))
    return f"path:{folder}"


@cache
def feelings_folder(kind: str) -> str:
    """Heads of this kind over the tiny encoder; each leans on other numbers of a text's vector."""
    model, rng = find_model(f"path:{tiny('bert')}"), np.random.default_rng(len(kind))
    heads = {
        name: Head(("first",), ((3 * rng.standard_normal((32, 1)), np.zeros(1)),))
        for name in REQUIRED_HEADS[kind]
    }
    head_recipe = HeadRecipe(model.name, model.sha256, "mean", ["first"], "tanh", FIGURES)
    folder = temporary_folder(kind)
    recipe = HeadsRecipe(kind, SCHEMA, 40, dict.fromkeys(heads, head_recipe))
    save_heads(folder, recipe, heads, costs={}, about=About("made up"))
    return f"path:{folder}"


def ready_model(name: str) -> str:
    """A model for the metric of this name that is small and always here."""
    trained = {"nsp": "nsp", "ruber": "ruber", "ctx_ruber": "ctx-ruber", "usl_h": "usl-h"}
    trained |= {"engagement": "engagement", "relevance": "relevance"}
    trained |= {"perceived_empathy": "empathy"}
    if name in trained:
        return f"path:{heads_folder(trained[name])}"
    plain = {"bleurt": "bert-classes-1", "nli_contradiction": "bert-classes-3"}
    return f"path:{tiny(plain.get(name, 'bert'))}"
