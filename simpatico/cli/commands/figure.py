"""`simpatico figure`: one figure of a run for a paper."""

from __future__ import annotations

from pathlib import Path

import click

from simpatico.cli.options import out_file
from simpatico.cli.output import result


@click.command(name="figure")
@click.argument("kind", type=click.Choice(["radar", "heatmap", "forest", "dots", "tpt"]))
@click.option("--run", type=click.Path(path_type=Path), required=True, help="The run folder.")
@click.option(
    "--judgements", type=click.Path(path_type=Path), help="Human ratings, for forest and tpt."
)
@click.option("--quality", help="Quality rated (default: the main one; for tpt all).")
@click.option(
    "--pair", nargs=2, metavar="SYSTEM SYSTEM", help="For forest without ratings: the two systems."
)
@click.option("--traditional", default="", help="For tpt: comma-separated baseline scores.")
@click.option(
    "--width",
    type=click.FloatRange(40, 400),
    default=84,
    show_default=True,
    help="Width in mm; a column is 84, a page 174.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    help="File to write: .svg, .pdf or .png.",
)
def command(
    kind: str,
    run: Path,
    judgements: Path | None,
    quality: str | None,
    pair: tuple[str, str] | None,
    traditional: str,
    width: float,
    out: Path,
) -> None:
    """Draw one figure of a run for a paper.

    radar, dots: means of the systems; heatmap: correlations between metrics; forest: correlations
    with human ratings, or without --judgements the differences between two systems; tpt:
    incremental validity of psychological metrics.
    """
    from simpatico.charts.export import write_figure
    from simpatico.readers.judgement_files import read_judgements
    from simpatico.reporting.figures import draw_figure
    from simpatico.reporting.findings import gather_findings
    from simpatico.run import Run

    place = out_file(out)
    given = read_judgements(judgements) if judgements else None
    names = tuple(n.strip() for n in traditional.split(",") if n.strip())
    found = gather_findings(Run(run), given, pair=pair or None, traditional=names)
    write_figure(draw_figure(found, kind, quality=quality, width=width), place)
    result(str(out))
