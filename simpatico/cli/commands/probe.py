"""`simpatico probe`: a bot and prompts in, its replies out.

An API key comes from the environment alone: options end up in the history of a shell.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from simpatico.cli import bot_options as shared
from simpatico.cli import options as opt


@click.command(name="probe")
@shared.bot_option
@shared.prompts_option
@opt.out("JSONL file to write.")
@shared.system_option
@shared.prompt_options
@shared.many_options
@shared.setting_options
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

    shared.refuse_same_file(opt.out_file(out), source)
    prompts = read_prompts(source, format=options["format"], upto=options["upto"])
    with ExitStack() as stack:
        (bot,) = shared.open_bots(stack, [spec], shared.bot_settings(options), [options["system"]])
        summary, facts = shared.ask_bot(bot, prompts, out, options=options)
    shared.print_summary(facts, "prompts answered")
    shared.print_outcome(summary, facts, as_json=as_json, nothing="no prompt was answered")
