"""`simpatico verify`: whether a run is still what was written."""

from __future__ import annotations

from pathlib import Path

import click

from simpatico.cli import options as opt
from simpatico.cli.output import note, result, show_json


@click.command(name="verify")
@click.argument("run", type=opt.PATH)
@opt.as_json
def command(run: Path, as_json: bool) -> int:
    """Check that a run is complete and unchanged.

    Compares the hash of every file with run.json, looks at columns and values, computes the means
    of systems from the dialogs, and scores up to 100 turns of the stored text again. The first
    mismatch of each is named. Exit code 0 if nothing is wrong, else 2.

    \b
    Examples:
      simpatico verify run
      simpatico verify run --json
    """
    from simpatico.run import Run
    from simpatico.run.verification import verify_run

    checks = []
    for check in verify_run(Run(run)):
        checks.append(check)
        if not as_json:
            result(f"{check.verdict:<8} {check.what}" + (f": {check.why}" if check.why else ""))
    wrong = [check for check in checks if check.verdict == "wrong"]
    if as_json:
        rows = [check.as_json() for check in checks]
        show_json({"run": str(run), "ok": not wrong, "checks": rows})
    if wrong:
        note(f"{run} is damaged; run the command that made it again, which restores it.")
    return 2 if wrong else 0
