"""`simpatico play`: two bots and openings in, their dialogs out."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from simpatico.cli.bot_options import (
    SPEC,
    ask_options,
    bot_settings,
    many_options,
    open_bots,
    print_outcome,
    print_summary,
    refuse_same_file,
    setting_options,
    summary_json,
    token_prices,
)
from simpatico.cli.options import out_file, out_option
from simpatico.cli.output import note
from simpatico.cli.progress import ProgressDisplay


@click.command(name="play")
@click.option(
    "--bot", "specs", required=True, multiple=True, metavar="SPEC", help=f"{SPEC} Give it twice."
)
@click.option(
    "--openings",
    "source",
    required=True,
    metavar="FILE",
    help="First turns of the dialogs, in any format of `simpatico probe --prompts`.",
)
@out_option("JSONL file to write.")
@click.option("--turns", default=6, help="Turns per dialog.")
@click.option("--system", "systems", multiple=True, help="Names of the bots; twice, in order.")
@many_options
@setting_options
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
    place, settings, prices = out_file(out), bot_settings(options), token_prices(options)
    refuse_same_file(place, source)
    openings = read_prompts(source)
    with ExitStack() as stack:
        first, second = open_bots(stack, specs, settings, systems)
        progress = stack.enter_context(ProgressDisplay("dialogs played"))
        how = ask_options(options, progress, lambda todo: note(f"{len(todo):,} dialogs to play"))
        summary = play((first, second), openings, place, turns=options["turns"], how=how)
    facts = summary_json(summary, prices, out)
    print_summary(facts, "dialogs played")
    print_outcome(summary, facts, as_json=options["as_json"], nothing="no dialog was completed")
