"""`simpatico init`: the file through which another tool calls simpatico."""

from __future__ import annotations

from pathlib import Path

import click

from simpatico.cli import options as opt
from simpatico.cli.output import note, result
from simpatico.files import write_atomically


@click.command(name="init")
@click.argument("tool", type=click.Choice(["promptfoo"]))
@opt.out("File to write.", default=Path("simpatico_assert.py"))
@opt.force
def command(tool: str, out: Path) -> None:
    """Write the file through which TOOL scores conversations.

    promptfoo: a Python assertion, and what to write into promptfooconfig.yaml.

    \b
    Example:
      simpatico init promptfoo
    """
    from simpatico.integrations.promptfoo import ASSERTION, EXAMPLE, MARK

    write_atomically(opt.out_file(out, MARK), ASSERTION.encode(), public=True)
    note(f"{out} is written; add to a test of promptfooconfig.yaml:")
    for line in EXAMPLE.format(name=out).splitlines():
        result(line)
