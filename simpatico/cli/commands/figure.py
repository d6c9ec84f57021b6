"""`simpatico figure`: one drawing of a run for a paper."""

from __future__ import annotations

from pathlib import Path

import click

from simpatico.cli.options import out_file
from simpatico.cli.output import result


@click.command(name="figure")
@click.argument("kind", type=click.Choice(["radar", "heatmap", "forest", "dots", "tpt"]))
@click.option("--run", type=click.Path(path_type=Path), required=True, help="The run folder.")
@click.option("--judgements", type=click.Path(path_type=Path), help="For forest and tpt.")
@click.option("--quality", help="What was judged; the main one, or for tpt all, if not given.")
@click.option(
    "--pair", nargs=2, metavar="SYSTEM SYSTEM", help="For forest without judgements: which two."
)
@click.option("--traditional", default="", help="For tpt: scores to which others may add.")
@click.option(
    "--width",
    type=click.FloatRange(40, 400),
    default=84,
    show_default=True,
    help="Millimetres; a column is 84, a page 174.",
)
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, help="Ends in .svg, .pdf or .png."
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
    """Draw KIND of a run: the page's drawing alone, as wide as a column.

    radar, dots: the systems; heatmap: how metrics overlap; forest: metrics against raters, or
    without --judgements two systems against each other; tpt: what psychological metrics add.
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
