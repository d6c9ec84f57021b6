"""All benchmarks, after installing what they are compared with: `make bench`.

wordfreq and sentence-transformers go to the Python that runs this, ConvoKit to `.venv-bench`; torch
comes first there, in the release whose CPU build is tested, since ConvoKit alone would pull
gigabytes of CUDA.
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).parent
PEERS = HERE.parent / ".venv-bench"
DONE = "convokit-nlpstats"


def install(python: Path | str, *packages: str) -> None:
    subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)


def main() -> int:
    if find_spec("wordfreq") is None:
        install(sys.executable, "wordfreq")
    if not (PEERS / DONE).exists():
        venv.create(PEERS, with_pip=True)
        install(PEERS / "bin/python", "torch==2.13.0")
        install(PEERS / "bin/python", "convokit", "nlpstats==0.0.1")
        (PEERS / DONE).touch()
    if find_spec("sentence_transformers") is None:
        install(sys.executable, "sentence-transformers")
    scripts = ("speed.py", "memory.py", "resampling.py", "report.py", "neural.py")
    # Threads of a linear algebra library that wait for each other burn CPU time: one for everybody.
    alone = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    return max(subprocess.call([sys.executable, HERE / s], env=alone) for s in scripts)


if __name__ == "__main__":
    sys.exit(main())
