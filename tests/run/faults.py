"""Lets a run die at its fault points, one after the other: `python -m tests.run.faults`.

Each run is a child of a process that has imported everything and used nothing: it starts at once,
and dies as really as any process. Prints what was tried and every state that was not as it has to be.
"""

import hashlib
import json
import os
import shutil
import signal
import sys
from collections import Counter
from importlib import import_module
from itertools import count
from pathlib import Path
from pkgutil import iter_modules

os.environ["POLARS_MAX_THREADS"] = "1"

import scipy.special  # noqa: F401

from simpatico import Conversations, files, load, score_run
from simpatico.readers import file_formats

for module in iter_modules(file_formats.__path__):
    import_module(f"{file_formats.__name__}.{module.name}")

CHUNK = 20
METRICS = [load("length"), load("distinct_n")]
FINISHED = 10
"""Exit code of a run that came to its end; one more for each part that it scored."""


def run(log: Path, out: Path, plan: str) -> int:
    """The exit code of a run that dies as planned; minus the signal if one killed it."""
    child = os.fork()
    if not child:
        os.environ["SIMPATICO_FAULT"] = plan
        score_run(Conversations((str(log),)), METRICS, out, chunk=CHUNK)
        if report := os.environ.get("FAULT_NAMES"):
            Path(report).write_text(json.dumps(files.PASSED))
        os._exit(FINISHED + files.PASSED["part-scored"])
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def contents(folder: Path) -> dict[str, str]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {str(p.relative_to(folder)): hashlib.md5(p.read_bytes()).hexdigest() for p in paths}


class Trial:
    """Runs of one log, each of which has to end with the bytes of the one that nothing disturbed."""

    def __init__(self, log: Path, place: Path) -> None:
        self.log, self.out, self.names = log, place / "run", place / "names.json"
        os.environ["FAULT_NAMES"] = str(self.names)
        self.parts = run(log, place / "whole", "never:1") - FINISHED
        del os.environ["FAULT_NAMES"]
        self.passed = Counter(json.loads(self.names.read_text()))
        self.expected = contents(place / "whole")
        self.problems: list[str] = []
        self.crashes = 0

    def crash(self, *plans: str) -> bool:
        """Die as planned, time after time, then finish; false where the first plan came to nothing."""
        shutil.rmtree(self.out, ignore_errors=True)
        died = []
        for plan in plans:
            code = run(self.log, self.out, plan)
            died.append(code == (-signal.SIGKILL if plan.endswith(":kill") else 70))
            if not died[-1] and code < FINISHED:
                self.problems.append(f"{plans}: exit {code} at {plan}")
        self.crashes += sum(died)
        is_done = (self.out / "run.json").exists() and '"done"' in (
            self.out / "run.json"
        ).read_text()
        todo = 0 if is_done else self.parts - len(list(self.out.glob("parts/*.json")))
        scored = run(self.log, self.out, "never:1") - FINISHED
        if scored != todo:
            self.problems.append(f"{plans}: {scored} parts scored again, not {todo}")
        if contents(self.out) != self.expected:
            self.problems.append(f"{plans}: other files than without a crash")
        return died[0]


def main(log: str, place: str, extent: str) -> None:
    trial = Trial(Path(log), Path(place))
    names = sorted(set(trial.passed) - {"any"})
    if extent == "quick":
        for name in names:
            for number in {1, min(3, trial.passed[name]), trial.passed[name]}:
                trial.crash(f"{name}:{number}:kill")
    else:
        for how in ("", ":kill"):
            for number in count(1):
                # of every fourth run, the resumed run dies five times, each time a little later
                times = 5 if number % 4 == (2 if how else 0) else 0
                resumes = [f"any:{number % 7 + 1 + 5 * step}{how}" for step in range(times)]
                if not trial.crash(f"any:{number}{how}", *resumes):
                    break
    facts = {"crashes": trial.crashes, "passed": trial.passed, "problems": trial.problems}
    sys.stdout.write(json.dumps({**facts, "parts": trial.parts}))


if __name__ == "__main__":
    main(*sys.argv[1:])
