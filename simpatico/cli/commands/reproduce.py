"""`simpatico reproduce`: recompute a paper's tables and compare them with the published ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from simpatico.cli.options import parse_settings, typed_parameters
from simpatico.cli.output import note, result, show_json, show_table
from simpatico.cli.progress import ProgressDisplay
from simpatico.errors import BadValue, MissingResource
from simpatico.reproduction.cells import (
    TOLERANCE,
    Cell,
    Reproduction,
    agreement_summary,
    markdown_page,
)
from simpatico.reproduction.request import DEFAULT_SIZE, Request, Sample

PSYCHOLOGICAL, ALL_METRICS = "psychological-metrics", "metrics-and-people"
ENGAGEMENT, EMOTIONAL, EYE = "predictive-engagement", "emotional-consistency", "interlocutors-eye"
PAPERS = (PSYCHOLOGICAL, ALL_METRICS, ENGAGEMENT, EMOTIONAL, EYE)
WITH_FIGURES = (ENGAGEMENT, EYE)
ABOUT_ONE_FIGURE = ("the paper's test", "can't tell", "the paper has *")
"""How remarks about one figure only begin; they are in the JSON."""


@click.command(name="reproduce")
@click.argument("paper", type=click.Choice(PAPERS))
@click.option(
    "--data", type=click.Path(path_type=Path), required=True, help="Folder of the data sets."
)
@click.option("--lexicon", help="Path of an emotion lexicon.  [default: the shipped one]")
@click.option(
    "--metrics",
    help="Further metrics to run, comma separated, or none.  [default: all that are available]",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="METRIC.PARAMETER=VALUE",
    help="Parameter of a metric, such as ruber.model=path:MODEL. May be repeated.",
)
@click.option(
    "--sample",
    default=DEFAULT_SIZE,
    show_default=True,
    type=click.IntRange(0),
    help="Responses per data set that language models score; 0 = all.",
)
@click.option(
    "--seed", default=0, show_default=True, help="Random seed of the sample and the bootstrap."
)
@click.option(
    "--seeds",
    default=5,
    show_default=True,
    type=click.IntRange(0),
    help="Number of seeds: trainings of a classifier, or permutations of users; 0 = neither.",
)
@click.option(
    "--figures",
    type=click.Path(path_type=Path),
    help=f"Folder for the figures of {' or '.join(WITH_FIGURES)}.",
)
@click.option(
    "--fine-tuned-neutrality",
    metavar="path:DIR",
    help="emotional-consistency: fine-tuned classifier whose class 1 is emotional.",
)
@click.option(
    "--fine-tuned-polarity",
    metavar="path:DIR",
    help="emotional-consistency: fine-tuned classifier whose class 1 is positive.",
)
@click.option(
    "--write-mix",
    type=click.Path(path_type=Path, file_okay=False),
    help="emotional-consistency: only write the training mix to this folder.",
)
@click.option("--json", "shape", flag_value="json", help="Print a JSON list of table cells.")
@click.option("--markdown", "shape", flag_value="markdown", help="Print Markdown tables.")
def command(paper: str, data: Path, shape: str | None, **options: Any) -> None:
    """Recompute the tables of PAPER from those of its data sets that are in --data.

    metrics-and-people is not a paper: it correlates every metric with human ratings on all sets.
    """
    module = import_module(f"simpatico.reproduction.{paper.replace('-', '_')}")
    settings = {
        name: typed_parameters(name, parameters)
        for name, parameters in parse_settings(options["settings"]).items()
    }
    request = Request(
        lexicon=options["lexicon"],
        metrics=metric_names(options["metrics"]),
        settings=settings,
        sample=Sample(options["sample"], options["seed"]),
        seeds=options["seeds"],
        fine_tuned=fine_tuned_evaluators(paper, options),
    )
    if options["write_mix"]:
        if paper != EMOTIONAL:
            raise BadValue(f"--write-mix: {paper} has no training mix; {EMOTIONAL} has")
        with ProgressDisplay():
            module.write_mix(data, options["write_mix"], request, tell=note)
        return
    folder = figure_folder(paper, options["figures"])
    with ProgressDisplay():
        reproduction: Reproduction = module.reproduce(data, request, tell=note)
    show(paper, reproduction, shape)
    if folder:
        write_figures(paper, data, reproduction, folder)
    for reason in reproduction.omissions:
        note(f"- left out: {reason}")


def fine_tuned_evaluators(paper: str, options: Mapping[str, Any]) -> dict[str, str]:
    """The fine-tuned evaluators by kind; an error for papers that have no use for them."""
    models = {kind: options[f"fine_tuned_{kind}"] for kind in ("neutrality", "polarity")}
    models = {kind: model for kind, model in models.items() if model}
    if models and paper != EMOTIONAL:
        raise BadValue(
            f"--fine-tuned-{next(iter(models))}: {paper} has no use for it; {EMOTIONAL} has"
        )
    return models


def figure_folder(paper: str, folder: Path | None) -> Path | None:
    """The folder for figures, made if need be; an error where nothing would be drawn."""
    if folder is None:
        return None
    if paper not in WITH_FIGURES:
        raise BadValue(f"--figures: {paper} has none to draw; {' and '.join(WITH_FIGURES)} have")
    if folder.exists() and not folder.is_dir():
        raise BadValue(f"--figures {folder} is a file; name a folder")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def write_figures(paper: str, data: Path, reproduction: Reproduction, folder: Path) -> None:
    """Write the paper's figures as SVG and, where there is a converter, as PNG."""
    from simpatico.charts.export import write_figure

    if paper == ENGAGEMENT:
        from simpatico.reproduction.predictive_engagement.figures import engagement_figures

        figures = engagement_figures(data, reproduction.cells)
    else:
        from simpatico.reproduction.interlocutors_eye.continuity import figures as eye_figures

        figures = eye_figures(reproduction.cells)
    for name, figure in figures.items():
        write_figure(figure, folder / f"{name}.svg")
        with suppress(MissingResource):  # a PNG needs a converter that may not be there
            write_figure(figure, folder / f"{name}.png")
        note(f"drawn: {folder / name}.svg")


def metric_names(metrics: str | None) -> list[str] | None:
    """The names in a list; null for all."""
    if metrics is None:
        return None
    return [] if metrics == "none" else [name.strip() for name in metrics.split(",")]


def show(paper: str, reproduction: Reproduction, shape: str | None) -> None:
    """The figures as JSON, as Markdown or for a terminal."""
    cells, others = reproduction.cells, reproduction.other_metrics
    if shape == "json":
        show_json([cell._asdict() for cell in (*cells, *others)])
    elif shape == "markdown":
        for line in markdown_page(reproduction).splitlines():
            result(line)
    elif paper == ALL_METRICS:
        show_correlations(cells)
        show_remarks(cells)
    elif paper == PSYCHOLOGICAL:
        show_explained_variance(paper, cells)
        show_other_metrics(others)
        show_agreement(reproduction)
        show_remarks([*cells, *others])
    else:
        show_tables(cells)
        show_agreement(reproduction)
        show_remarks(cells, min_cells=2)


def show_correlations(cells: Sequence[Cell]) -> None:
    """Each metric's rho, beside what others printed."""
    rows = [
        [c.row, c.column, c.ours, interval(c), c.n or None, not_scored(c), c.paper, c.table]
        for c in cells
    ]
    head = ["data", "metric", "rho", "95% interval", "n", "not scored", "printed", "people"]
    show_table("Spearman's rho with people's judgements", head, rows)


def show_tables(cells: Sequence[Cell]) -> None:
    """Each table of a paper by itself."""
    head = ["of", "figure", "paper", "ours", "95% interval", "n"]
    for table in dict.fromkeys(cell.table for cell in cells):
        own = [c for c in cells if c.table == table]
        rows = [[c.row, c.column, c.paper, c.ours, interval(c), c.n or None] for c in own]
        show_table(table, head, rows)


def show_explained_variance(paper: str, cells: Sequence[Cell]) -> None:
    """Each adjusted R² beside the paper's."""
    rows = [
        [c.row, c.column, c.paper, c.ours, interval(c), c.n, not_scored(c), c.table] for c in cells
    ]
    head = ["data", "metric alone", "paper", "ours", "95% interval", "n", "not scored", "table"]
    show_table(f"{paper}: adjusted R² with people's judgements", head, rows)


def show_other_metrics(cells: Sequence[Cell]) -> None:
    """Other metrics alone, and with each of the paper's, one line per data set and metric."""
    lines: dict[tuple[str, str], dict[str, str]] = {}
    for cell in cells:
        metric, _, addition = cell.column.partition(" + ")
        ours = "–" if cell.ours is None else f"{cell.ours:.3f}"
        text = ours if cell.paper is None else f"{ours} / {cell.paper:.3f}"
        lines.setdefault((cell.row, metric), {})[addition] = text
    if lines:
        names = list(dict.fromkeys(name for line in lines.values() for name in line if name))
        rows = [[*key, line.get(""), *map(line.get, names)] for key, line in lines.items()]
        head = ["data", "metric", "alone", *(f"+ {name}" for name in names)]
        title = "adjusted R² of other metrics, alone and with ours; behind the stroke the paper's"
        show_table(title, head, rows)


def show_agreement(reproduction: Reproduction) -> None:
    """Which figures are far from the paper's and why, and how many came out again."""
    rows = [
        [c.row, c.column, c.paper, c.ours, c.table, reason] for c, reason in reproduction.deviations
    ]
    if rows:
        head = ["data", "metric alone", "paper", "ours", "table", "why"]
        show_table(f"more than {TOLERANCE:g} from the paper", head, rows)
    result(agreement_summary(reproduction))


def show_remarks(cells: Sequence[Cell], *, min_cells: int = 1) -> None:
    """What readers must know, once each, with how many figures it is about."""
    counts = Counter(remark for cell in cells for remark in set(cell.note.split("; ")[1:]))
    for remark, n in counts.items():
        if n >= min_cells and not remark.startswith(ABOUT_ONE_FIGURE):
            note(f"- {remark} ({n} of {len(cells)} figures)")


def not_scored(cell: Cell) -> str:
    """How many units have no score: the number with which the note begins."""
    return "–" if cell.ours is None and not cell.n else cell.note.partition(" of ")[0]


def interval(cell: Cell) -> str:
    """The interval with three decimals, as papers print them."""
    return "–" if cell.low is None else f"[{cell.low:.3f}, {cell.high:.3f}]"
