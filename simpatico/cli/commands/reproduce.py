"""`simpatico reproduce`: a paper's tables, ours beside theirs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from simpatico.charts.html import Html
from simpatico.cli.options import parsed, typed
from simpatico.cli.output import note, result, show_json, show_table
from simpatico.cli.progress import Progress
from simpatico.errors import BadValue, MissingResource
from simpatico.reproduction import Cell, Reproduction
from simpatico.reproduction.comparison import TOLERANCE, summary
from simpatico.reproduction.markdown import page
from simpatico.reproduction.request import Asked
from simpatico.reproduction.sample import SAMPLE, Sample

PAPERS = (
    "psychological-metrics",
    "metrics-and-people",
    "predictive-engagement",
    "emotional-consistency",
    "interlocutors-eye",
)
DRAWN = (PAPERS[2], PAPERS[4])
"""Papers with figures to draw."""
VERDICT = ("the paper's test", "can't tell", "the paper has *")
"""How remarks about one figure only begin; they are in the JSON."""


@click.command(name="reproduce")
@click.argument("paper", type=click.Choice(PAPERS))
@click.option(
    "--data", type=click.Path(path_type=Path), required=True, help="Folder of the data sets."
)
@click.option("--lexicon", help="Emotion lexicon by path; ours if not given.")
@click.option("--metrics", help="Other metrics to run: all that can, a list as in a,b, or none.")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="METRIC.PARAMETER=VALUE",
    help="A parameter of a metric, such as ruber.model=path:MODEL; repeatable.",
)
@click.option(
    "--sample",
    default=SAMPLE,
    show_default=True,
    type=click.IntRange(0),
    help="Responses of each data set that language models read; 0 for all.",
)
@click.option("--seed", default=0, show_default=True, help="Of the sample and the bootstrap.")
@click.option(
    "--seeds",
    default=5,
    show_default=True,
    type=click.IntRange(0),
    help="How often classifiers are trained anew, or persons shuffled; 0 for none of them.",
)
@click.option(
    "--figures",
    type=click.Path(path_type=Path),
    help=f"Folder to draw the figures of {' or '.join(DRAWN)} into.",
)
@click.option(
    "--fine-tuned-neutrality",
    metavar="path:DIR",
    help="For emotional-consistency: a fine-tuned classifier whose class 1 is emotional.",
)
@click.option(
    "--fine-tuned-polarity",
    metavar="path:DIR",
    help="For emotional-consistency: a fine-tuned classifier whose class 1 is positive.",
)
@click.option(
    "--write-mix",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder to write the training mix of emotional-consistency to, and do nothing else.",
)
@click.option("--json", "shape", flag_value="json", help="A list of cells, for scripts.")
@click.option("--markdown", "shape", flag_value="markdown", help="Tables for a page.")
def command(paper: str, data: Path, shape: str | None, **given: Any) -> None:
    """Recompute the tables of PAPER from those of its data sets that are there.

    metrics-and-people is no paper: how well each metric follows people's judgements, on all sets.
    """
    module = import_module(f"simpatico.reproduction.{paper.replace('-', '_')}")
    settings = {name: typed(name, told) for name, told in parsed(given["settings"]).items()}
    sample = Sample(given["sample"], given["seed"])
    seeds, tuned = given["seeds"], fine_tuned(paper, given)
    asked = Asked(given["lexicon"], chosen(given["metrics"]), settings, sample, seeds, tuned)
    if given["write_mix"]:
        write_mix(paper, data, given["write_mix"], asked)
        return
    drawing = drawn_into(paper, given["figures"])
    with Progress():
        done: Reproduction = module.reproduce(data, asked, tell=note)
    show(paper, done, shape)
    if drawing:
        draw(paper, data, done, drawing)
    for reason in done.absent:
        note(f"- left out: {reason}")


def fine_tuned(paper: str, given: Mapping[str, Any]) -> dict[str, str]:
    """The fine-tuned evaluators by kind; refused for papers that have no use for them."""
    kinds = ("neutrality", "polarity")
    found = {kind: given[f"fine_tuned_{kind}"] for kind in kinds if given[f"fine_tuned_{kind}"]}
    if found and paper != PAPERS[3]:
        raise BadValue(
            f"--fine-tuned-{next(iter(found))}: {paper} has no use for it; {PAPERS[3]} has"
        )
    return found


def write_mix(paper: str, data: Path, out: Path, asked: Asked) -> None:
    """Write the training mix; refused where there is none."""
    if paper != PAPERS[3]:
        raise BadValue(f"--write-mix: {paper} has no training mix; {PAPERS[3]} has")
    from simpatico.reproduction.emotional_consistency import write_mix as write

    with Progress():
        write(data, out, asked, tell=note)


def drawn_into(paper: str, folder: Path | None) -> Path | None:
    """The folder for figures, made if need be; refused where nothing would be drawn."""
    if folder is None:
        return None
    if paper not in DRAWN:
        raise BadValue(f"--figures: {paper} has none to draw; {' and '.join(DRAWN)} have")
    if folder.exists() and not folder.is_dir():
        raise BadValue(f"--figures {folder} is a file; name a folder")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def pictures(paper: str, data: Path, done: Reproduction) -> dict[str, Html]:
    """The figures of a paper by name."""
    if paper == PAPERS[2]:
        from simpatico.reproduction.predictive_engagement.figures import figures

        return figures(data, done.cells)
    from simpatico.reproduction.interlocutors_eye.figures import figures as of_eye

    return of_eye(done.cells)


def draw(paper: str, data: Path, done: Reproduction, folder: Path) -> None:
    """Write the figures."""
    from simpatico.charts.export import write_figure

    for name, picture in pictures(paper, data, done).items():
        write_figure(picture, folder / f"{name}.svg")
        with suppress(MissingResource):  # a PNG needs a converter that may not be there
            write_figure(picture, folder / f"{name}.png")
        note(f"drawn: {folder / name}.svg")


def chosen(metrics: str | None) -> list[str] | None:
    """The names in a list; null for all."""
    if metrics is None:
        return None
    return [] if metrics == "none" else [name.strip() for name in metrics.split(",")]


def show(paper: str, done: Reproduction, shape: str | None) -> None:
    """The figures as JSON, as Markdown or for a terminal."""
    if shape == "json":
        show_json([cell._asdict() for cell in (*done.cells, *done.beside)])
    elif shape == "markdown":
        for line in page(done).splitlines():
            result(line)
    elif paper == PAPERS[1]:
        show_people(done.cells)
        show_remarks(done.cells)
    elif paper in PAPERS[2:]:
        show_tables(done.cells)
        show_summary(done)
        show_remarks(done.cells, fewest=2)
    else:
        show_cells(paper, done.cells)
        show_beside(done.beside)
        show_summary(done)
        show_remarks([*done.cells, *done.beside])


def show_people(cells: Sequence[Cell]) -> None:
    """Each metric's rho, beside what others printed."""
    rows = [
        [c.row, c.column, c.ours, span(c), c.n or None, left_out(c), c.paper, c.table]
        for c in cells
    ]
    head = ["data", "metric", "rho", "95% interval", "n", "not scored", "printed", "people"]
    show_table("Spearman's rho with people's judgements", head, rows)


def show_tables(cells: Sequence[Cell]) -> None:
    """Each table of a paper by itself."""
    head = ["of", "figure", "paper", "ours", "95% interval", "n"]
    for table in dict.fromkeys(cell.table for cell in cells):
        own = [c for c in cells if c.table == table]
        rows = [[c.row, c.column, c.paper, c.ours, span(c), c.n or None] for c in own]
        show_table(table, head, rows)


def show_cells(paper: str, cells: Sequence[Cell]) -> None:
    """Each figure beside the paper's."""
    rows = [[c.row, c.column, c.paper, c.ours, span(c), c.n, left_out(c), c.table] for c in cells]
    head = ["data", "metric alone", "paper", "ours", "95% interval", "n", "not scored", "table"]
    show_table(f"{paper}: adjusted R² with people's judgements", head, rows)


def show_beside(cells: Sequence[Cell]) -> None:
    """Other metrics alone, and with each of the paper's, one line per data set and metric."""
    lines: dict[tuple[str, str], dict[str, str]] = {}
    for cell in cells:
        metric, _, added = cell.column.partition(" + ")
        lines.setdefault((cell.row, metric), {})[added] = both(cell)
    if lines:
        names = list(dict.fromkeys(name for line in lines.values() for name in line if name))
        rows = [[*key, line.get(""), *map(line.get, names)] for key, line in lines.items()]
        head = ["data", "metric", "alone", *(f"+ {name}" for name in names)]
        title = "adjusted R² of other metrics, alone and with ours; behind the stroke the paper's"
        show_table(title, head, rows)


def both(cell: Cell) -> str:
    """Our figure and, if there is one, the paper's behind a stroke."""
    ours = "–" if cell.ours is None else f"{cell.ours:.3f}"
    return ours if cell.paper is None else f"{ours} / {cell.paper:.3f}"


def show_summary(done: Reproduction) -> None:
    """Which figures are far from the paper's and why, and how many came out again."""
    rows = [[c.row, c.column, c.paper, c.ours, c.table, why] for c, why in done.apart]
    if rows:
        head = ["data", "metric alone", "paper", "ours", "table", "why"]
        show_table(f"more than {TOLERANCE:g} from the paper", head, rows)
    result(summary(done))


def show_remarks(cells: Sequence[Cell], *, fewest: int = 1) -> None:
    """What readers must know, once each, with how many figures it is about: at least `fewest`."""
    where = Counter(remark for cell in cells for remark in set(cell.note.split("; ")[1:]))
    for remark, n in where.items():
        if n >= fewest and not remark.startswith(VERDICT):
            note(f"- {remark} ({n} of {len(cells)} figures)")


def left_out(cell: Cell) -> str:
    """How many units have no score, as the note says."""
    return "–" if cell.ours is None and not cell.n else cell.note.partition(" of ")[0]


def span(cell: Cell) -> str:
    return "–" if cell.low is None else f"[{cell.low:.3f}, {cell.high:.3f}]"
