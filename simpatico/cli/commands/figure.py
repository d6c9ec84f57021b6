"""`simpatico figure`: one figure of a run for a paper.

Widths are in mm, as journals state them; SVG needs no extra package, PDF and PNG a converter.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from simpatico.cli import options as opt
from simpatico.cli.commands.report import read_findings
from simpatico.cli.output import result
from simpatico.cli.progress import ProgressDisplay


@click.command(name="figure", cls=opt.accept_old_names(kind="correlation"))
@click.argument("kind", type=click.Choice(["radar", "heatmap", "forest", "dots", "tpt"]))
@opt.repeatable("--run", "Run folder.", "runs", type=opt.PATH, required=True)
@opt.judgements
@opt.rating_columns
@opt.option("--quality", "Rated quality to show.  [default: the main one; for tpt all]")
@opt.option(
    "--pair", "For forest without ratings: the two systems.", nargs=2, metavar="SYSTEM SYSTEM"
)
@opt.with_human
@opt.traditional
@opt.correlation
@opt.value(
    "--width",
    84,
    "Width in mm; a journal column is 84, a page 174.",
    type=click.FloatRange(40, 400),
)
@opt.out("File to write: .svg, .pdf or .png.")
@opt.force
def command(kind: str, quality: str | None, width: float, out: Path, **options: Any) -> None:
    """Draw one figure of a run for a paper.

    radar, dots: means of the systems; heatmap: correlations between metrics; forest: correlations
    with human ratings, or without --judgements the differences between two systems; tpt:
    incremental validity of psychological metrics over traditional ones, from --judgements. With
    several --run, their systems are shown together.
    """
    from simpatico.charts.export import MARK, write_figure
    from simpatico.reporting.figures import draw_figure

    place = opt.out_file(out, MARK)
    with ProgressDisplay("figure"), read_findings(**options) as findings:
        write_figure(draw_figure(findings, kind, quality=quality, width=width), place)
    result(str(out))
