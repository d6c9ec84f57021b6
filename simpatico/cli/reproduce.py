"""`simpatico reproduce`: a paper's tables, ours beside theirs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import click

from simpatico.cli.out import note, result, show_json, show_table
from simpatico.reproduce import Cell, Reproduction
from simpatico.reproduce.agreement import TOLERANCE, summary

PAPERS = ("psychological-metrics",)
VERDICT = ("the paper's test", "can't tell")
"""How remarks about one figure only begin; they are in the JSON."""


@click.command(name="reproduce")
@click.argument("paper", type=click.Choice(PAPERS))
@click.option(
    "--data", type=click.Path(path_type=Path), required=True, help="Folder of the data sets."
)
@click.option("--lexicon", help="Emotion lexicon by path; ours if not given.")
@click.option("--seed", default=0, show_default=True, help="Of the bootstrap.")
@click.option("--json", "as_json", is_flag=True, help="A list of cells, for scripts.")
def command(paper: str, data: Path, lexicon: str | None, seed: int, as_json: bool) -> None:
    """Recompute the tables of PAPER from those of its data sets that are there."""
    module = import_module(f"simpatico.reproduce.{paper.replace('-', '_')}")
    done: Reproduction = module.reproduce(data, lexicon=lexicon, seed=seed)
    if as_json:
        show_json([cell._asdict() for cell in (*done.cells, *done.beside)])
    else:
        show_cells(paper, done.cells)
        show_beside(done.beside)
        show_summary(done)
        show_remarks([*done.cells, *done.beside])
    for reason in done.absent:
        note(f"- left out: {reason}")


def show_cells(paper: str, cells: Sequence[Cell]) -> None:
    """Each figure beside the paper's."""
    rows = [[c.row, c.column, c.paper, c.ours, span(c), c.n, left_out(c), c.table] for c in cells]
    head = ["data", "metric alone", "paper", "ours", "95% interval", "n", "not scored", "table"]
    show_table(f"{paper}: adjusted R² with people's judgements", head, rows)


def show_beside(cells: Sequence[Cell]) -> None:
    """Other metrics alone, and with each of the paper's, one line per data set and metric."""
    lines: dict[tuple[str, str], dict[str, float | None]] = {}
    for cell in cells:
        metric, _, added = cell.column.partition(" + ")
        lines.setdefault((cell.row, metric), {})[added] = cell.ours
    if lines:
        names = list(dict.fromkeys(name for line in lines.values() for name in line if name))
        rows = [[*key, line.get(""), *map(line.get, names)] for key, line in lines.items()]
        head = ["data", "metric", "alone", *(f"+ {name}" for name in names)]
        show_table(
            "adjusted R² of published scores of other metrics, alone and with ours", head, rows
        )


def show_summary(done: Reproduction) -> None:
    """Which figures are far from the paper's and why, and how many came out again."""
    rows = [[c.row, c.column, c.paper, c.ours, c.table, why] for c, why in done.apart]
    if rows:
        head = ["data", "metric alone", "paper", "ours", "table", "why"]
        show_table(f"more than {TOLERANCE:g} from the paper", head, rows)
    result(summary(done))


def show_remarks(cells: Sequence[Cell]) -> None:
    """What readers must know, once each, with how many figures it is about."""
    where = Counter(remark for cell in cells for remark in set(cell.note.split("; ")[1:]))
    for remark, n in where.items():
        if not remark.startswith(VERDICT):
            note(f"- {remark} ({n} of {len(cells)} figures)")


def left_out(cell: Cell) -> str:
    """How many units have no score, as the note says."""
    return cell.note.partition(" of ")[0]


def span(cell: Cell) -> str:
    return "–" if cell.low is None else f"[{cell.low:.3f}, {cell.high:.3f}]"
