"""`simpatico init`: the file through which another tool calls simpatico."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import click

from simpatico.cli import options as opt
from simpatico.cli.output import note, result
from simpatico.files import write_atomically

FILES = {"promptfoo": "simpatico_assert.py", "evaluate": "simpatico_measurement.py"}
"""What the file of each tool is called, unless it is named."""


@click.command(name="init")
@click.argument("tool", type=click.Choice([*FILES]))
@opt.path("--out", "File to write.  [default: simpatico_assert.py, simpatico_measurement.py]")
@opt.force
def command(tool: str, out: Path | None) -> None:
    """Write the file through which TOOL scores conversations, and print how it is used.

    promptfoo: a Python assertion. evaluate: a measurement of Hugging Face evaluate.

    \b
    Example:
      simpatico init promptfoo
    """
    module = import_module(f"simpatico.integrations.{tool}")
    out = out or Path(FILES[tool])
    write_atomically(opt.out_file(out, module.MARK), module.FILE.encode(), public=True)
    note(f"{out} is written; {module.USE}:")
    for line in module.EXAMPLE.format(name=out).splitlines():
        result(line)
