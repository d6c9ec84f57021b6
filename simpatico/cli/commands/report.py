"""`simpatico report`: a run as one self-contained HTML page.

Ratings that do not match the run are no error: the page has more to show, and says why they are
missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simpatico.cli import options as opt
from simpatico.cli.output import note, result, show_json
from simpatico.cli.progress import ProgressDisplay

if TYPE_CHECKING:
    from simpatico.judgements import Judgements, Preferences
    from simpatico.reporting.findings import Findings


@click.command(name="report")
@click.argument("runs", nargs=-1, required=True, type=opt.PATH, metavar="RUN...")
@opt.judgements
@opt.rating_columns
@opt.judges
@opt.out("HTML file to write.", default=Path("report.html"))
@opt.option("--title", "Title of the page.  [default: name of the run folder]")
@opt.option(
    "--pair",
    "Systems to lead with.  [default: the pair with the clearest differences]",
    nargs=2,
    metavar="SYSTEM SYSTEM",
)
@opt.with_human
@opt.by
@opt.traditional
@opt.force
@opt.as_json
def command(
    runs: tuple[Path, ...],
    out: Path,
    title: str | None,
    judgements: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Write an HTML report of RUN, or of several runs together.

    Shows the main differences, all systems, correlations with human ratings, example dialogs and
    the card of each metric. One self-contained file that quotes up to 24 dialogs: share it with
    care. With --json, prints the numbers of the page and writes no page.
    """
    from simpatico.files import write_atomically
    from simpatico.reporting.dialogs.quoting import collect_quotations
    from simpatico.reporting.page import GENERATOR, render_page

    place = out if as_json else opt.out_file(out, GENERATOR.encode())
    with (
        ProgressDisplay("report"),
        read_findings(runs, judgements, **options) as findings,
    ):
        if as_json:
            show_json({**findings.as_json(), "examples": collect_quotations(findings).as_json()})
            return
        text = render_page(findings, title=title, judged=judgements.name if judgements else None)
    write_atomically(place, text.encode())
    if judgements and findings.evidence is None and findings.preferences is None:
        note(f"The human ratings were rejected. {findings.no_evidence_reason}")
    quotes = "; quotes dialogs as logged: share with care"
    note(f"{len(text.encode()):,} bytes{quotes if findings.facts.get('text') else ''}")
    result(str(out))


@contextmanager
def read_findings(
    runs: Sequence[Path],
    judgements: Path | None,
    *,
    turns_from: int = 0,
    columns: tuple[tuple[str, str], ...] = (),
    judges: tuple[Path, ...] = (),
    **options: Any,
) -> Iterator[Findings]:
    """All results of the runs that the page and figures show."""
    from simpatico.readers.judge_answer_files import read_judges
    from simpatico.readers.judgement_files import (
        has_preferences,
        read_judgements,
        read_preferences,
    )
    from simpatico.reporting.findings import gather_findings
    from simpatico.run.merge import open_runs

    ratings: Judgements | Preferences | None = None
    if judgements:
        if has_preferences(judgements):
            ratings = read_preferences(judgements, turns_from=turns_from)
        else:
            ratings = read_judgements(judgements, turns_from=turns_from, columns=dict(columns))
    with open_runs(runs) as run:
        if absent := run.facts.get("left_out"):
            note(f"Left out, as not every run has it: {', '.join(absent)}")
        answers = read_judges(judges) if judges else None
        yield gather_findings(run, ratings, turns_from=turns_from, answers=answers, **options)
