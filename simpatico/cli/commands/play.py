"""`simpatico play`: two bots and openings in, their dialogs out.

Within a dialog each turn waits for the one before, so --jobs is the number of dialogs at a time.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from simpatico.cli import bot_options as shared
from simpatico.cli import options as opt
from simpatico.cli.output import note
from simpatico.cli.progress import ProgressDisplay


@click.command(name="play")
@opt.option(
    "--bot", f"{shared.SPEC} Give it twice.", "specs", required=True, multiple=True, metavar="SPEC"
)
@opt.option(
    "--openings",
    "First turns of the dialogs, in any format of `simpatico probe --prompts`.",
    "source",
    required=True,
    metavar="FILE",
)
@opt.out("JSONL file to write.")
@opt.value("--turns", 6, "Turns per dialog.")
@opt.option("--system", "Names of the bots; twice, in order.", "systems", multiple=True)
@shared.many_options
@shared.setting_options
def command(
    specs: tuple[str, ...], source: str, out: Path, systems: tuple[str, ...], **options: Any
) -> None:
    """Let two bots talk with each other, starting from openings.

    Each opening counts as the first bot's turn; the second bot speaks next. Run the same command
    again to resume after an interruption.
    """
    from simpatico.bots.play import play
    from simpatico.bots.prompts import read_prompts

    if len(specs) != 2 or len(systems) not in (0, 2):
        raise click.UsageError("give --bot twice, and --system twice or not at all")
    place, settings, prices = (
        opt.out_file(out),
        shared.bot_settings(options),
        shared.token_prices(options),
    )
    shared.refuse_same_file(place, source)
    openings = read_prompts(source)
    with ExitStack() as stack:
        first, second = shared.open_bots(stack, specs, settings, systems)
        progress = stack.enter_context(ProgressDisplay("dialogs played"))
        how = shared.ask_options(
            options, progress, lambda todo: note(f"{len(todo):,} dialogs to play")
        )
        summary = play((first, second), openings, place, turns=options["turns"], how=how)
    facts = shared.summary_json(summary, prices, out)
    shared.print_summary(facts, "dialogs played")
    shared.print_outcome(
        summary, facts, as_json=options["as_json"], nothing="no dialog was completed"
    )
