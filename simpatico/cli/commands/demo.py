"""`simpatico demo`: the bundled conversations scored and reported, with nothing to choose.

The page's title and a note say that systems and ratings are made up, as nobody should quote them.
"""

from __future__ import annotations

from pathlib import Path

import click

from simpatico.cli import options as opt
from simpatico.cli.commands.score import print_run_summary
from simpatico.cli.commands.show import show_systems
from simpatico.cli.output import note, result, show_table
from simpatico.cli.progress import ProgressDisplay
from simpatico.judgements import Judgements

TITLE = "Three made-up systems (demo)"
SAMPLES = Path(__file__).parents[2] / "data" / "samples"


@click.command(name="demo")
@opt.out("Run folder to write.", default=Path("demo-run"))
@opt.force
def command(out: Path) -> None:
    """Score the bundled conversations of three made-up systems.

    Works offline, with nothing to configure; writes the scores and a report.
    """
    from simpatico.files import write_atomically
    from simpatico.readers import Conversations
    from simpatico.readers.judgement_files import read_judgements
    from simpatico.registry import load, preset
    from simpatico.reporting.page import GENERATOR, report
    from simpatico.run.writer import score_run

    page_file = out / "report.html"
    if out.is_dir():
        opt.out_file(page_file, GENERATOR.encode())
    conversations = Conversations((str(SAMPLES / "conversations.jsonl"),))
    metrics = [load(name) for name in preset("default")]
    with ProgressDisplay() as progress:
        run = score_run(conversations, metrics, out, progress=progress.add)
    print_run_summary(run)
    show_systems(run.at("system"), run.facts)
    judgements = read_judgements(SAMPLES / "judgements_made_up.csv")
    show_mean_ratings(judgements)
    with ProgressDisplay("report"):
        page = report(run, judgements, title=TITLE, judged="judgements_made_up.csv")
    write_atomically(page_file, page.encode())
    note("The three systems, their conversations and all their ratings are made up.")
    result(f"report to open in a browser: {page_file}")
    result(
        f"scores: {out}/turn.parquet, {out}/dialog.parquet, {out}/system.parquet; {out}/run.json"
    )
    note(f"– means not scored; for the component scores: simpatico show {out} --every")
    note(f"next: simpatico compare {out} · simpatico show {out} --level dialog")


def show_mean_ratings(judgements: Judgements) -> None:
    """The mean rating of each system by the made-up judges.

    Next to the scores they show at a glance that scores and ratings need not agree.
    """
    rated = judgements.frame.drop_nulls("value")
    table = rated.pivot("speaker", index="quality", values="value", aggregate_function="mean")
    systems = sorted(table.columns[1:])
    counts = dict(rated.group_by("quality").len().iter_rows())
    rows = [[q, *means, counts[q]] for q, *means in table.select("quality", *systems).iter_rows()]
    show_table("Mean of the made-up ratings (scale 1 to 5)", ["quality", *systems, "ratings"], rows)
