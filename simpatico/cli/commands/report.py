"""`simpatico report`: a run as one self-contained HTML page."""

from __future__ import annotations

from pathlib import Path

import click

from simpatico.cli.options import out_file
from simpatico.cli.output import note, result, show_json


@click.command(name="report")
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--judgements", type=click.Path(path_type=Path), help="Human ratings: dialog, quality, value."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("report.html"),
    show_default=True,
    help="HTML file to write.",
)
@click.option("--title", help="Title of the page (default: name of the run folder).")
@click.option(
    "--pair",
    nargs=2,
    metavar="SYSTEM SYSTEM",
    help="Systems to lead with (default: the pair with the clearest differences).",
)
@click.option(
    "--traditional",
    default="",
    help="Comma-separated baseline scores for incremental validity (default: traditional metrics).",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print the numbers of the page as JSON; write no page."
)
def command(
    run: Path,
    judgements: Path | None,
    out: Path,
    title: str | None,
    pair: tuple[str, str] | None,
    traditional: str,
    as_json: bool,
) -> None:
    """Write an HTML report of RUN: verdict, systems, correlations with ratings, dialogs, cards.

    One self-contained file that quotes up to 24 dialogs: share it with care.
    """
    from simpatico.files import write_atomically
    from simpatico.readers.judgement_files import read_judgements
    from simpatico.reporting.dialogs.quoting import collect_quotations
    from simpatico.reporting.findings import gather_findings
    from simpatico.reporting.page import render_page
    from simpatico.run import Run

    place = out_file(out)
    given = read_judgements(judgements) if judgements else None
    names = tuple(n.strip() for n in traditional.split(",") if n.strip())
    found = gather_findings(Run(run), given, pair=pair or None, traditional=names)
    if as_json:
        show_json({**found.as_json(), "examples": collect_quotations(found).as_json()})
        return
    text = render_page(found, title=title, judged=judgements.name if judgements else None)
    write_atomically(place, lambda path: path.write_text(text, encoding="utf-8"))
    if judgements and found.evidence is None:
        note(f"The human ratings were rejected. {found.no_evidence_reason}")
    quotes = "; quotes dialogs as logged: share with care"
    note(f"{len(text.encode()):,} bytes{quotes if found.facts.get('text') else ''}")
    result(str(out))
