"""`simpatico purge`: remove dialogs from a run, with all that was computed from them."""

from __future__ import annotations

from pathlib import Path

import click

from simpatico.cli import options as opt
from simpatico.cli.output import note, result


@click.command(name="purge")
@click.argument("run", type=opt.PATH)
@click.argument("names", nargs=-1, required=True, metavar="DIALOG|SPEAKER...")
@opt.flag("--force", "Also delete the HTML pages in the run folder, which may quote the dialogs.")
@opt.flag("--keep-cache", "Do not clear the cache of model outputs.")
@opt.key_file
def command(run: Path, names: tuple[str, ...], force: bool, keep_cache: bool) -> None:
    """Remove dialogs from RUN: text, scores and counts.

    A DIALOG is named by its id; a SPEAKER stands for every dialog in which they take part.
    Afterwards the run is as if it had been scored without them. If interrupted, run the same
    command again. The input, backups and pages elsewhere are not touched.

    \b
    Examples:
      simpatico purge run d17
      simpatico purge run ann --force
    """
    from simpatico.run.purge import purge_run
    from simpatico.wording import format_count, join_with_and

    done = purge_run(run, names, force=force, keep_cache=keep_cache)
    if not done.dialogs:
        result(f"Completed the purge of {run} that was interrupted.")
        return
    result(f"Removed {format_count(done.dialogs, 'dialog')} from {run}.")
    if done.removed:
        note(f"Deleted, as computed with them: {', '.join(done.removed)}.")
    if done.without_score:
        lost = join_with_and(done.without_score)
        note(f"Without a score now, as it needs more than the run stores: {lost}; score again.")
    if done.cache_bytes:
        note(
            f"Cleared the cache of model outputs ({done.cache_bytes / 1e6:,.1f} MB), as it does "
            "not say which text an output is of."
        )
    if done.others:
        names_left = ", ".join(done.others)
        note(f"Other files in {run} may still hold them: {names_left}; check and delete these.")
