"""What commands print: results on stdout, everything else on stderr, hostile text made harmless.

Names of systems and dialogs come from the input: control characters, text direction marks and the
first characters of spreadsheet formulas are taken out before they reach a terminal or a CSV.

Tables fit the terminal, or 80 columns where there is none, and a name or a number is never cut:
headings and prose wrap between words; if that is not enough, the last columns continue below, under
the same first ones, and the title says so; if the names of a row fill a line alone, every cell has
a line of its own. Sentences break between words on a terminal, and stay one line in a file.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from shutil import get_terminal_size
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal, TextIO

import click

from simpatico.wording import NO_VALUE, format_interval, format_number, format_p

if TYPE_CHECKING:
    import polars as pl


CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
NUMBER = re.compile(r"[-−–+<\[\d]|\.\d")
"""The start of cells that are aligned to the right: also `.41`, `< .001` and a dash."""
PIPED = 80
"""Characters of a line where the output is no terminal."""
GAP = 2
"""Spaces between the columns of a table."""
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\x00", "＝", "＋", "－", "＠")
"""Spreadsheets run a cell that begins so; some also take the full-width forms for the others."""


def clean(text: str) -> str:
    """The text without control, escape and direction characters; each becomes a visible dot."""
    return CONTROL.sub("·", text)


def result(text: str) -> None:
    """A line of the result."""
    click.echo(wrap(clean(text), sys.stdout))


def heading(text: str) -> None:
    """A line of the result that others stand under; bold on a terminal."""
    from rich.console import Console
    from rich.text import Text

    console = Console()
    style = "" if console.no_color else "bold"
    console.print(Text(wrap(clean(text), sys.stdout), style=style), soft_wrap=True)


def note(text: str) -> None:
    """A line for the user at the terminal, not for a script.

    Where it cannot be written, as on a full disk, the command continues without it.
    """
    try:
        click.echo(wrap(clean(text), sys.stderr), err=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def show_prose(text: str) -> None:
    """Prose that is folded everywhere, as nobody reads it by the line: cards and paragraphs."""
    click.echo(fold(clean(text), line_width()))


def wrap(text: str, stream: TextIO | None) -> str:
    """The text broken between words on a terminal, which would break inside; else one line."""
    if stream is None or not stream.isatty():
        return text
    return fold(text, get_terminal_size().columns)


def fold(text: str, width: int = PIPED) -> str:
    """The text in lines of at most `width`, broken between words; later lines are indented more."""
    indent = " " * (len(text) - len(text.lstrip()))
    lines = fill(
        text.strip(),
        width,
        initial_indent=indent,
        subsequent_indent=f"{indent}  " if indent else "",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return lines or text


def show_json(value: object) -> None:
    """JSON with everything escaped that is not plain printable text."""
    click.echo(json.dumps(value, indent=1, ensure_ascii=True, allow_nan=False))


def show_csv(frame: pl.DataFrame) -> None:
    """The table as CSV."""
    click.echo(csv_text(frame), nl=False)


def csv_text(frame: pl.DataFrame) -> str:
    """CSV in which no cell of text can act: no formula for a spreadsheet, no terminal escape."""
    import polars as pl

    starts = f"^([{re.escape(''.join(FORMULA_STARTS))}])"
    text = pl.col(pl.String).str.replace_all(CONTROL.pattern, "·").str.replace(starts, "'$1")
    return frame.with_columns(text).write_csv()


def show_table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], *, keys: int = 1
) -> None:
    """A table for people; its first `keys` columns name a row and repeat if the table is split."""
    from rich import box
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    # Widths are counted in cells of the terminal: a Japanese character takes two.
    body = [[format_cell(v) for v in row] for row in rows]
    cells = [[clean(name), *(row[i] for row in body)] for i, name in enumerate(columns)]
    # A number with its interval is one piece; of a heading and of prose every word is.
    pieces = [
        [p for i, c in enumerate(own) for p in ([c] if i and NUMBER.match(c) else c.split())]
        for own in cells
    ]
    narrow = [max(map(cell_len, own), default=0) for own in pieces]
    width = line_width()
    blocks = column_blocks(narrow, keys, width)
    if sum(w + GAP for w in narrow[:keys]) + max(narrow[keys:], default=0) > width:
        heading(title)
        show_records(cells)
        return
    heading(f"{title} (columns continue below)" if len(blocks) > 1 else title)
    for block in blocks:
        widths = {i: max(map(cell_len, cells[i])) for i in block}
        # the widest column that can wrap gives way first, so that lines break as rarely as possible
        while sum(widths.values()) + GAP * (len(block) - 1) > width:
            wide = [i for i in block if widths[i] > narrow[i]]
            widths[max(wide, key=widths.__getitem__)] -= 1
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
        for i in block:
            numbers = bool(body) and all(map(NUMBER.match, cells[i][1:]))
            side: Literal["left", "right"] = "right" if numbers else "left"
            table.add_column(Text(cells[i][0]), justify=side, width=widths[i])
        for row in body:
            table.add_row(*(Text(row[i]) for i in block))
        Console(width=width).print(table)
        result("")


def show_records(cells: Sequence[Sequence[str]]) -> None:
    """A line per cell, for rows whose names fill a line alone; `cells` are columns, names first."""
    widest = max(len(column[0]) for column in cells)
    for row in range(1, len(cells[0])):
        for column in cells:
            result(f"{column[0]:<{widest + GAP}}{column[row]}")
        result("")


def column_blocks(narrow: Sequence[int], keys: int, width: int) -> list[list[int]]:
    """The columns in blocks that fit a line at their narrowest; each begins with the keys."""
    first = list(range(min(keys, len(narrow))))
    blocks = [first]
    for i in range(keys, len(narrow)):
        if sum(narrow[j] + GAP for j in [*blocks[-1], i]) - GAP > width:
            blocks.append(first)
        blocks[-1] = [*blocks[-1], i]
    return blocks


def line_width() -> int:
    """How many characters a line of output may have."""
    # a caller may have closed stdout
    return get_terminal_size().columns if sys.stdout and sys.stdout.isatty() else PIPED


def format_cell(value: object) -> str:
    """A value as people read it: three decimals, a dash for what could not be scored."""
    if value is None:
        return NO_VALUE
    return format_number(value, 3) if isinstance(value, float) else clean(str(value))


def p_cell(p: float | None) -> str:
    """A p-value below a column head that says p."""
    return format_p(p).removeprefix("= ")


def value_with_interval(
    value: float | None, low: float | None, high: float | None, digits: int = 3
) -> str:
    """A number and its interval in one cell: `0.12 [0.02, 0.21]`; the number alone without one.

    One cell and not two, so that a wrapped table cannot part a value from its uncertainty.
    """
    number = format_number(value, digits)
    return number if low is None else f"{number} {format_interval(low, high, digits)}"


def format_reasons(counts: Mapping[str, int]) -> str:
    """How often each reason holds, with the codes of reasons in words: `3 no words, 1 empty`."""
    return ", ".join(f"{n:,} {reason.replace('_', ' ')}" for reason, n in counts.items())
