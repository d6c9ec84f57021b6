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
    rows = [[c.row, c.column, c.paper, c.ours, span(c), c.n, left_out(c), c.table] for c in cells]
    head = ["data", "metric alone", "paper", "ours", "95% interval", "n", "not scored", "table"]
    show_table(f"{paper}: adjusted R² with appropriateness", head, rows)
    where: dict[str, dict[str, None]] = {}
    for cell in cells:
        for remark in cell.note.split("; ")[1:]:
            where.setdefault(remark, {})[f"{cell.row} {cell.column}"] = None
    for remark, places in where.items():
        note(f"- {remark} ({len(places)} of {len(cells)} figures)")


def span(cell: Cell) -> str:
    return "–" if cell.low is None else f"[{cell.low:.3f}, {cell.high:.3f}]"


def left_out(cell: Cell) -> str:
    """How many units have no score, as the note says."""
    return cell.note.partition(" of ")[0]
