"""`simpatico cite`: the Methods paragraph of a run, and BibTeX of everything it used."""

from __future__ import annotations

from pathlib import Path

import click

from simpatico.cli import options as opt
from simpatico.cli.output import clean, heading, show_prose


@click.command(name="cite")
@click.argument("run", type=opt.PATH)
@opt.choice("--format", ["text", "bibtex"], "A Methods paragraph and BibTeX, or BibTeX alone.")
def command(run: Path, format: str) -> None:
    """Print a Methods paragraph and BibTeX of everything RUN used.

    \b
    Examples:
      simpatico cite run
      simpatico cite run --format bibtex > run.bib
    """
    from simpatico.run import Run
    from simpatico.run.citation import bibliography, methods_paragraph

    paragraph, entries = methods_paragraph(Run(run)), bibliography(Run(run))
    if format == "text":
        heading("Methods")
        show_prose(paragraph)
        click.echo()
        heading("References")
    for line in entries.splitlines():
        click.echo(clean(line))
