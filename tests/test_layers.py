"""Which folder may import which: the architecture, one line a folder, and nothing beyond it."""

import ast
from pathlib import Path

import pytest

import simpatico

GROUND = {"errors", "arrays", "wording", "progress", "files", "frames", "limits"}
"""Modules that know nothing of dialogs; everything may use them."""

ALLOWED = {
    # ground floor
    "errors": set(),
    "addresses": set(),
    "arrays": set(),
    "wording": set(),
    "progress": set(),
    "workers": {"errors"},
    "files": {"errors"},
    "limits": {"errors"},
    "parquet": {"errors", "limits"},
    "frames": {"errors", "turns"},
    "stats": {"arrays", "errors"},
    "evidence": {"errors", "files", "stats", "wording"},
    "privacy": {"errors"},
    # the domain's tables, and the files they come from
    "turns": {"arrays", "errors"},
    "judgements": {"errors"},
    "judge_answers": {"errors", "judgements"},
    "readers": {
        *("arrays", "errors", "limits", "parquet", "wording", "turns", "judgements", "privacy"),
        "judge_answers",
    },
    # models, and features and metrics on them
    "models": {"arrays", "errors", "files", "progress"},
    "features": {"arrays", "errors", "limits", "parquet", "turns", "models"},
    "metric": {"arrays", "errors", "wording", "turns", "models", "features"},
    "system_metric": {"errors", "turns", "metric"},
    "system_means": {"arrays", "stats", "metric", "system_metric"},
    "metrics": {
        *("arrays", "errors", "wording", "turns", "stats", "models", "features", "metric"),
        "system_metric",
    },
    "metric_index": {"metrics", "models"},
    "registry": {"errors", "metric", "metric_index", "metrics", "models"},
    # scores: in memory, and in a run folder
    "charts": {"arrays", "errors", "files", "wording"},
    "table": {
        "system_means",
        "arrays",
        "errors",
        "frames",
        "wording",
        "turns",
        "metric",
        "system_metric",
        "charts",
    },
    "scoring": {"errors", "turns", "features", "metric", "system_metric", "table"},
    "run": {
        *("errors", "files", "frames", "turns", "readers", "metric", "system_metric", "registry"),
        *("table", "scoring", "wording", "privacy", "models", "parquet", "workers"),
        "system_means",
    },
    # what is done with scores
    "perturbation": {"arrays", "errors", "files", "turns", "stats", "features"},
    "comparison": {*GROUND, "stats", "evidence", "metric", "charts", "run"},
    "validation": {
        "judge_answers",
        *(*GROUND, "turns", "judgements", "stats", "readers", "metric", "system_metric"),
        *("metrics", "charts", "table", "scoring", "run", "perturbation", "comparison"),
    },
    "reporting": {
        "judge_answers",
        *(*GROUND, "turns", "judgements", "stats", "features", "metric", "registry", "charts"),
        "evidence",
        *("scoring", "run", "comparison", "validation", "privacy"),
    },
    # what `import simpatico` offers: any form of conversations, metrics by name
    "api": {
        *("errors", "turns", "readers", "metric", "registry", "table", "scoring", "run"),
        "comparison",
    },
    "spark": {"errors", "metric", "system_means", "api"},
    # code that makes turns or models
    "bots": {"addresses", "errors", "files", "turns", "readers", "models"},
    "trial": {
        *("errors", "files", "turns", "readers", "features", "metric", "metrics", "scoring"),
        *("run", "reporting", "bots"),
    },
    # questions about conversations, answered by models
    "questions": {"errors", "turns", "readers", "run"},
    "judging": {
        *("arrays", "errors", "files", "turns", "stats", "readers", "models", "bots"),
        "questions",
    },
    # a server, and studies on it
    "serve": {"addresses", "errors"},
    "study": {
        *("errors", "files", "judgements", "readers", "validation", "bots", "questions"),
        *("serve", "system_means"),
    },
    "training": {
        "judge_answers",
        *(*GROUND, "turns", "judgements", "stats", "readers", "models", "features", "metric"),
        "scoring",
    },
    "reproduction": {
        *(*GROUND, "turns", "judgements", "stats", "readers", "models", "features", "metric"),
        *("metrics", "registry", "charts", "scoring", "validation", "training", "evidence"),
    },
}
# other tools, from within
ALLOWED["integrations"] = {
    *("addresses", "errors", "files", "turns", "readers", "metric", "system_metric"),
    *("registry", "table", "scoring", "run", "comparison", "api", "wording"),
}
ALLOWED["cli"] = set(ALLOWED)
ALLOWED["__main__"] = {"cli"}

ROOT = Path(simpatico.__file__).parent
FILES = [p for p in sorted(ROOT.rglob("*.py")) if p != ROOT / "__init__.py"]


def folder(path: Path) -> str:
    """The folder below the package, or the module that stands there itself."""
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imports(path: Path) -> set[str]:
    """The folders of the package that a file imports from, at the top or inside a function."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return {name.split(".")[1] for name in names if name.startswith("simpatico.")}


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_are_among_those_allowed(path):
    own = folder(path)
    assert imports(path) <= {own, *ALLOWED[own]}


def test_every_folder_has_its_line_and_no_two_import_each_other():
    assert {folder(path) for path in FILES} == set(ALLOWED)
    layers, left = set(), dict(ALLOWED)
    while left:
        lowest = {name for name, below in left.items() if below <= layers}
        assert lowest, f"a cycle among {sorted(left)}"
        layers |= lowest
        left = {name: below for name, below in left.items() if name not in lowest}


def test_no_edge_is_allowed_that_nobody_uses():
    imports_of = {name: set() for name in ALLOWED}
    for path in FILES:
        imports_of[folder(path)] |= imports(path)
    spare = {name: ALLOWED[name] - imports_of[name] - GROUND for name in ALLOWED if name != "cli"}
    assert {name: edges for name, edges in spare.items() if edges} == {}


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_nothing_in_the_package_runs_foreign_code_or_prints(path):
    forbidden_modules = {"pickle", "joblib", "dill", "cloudpickle", "marshal", "shelve", "yaml"}
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = {
        (a.name if isinstance(n, ast.Import) else n.module or "").split(".")[0]
        for n in ast.walk(tree)
        if isinstance(n, ast.Import | ast.ImportFrom)
        for a in n.names
    }
    assert not names & forbidden_modules
    calls = {getattr(n.func, "id", "") for n in ast.walk(tree) if isinstance(n, ast.Call)}
    assert not calls & {"eval", "exec", "print", "__import__"}
    assert not [n for n in ast.walk(tree) if isinstance(n, ast.Assert)]
