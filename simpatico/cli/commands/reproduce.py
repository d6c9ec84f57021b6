"""`simpatico reproduce`: recompute a paper's tables and compare them with the published ones.

Every table has the paper's figure next to ours, and each large deviation has its reason: a figure
that does not come out again is a result too. What a data set would be needed for is listed as left
out. Figures have three decimals, as papers print them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from simpatico.cli import options as opt
from simpatico.cli.output import format_cell, note, result, show_json, show_table
from simpatico.cli.progress import ProgressDisplay
from simpatico.errors import BadValue, MissingResource
from simpatico.reproduction.cells import (
    TOLERANCE,
    Cell,
    Reproduction,
    agreement_summary,
    markdown_page,
)
from simpatico.reproduction.plan import Plan
from simpatico.reproduction.request import DEFAULT_SIZE, Request, Sample
from simpatico.wording import format_correlation_interval, format_interval

PSYCHOLOGICAL, ALL_METRICS = "psychological-metrics", "metrics-and-people"
ENGAGEMENT, EMOTIONAL, EYE = "predictive-engagement", "emotional-consistency", "interlocutors-eye"
PAPERS = (PSYCHOLOGICAL, ALL_METRICS, ENGAGEMENT, EMOTIONAL, EYE)
WITH_FIGURES = (ENGAGEMENT, EYE)
MIX_COLUMNS = b"text,source,dialog,emotion,label,published\n"
"""How a file of --write-mix begins."""
ABOUT_ONE_FIGURE = ("the paper's test", "paired t-test", "can't tell", "the paper has *")
"""How remarks about one figure only begin; they are in the JSON."""


@click.command(name="reproduce")
@click.argument("paper", metavar="PAPER", type=click.Choice(PAPERS))
@opt.path("--data", "Folder of the data sets.", required=True)
@opt.option("--lexicon", "Emotion lexicon (file).  [default: the shipped one]")
@opt.option(
    "--metrics",
    "Further metrics to compute, or none.  [default: those available that run no language model]",
    metavar="NAME,...",
)
@opt.settings
@opt.value(
    "--sample",
    DEFAULT_SIZE,
    "Replies per data set that language models score; 0 = all.",
    type=click.IntRange(0),
)
@opt.random_seed("Random seed of the sample and the bootstrap.")
@opt.value(
    "--seeds",
    5,
    "Random seeds: repeated trainings of a classifier, or permutations of users; 0 = none.",
    type=click.IntRange(0),
)
@opt.path("--figures", f"Folder for the figures of {' or '.join(WITH_FIGURES)}.")
@opt.option(
    "--fine-tuned-neutrality",
    f"{EMOTIONAL}: fine-tuned classifier whose class 1 is emotional.",
    metavar="path:DIR",
)
@opt.option(
    "--fine-tuned-polarity",
    f"{EMOTIONAL}: fine-tuned classifier whose class 1 is positive.",
    metavar="path:DIR",
)
@opt.option(
    "--as-published-neutrality",
    f"{EMOTIONAL}: the same, fine-tuned on text as published.",
    metavar="path:DIR",
)
@opt.option(
    "--as-published-polarity",
    f"{EMOTIONAL}: the same, fine-tuned on text as published.",
    metavar="path:DIR",
)
@opt.option(
    "--write-mix",
    f"{EMOTIONAL}: only write the mixed training set to this folder.",
    type=click.Path(path_type=Path, file_okay=False),
)
@opt.option(
    "--write-evidence",
    f"{ALL_METRICS}: write the figures to this JSON file, or update those it has.",
    type=click.Path(path_type=Path, dir_okay=False),
)
@opt.force
@opt.flag("--plan", f"{PSYCHOLOGICAL}: only show what would be computed and how long it takes.")
@opt.option("--json", "Print a JSON list of table cells.", "shape", flag_value="json")
@opt.option("--markdown", "Print Markdown tables.", "shape", flag_value="markdown")
def command(paper: str, data: Path, shape: str | None, **options: Any) -> None:
    """Recompute the published tables of PAPER.

    Compares each figure with the published one. Uses those data sets that are in the folder --data.
    metrics-and-people is not a paper: it correlates every metric with human ratings on all of them.
    Metrics that run a language model take about a second per reply; name them in --metrics.

    \b
    PAPER is one of
      psychological-metrics  Giorgi et al. (2023)
      predictive-engagement  Ghazarian et al. (2020)
      emotional-consistency  Liu et al. (2022)
      interlocutors-eye      Tsuta et al. (2023)
      metrics-and-people     no paper, see above
    """
    module = import_module(f"simpatico.reproduction.{paper.replace('-', '_')}")
    models = {"fine_tuned": dict[str, str](), "as_published": dict[str, str]()}
    for training, by_kind in models.items():
        for kind in ("neutrality", "polarity"):
            if model := options[f"{training}_{kind}"]:
                by_kind[kind] = model
                if paper != EMOTIONAL:
                    option = f"--{training.replace('_', '-')}-{kind}"
                    raise BadValue(f"{option}: {paper} has no use for it; {EMOTIONAL} has")
    names = options["metrics"]
    request = Request(
        lexicon=options["lexicon"],
        metrics=None if names is None else [n.strip() for n in names.split(",") if n != "none"],
        settings={
            name: opt.typed_parameters(name, parameters)
            for name, parameters in opt.parse_settings(options["settings"]).items()
        },
        sample=Sample(options["sample"], options["seed"]),
        seeds=options["seeds"],
        **models,
    )
    if options["write_mix"]:
        if paper != EMOTIONAL:
            raise BadValue(f"--write-mix: {paper} has no training mix; {EMOTIONAL} has")
        write_training_mix(data, options["write_mix"], request)
        return
    if options["write_evidence"] and paper != ALL_METRICS:
        raise BadValue(f"--write-evidence: {paper} has none; {ALL_METRICS} has")
    if options["plan"] and paper != PSYCHOLOGICAL:
        raise BadValue(f"--plan: {paper} has none; {PSYCHOLOGICAL} has")
    if paper == PSYCHOLOGICAL:
        show_plan(module.plan(data, request), alone=options["plan"])
        if options["plan"]:
            return
    folder = figure_folder(paper, options["figures"])
    with ProgressDisplay("reproduction"):
        reproduction: Reproduction = module.reproduce(data, request, tell=note)
    show(paper, reproduction, shape)
    if options["write_evidence"]:
        from simpatico.evidence import update_evidence
        from simpatico.reproduction.metrics_and_people.evidence import evidence_rows

        update_evidence(options["write_evidence"], evidence_rows(reproduction.cells))
    if folder:
        write_figures(paper, data, reproduction, folder)
    for reason in reproduction.omissions:
        note(f"- left out: {reason}")


def show_plan(plan: Plan, *, alone: bool) -> None:
    """What is computed and how long it takes; alone, as the result, with what is left out."""
    for line in plan.lines():
        result(line) if alone else note(line)
    for reason in plan.omissions if alone else ():
        note(f"- left out: {reason}")


def write_training_mix(data: Path, folder: Path, request: Request) -> None:
    """Write the training mix of the emotion classifiers; files of other origin are refused."""
    from simpatico.reproduction import emotional_consistency

    if folder.is_dir():
        for path in emotional_consistency.mix_files(folder):
            opt.out_file(path, MIX_COLUMNS, option="--write-mix")
    with ProgressDisplay():
        emotional_consistency.write_mix(data, folder, request, tell=note)


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
    from simpatico.charts.export import MARK, write_figure

    if paper == ENGAGEMENT:
        from simpatico.reproduction.predictive_engagement.figures import engagement_figures

        figures = engagement_figures(data, reproduction.cells)
    else:
        from simpatico.reproduction.interlocutors_eye.continuity import figures as eye_figures

        figures = eye_figures(reproduction.cells)
    for name, figure in figures.items():
        svg, png = (
            opt.out_file(folder / f"{name}{suffix}", MARK, option="--figures")
            for suffix in (".svg", ".png")
        )
        write_figure(figure, svg)
        with suppress(MissingResource):  # a PNG needs a converter that may not be there
            write_figure(figure, png)
        note(f"drawn: {folder / name}.svg")


def show(paper: str, reproduction: Reproduction, shape: str | None) -> None:
    """The figures as JSON, as Markdown or for a terminal."""
    cells, others = reproduction.cells, reproduction.other_metrics
    if shape == "json":
        show_json([cell._asdict() for cell in (*cells, *others)])
        return
    if shape == "markdown":
        for line in markdown_page(reproduction).splitlines():
            result(line)
        return
    if paper == ALL_METRICS:
        columns = ["data", "metric", "rho", "95% CI", "length constant", "n", "not scored"]
        columns += ["printed", "people"]
        show_cells("Spearman's rho with human ratings", columns, cells)
        show_summary(cells)
    elif paper == PSYCHOLOGICAL:
        columns = ["data", "metric alone", "paper", "ours", "95% CI", "n", "not scored", "table"]
        show_cells(f"{paper}: adjusted R² with human ratings", columns, cells)
        show_other_metrics(others)
    else:
        for table in dict.fromkeys(cell.table for cell in cells):
            columns = ["of", "figure", "paper", "ours", "95% CI", "n"]
            show_cells(table, columns, [cell for cell in cells if cell.table == table])
    if paper != ALL_METRICS:
        show_agreement(reproduction)
    # remarks on single figures would fill pages where a paper has tables of its own
    show_remarks([*cells, *others], min_cells=1 if paper in (ALL_METRICS, PSYCHOLOGICAL) else 2)


def show_cells(title: str, columns: Sequence[str], cells: Sequence[Cell]) -> None:
    """A row per figure; a column's heading says what of the figure it shows."""
    rows = []
    for c in cells:
        # a note begins with how many units have no score: "3 of 120 ..."
        unscored = None if c.ours is None and not c.n else c.note.partition(" of ")[0]
        interval = format_interval(c.low, c.high, 3)
        values: dict[str, Any] = dict.fromkeys(("paper", "printed"), c.paper)
        values |= {"ours": c.ours, "rho": c.ours, "table": c.table, "people": c.table}
        values |= {"length constant": c.without_length}
        values |= {"95% CI": interval, "n": c.n or None, "not scored": unscored}
        rows.append([c.row, c.column, *(values[column] for column in columns[2:])])
    show_table(title, columns, rows, keys=2)


def show_summary(cells: Sequence[Cell]) -> None:
    """The mean rho of each score over the data sets of rated turns."""
    from simpatico.reproduction.metrics_and_people.evidence import evidence_rows, summary_rows

    rows = [
        [
            *(one.score, one.mean, format_correlation_interval(*(one.interval or (None, None)))),
            *(one.without_length, f"{one.above} / {one.below}", len(one.unseen)),
        ]
        for one in summary_rows(evidence_rows(cells))
        if one.mean is not None
    ]
    if rows:
        head = ["score", "mean rho", "95% CI", "length constant", "+ / −", "sets"]
        show_table("Mean over data sets of rated turns", head, rows)
        note(
            "+ / −: data sets whose 95% CI is above / below 0. Data sets that a model was trained "
            "on are left out."
        )


def show_other_metrics(cells: Sequence[Cell]) -> None:
    """Other metrics alone, and with each of the paper's, one line per data set and metric.

    The column of a cell is `metric`, or `metric + addition`.
    """
    lines: dict[tuple[str, str], dict[str, str]] = {}
    for cell in cells:
        metric, _, addition = cell.column.partition(" + ")
        figures = [cell.ours] if cell.paper is None else [cell.ours, cell.paper]
        lines.setdefault((cell.row, metric), {})[addition] = " / ".join(map(format_cell, figures))
    if lines:
        names = list(dict.fromkeys(name for line in lines.values() for name in line if name))
        rows = [[*key, line.get(""), *map(line.get, names)] for key, line in lines.items()]
        head = ["data", "metric", "alone", *(f"+ {name}" for name in names)]
        title = "Adjusted R² of other metrics, alone and with ours; after the slash the paper's"
        show_table(title, head, rows, keys=2)


def show_agreement(reproduction: Reproduction) -> None:
    """Which figures are far from the paper's and why, and how many came out again."""
    rows = [
        [c.row, c.column, c.paper, c.ours, c.table, reason] for c, reason in reproduction.deviations
    ]
    if rows:
        head = ["data", "metric alone", "paper", "ours", "table", "why"]
        show_table(f"More than {TOLERANCE:g} from the paper", head, rows, keys=2)
    result(agreement_summary(reproduction))


def show_remarks(cells: Sequence[Cell], *, min_cells: int = 1) -> None:
    """What readers must know, once each, with how many figures it is about."""
    counts = Counter(remark for cell in cells for remark in set(cell.note.split("; ")[1:]))
    for remark, n in counts.items():
        if n >= min_cells and not remark.startswith(ABOUT_ONE_FIGURE):
            note(f"- {remark} ({n} of {len(cells)} figures)")
