"""`simpatico probe`: a bot and prompts in, its answers out."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import click

from simpatico.cli.bot_options import (
    SPEC,
    ask_options,
    bot_settings,
    load_named_bot,
    many_options,
    print_estimate,
    print_outcome,
    print_summary,
    prompt_options,
    refuse_same_file,
    setting_options,
    summary_json,
    token_prices,
)
from simpatico.cli.options import out_file
from simpatico.cli.output import note
from simpatico.cli.progress import ProgressDisplay


@click.command(name="probe")
@click.option("--bot", "spec", required=True, metavar="SPEC", help=SPEC)
@click.option("--prompts", "source", required=True, metavar="FILE", help="Prompts to reply to.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="JSONL file to write.")
@click.option("--system", help="Name of the bot; that of its model or program if not given.")
@prompt_options
@many_options
@setting_options
def command(spec: str, source: str, out: Path, as_json: bool, **options: Any) -> None:
    """Let a bot reply to prompts.

    Writes a file that `simpatico score` reads. FILE has one prompt per line, a column or
    field `prompt`, or conversations in any format. Run the same command
    again to resume after an interruption. A server's API key is read from the environment
    variable OPENAI_API_KEY, or one named in SPEC: ?model=NAME&key_env=VARIABLE.
    """
    from simpatico.bots.probe import probe
    from simpatico.bots.prompts import read_prompts

    place, settings, prices = out_file(out), bot_settings(options), token_prices(options)
    refuse_same_file(place, source)
    prompts = read_prompts(source, format=options["format"], upto=options["upto"])
    bot = load_named_bot(spec, settings, options["system"])
    with closing(bot), ProgressDisplay("prompts answered") as progress:
        how = ask_options(
            options,
            progress,
            lambda todo: print_estimate(todo, bot, settings=settings, prices=prices),
        )
        summary = probe(bot, prompts, place, how=how)
    facts = summary_json(summary, prices, out)
    print_summary(facts, "prompts answered")
    print_outcome(summary, facts, as_json=as_json, nothing="no prompt was answered")
    note(f"next: simpatico score {out} --out RUN")
