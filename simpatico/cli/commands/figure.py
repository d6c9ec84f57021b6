"""`simpatico figure`: one figure of a run for a paper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from simpatico.cli.commands.report import read_findings
from simpatico.cli.options import (
    PATH,
    judgements_option,
    out_file,
    out_option,
    traditional_option,
)
from simpatico.cli.output import result


@click.command(name="figure")
@click.argument("kind", type=click.Choice(["radar", "heatmap", "forest", "dots", "tpt"]))
@click.option("--run", type=PATH, required=True, help="Run folder.")
@judgements_option
@click.option("--quality", help="Rated quality to show.  [default: the main one; for tpt all]")
@click.option(
    "--pair", nargs=2, metavar="SYSTEM SYSTEM", help="For forest without ratings: the two systems."
)
@traditional_option
@click.option(
    "--width",
    type=click.FloatRange(40, 400),
    default=84,
    help="Width in mm; a column is 84, a page 174.",
)
@out_option("File to write: .svg, .pdf or .png.")
def command(kind: str, quality: str | None, width: float, out: Path, **options: Any) -> None:
    """Draw one figure of a run for a paper.

    radar, dots: means of the systems; heatmap: correlations between metrics; forest: correlations
    with human ratings, or without --judgements the differences between two systems; tpt:
    incremental validity of psychological metrics over traditional ones, from --judgements.
    """
    from simpatico.charts.export import write_figure
    from simpatico.reporting.figures import draw_figure

    place = out_file(out)
    findings = read_findings(**options)
    write_figure(draw_figure(findings, kind, quality=quality, width=width), place)
    result(str(out))
