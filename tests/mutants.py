"""Faults planted in copies of the package, each of which a test must catch: `make mutants`.

`mutants.jsonl` has a fault a line: the promise that it breaks, the file, the text to replace, what
replaces it, and the test that has to fail then. A promise whose fault no test catches is none.
Words after the command choose faults whose line has one of them.
"""

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
COPIED = ("simpatico", "tests", "docs", "pyproject.toml", "CITATION.cff", "Makefile")
PYTEST = [sys.executable, "-m", "pytest", "-q", "-x", "-m", "not timing", "-p", "no:cacheprovider"]
VERDICTS = {0: "survived", 1: "caught"}
"""By pytest's exit code; any other is no proof: 2 interrupted, 4 no such test, 5 none collected."""


@dataclass(frozen=True)
class Mutant:
    promise: str
    file: str
    old: str
    new: str
    test: str

    def plant(self, root: Path) -> None:
        path = root / self.file
        text = path.read_text(encoding="utf-8")
        if text.count(self.old) != 1:
            raise ValueError(f"{self.file} has {self.old!r} {text.count(self.old)} times, not once")
        path.write_text(text.replace(self.old, self.new), encoding="utf-8")

    def verdict(self) -> str:
        """`caught` when the test fails in a copy with the fault, else what happened instead."""
        try:
            code = run_tests([self.test], self.plant).returncode
        except ValueError as error:
            return str(error)
        return VERDICTS.get(code, f"no verdict (pytest exit {code})")


def run_tests(tests, change=lambda root: None) -> subprocess.CompletedProcess[str]:
    """The tests in a copy of the project after a change, slow ones too."""
    with TemporaryDirectory(prefix="simpatico-mutant-") as folder:
        root = Path(folder)
        # without compiled files, since these are older than the fault
        ignore = shutil.ignore_patterns("__pycache__", ".hypothesis")
        for source in (*ROOT.glob("*.md"), *map(ROOT.joinpath, COPIED)):
            if source.is_dir():
                shutil.copytree(source, root / source.name, ignore=ignore)
            else:
                shutil.copy2(source, root)
        change(root)
        environment = os.environ | {"PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(
            [*PYTEST, *tests],
            cwd=root,
            env=environment,
            capture_output=True,
            text=True,
            timeout=600,
        )


def main(*words: str) -> None:
    """Print the table; exit 1 unless every fault is caught and the tests pass without faults."""
    lines = (ROOT / "tests" / "mutants.jsonl").read_text(encoding="utf-8").splitlines()
    chosen = [line for line in lines if not words or any(word in line for word in words)]
    mutants = [Mutant(**json.loads(line)) for line in chosen]
    tests = sorted({mutant.test for mutant in mutants})
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        unharmed = pool.submit(run_tests, tests)
        verdicts = Counter[str]()
        for mutant, verdict in zip(mutants, pool.map(Mutant.verdict, mutants), strict=True):
            verdicts[verdict] += 1
            print(f"{verdict:<10} {mutant.promise} ({mutant.test})", flush=True)
        result = unharmed.result()
    print(f"{verdicts['caught']} of {len(mutants)} planted faults caught")
    if result.returncode:
        sys.exit(f"the tests fail without any fault, too:\n{result.stdout[-3000:]}")
    sys.exit(verdicts["caught"] < len(mutants))


if __name__ == "__main__":
    main(*sys.argv[1:])
