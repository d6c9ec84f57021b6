"""Data flows one way, so imports do too: a module may import only from layers above its own."""

import ast
from pathlib import Path

import pytest

import simpatico

LAYERS = [
    "errors",
    "phrases",
    "resample",
    "turns",
    "judgements",
    "read",
    "features",
    "metric",
    "metrics",
    "registry",
    "draw",
    "whole",
    "table",
    "score",
    "engines",
    "parts",
    "bots",
    "perturb",
    "told",
    "run",
    "result",
    "compare",
    "validate",
    "report",
    "trial",
    "train",
    "reproduce",
    "cli",
    "__main__",
]
ROOT = Path(simpatico.__file__).parent
FILES = [p for p in sorted(ROOT.rglob("*.py")) if p != ROOT / "__init__.py"]


def layer(dotted: str) -> int:
    return LAYERS.index(dotted.removeprefix("simpatico.").split(".")[0])


def imported(path: Path) -> set[str]:
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    froms = {n.module for n in nodes if isinstance(n, ast.ImportFrom) and n.module}
    plain = {a.name for n in nodes if isinstance(n, ast.Import) for a in n.names}
    return {n for n in froms | plain if n.startswith("simpatico.")}


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_never_point_downstream(path):
    own = layer(".".join(path.relative_to(ROOT).with_suffix("").parts))
    assert not [n for n in imported(path) if layer(n) > own]


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_nothing_in_the_package_runs_foreign_code_or_prints(path):
    banned = {"pickle", "joblib", "dill", "cloudpickle", "marshal", "shelve", "yaml"}
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = {
        (a.name if isinstance(n, ast.Import) else n.module or "").split(".")[0]
        for n in ast.walk(tree)
        if isinstance(n, ast.Import | ast.ImportFrom)
        for a in n.names
    }
    assert not names & banned
    calls = {getattr(n.func, "id", "") for n in ast.walk(tree) if isinstance(n, ast.Call)}
    assert not calls & {"eval", "exec", "print", "__import__"}
    assert not [n for n in ast.walk(tree) if isinstance(n, ast.Assert)]
