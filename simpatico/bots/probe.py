"""A bot answers prompts, into a file that `simpatico score` reads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from simpatico.bots.bot import Bot
from simpatico.bots.journal import Rows
from simpatico.bots.prompts import Prompt
from simpatico.bots.runner import AskOptions, Summary, ask_all, failure_rows, prompt_rows, reply_row
from simpatico.errors import NoAnswer

SPEAKERS = {"system": "system", "user": "user", "assistant": "assistant"}


def probe(
    bot: Bot, prompts: Sequence[Prompt], out: str | Path, *, how: AskOptions | None = None
) -> Summary:
    """Let a bot reply to each prompt; the same call again resumes an interrupted one.

    The dialogs stand in the file in the order of the prompts, whatever the order of the answers.
    The bot's turns belong to the system of its name, and those before them to none; every dialog
    carries its prompt, so that systems can be compared on it. Where there is no answer, the last
    turn says why.
    """

    def answer(prompt: Prompt) -> Rows:
        before = prompt_rows(prompt, SPEAKERS)
        try:
            reply = bot(prompt.dialog)
        except NoAnswer as error:
            return failure_rows(before, error, bot)
        return [*before, reply_row(prompt, reply, bot, speaker="assistant")]

    return ask_all(answer, prompts, Path(out), bots=[bot], how=how or AskOptions())
