"""Tables for papers: the cells that a terminal shows, as Markdown or as LaTeX (booktabs).

Cells are formatted already; here they are only escaped, so that a name with an underscore compiles
and a name with a bar does not open a column.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import click

from simpatico.cli.output import NUMBER, clean, format_cell, show_table

Shape = Literal["table", "markdown", "latex", "csv"]

LATEX = str.maketrans(
    {
        **{c: f"\\{c}" for c in "&%$#_{}"},
        **{c: f"{{{c}}}" for c in "[]*"},  # after a row's \\ these would be its argument
        **{c: f"${c}$" for c in "<>|"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "−": "$-$",
        "–": "--",
        "²": "$^2$",
        "α": r"$\alpha$",
        "ρ": r"$\rho$",
        "τ": r"$\tau$",
    }
)


def show_as(
    shape: Shape,
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    keys: int = 1,
) -> None:
    """A table in one of the shapes; csv has its own columns and is not made here."""
    if shape == "table":
        show_table(title, columns, rows, keys=keys)
        return
    cells = [[format_cell(value) for value in row] for row in rows]
    lines = latex_lines if shape == "latex" else markdown_lines
    for line in [*lines(clean(title), columns, cells), ""]:
        click.echo(line)


def markdown_lines(title: str, columns: Sequence[str], cells: Sequence[Sequence[str]]) -> list[str]:
    """A heading in bold and a table of pipes; numbers are aligned to the right."""
    rules = ["---:" if right else "---" for right in right_aligned(columns, cells)]
    rows = [[c.replace("\\", "\\\\").replace("|", "\\|") for c in row] for row in [columns, *cells]]
    head, *body = (f"| {' | '.join(row)} |" for row in rows)
    return [f"**{title}**", "", head, f"| {' | '.join(rules)} |", *body]


def latex_lines(title: str, columns: Sequence[str], cells: Sequence[Sequence[str]]) -> list[str]:
    """A table environment with rules of the package booktabs."""
    sides = "".join("r" if right else "l" for right in right_aligned(columns, cells))
    head, *body = (
        " & ".join(c.translate(LATEX) for c in row) + r" \\" for row in [columns, *cells]
    )
    return [
        r"\begin{table}  % needs \usepackage{booktabs}",
        rf"\caption{{{title.translate(LATEX)}}}",
        rf"\begin{{tabular}}{{{sides}}}",
        *(r"\toprule", head, r"\midrule", *body, r"\bottomrule"),
        r"\end{tabular}",
        r"\end{table}",
    ]


def right_aligned(columns: Sequence[str], cells: Sequence[Sequence[str]]) -> list[bool]:
    """Which columns hold numbers only."""
    return [bool(cells) and all(NUMBER.match(r[i]) for r in cells) for i in range(len(columns))]
