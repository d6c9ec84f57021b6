"""`simpatico chat`: talk with a bot in the terminal; the dialog is saved."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import click

from simpatico.cli import bot_options as shared
from simpatico.cli import options as opt
from simpatico.cli.output import clean, note, result
from simpatico.errors import NoAnswer

MAX_LINE = 1_000_000
"""Characters of a line; a pipe without a line end must not fill the memory."""


@click.command(name="chat")
@shared.bot_option
@opt.out("JSONL file to append to.")
@shared.system_option
@shared.setting_options
def command(spec: str, out: Path, system: str | None, **options: Any) -> None:
    """Talk with a bot in the terminal.

    Each line is a turn; /quit or the end of the input ends the dialog. Every turn is saved as soon
    as the bot has replied; an existing file gets one more dialog.
    """
    from simpatico.bots.chat_log import QUIT, ChatLog, chat_replies

    place = opt.out_file(out)
    failures: list[NoAnswer] = []
    with ExitStack() as stack:
        (bot,) = shared.open_bots(stack, [spec], shared.bot_settings(options), [system])
        log = stack.enter_context(closing(ChatLog(bot, place)))
        note(f"You are talking with {bot.name}; {QUIT} ends the dialog.")
        with suppress(KeyboardInterrupt):  # one more way to end a dialog
            for reply in chat_replies(log, typed_lines()):
                if isinstance(reply, NoAnswer):
                    failures.append(reply)
                    note(f"no reply: {reply}")
                    continue
                for line in reply.text.splitlines():
                    result(line)
        turns = len(log.dialog)
    if failures and not turns:
        raise failures[0]
    note(f"{turns} turns saved in {clean(str(out))}")


def typed_lines() -> Iterator[str]:
    """What the user types, or what comes down a pipe.

    The prompt goes to stderr: stdout has nothing but the bot's turns.
    """
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    while True:
        if sys.stdin.isatty():
            click.echo("you: ", err=True, nl=False)
        if not (line := sys.stdin.readline(MAX_LINE)):
            return
        yield line
