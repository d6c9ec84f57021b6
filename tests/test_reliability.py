"""The table of forty checks names tests that exist, and calls none full that no fault has failed."""

import json
import re
from collections import Counter

from tests.conftest import ROOT

TEXT = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (\d+) \| .+ \| (full|partial|later) \| (.+) \|$", TEXT, re.MULTILINE)
FAULTS = (ROOT / "tests" / "mutants.jsonl").read_text(encoding="utf-8")
MUTANTS = [json.loads(line) for line in FAULTS.splitlines()]


def named_tests(cell):
    return [name for name in re.findall(r"`([^` ]+)`", cell) if name.endswith((".py", "/"))]


def test_all_forty_are_there_and_counted():
    assert [int(number) for number, _, _ in ROWS] == list(range(1, 41))
    n = Counter(how for _, how, _ in ROWS)
    assert f"{n['full']} checks are full, {n['partial']} partial, {n['later']} comes later." in TEXT


def test_the_tests_that_are_named_exist():
    named = {name for _, _, cell in ROWS for name in named_tests(cell)}
    assert [name for name in sorted(named) if not (ROOT / "tests" / name).exists()] == []


def test_what_is_called_full_fails_with_a_planted_fault():
    for number, how, cell in ROWS:
        places = tuple(f"tests/{name}" for name in named_tests(cell))
        assert how != "full" or any(m["test"].startswith(places) for m in MUTANTS), number


def test_every_fault_can_be_planted():
    """Where the code has changed, the fault has to follow; `make mutants` shows that it is caught."""
    for mutant in MUTANTS:
        assert (ROOT / mutant["file"]).read_text(encoding="utf-8").count(mutant["old"]) == 1, mutant


def test_the_tests_of_faults_exist():
    for mutant in MUTANTS:
        file, _, name = mutant["test"].partition("::")
        path = ROOT / file
        assert path.exists(), mutant
        assert not name or f"def {name}(" in path.read_text(encoding="utf-8"), mutant
