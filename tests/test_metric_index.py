"""What `simpatico list` shows without importing metrics is what the metrics say.

`python -m tests.test_metric_index` writes the file again.
"""

import json
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from simpatico import registry
from simpatico.features import references
from simpatico.metric import missing_resource
from simpatico.metric_index import FILE, PYTHON, available, builtin_names, metric_index
from simpatico.models import names
from tests.command_line import simpatico


def requirements(name, patch):
    """The models and packages that a metric asks for; null where that would not be enough."""
    asked = []

    def find(requirement):
        asked.append(requirement)
        return Path()

    patch.setattr(names, "locate_model", find)
    patch.setattr(references, "find_spec", lambda package: find(f"{PYTHON}{package}"))
    return None if missing_resource(registry.load(name)) else tuple(dict.fromkeys(asked))


def entries():
    """The index as the metrics themselves give it."""
    index = {}
    for name in sorted(builtin_names()):
        rows = [name, *registry.model_variants(name, registry.load(name))]
        index[name] = []
        for row in rows:
            with pytest.MonkeyPatch.context() as patch:
                needs = requirements(row, patch)
            entry = msgspec.structs.replace(registry.index_entry(row), requires=needs)
            index[name].append(entry)
    return {name: tuple(rows) for name, rows in index.items()}


def test_the_index_is_what_the_metrics_say():
    assert metric_index() == entries(), "run `python -m tests.test_metric_index`"


def test_what_runs_here_by_the_index_runs_here():
    for name, (own, *variants) in metric_index().items():
        assert own.runs == registry.can_run(name), name
        assert [v.runs for v in variants] == [registry.can_run(v.name) for v in variants]


HEAVY = {"polars", "numpy", "scipy"}
LOADED = """
import sys
from simpatico.cli import main
try:
    main()
finally:
    print(*sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
"""


@pytest.mark.parametrize("words", [["--help"], ["score", "--help"], ["list"]])
def test_help_and_list_import_no_polars_numpy_or_scipy(words):
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *words], capture_output=True, text=True, check=True
    )
    assert done.stdout
    loaded = set(done.stderr.splitlines()[-1].split())
    assert "click" in loaded
    assert not loaded & HEAVY


def test_the_list_has_every_metric():
    shown = simpatico("list").stdout
    assert all(name in shown for name in available())


def main():
    lines = [
        f"{json.dumps(name)}: {msgspec.json.encode(rows).decode()}"
        for name, rows in entries().items()
    ]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
