"""Fuzz with atheris: `python -m tests.fuzz.run [TARGET...]`, FUZZ_SECONDS each (600).

Inputs that find something new stay in .fuzz/TARGET, those that crash in .fuzz/crash-*; the corpus
of the repository is only read.
"""

import os
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

CORPUS, FOUND = Path(__file__).parent / "corpus", Path(".fuzz")
LEAKING = ["simpatico.features.words"]
"""Atheris keeps every array that compared values become, here 131 kB a text."""
SECONDS = int(os.environ.get("FUZZ_SECONDS", "600"))


def fuzz(name: str) -> None:
    """Fuzz one target in this process, which ends with it."""
    import atheris

    with atheris.instrument_imports(
        include=["simpatico"], exclude=LEAKING, enable_loader_override=False
    ):
        from tests.fuzz.targets import TARGETS, check
    own = FOUND / name
    own.mkdir(parents=True, exist_ok=True)
    limits = [f"-max_total_time={SECONDS}", "-max_len=8192", "-timeout=20", "-rss_limit_mb=2048"]
    places = [f"-artifact_prefix={FOUND}/crash-{name}-", str(own), str(CORPUS)]
    atheris.Setup([sys.argv[0], *limits, *places], partial(check, TARGETS[name]))
    atheris.Fuzz()


def main(names: list[str]) -> int:
    """Every target in a process of its own; the number of those that crashed."""
    from tests.fuzz.targets import TARGETS

    crashes = 0
    for name in names or TARGETS:
        command = [sys.executable, "-m", "tests.fuzz.run", "--one", name]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
        runs = re.findall(r"#(\d+)", done.stderr)
        crashes += done.returncode != 0
        sys.stdout.write(
            f"{name}: {max(map(int, runs), default=0):,} runs, exit {done.returncode}\n"
        )
        if done.returncode:
            sys.stdout.write(done.stdout[-3000:] + done.stderr[-3000:])
        sys.stdout.flush()
    return crashes


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        fuzz(sys.argv[2])
    else:
        sys.exit(min(main(sys.argv[1:]), 1))
