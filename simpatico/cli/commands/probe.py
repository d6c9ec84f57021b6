"""`simpatico probe`: a bot and prompts in, its answers out."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import click

from simpatico.cli.bot_options import (
    SPEC,
    elsewhere,
    foretell,
    how_of,
    many_options,
    named,
    prices_of,
    prompt_options,
    setting_options,
    settings_of,
    summed,
    tell,
)
from simpatico.cli.options import out_file
from simpatico.cli.output import note, result, show_json
from simpatico.cli.progress import Progress
from simpatico.errors import RunError


@click.command(name="probe")
@click.option("--bot", "spec", required=True, metavar="SPEC", help=SPEC)
@click.option("--prompts", "given", required=True, metavar="FILE", help="What to answer.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="JSONL to write.")
@click.option("--system", help="What to call the bot; its model's or program's name if not given.")
@prompt_options
@many_options
@setting_options
def command(spec: str, given: str, out: Path, as_json: bool, **options: Any) -> None:
    """Let a bot answer prompts, into a file that `simpatico score` reads.

    FILE has a prompt a line, a column or field `prompt`, or conversations of any format. The same
    call again goes on where an interrupted one stopped. A server's key is read from the environment
    variable OPENAI_API_KEY, or another that the SPEC names: ?model=NAME&key_env=VARIABLE.
    """
    from simpatico.bots.probe import probe
    from simpatico.bots.prompts import read_prompts

    place, settings, prices = out_file(out), settings_of(options), prices_of(options)
    elsewhere(place, given)
    prompts = read_prompts(given, format=options["format"], upto=options["upto"])
    bot = named(spec, settings, options["system"])
    with closing(bot), Progress("prompts answered") as progress:
        how = how_of(options, progress, lambda left: foretell(left, bot, settings, prices))
        done = probe(bot, prompts, place, how=how)
    told = summed(done, prices, out)
    tell(told, "prompts answered")
    if as_json:
        show_json(told)
    else:
        result(str(out))
    if done.failed and not done.answered and not done.before:
        why = done.failed.most_common(1)[0][0]
        raise RunError(f"no prompt was answered ({why}); {out} says why for each")
    note(f"next: simpatico score {out} --out RUN")
