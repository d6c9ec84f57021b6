"""`simpatico reproduce`: a paper's tables, ours beside theirs."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import click

from simpatico.cli.out import note, show_json, show_table
from simpatico.reproduce import Cell

PAPERS = ("psychological-metrics",)


@click.command(name="reproduce")
@click.argument("paper", type=click.Choice(PAPERS))
@click.option(
    "--data", type=click.Path(path_type=Path), required=True, help="Folder of the data sets."
)
@click.option("--lexicon", help="Emotion lexicon by path; ours if not given.")
@click.option("--seed", default=0, show_default=True, help="Of the bootstrap.")
@click.option("--json", "as_json", is_flag=True, help="A list of cells, for scripts.")
def command(paper: str, data: Path, lexicon: str | None, seed: int, as_json: bool) -> None:
    """Recompute the tables of PAPER from its data sets."""
    module = import_module(f"simpatico.reproduce.{paper.replace('-', '_')}")
    cells: list[Cell] = module.reproduce(data, lexicon=lexicon, seed=seed)
    if as_json:
        show_json([cell._asdict() for cell in cells])
        return
    rows = [[c.row, c.column, c.paper, c.ours, span(c), c.n, c.table] for c in cells]
    head = ["data", "metric alone", "paper", "ours", "95% interval", "n", "paper's table"]
    show_table(f"{paper}: adjusted R² with appropriateness", head, rows)
    for row in dict.fromkeys(c.row for c in cells):
        told = dict.fromkeys(t for c in cells if c.row == row for t in notes(c))
        note(f"{row}: {'; '.join(told)}")


def span(cell: Cell) -> str:
    return "–" if cell.low is None else f"[{cell.low:.3f}, {cell.high:.3f}]"


def notes(cell: Cell) -> list[str]:
    """The remarks of a cell, the count of nulls with its column's name."""
    first, *others = cell.note.split("; ")
    return [f"{cell.column} {first}", *others]
