"""`simpatico export`: the scores of a run as other tools read them, in a file or on a server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli import options as opt
from simpatico.cli.output import csv_text, note, result
from simpatico.errors import RunError
from simpatico.files import write_atomically
from simpatico.wording import format_count

if TYPE_CHECKING:
    from simpatico.integrations.exports import Export, Server

MARKS = {
    "otlp": b'"scope": {"name": "simpatico"',
    "inspect": b'"signature": "',
    "sav": b"Scores of simpatico",
    "csv": b"dyad,dialog,",
}
"""The formats, and what an earlier file of each has in it, which may be replaced."""
SERVERS = {"langfuse": "Langfuse", "mlflow": "MLflow", "phoenix": "Phoenix"}


@click.command(name="export")
@click.argument("run", type=opt.PATH)
@opt.choice("--to", [*MARKS, "mtme", *SERVERS], "Format, or server.", "form", required=True)
@opt.path("--out", "File to write; mtme: folder.")
@opt.choice("--level", ["dialog", "turn"], "Export the scores of dialogs or of turns.")
@opt.option("--system", "Export only this system.  [default: all but the users]")
@opt.with_human
@opt.names("--scores", "Export only these scores.")
@opt.flag("--every", "Include the component scores of each metric.")
@opt.choice("--as", ["session", "trace"], "langfuse: what a dialog is there.", "target")
@opt.flag("--dry-run", "Servers: print what would be sent, and send nothing.")
@opt.force
def command(run: Path, form: Any, out: Path | None, **options: Any) -> None:
    """Write the scores of RUN to a file for another tool, or send them to its server.

    otlp: log records of gen_ai.evaluation.result for OpenTelemetry collectors, JSON lines.
    inspect: scores for Inspect's precomputed_scores. sav: SPSS. csv: one tidy table, a row for each
    unit and score. mtme: a folder of score files for mt-metrics-eval.

    langfuse, phoenix, mlflow: scores of sessions, or with --level turn (phoenix, mlflow) of spans
    or traces, at the address and with the keys that the tool's own client takes from the
    environment. Sent again, they replace themselves. A score that is null stays null, with its
    reason.

    \b
    Examples:
      simpatico export run --to otlp --out scores.otlp.jsonl
      simpatico export run --to sav --out scores.sav --level turn --with-human
      simpatico export run --to phoenix --dry-run
    """
    from simpatico.integrations.exports import Export, mtme, systems_of, write_export
    from simpatico.run import Run

    check_options(form, out, **options)
    folder = Run(run)
    systems = systems_of(folder, options["system"], with_human=options["with_human"])
    chosen = (options["scores"], options["every"], options["target"])
    export = Export(folder, options["level"], systems, *chosen)
    if out is None:
        send(export, form, dry_run=options["dry_run"])
    elif form == "mtme":
        note(mtme.write(export, out, force=opt.is_forced()))
    else:
        place = opt.out_file(out, MARKS[form])
        if form == "csv":
            write_atomically(place, csv_text(export.table()).encode())
        else:
            write_export(export, form, place)
        note(f"{out} has the {options['level']} scores of {', '.join(systems)}.")


def check_options(
    form: str, out: Path | None, *, dry_run: bool, target: str, **others: Any
) -> None:
    """Refuse options that this format or server has no use for."""
    if (out is None) != (form in SERVERS):
        verb = "writes no file; leave out" if form in SERVERS else "writes a file: name it with"
        raise click.UsageError(f"--to {form} {verb} --out.")
    if dry_run and form not in SERVERS:
        raise click.UsageError(f"--to {form} sends nothing; leave out --dry-run.")
    if target != "session" and form != "langfuse":
        raise click.UsageError(f"--as is for --to langfuse; leave it out with --to {form}.")


def send(export: Export, server: Server, *, dry_run: bool) -> None:
    """Send the scores, or print them one a line."""
    from simpatico.integrations.exports import server_export

    module = server_export(server)
    if dry_run:
        for body in module.score_bodies(export):
            result(json.dumps(body, default=str, ensure_ascii=True))
        return
    n_accepted, n_refused = module.push(export, lambda why: note(f"refused: {why}"))
    note(f"{format_count(n_accepted, 'score')} sent.")
    if n_refused:
        refused = format_count(n_refused, "score")
        raise RunError(f"{SERVERS[server]} refused {refused}; the others are there")
