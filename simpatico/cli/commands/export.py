"""`simpatico export`: the scores of a run as other tools read them, in a file or on a server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli import options as opt
from simpatico.cli.output import note, result
from simpatico.errors import RunError
from simpatico.wording import format_count

if TYPE_CHECKING:
    from simpatico.integrations.exports import Export

MARKS = {
    "otlp": b'"scope": {"name": "simpatico"',
    "inspect": b'"signature": "',
    "sav": b"Scores of simpatico",
}
"""The formats, and what an earlier file of each has in it, which may be replaced."""


@click.command(name="export")
@click.argument("run", type=opt.PATH)
@opt.choice("--to", [*MARKS, "langfuse"], "Format of the file, or server.", "form", required=True)
@opt.path("--out", "File to write.")
@opt.choice("--level", ["dialog", "turn"], "Export the scores of dialogs or of turns.")
@opt.option("--system", "Export only this system.  [default: all but the users]")
@opt.with_human
@opt.names("--scores", "Export only these scores.")
@opt.flag("--every", "Include the component scores of each metric.")
@opt.choice("--as", ["session", "trace"], "langfuse: what a dialog is there.", "target")
@opt.flag("--dry-run", "langfuse: print what would be sent, and send nothing.")
@opt.force
def command(run: Path, form: Any, out: Path | None, **options: Any) -> None:
    """Write the scores of RUN to a file for another tool, or send them to its server.

    otlp: log records of gen_ai.evaluation.result for OpenTelemetry collectors, JSON lines.
    inspect: scores for Inspect's precomputed_scores. sav: SPSS. langfuse: scores of sessions, at
    LANGFUSE_BASE_URL with the keys LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY; sent again, they
    replace themselves. A score that is null stays null, with its reason. For tables (CSV, JSON,
    long form for R) see simpatico show.

    \b
    Examples:
      simpatico export run --to otlp --out scores.otlp.jsonl
      simpatico export run --to sav --out scores.sav --level turn --with-human
      simpatico export run --to langfuse --dry-run
    """
    from simpatico.integrations.exports import Export, systems_of, write_export
    from simpatico.run import Run

    if (out is None) != (form not in MARKS):
        verb = "writes a file: name it with" if out is None else "writes no file; leave out"
        raise click.UsageError(f"--to {form} {verb} --out.")
    folder = Run(run)
    systems = systems_of(folder, options["system"], with_human=options["with_human"])
    export = Export(folder, options["level"], systems, options["scores"], options["every"])
    if out is None:
        push_to_langfuse(export, options["target"], dry_run=options["dry_run"])
        return
    write_export(export, form, opt.out_file(out, MARKS[form]))
    note(f"{out} has the {options['level']} scores of {', '.join(systems)}.")


def push_to_langfuse(export: Export, target: Any, *, dry_run: bool) -> None:
    """Send the scores, or print them one a line."""
    from simpatico.integrations.exports.langfuse import push, score_bodies

    if dry_run:
        for body in score_bodies(export, target):
            result(json.dumps(body, default=str, ensure_ascii=True))
        return
    n_accepted, n_refused = push(export, target, lambda why: note(f"refused: {why}"))
    note(f"{format_count(n_accepted, 'score')} sent.")
    if n_refused:
        raise RunError(f"Langfuse refused {format_count(n_refused, 'score')}; the others are there")
