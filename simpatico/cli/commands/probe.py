"""`simpatico probe`: a bot and prompts in, its replies out."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from simpatico.cli.bot_options import (
    ask_bot,
    bot_option,
    bot_settings,
    many_options,
    open_bots,
    print_outcome,
    print_summary,
    prompt_options,
    prompts_option,
    refuse_same_file,
    setting_options,
    system_option,
)
from simpatico.cli.options import out_file, out_option


@click.command(name="probe")
@bot_option
@prompts_option
@out_option("JSONL file to write.")
@system_option
@prompt_options
@many_options
@setting_options
def command(spec: str, source: str, out: Path, as_json: bool, **options: Any) -> None:
    """Let a bot reply to prompts.

    Writes a file that `simpatico score` reads. FILE has one prompt per line, a column or field
    `prompt`, or conversations in any format. Run the same command again to resume after an
    interruption.

    A server's API key is read from the environment variable OPENAI_API_KEY, or from one named in
    SPEC: ?model=NAME&key_env=VARIABLE.

    \b
    Example:
      simpatico probe --bot http://localhost:8000/v1?model=mine \\
        --prompts prompts.txt --out replies.jsonl
    """
    from simpatico.bots.prompts import read_prompts

    refuse_same_file(out_file(out), source)
    prompts = read_prompts(source, format=options["format"], upto=options["upto"])
    with ExitStack() as stack:
        (bot,) = open_bots(stack, [spec], bot_settings(options), [options["system"]])
        summary, facts = ask_bot(bot, prompts, out, options=options)
    print_summary(facts, "prompts answered")
    print_outcome(summary, facts, as_json=as_json, nothing="no prompt was answered")
