"""Lets an addition die at each of its fault points: `python -m tests.run.addition_faults FOLDER`.

Like `faults.py`: every run is a child of a process that has imported everything and used nothing.
"""

import json
import os
import signal
import sys
from itertools import count
from pathlib import Path

from simpatico import Conversations, score_run
from simpatico.run.addition import add_to_run
from tests.run.faults import CHUNK, METRICS, contents

ROWS = [
    {"dialog": d, "speaker": s, "text": "so it goes", "mood": "calm"}
    for d in ("x", "y", "z")
    for s in ("ann", "bot") * 4
]


def run(work, paths, out, plan="never:1"):
    """The exit code of a run that dies as planned; minus the signal if one killed it."""
    child = os.fork()
    if not child:
        os.environ["SIMPATICO_FAULT"] = plan
        work(Conversations(tuple(paths)), METRICS, out, chunk=CHUNK)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def finished(out):
    """The files of the run without what is kept to add to it."""
    return {k: v for k, v in contents(out).items() if not k.startswith("added")}


def main(place: str) -> None:
    logs = [str(Path(place) / f"{name}.jsonl") for name in "ab"]
    for log in logs:  # of the same ids: the second renames the first one's
        Path(log).write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    run(score_run, logs[:1], Path(place) / "old")
    run(score_run, logs, Path(place) / "new")
    old, new = finished(Path(place) / "old"), finished(Path(place) / "new")
    problems, moving = [], 0
    for number in count(1):
        out = Path(place) / f"run{number}"
        run(add_to_run, logs[:1], out)
        code = run(add_to_run, logs, out, f"any:{number}:kill")
        status = json.loads((out / "run.json").read_text())["status"]
        moving += status == "moving"
        tables = {k: v for k, v in finished(out).items() if k in old}
        if status == "done" and tables not in (old, new):
            problems.append(f"{number}: neither the old run nor the new one")
        run(add_to_run, logs, out, f"any:{number % 9 + 1}:kill")  # the resumed one dies, too
        if run(add_to_run, logs, out) or finished(out) != new:
            problems.append(f"{number}: other files than without a crash")
        if code != -signal.SIGKILL:
            break
    facts = {"points": number, "moving": moving, "problems": problems}
    sys.stdout.write(json.dumps(facts))


if __name__ == "__main__":
    main(*sys.argv[1:])
