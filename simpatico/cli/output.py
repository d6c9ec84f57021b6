"""What commands print: results on stdout, everything else on stderr, hostile text made harmless.

Names of systems and dialogs come from the input: control characters, text direction marks and the
first characters of spreadsheet formulas are taken out before they reach a terminal or a CSV.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Sequence
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, Literal

import click

from simpatico.wording import format_number

if TYPE_CHECKING:
    import polars as pl

Format = Literal["table", "csv", "json"]

CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
NUMBER = re.compile(r"[-−–+<\[\d]|\.\d")
"""The start of cells that are aligned to the right: also `.41`, `< .001` and a dash."""
PIPED = 140
"""Characters of a line where the output is no terminal."""
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\x00", "＝", "＋", "－", "＠")


def clean(text: str) -> str:
    """The text without control, escape and direction characters; each becomes a visible dot."""
    return CONTROL.sub("·", text)


def result(text: str) -> None:
    """A line of the result."""
    click.echo(clean(text))


def heading(text: str) -> None:
    """A line of the result that others stand under; bold on a terminal."""
    from rich.console import Console
    from rich.text import Text

    console = Console()
    style = "" if console.no_color else "bold"
    console.print(Text(clean(text), style=style), soft_wrap=True)


def note(text: str) -> None:
    """A line for the person at the terminal, not for a script."""
    click.echo(clean(text), err=True)


def show_json(value: object) -> None:
    """JSON with everything escaped that is not plain printable text."""
    click.echo(json.dumps(value, indent=1, ensure_ascii=True, allow_nan=False))


def show_csv(frame: pl.DataFrame) -> None:
    """CSV in which no cell of text can act: no formula for a spreadsheet, no terminal escape."""
    import polars as pl

    text = [c for c, t in frame.schema.items() if t == pl.String]
    frame = frame.with_columns(pl.col(text).str.replace_all(CONTROL.pattern, "·"))
    escaped = frame.with_columns(
        pl.when(pl.any_horizontal(pl.col(c).str.starts_with(f) for f in FORMULA_STARTS))
        .then("'" + pl.col(c))
        .otherwise(pl.col(c))
        .alias(c)
        for c in text
    )
    click.echo(escaped.write_csv(), nl=False)


def show_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """A table for people; drawn with lines on a terminal, plain when piped."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    body = [[format_cell(v) for v in row] for row in rows]
    console = Console()
    if not console.is_terminal:
        console = Console(
            width=sum(3 + column_width(columns, body, i) for i in range(len(columns))) + 4
        )
    table = Table(
        title=Text(clean(title)), title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0)
    )
    # Two spaces between columns: the usual tables fit into 80 characters.
    for i, column in enumerate(columns):
        numbers = bool(body) and all(NUMBER.match(row[i]) for row in body)
        table.add_column(Text(clean(column)), justify="right" if numbers else "left")
    for row in body:
        table.add_row(*map(Text, row))
    console.print(table)


def line_width() -> int:
    """How many characters a line of output may have."""
    return get_terminal_size().columns if sys.stdout.isatty() else PIPED


def column_width(columns: Sequence[str], body: Sequence[Sequence[str]], index: int) -> int:
    return max(len(columns[index]), *(len(row[index]) for row in body), 0)


def format_cell(value: object) -> str:
    """A value as people read it: three decimals, a dash for what could not be scored."""
    if value is None:
        return "–"
    return format_number(value, 3) if isinstance(value, float) else clean(str(value))
